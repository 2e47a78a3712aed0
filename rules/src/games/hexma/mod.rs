//! Hexma: pieces that step and hop across a star, as in Chinese Checkers, to connect two edges.
//!
//! `game` has the position and the turns. The shape of the board, where pieces can go, the
//! notation, validation, the listing of moves and the drawing have files of their own. Repetition
//! and draws by agreement are the table's.

mod board;
mod drawing;
mod game;
mod moves;
pub(super) mod notation;
mod setup;
mod star_board;
mod validate;
pub mod violation;

pub use self::{game::Hexma, notation::Move, setup::PositionError, violation::RuleViolation};
