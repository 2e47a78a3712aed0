//! Validates moves. Consequences are decided elsewhere.

use super::{
    game::Hexma,
    notation::{Move, ParsedMove},
    star_board::Spot,
    violation::RuleViolation,
};

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
