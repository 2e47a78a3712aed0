//! What clients hear of invites.

use serde_json::Value;

use super::oracle::Oracle;

impl Oracle {
    /// Notes an invite, and its game: an invite has one game.
    pub(super) fn on_invite(&mut self, frame: &Value) -> Result<(), String> {
        let known = self
            .invites
            .entry(frame["invite"].as_str().unwrap_or_default().to_owned())
            .or_default();
        let Some(game) = frame["game"].as_str() else { return Ok(()) };
        match known.replace(game.to_owned()) {
            Some(before) if before != game => Err(format!("the invite was game {before} before")),
            Some(_) | None => Ok(()),
        }
    }
}
