//! Adamas: stacks on a hexagon that split, merge and capture what is outnumbered exactly.
//!
//! `game` has the position and the turns. The shape of the board, what stacks see, the notation,
//! validation, the listing of moves and the drawing have files of their own. Repetition and draws
//! by agreement are the table's.

mod board;
mod drawing;
mod game;
mod hexagon;
mod listing;
mod moves;
pub(super) mod notation;
mod progressive;
mod sample;
mod setup;
mod sketch;
mod validate;
pub mod violation;

pub use self::{game::Adamas, notation::Move, setup::PositionError, violation::RuleViolation};
