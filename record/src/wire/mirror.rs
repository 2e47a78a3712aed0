//! Conversions between the enums that the rules and the protocol both have.

#[cfg(not(feature = "exhaustive"))]
use adamant_protocol::Word;
use adamant_rules as rules;

use super::error::WireError;

/// The protocol's enums, by the names that they have in the rules.
mod wire {
    pub(super) use adamant_protocol::{
        event::{AbortReason, AdjustReason, EndReason, LeaveReason, OfferKind, OfferOutcome},
        values::TimeControl,
    };
}

/// An enum of the rules that the protocol has, too.
pub trait Mirror: Sized {
    /// The protocol's enum.
    type Wire;

    /// Converts to the protocol's enum.
    fn to_wire(self) -> Self::Wire;

    /// Converts from the protocol's enum, unless its word is one of a later version.
    fn from_wire(wire: Self::Wire) -> Result<Self, WireError>;
}

/// Implements [`Mirror`] for enums whose variants have the same names and fields on both sides. A
/// variant that is missing here, or on one side, is a compile error.
macro_rules! mirror {
    ($($($module:ident)::+ => $name:ident {
        $($variant:ident $({ $($field:ident),+ })?),+ $(,)?
    })+) => {
        $(impl Mirror for $($module)::+::$name {
            type Wire = wire::$name;

            fn to_wire(self) -> wire::$name {
                match self {
                    $(Self::$variant $({ $($field),+ })? => {
                        wire::$name::$variant $({ $($field),+ })?
                    })+
                    #[cfg(not(feature = "exhaustive"))]
                    _ => wire::$name::Unknown(Word::new("unknown")),
                }
            }

            fn from_wire(wire: wire::$name) -> Result<Self, WireError> {
                Ok(match wire {
                    $(wire::$name::$variant $({ $($field),+ })? => {
                        Self::$variant $({ $($field),+ })?
                    })+
                    wire::$name::Unknown(word) => return Err(WireError::UnknownWord(word)),
                    #[cfg(not(feature = "exhaustive"))]
                    _ => return Err(WireError::UnknownWord(Word::new(stringify!($name)))),
                })
            }
        })+
    };
}

mirror! {
    rules => TimeControl {
        None,
        Fischer { base_ms, inc_ms },
        PerMove { move_ms },
        Byoyomi { base_ms, periods, period_ms },
        Days { per_move_days },
    }
    rules::game => EndReason {
        LastPlayer, TwoPieces, Connected, Aligned, Stuck, Repetition, TooLong, Agreement, Resigned,
        TimedOut, Abandoned,
    }
    rules::game => LeaveReason { NoPieces, NoMove, Resigned, TimedOut, Abandoned }
    rules::event => OfferKind { Draw, Takeback, Abort }
    rules::event => OfferOutcome { Accepted, Declined, Withdrawn, Moved }
    rules::event => AbortReason { ByPlayer, Agreed, NoShow }
    rules::event => AdjustReason { Outage, Arrival }
}
