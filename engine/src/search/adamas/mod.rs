//! Adamas: best-first minimax over captures, single pieces and a sample of other moves.
//!
//! Each step follows the best moves of all seats to a position that was not looked at, values its
//! moves, and carries the best value back. So the lines that they would play are the deepest.

mod board;
pub(super) mod endgame;
mod hexagon;
mod hunt;
mod moves;
mod three;
mod tree;
mod value;

#[cfg(test)]
mod tests;

use adamant_rules::Position;

use self::{
    board::Board,
    endgame::{Tables, best_moves},
};
use super::{Control, Oracle};

/// Thinks about a position. Returns whether it is one of those that this search knows.
pub(super) fn search(position: &Position, seen: &[u64], control: &mut Control<'_>) -> bool {
    on_board::<1>(position, seen, control) || on_board::<3>(position, seen, control)
}

/// Thinks on boards of so many words of cells.
fn on_board<const W: usize>(position: &Position, seen: &[u64], control: &mut Control<'_>) -> bool {
    if let Some(board) = Board::<W>::from_rules(position) {
        tree::think(board, seen, control);
    } else if let Some(board) = Board::<W, 3>::from_rules(position) {
        three::think(board, seen, control);
    } else {
        return false;
    }
    true
}

/// What perfect play comes to in a position with few pieces.
pub(super) fn perfect(position: &Position, most: usize) -> Option<Oracle> {
    best_moves(&Board::<1>::from_rules(position)?, &Tables::now(), most)
}
