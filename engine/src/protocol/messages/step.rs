//! What has happened in a game, word by word.

use std::{fmt, str::FromStr};

use adamant_rules::Seat;

/// A word of `position`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Step {
    /// A move in canonical notation; `swap` among them.
    Move(Box<str>),
    /// The rules passed over the seat to move.
    Pass,
    /// A seat left a game that went on: it resigned, its time ran out, or it went away.
    Left(Seat),
}

/// How a departure begins. No notation has a colon.
const LEFT: &str = "left:";

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Move(notation) => f.write_str(notation),
            Self::Pass => f.write_str("pass"),
            Self::Left(seat) => write!(f, "{LEFT}{}", seat.index()),
        }
    }
}

impl FromStr for Step {
    type Err = ();

    fn from_str(word: &str) -> Result<Self, ()> {
        match word.strip_prefix(LEFT) {
            Some(seat) => seat.parse().ok().and_then(Seat::new).map(Self::Left).ok_or(()),
            None if word == "pass" => Ok(Self::Pass),
            None => Ok(Self::Move(word.into())),
        }
    }
}
