//! The games, one file each, and the one place that picks among them.

pub mod adamas;
pub mod diam;
pub mod hexma;
mod kind;
pub(crate) mod sampling;
pub mod stymie;
pub(crate) mod violation;

pub use kind::{Kind, Move, Position};
pub use violation::RuleViolation;
