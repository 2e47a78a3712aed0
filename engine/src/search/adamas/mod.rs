//! Adamas for two: best-first minimax over captures, single pieces and a sample of other moves.
//!
//! Each step follows the best moves of both seats to a position that was not looked at, values its
//! moves, and carries the best value back. So the lines that both would play are the deepest.

mod board;
pub(super) mod endgame;
mod hexagon;
mod hunt;
mod moves;
mod tree;
mod value;

#[cfg(test)]
mod tests;

use adamant_rules::Position;

use self::{
    board::Board,
    endgame::{Tables, best_moves},
    tree::think,
};
use super::{Control, Oracle};

/// Whether this search knows a position.
pub(super) fn knows(position: &Position) -> bool {
    Board::<3>::from_rules(position).is_some()
}

/// Thinks about a position. Returns whether it is one of those that this search knows.
pub(super) fn search(position: &Position, seen: &[u64], control: &mut Control<'_>) -> bool {
    if let Some(board) = Board::<1>::from_rules(position) {
        think(board, seen, control);
        return true;
    }
    if let Some(board) = Board::<3>::from_rules(position) {
        think(board, seen, control);
        return true;
    }
    false
}

/// What perfect play comes to in a position with few pieces.
pub(super) fn perfect(position: &Position, most: usize) -> Option<Oracle> {
    best_moves(&Board::<1>::from_rules(position)?, &Tables::now(), most)
}
