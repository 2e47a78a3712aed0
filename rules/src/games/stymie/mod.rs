//! Stymie: pieces on octagons and squares that connect two opposite edges, where a single piece
//! gives the opponent the right to put down three.
//!
//! `game` has the position and the turns. The shape of the board, the chains on it, the notation,
//! validation, the listing of moves and the drawing have files of their own. The player at a seat
//! after a swap, repetition and draws by agreement are the table's.

mod board;
mod drawing;
mod game;
mod lattice;
mod moves;
pub(super) mod notation;
mod setup;
mod sketch;
mod validate;
pub mod violation;

pub use self::{
    game::{LastMove, Stymie},
    notation::Move,
    setup::PositionError,
    violation::RuleViolation,
};
