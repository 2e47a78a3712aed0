//! The games and the house player.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// The games and the house player.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Games {
    /// Whether the server plays against whoever challenges `house`.
    pub house: bool,
    /// How long a game that nobody is at stays in memory.
    #[serde(with = "humantime_serde")]
    pub park_after: Duration,
}

impl Default for Games {
    fn default() -> Self {
        Self { house: true, park_after: Duration::from_mins(10) }
    }
}

impl Games {
    pub(super) fn check(&self, mistakes: &mut Vec<String>) {
        if self.park_after.is_zero() {
            mistakes.push("games.park_after: must be more than nothing".to_owned());
        }
    }
}
