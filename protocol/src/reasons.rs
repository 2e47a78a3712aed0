//! Reasons that occur in two messages, of which one knows further words.

use crate::words::words;

/// Defines two lists of words: one with the common words, one that puts further words before them.
macro_rules! reasons {
    (
        $(#[$about:meta])* $name:ident;
        $(#[$wide_about:meta])* $wide:ident {
            $($(#[$further_doc:meta])* $further:ident = $further_text:literal,)+
        };
        $($(#[doc = $doc:literal])+ $word:ident = $text:literal $(($attribute:meta))?,)+
    ) => {
        words! {
            $(#[$about])*
            pub enum $name { $($(#[doc = $doc])+ $(#[$attribute])? $word = $text,)+ }

            $(#[$wide_about])*
            pub enum $wide {
                $($(#[$further_doc])* $further = $further_text,)+
                $($(#[doc = $doc])+ $word = $text,)+
            }
        }

        impl From<$name> for $wide {
            fn from(reason: $name) -> Self {
                match reason {
                    $($name::$word => Self::$word,)+
                    $name::Unknown(word) => Self::Unknown(word),
                }
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
        In = "in",
    };
    /// Its last piece was captured.
    NoPieces = "no_pieces",
    /// It could not move.
    NoMove = "no_move",
    /// It resigned.
    Resigned = "resigned",
    /// Its clock ran out.
    TimedOut = "timed_out",
    /// Its player went away.
    Abandoned = "abandoned",
}

reasons! {
    /// Why a game ended.
    EndReason;
    /// Why a game ended or was aborted.
    ResultReason {
        /// The game was aborted and has no result.
        Aborted = "aborted",
    };
    /// One player was left.
    LastPlayer = "last_player",
    /// Two pieces were left that do not see each other.
    TwoPieces = "two_pieces",
    /// Two edges were connected.
    Connected = "connected",
    /// Two like pieces stood opposite each other.
    Aligned = "aligned",
    /// No side could move.
    Stuck = "stuck",
    /// The same position occurred for the third time.
    Repetition = "repetition",
    /// The game reached the longest length that is allowed.
    TooLong = "too_long",
    /// The players agreed.
    Agreement = "agreement",
    /// The last opponent resigned.
    Resigned = "resigned",
    /// The last opponent's clock ran out.
    TimedOut = "timed_out",
    /// The last opponent went away.
    Abandoned = "abandoned",
}

reasons! {
    /// Why a user declined a challenge.
    #[derive(Default)]
    DeclineReason;
    /// Why a challenge was closed without a game. All reasons but the first two mean that a user
    /// declined it.
    ClosedReason {
        /// The challenger cancelled it.
        Cancelled = "cancelled",
        /// It was not answered in time.
        Expired = "expired",
    };
    /// Not now.
    Later = "later",
    /// The clock is too fast.
    TooFast = "too_fast",
    /// The clock is too slow.
    TooSlow = "too_slow",
    /// The game should be rated.
    Rated = "rated",
    /// The game should be casual.
    Casual = "casual",
    /// Another game is preferred.
    Game = "game",
    /// Other options are preferred.
    Options = "options",
    /// Bots are not welcome.
    NoBot = "no_bot",
    /// The user plays too many games already.
    Busy = "busy",
    /// No reason was given.
    Generic = "generic" (default),
}
