//! Lists and counts legal moves.

use super::{
    game::Hexma,
    notation::Move,
    star_board::{CellSet, Spot},
    violation::RuleViolation,
};
use crate::{
    cell::CellName,
    game::Target,
    games::sampling::{Pick, some},
    refusal::IllegalMove,
    sketch::{CompletedSketch, PickedAmount, Sketch},
};

impl Hexma {
    /// Each piece of the seat to move with the points that it can go to, in the order of the
    /// points; none that cannot move.
    pub(super) fn movable(&self) -> impl Iterator<Item = (Spot, CellSet)> {
        self.board.destinations_of(self.to_move).filter(|(_, to)| !to.is_empty())
    }

    /// The number of legal moves.
    pub(super) fn count(&self) -> u32 {
        self.movable().map(|(_, destinations)| destinations.len()).sum()
    }

    /// Every legal move, piece by piece.
    pub(super) fn steps_and_hops(&self) -> impl Iterator<Item = Move> {
        self.movable().flat_map(|(from, to)| to.iter().map(move |to| Move { from, to }))
    }

    /// Some legal moves, any of them; all in their order, where they fit.
    pub(super) fn sample(&self, max: usize, pick: Pick<'_>) -> Vec<Move> {
        some(self.steps_and_hops().collect(), max, pick)
    }

    /// Where the piece on a point may go, as hints for its player.
    pub(super) fn targets_of(&self, from: Spot) -> Vec<Target> {
        if self.board.owner(from) != Some(self.to_move) {
            return Vec::new();
        }
        let destinations = self.board.destinations(from).iter();
        destinations.map(|to| Target { cell: to.into(), capture: false }).collect()
    }
}

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
