//! What can be played: every game, by as many as it allows, plain and with each of its flags. A
//! further game is in all tests that go through these.

use std::fmt;

use adamant_rules::{Kind, options::OptionKind};
use serde_json::{Value, json};

/// A game as a challenge has it.
#[derive(Clone, Debug)]
pub(crate) struct Variant {
    /// Which game.
    pub(crate) kind: Kind,
    /// How many play.
    pub(crate) players: usize,
    /// The options that are chosen.
    pub(crate) options: String,
}

impl Variant {
    /// Every game with every number of players, each without options and with one flag at a time.
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

    /// The fields of a challenge or seek that ask for it.
    pub(crate) fn terms(&self) -> Value {
        json!({"rules": self.kind.name(), "options": self.options})
    }
}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} with {} players {}", self.kind.name(), self.players, self.options)
    }
}
