//! What a move may do. What must follow from it is not decided here.

use super::{
    game::Hexma,
    notation::{Move, Written},
    star_board::Spot,
    violation::Breach,
};

impl Hexma {
    /// Whether the seat to move may make this move.
    pub(super) fn check_move(&self, play: Move) -> Result<(), Breach> {
        let Move { from, to } = play;
        self.check_piece(from)?;
        if from == to {
            return Err(Breach::StaysInPlace { cell: from.name() });
        }
        self.check_empty(to)?;
        if self.board.destinations(from).contains(to) {
            Ok(())
        } else {
            Err(Breach::OutOfReach { from: from.name(), to: to.name() })
        }
    }

    /// Whether one or more hops lead along every leg between named landing points. A way without any
    /// says nothing.
    pub(super) fn check_way(&self, written: &Written) -> Result<(), Breach> {
        let start = written.ends().from;
        for (from, to) in written.legs() {
            self.check_piece(start)?;
            // The piece is in the air: its own point can be landed on.
            if to != start {
                self.check_empty(to)?;
            }
            if !self.board.hops_in_flight(start, from).contains(to) {
                return Err(Breach::NotByHops { from: from.name(), to: to.name() });
            }
        }
        Ok(())
    }

    fn check_piece(&self, from: Spot) -> Result<(), Breach> {
        match self.board.owner(from) {
            Some(owner) if owner == self.to_move => Ok(()),
            Some(_) => Err(Breach::NotYourPiece { cell: from.name() }),
            None => Err(Breach::NoPiece { cell: from.name() }),
        }
    }

    fn check_empty(&self, spot: Spot) -> Result<(), Breach> {
        match self.board.owner(spot) {
            None => Ok(()),
            Some(_) => Err(Breach::Occupied { cell: spot.name() }),
        }
    }
}
