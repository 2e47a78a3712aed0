//! Moves built from sketches, cell by cell. Validation is elsewhere.

use super::{game::Hexma, notation::Move, star_board::Spot, violation::RuleViolation};
use crate::{
    cell::CellName,
    refusal::IllegalMove,
    sketch::{CompletedSketch, PickedAmount, Sketch},
};

impl Hexma {
    /// Whether these points could be those of a move, or one of them.
    pub(super) fn can_complete_sketch(&self, sketch: &Sketch) -> bool {
        let from = match sketch.from() {
            [] => return sketch.is_empty() && self.board.can_move(self.to_move),
            [part] => Spot::of(part.cell),
            _ => return false,
        };
        let Some(from) = from.filter(|&from| self.board.owner(from) == Some(self.to_move)) else {
            return false;
        };
        match sketch.to() {
            [] => !self.board.destinations(from).is_empty(),
            [part] => {
                Spot::of(part.cell).is_some_and(|to| self.board.destinations(from).contains(to))
            }
            _ => false,
        }
    }
    /// The move of a completed sketch, if it has a source and a target.
    pub(super) fn build_sketched_move(
        completed: &CompletedSketch,
    ) -> Result<Option<Move>, IllegalMove> {
        match (completed.from.as_slice(), completed.to.as_slice()) {
            ([], _) | (_, []) => Ok(None),
            ([from], [to]) => Ok(Some(Move { from: spot(from)?, to: spot(to)? })),
            _ => Err(RuleViolation::SeveralPieces.into()),
        }
    }
}

fn spot(chosen: &PickedAmount) -> Result<Spot, IllegalMove> {
    Spot::of(chosen.cell).ok_or_else(|| IllegalMove::NoSuchCell { name: CellName::unknown() })
}
