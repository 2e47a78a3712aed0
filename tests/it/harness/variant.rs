//! Every game, with every number of players and each of its flags. Tests that iterate over the
//! variants cover further games, too.

use std::fmt;

use adamant_rules::{Kind, options::OptionKind};
use serde_json::{Value, json};

/// A game as a challenge describes it.
#[derive(Clone, Debug)]
pub(crate) struct Variant {
    /// The game.
    pub(crate) kind: Kind,
    /// The number of players.
    pub(crate) players: usize,
    /// The options.
    pub(crate) options: String,
}

impl Variant {
    /// Returns every game with every number of players, each without options and with one flag at a
    /// time.
    pub(crate) fn all() -> Vec<Self> {
        let mut variants = Vec::new();
        for &kind in Kind::ALL {
            for players in kind.players() {
                variants.push(Self { kind, players, options: String::new() });
                for spec in kind.option_specs() {
                    if spec.kind == OptionKind::Flag {
                        let options = format!("-{}", spec.name);
                        variants.push(Self { kind, players, options });
                    }
                }
            }
        }
        variants
    }

    /// Returns the fields of a challenge or seek for this variant.
    pub(crate) fn terms(&self) -> Value {
        json!({"rules": self.kind.name(), "options": self.options})
    }
}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} with {} players {}", self.kind.name(), self.players, self.options)
    }
}
