//! What a move may do, and which moves there are.

use super::{
    Hexma,
    board::{CellSet, Spot},
    notation::{Move, ParsedMove},
    violation::RuleViolation,
};
use crate::{
    cell::CellName,
    game::Target,
    hashing::{Pick, some},
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

impl Hexma {
    /// Whether the seat to move may make this move.
    pub(super) fn check_move(&self, mv: Move) -> Result<(), RuleViolation> {
        let Move { from, to } = mv;
        self.check_piece(from)?;
        if from == to {
            return Err(RuleViolation::StaysInPlace { cell: from.name() });
        }
        self.check_empty(to)?;
        if self.board.destinations(from).contains(to) {
            Ok(())
        } else {
            Err(RuleViolation::OutOfReach { from: from.name(), to: to.name() })
        }
    }

    /// Whether one or more hops lead along every leg between named landing points. A way without
    /// any says nothing.
    pub(super) fn check_way(&self, parsed: &ParsedMove) -> Result<(), RuleViolation> {
        let start = parsed.ends().from;
        for (from, to) in parsed.legs() {
            self.check_piece(start)?;
            // The piece is in the air: its own point can be landed on.
            if to != start {
                self.check_empty(to)?;
            }
            if !self.board.hops_in_flight(start, from).contains(to) {
                return Err(RuleViolation::NotByHops { from: from.name(), to: to.name() });
            }
        }
        Ok(())
    }

    fn check_piece(&self, from: Spot) -> Result<(), RuleViolation> {
        match self.board.owner(from) {
            Some(owner) if owner == self.to_move => Ok(()),
            Some(_) => Err(RuleViolation::NotYourPiece { cell: from.name() }),
            None => Err(RuleViolation::NoPiece { cell: from.name() }),
        }
    }

    fn check_empty(&self, spot: Spot) -> Result<(), RuleViolation> {
        match self.board.owner(spot) {
            None => Ok(()),
            Some(_) => Err(RuleViolation::Occupied { cell: spot.name() }),
        }
    }
}
