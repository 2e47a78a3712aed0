//! Errors: why a game cannot begin, and why an event cannot be applied to a table.

use crate::{
    clock::ClockError,
    event::{DELAY_MAX, Setup},
    options::OptionError,
    refusal::Refusal,
};

/// Why a game cannot begin like this.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum SetupError {
    /// The number of players or an option.
    #[error(transparent)]
    Options(#[from] OptionError),
    /// The time control.
    #[error(transparent)]
    Clock(#[from] ClockError),
    /// How far spectators are to be kept behind.
    #[error("spectators may be at most {DELAY_MAX} moves behind")]
    Delay,
    /// One user on two seats. Case makes no difference between names.
    #[error("{user} cannot play on two seats")]
    SameUser {
        /// The name that occurs twice.
        user: Box<str>,
    },
}

/// Why an event cannot be applied to this table: its journal is damaged or follows other rules.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum ApplyError {
    /// The first event is another one.
    #[error("a game begins with a created event")]
    NotCreated,
    /// The game exists already.
    #[error("a game is created only once")]
    CreatedTwice,
    /// The setup is not one that can be played.
    #[error("the game could not have been created: {0}")]
    Setup(#[from] SetupError),
    /// The options lack values or have them otherwise than the game completes them.
    #[error("the options of a created game must be complete")]
    Incomplete,
    /// It is earlier than the event before it.
    #[error("it happened at {at}, before the event that it follows, at {last}")]
    BackInTime {
        /// When it claims to have happened.
        at: u64,
        /// When the last one happened.
        last: u64,
    },
    /// Another event must come first.
    #[error("the rules demand another event here")]
    OutOfOrder,
    /// No rule and no act leads to it.
    #[error("nothing that happened before leads to it")]
    Unexplained,
    /// The table would not have allowed the act behind it.
    #[error("it was not allowed: {0}")]
    Refused(#[from] Refusal),
    /// It leads to another position than it says.
    #[error("the position after it has the hash {found:016x}, not {claimed:016x}")]
    Hash {
        /// The hash as the rules have it.
        found: u64,
        /// The hash in the event.
        claimed: u64,
    },
    /// Its fields differ from what the rules compute.
    #[error("the rules tell otherwise what happened")]
    Differs,
}

impl Setup {
    /// Completes the options and checks all else that must hold before a game can begin.
    pub fn complete(mut self) -> Result<Self, SetupError> {
        self.options = self.kind.complete(&self.options, self.seats.len())?;
        self.clock.check()?;
        if self.delay > DELAY_MAX {
            return Err(SetupError::Delay);
        }
        for (seat, player) in self.seats.entries() {
            let earlier = self.seats.iter().take(seat.index());
            if earlier.into_iter().any(|other| other.user.eq_ignore_ascii_case(&player.user)) {
                return Err(SetupError::SameUser { user: player.user.clone() });
            }
        }
        Ok(self)
    }

    /// Whether these are the same choices, in whatever order they are named.
    pub(super) fn agrees_with(&self, other: &Self) -> bool {
        self.options.len() == other.options.len()
            && self.options.iter().all(|(name, value)| other.options.get(name) == Some(value))
    }
}
