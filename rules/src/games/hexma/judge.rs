//! What a move may do. What must follow from it is not decided here.

use super::{
    Hexma,
    breach::Breach,
    notation::{Move, Written},
    star::Spot,
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

    /// Whether every leg between named landing points is a hop. A way without any says nothing.
    pub(super) fn check_way(&self, written: &Written) -> Result<(), Breach> {
        let start = written.ends().from;
        for (from, to) in written.legs() {
            self.check_piece(start)?;
            let names = || (from.name(), to.name());
            let hop = from.hop_to(to).ok_or_else(|| {
                let (from, to) = names();
                Breach::NotAHop { from, to }
            })?;
            // The piece is in the air: its own point can be landed on. No hop leads over it, because
            // hops go two points far and never end next to where they began.
            if to != start {
                self.check_empty(to)?;
            }
            if self.board.owner(hop.over).is_none() {
                let (from, to) = names();
                return Err(Breach::NothingToHopOver { over: hop.over.name(), from, to });
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
