//! Talk about games.

use adamant_protocol::UserName;
use serde::{Deserialize, Serialize};

/// Talk about games.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Talk {
    /// Whether users may talk at all. What was said before can be read only while they may.
    pub enabled: bool,
    /// Whether guests may talk. They may read in any case.
    pub guests: bool,
    /// Accounts that may read every room and delete any line, with `adamant unsay`.
    pub moderators: Vec<String>,
}

impl Default for Talk {
    fn default() -> Self {
        Self { enabled: true, guests: true, moderators: Vec::new() }
    }
}

impl Talk {
    pub(super) fn check(&self, mistakes: &mut Vec<String>) {
        for name in &self.moderators {
            if let Err(error) = name.parse::<UserName>() {
                mistakes.push(format!("talk.moderators: {name:?}: {error}"));
            }
        }
    }

    /// Whether a user of that name may delete what others said.
    pub fn has_moderator(&self, user: &UserName) -> bool {
        self.moderators.iter().any(|name| user.is_same(name))
    }
}
