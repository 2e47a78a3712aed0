//! Clients that mean harm or are badly broken. Each is shown the door the way the protocol says,
//! and those who play notice nothing.

mod directories;
mod floods;
mod frames;
mod handshakes;
mod hellos;
pub(crate) mod wire;
mod words;
