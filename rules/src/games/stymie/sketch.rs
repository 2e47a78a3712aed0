//! Moves built from sketches, cell by cell. Validation is elsewhere.

use super::{
    game::{LastMove, Stymie},
    lattice::Spot,
    notation::{Cells, Move, PIECES_MAX},
    violation::RuleViolation,
};
use crate::{
    cell::CellName,
    refusal::IllegalMove,
    sketch::{CompletedSketch, Sketch},
};

impl Stymie {
    /// Whether these cells could be those of a move, or some of them.
    pub(super) fn can_complete_sketch(&self, sketch: &Sketch) -> bool {
        if !sketch.from().is_empty() || sketch.to().len() > PIECES_MAX {
            return false;
        }
        let lattice = self.board.lattice();
        let spots: Option<Cells> = sketch.to().iter().map(|part| lattice.spot(part.cell)).collect();
        let free = |&spot: &Spot| self.board.free().contains(spot);
        match spots.filter(|spots| spots.iter().all(free)).as_deref() {
            None => false,
            Some([]) => !self.board.free().is_empty(),
            Some([_]) => true,
            Some(&[first, second]) => {
                self.last_move != LastMove::None && self.go_together(first, second)
            }
            Some(several) => self.validate_move(&Move::put(several.iter().copied())).is_ok(),
        }
    }

    /// Whether two free cells can be of one move: they touch, or there is one that both touch for a
    /// third piece.
    fn go_together(&self, first: Spot, second: Spot) -> bool {
        let third = |middle: Spot| middle.touching().any(|spot| spot == second);
        first.touching().any(|spot| spot == second)
            || self.may_triple() && self.free_touching(first).any(third)
    }

    /// The move of a completed sketch, if it has any cell.
    pub(super) fn build_sketched_move(
        &self,
        completed: &CompletedSketch,
    ) -> Result<Option<Move>, IllegalMove> {
        if !completed.from.is_empty() {
            return Err(RuleViolation::PieceMoved.into());
        }
        let mut cells = Cells::new();
        for chosen in &completed.to {
            let spot = self.board.lattice().spot(chosen.cell);
            let spot = spot.ok_or_else(|| IllegalMove::NoSuchCell { name: CellName::unknown() })?;
            cells.try_push(spot).map_err(|_| RuleViolation::TooManyCells { max: PIECES_MAX })?;
        }
        Ok((!cells.is_empty()).then(|| Move::put(cells)))
    }
}
