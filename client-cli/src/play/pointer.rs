//! The cursor on the board.

use adamant_rules::{Cell, Position, game::Mark};

use super::move_input::MoveInput;

/// The cursor on the board, and the move that is being put together with it.
#[derive(Debug)]
pub(super) struct Pointer {
    /// Where the cursor is.
    pub(super) cell: Cell,
    /// What was chosen.
    pub(super) input: MoveInput,
}

impl Pointer {
    pub(super) fn new(cell: Cell) -> Self {
        Self { cell, input: MoveInput::default() }
    }

    /// What to point out on the board; nothing of the last move once a cell is chosen.
    pub(super) fn marks(
        &self,
        position: &Position,
        last_move: &[(Cell, Mark)],
    ) -> Vec<(Cell, Mark)> {
        let mut marks = self.input.marks(position);
        if self.input.is_empty() {
            marks.extend_from_slice(last_move);
        }
        marks.push((self.cell, Mark::Cursor));
        marks
    }
}
