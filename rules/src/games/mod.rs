//! The games, one file each, and the one place that picks among them.

pub mod adamas;
pub mod diam;
mod kind;

pub use kind::{Kind, Move, Position};
