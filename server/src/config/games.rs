//! The games and the house players.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// The games and the house players.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Games {
    /// Whether the server plays against whoever challenges `house`, `house-easy` or `house-hard`.
    pub house: bool,
    /// How long a game that nobody is at stays in memory.
    #[serde(with = "humantime_serde")]
    pub park_after: Duration,
    /// How long a game with clocks waits for a player who is away before the others may claim it.
    #[serde(with = "humantime_serde")]
    pub claim_after: Duration,
    /// The same without clocks.
    #[serde(with = "humantime_serde")]
    pub claim_after_untimed: Duration,
    /// How long a house player waits for the next move in a game without clocks before it ends it.
    #[serde(with = "humantime_serde")]
    pub house_waits: Duration,
    /// The same where its opponent has never moved and is not connected.
    #[serde(with = "humantime_serde")]
    pub house_waits_untouched: Duration,
}

impl Default for Games {
    fn default() -> Self {
        Self {
            house: true,
            park_after: Duration::from_mins(10),
            claim_after: Duration::from_mins(2),
            claim_after_untimed: Duration::from_hours(7 * 24),
            house_waits: Duration::from_hours(24),
            house_waits_untouched: Duration::from_mins(10),
        }
    }
}

impl Games {
    pub(super) fn check(&self, mistakes: &mut Vec<String>) {
        let waits = [
            ("park_after", self.park_after),
            ("claim_after", self.claim_after),
            ("claim_after_untimed", self.claim_after_untimed),
            ("house_waits", self.house_waits),
            ("house_waits_untouched", self.house_waits_untouched),
        ];
        for (name, wait) in waits {
            if wait.is_zero() {
                mistakes.push(format!("games.{name}: must be more than nothing"));
            }
        }
    }
}
