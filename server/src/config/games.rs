//! The section `[games]`: games and server bots.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Games and server bots.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct GamesConfig {
    /// Whether the server bots `house-easy`, `house` and `house-hard` run.
    pub house: bool,
    /// Number of loops that drive the rooms; `None` for the number of cores.
    pub loops: Option<u16>,
    /// Time after which a live game without connected clients is parked.
    #[serde(with = "humantime_serde")]
    pub park_after: Duration,
    /// Time after which the opponents of a player who is away on their turn may claim the game, in
    /// games with clocks.
    #[serde(with = "humantime_serde")]
    pub claim_after: Duration,
    /// The same in games without clocks.
    #[serde(with = "humantime_serde")]
    pub claim_after_untimed: Duration,
    /// Time that a server bot waits for the next move in a game without clocks before it ends the
    /// game.
    #[serde(with = "humantime_serde")]
    pub house_waits: Duration,
    /// The same for an opponent who has never moved and is not connected.
    #[serde(with = "humantime_serde")]
    pub house_waits_untouched: Duration,
}

impl Default for GamesConfig {
    fn default() -> Self {
        Self {
            house: true,
            loops: None,
            park_after: Duration::from_mins(10),
            claim_after: Duration::from_mins(2),
            claim_after_untimed: Duration::from_hours(7 * 24),
            house_waits: Duration::from_hours(24),
            house_waits_untouched: Duration::from_mins(10),
        }
    }
}

impl GamesConfig {
    pub(super) fn check(&self, mistakes: &mut Vec<String>) {
        let waits = [
            ("park_after", self.park_after),
            ("claim_after", self.claim_after),
            ("claim_after_untimed", self.claim_after_untimed),
            ("house_waits", self.house_waits),
            ("house_waits_untouched", self.house_waits_untouched),
        ];
        if self.loops == Some(0) {
            mistakes.push("games.loops: must be at least 1".to_owned());
        }
        for (name, wait) in waits {
            if wait.is_zero() {
                mistakes.push(format!("games.{name}: must be longer than zero"));
            }
        }
    }
}
