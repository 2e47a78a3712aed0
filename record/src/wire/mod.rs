//! Conversion between the types of the rules and those of the wire.

mod decode;
mod encode;
mod error;
mod mirror;
pub mod sketch;
mod values;

pub use decode::from_wire;
pub use encode::to_wire;
pub(crate) use encode::write_unsealed;
pub use error::WireError;
pub use mirror::Mirror;
pub use values::{
    captures, given_options, kind, notation, options, position, reason_key, result, rules,
    seat_number, seat_numbers, seats, threatened, winning,
};
