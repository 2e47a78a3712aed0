//! The events by their kind.

#[cfg(feature = "schema")]
use schemars::SchemaGenerator;
use serde::{Serialize, Serializer, ser::SerializeMap as _};

use super::payloads::{
    Aborted, Agreed, ClockAdjusted, Created, Ended, Moved, OfferClosed, Offered, Rated, Removed,
    Skipped, Started, Swapped, TakenBack,
};
#[cfg(feature = "schema")]
use crate::schema::shape::Shape;

macro_rules! bodies {
    ($($(#[$doc:meta])* $kind:literal => $name:ident($body:ty)),+ $(,)?) => {
        /// The events by kind.
        #[derive(Debug, Clone, PartialEq)]
        #[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
        pub enum EventBody {
            $($(#[$doc])* $name($body),)+
            /// A kind that this version of the crate does not know.
            Unknown(Box<str>),
        }

        impl EventBody {
            /// All kinds.
            pub const KINDS: &'static [&'static str] = &[$($kind),+];

            /// Returns the shapes of all kinds.
            #[cfg(feature = "schema")]
            pub(crate) fn shapes(generator: &mut SchemaGenerator) -> Vec<Shape> {
                vec![$(Shape::of::<$body>($kind, generator)),+]
            }

            /// Returns the kind's name on the wire.
            pub fn kind(&self) -> &str {
                match self { $(Self::$name(_) => $kind,)+ Self::Unknown(kind) => kind }
            }

            /// Returns whether the event ends the game.
            pub const fn is_end(&self) -> bool {
                matches!(self, Self::Ended(_) | Self::Aborted(_))
            }

            pub(super) fn write(&self, out: &mut Vec<u8>) {
                match self { $(Self::$name(body) => append_fields(out, body),)+ Self::Unknown(_) => {} }
            }

            /// Serializes the kind's own fields.
            pub(super) fn serialize_fields<S: Serializer>(
                &self,
                serializer: S,
            ) -> Result<S::Ok, S::Error> {
                match self {
                    $(Self::$name(body) => body.serialize(serializer),)+
                    Self::Unknown(_) => serializer.serialize_map(Some(0))?.end(),
                }
            }

            pub(super) fn read(kind: &str, bytes: &[u8]) -> serde_json::Result<Self> {
                match kind {
                    $($kind => serde_json::from_slice(bytes).map(Self::$name),)+
                    other => Ok(Self::Unknown(other.into())),
                }
            }
        }
    };
}

bodies! {
    /// The game was created.
    "created" => Created(Created),
    /// The game started and the first clock runs.
    "started" => Started(Started),
    /// A seat moved.
    "moved" => Moved(Moved),
    /// Two players changed seats.
    "swapped" => Swapped(Swapped),
    /// The seat to move had no legal move.
    "skipped" => Skipped(Skipped),
    /// A seat left the game.
    "removed" => Removed(Removed),
    /// A seat made an offer.
    "offered" => Offered(Offered),
    /// One of several seats agreed to an offer.
    "agreed" => Agreed(Agreed),
    /// An offer was closed.
    "offer_closed" => OfferClosed(OfferClosed),
    /// All seats agreed to take a move back.
    "taken_back" => TakenBack(TakenBack),
    /// A running clock was credited with time.
    "clock_adjusted" => ClockAdjusted(ClockAdjusted),
    /// The game was aborted.
    "aborted" => Aborted(Aborted),
    /// The game ended.
    "ended" => Ended(Ended),
    /// The ratings were updated.
    "rated" => Rated(Rated),
}

/// Appends the fields of a struct to the object that is open in `out`.
fn append_fields<T: Serialize>(out: &mut Vec<u8>, body: &T) {
    let start = out.len();
    serde_json::to_writer(&mut *out, body).expect("event bodies are plain data");
    debug_assert_eq!(out.get(start), Some(&b'{'), "a body is an object");
    out.pop();
    if out.len() == start + 1 {
        out.truncate(start);
    } else {
        out[start] = b',';
    }
}
