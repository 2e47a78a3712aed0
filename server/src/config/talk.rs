//! The section `[talk]`: chat about games.

use adamant_protocol::UserName;
use serde::{Deserialize, Serialize};

/// Chat about games.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TalkConfig {
    /// Whether users may talk. If not, earlier talk cannot be read either.
    pub enabled: bool,
    /// Whether guests may talk. They may always read.
    pub guests: bool,
    /// Accounts that may read every room and delete any line, with `adamant unsay`.
    pub moderators: Vec<String>,
}

impl Default for TalkConfig {
    fn default() -> Self {
        Self { enabled: true, guests: true, moderators: Vec::new() }
    }
}

impl TalkConfig {
    pub(super) fn check(&self, mistakes: &mut Vec<String>) {
        for name in &self.moderators {
            if let Err(error) = name.parse::<UserName>() {
                mistakes.push(format!("talk.moderators: {name:?}: {error}"));
            }
        }
    }

    /// Whether this user may delete lines of other users.
    pub fn has_moderator(&self, user: &UserName) -> bool {
        self.moderators.iter().any(|name| user.is_same(name))
    }
}
