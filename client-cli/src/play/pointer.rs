//! The cursor on the board.

use adamant_rules::{Cell, Position, game::Mark};

use super::move_input::MoveInput;

/// The cursor on the board, and the move that is built with it.
#[derive(Debug)]
pub(super) struct Pointer {
    /// The cell under the cursor.
    pub(super) cell: Cell,
    /// The move so far.
    pub(super) input: MoveInput,
}

impl Pointer {
    pub(super) fn new(cell: Cell) -> Self {
        Self { cell, input: MoveInput::default() }
    }

    /// Returns the marks on the board; those of the last move only while no cell is selected.
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
