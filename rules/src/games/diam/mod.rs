//! Diam: stacks round a ring, which grow and travel until two like pieces are opposed.
//!
//! Here are the position and the course of a turn. The shape of the ring, stacks, the agreed terms,
//! the notation, validation, the listing of moves and the drawing have files of their own.
//! Repetition and draws by agreement are the table's.

mod board;
mod drawing;
mod game;
mod moves;
pub(super) mod notation;
mod ring;
mod setup;
mod sketch;
mod stack;
mod validate;
mod variant;
pub mod violation;

pub use self::{game::Diam, notation::Move, setup::PositionError, violation::RuleViolation};
