//! Conversion between the types of the rules and those of the wire.

mod decode;
mod encode;
pub mod sketch;
mod values;

pub use decode::from_wire;
pub use encode::to_wire;
pub use values::{
    WireError, captures, clock, end_reason, given_options, kind, offer_kind, offer_what, options,
    position, result, rules, seat_number, seat_numbers, seats, threatened, time_control,
};
