//! What must hold beyond the rest when several nodes decide about one game.

use serde_json::Value;

use super::oracle::Oracle;

/// The most that a node's clock is apart from the simulated time, and what a disk takes at least.
const CLOCK_MARGIN_MS: u64 = 60;

/// A player who has been at the game for this long is present on every node: longer than any pause.
const PRESENT_AFTER_MS: u64 = 10_000;

impl Oracle {
    /// Checks that no flag falls before its time, by the simulated time. `due` is the deadline
    /// before the record.
    pub(super) fn check_flag(&self, due: Option<u64>, frame: &Value) -> Result<(), String> {
        let is_flag = matches!(frame["reason"].as_str(), Some("timed_out" | "no_show"))
            && frame["claimed_by"].is_null();
        let now = self.history.now_ms().unwrap_or(u64::MAX);
        match due {
            Some(due) if is_flag && now + CLOCK_MARGIN_MS < due => {
                Err(format!("a flag falls at {now}, before {due}"))
            }
            _ => Ok(()),
        }
    }

    /// Checks that no claim is decided against a player who is present.
    pub(super) fn check_claim(&self, game: &str, frame: &Value) -> Result<(), String> {
        let seat = if frame["kind"] == "removed" { "seat" } else { "by" };
        let (Some(_), Some(seat)) = (frame["claimed_by"].as_u64(), frame[seat].as_u64()) else {
            return Ok(());
        };
        let at = frame["at"].as_u64().unwrap_or_default();
        let mut players = self.journal.table(game).into_iter().flat_map(|table| {
            table.players().entries().filter(|(other, _)| other.index() as u64 == seat)
        });
        let Some((_, player)) = players.next() else { return Ok(()) };
        let is_present = self.links.iter().any(|link| {
            link.open
                && !link.was_stalled
                && self.users[link.user].name == *player.user
                && link.joined.get(game).is_some_and(|joined| joined + PRESENT_AFTER_MS < at)
        });
        if is_present { Err(format!("{} is there", player.user)) } else { Ok(()) }
    }

    /// Notes which games a connection has joined.
    pub(super) fn note_joined(&mut self, link: usize) {
        let now = self.history.now_ms().unwrap_or_default();
        let link = &mut self.links[link];
        link.joined.retain(|game, _| link.heard.contains_key(game));
        for game in link.heard.keys() {
            link.joined.entry(game.clone()).or_insert(now);
        }
    }
}
