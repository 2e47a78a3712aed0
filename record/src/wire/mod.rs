//! Conversion between the types of the rules and those of the wire.

mod events;
pub mod sketch;
mod values;

pub(crate) use self::events::write_unsealed;
pub use self::{
    events::{from_wire, to_wire},
    values::{
        Mirror, WireError, captures, given_options, kind, notation, options, position, reason_key,
        result, rules, seat_number, seat_numbers, seats, threatened, winning,
    },
};
