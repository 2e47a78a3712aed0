//! The cursor on the board.

use adamant_rules::{Cell, Position, game::Mark};

use super::move_input::Aim;

/// The cursor on the board, and the move that is being put together with it.
#[derive(Debug)]
pub(super) struct Pointer {
    /// Where the cursor is.
    pub(super) at: Cell,
    /// What was chosen.
    pub(super) aim: Aim,
}

impl Pointer {
    pub(super) fn new(at: Cell) -> Self {
        Self { at, aim: Aim::default() }
    }

    /// What to point out on the board; nothing of the last move once a cell is chosen.
    pub(super) fn marks(
        &self,
        position: &Position,
        last_move: &[(Cell, Mark)],
    ) -> Vec<(Cell, Mark)> {
        let mut marks = self.aim.marks(position);
        if self.aim.is_empty() {
            marks.extend_from_slice(last_move);
        }
        marks.push((self.at, Mark::Cursor));
        marks
    }
}
