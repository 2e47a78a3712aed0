//! Moves that are put together cell by cell. Whether a whole one is legal is not decided here.

use super::{
    game::{LastMove, Stymie},
    lattice::Spot,
    notation::{Cells, Move, PIECES_MAX},
    violation::Breach,
};
use crate::{
    cell::CellName,
    refusal::IllegalMove,
    sketch::{Draft, Sketch},
};

impl Stymie {
    /// Whether these cells could be those of a move, or some of them.
    pub(super) fn sketch_may_become_move(&self, sketch: &Sketch) -> bool {
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
            Some(several) => self.judge_move(&Move::put(several.iter().copied())).is_ok(),
        }
    }

    /// Whether two free cells can be of one move: they touch, or there is one that both touch for a
    /// third piece.
    fn go_together(&self, first: Spot, second: Spot) -> bool {
        let third = |middle: Spot| middle.touching().any(|spot| spot == second);
        first.touching().any(|spot| spot == second)
            || self.may_triple() && self.free_touching(first).any(third)
    }

    /// The move that a draft stands for, if it has any cell.
    pub(super) fn compose_move(&self, draft: &Draft) -> Result<Option<Move>, IllegalMove> {
        if !draft.from.is_empty() {
            return Err(Breach::PieceMoved.into());
        }
        let mut cells = Cells::new();
        for chosen in &draft.to {
            let spot = self.board.lattice().spot(chosen.cell);
            let spot = spot.ok_or_else(|| IllegalMove::NoSuchCell { name: CellName::unknown() })?;
            cells.try_push(spot).map_err(|_| Breach::TooManyCells { max: PIECES_MAX })?;
        }
        Ok((!cells.is_empty()).then(|| Move::put(cells)))
    }
}
