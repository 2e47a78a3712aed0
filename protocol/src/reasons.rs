//! Reasons that occur in two messages, of which one knows further words.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Defines two lists of words: one with the common words, one that puts further words before them.
macro_rules! reasons {
    (
        $(#[$about:meta])* $name:ident $(, derive $default:ident)?;
        $(#[$wide_about:meta])* $wide:ident { $($(#[$further_doc:meta])* $further:ident,)+ };
        $($(#[doc = $doc:literal])+ $word:ident $(($attribute:meta))?,)+
    ) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, $($default,)? Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "snake_case")]
        pub enum $name {
            $($(#[doc = $doc])+ $(#[$attribute])? $word,)+
        }

        $(#[$wide_about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "snake_case")]
        pub enum $wide {
            $($(#[$further_doc])* $further,)+
            $($(#[doc = $doc])+ $word,)+
        }

        impl From<$name> for $wide {
            fn from(reason: $name) -> Self {
                match reason { $($name::$word => Self::$word),+ }
            }
        }
    };
}

reasons! {
    /// Why a seat left the game.
    LeaveReason;
    /// Whether a seat still plays, or why it left.
    SeatState {
        /// The seat plays.
        In,
    };
    /// Its last piece was captured.
    NoPieces,
    /// It could not move.
    NoMove,
    /// It resigned.
    Resigned,
    /// Its clock ran out.
    TimedOut,
    /// Its player went away.
    Abandoned,
}

reasons! {
    /// Why a game ended.
    EndReason;
    /// Why a game ended or was aborted.
    ResultReason {
        /// The game was aborted and has no result.
        Aborted,
    };
    /// One player was left.
    LastPlayer,
    /// Two pieces were left that do not see each other.
    TwoPieces,
    /// Two edges were connected.
    Connected,
    /// Two like pieces stood opposite each other.
    Aligned,
    /// No side could move.
    Stuck,
    /// The same position occurred for the third time.
    Repetition,
    /// The game reached the longest length that is allowed.
    TooLong,
    /// The players agreed.
    Agreement,
    /// The last opponent resigned.
    Resigned,
    /// The last opponent's clock ran out.
    TimedOut,
    /// The last opponent went away.
    Abandoned,
}

reasons! {
    /// Why a user declined a challenge.
    DeclineReason, derive Default;
    /// Why a challenge was closed without a game. All reasons but the first two mean that a user
    /// declined it.
    ClosedReason {
        /// The challenger cancelled it.
        Cancelled,
        /// It was not answered in time.
        Expired,
    };
    /// Not now.
    Later,
    /// The clock is too fast.
    TooFast,
    /// The clock is too slow.
    TooSlow,
    /// The game should be rated.
    Rated,
    /// The game should be casual.
    Casual,
    /// Another game is preferred.
    Game,
    /// Other options are preferred.
    Options,
    /// Bots are not welcome.
    NoBot,
    /// The user plays too many games already.
    Busy,
    /// No reason was given.
    Generic (default),
}
