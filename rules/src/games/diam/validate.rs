//! What a move may do, and doing it. What must follow from it is not decided here.

use super::{
    game::Diam,
    notation::Act,
    ring::{Sector, Way},
    stack::{Colour, FIRST, SECOND},
    violation::Breach,
};
use crate::refusal::IllegalMove;

impl Diam {
    /// Whether the seat to move may do this.
    pub(super) fn judge_act(&self, act: Act) -> Result<(), IllegalMove> {
        let (Act::Place { sector, .. } | Act::Carry { from: sector, .. }) = act;
        if !self.terms.ring.contains(sector) {
            return Err(IllegalMove::NoSuchCell { name: sector.name() });
        }
        match act {
            Act::Place { colour, sector } => self.judge_placement(colour, sector)?,
            Act::Carry { from, level, way } => self.judge_movement(from, level, way)?,
        }
        Ok(())
    }

    fn judge_placement(&self, colour: Colour, sector: Sector) -> Result<(), Breach> {
        let letter = colour.letter();
        if !self.terms.has(colour) {
            Err(Breach::NoSuchColour { letter })
        } else if colour.owner() != self.to_move {
            Err(Breach::NotYourColour { letter })
        } else if self.board.reserve(colour) == 0 {
            Err(Breach::NoneInReserve { letter })
        } else if !self.has_room(sector, 1) {
            Err(Breach::Full { cell: sector.name(), max: self.terms.height_max })
        } else if self.mirror() == Some(sector) {
            Err(Breach::Mirrored { cell: sector.name() })
        } else {
            Ok(())
        }
    }

    fn judge_movement(&self, from: Sector, level: u8, way: Way) -> Result<(), Breach> {
        let stack = self.board[from];
        let height = stack.height();
        if height == 0 {
            return Err(Breach::EmptySector { cell: from.name() });
        }
        let Some(colour) = stack.piece(level) else {
            return Err(Breach::NoSuchPiece { cell: from.name(), height });
        };
        if colour.owner() != self.to_move {
            let letter = colour.letter();
            return Err(Breach::NotYourPiece { cell: from.name(), piece: level, letter });
        }
        let to = self.terms.ring.step(from, way);
        let pieces = height + 1 - level;
        if !self.has_room(to, pieces) {
            let height = self.board[to].height() + pieces;
            return Err(Breach::TooHigh { cell: to.name(), height, max: self.terms.height_max });
        }
        Ok(())
    }

    /// Whether so many more pieces may stand on a sector.
    pub(super) fn has_room(&self, sector: Sector, pieces: u8) -> bool {
        self.board[sector].height() + pieces <= self.terms.height_max
    }

    /// The sector that the seat to move may not place on because it is opposite the opponent's first
    /// piece. It binds the second player's first placement alone. That is always the second move of
    /// a game, for who has no piece on the board can only place one: so the opponent's first piece
    /// is the only one there, and nothing has to be remembered of the moves.
    pub(super) fn mirror(&self) -> Option<Sector> {
        let binds = self.terms.nomirror
            && self.to_move == SECOND
            && self.board.placed(self.terms, SECOND) == 0
            && self.board.placed(self.terms, FIRST) == 1;
        let ring = self.terms.ring;
        let first = binds.then(|| ring.sectors().find(|&s| self.board[s].height() > 0)).flatten();
        first.map(|sector| ring.opposite(sector))
    }

    /// Does what is legal.
    pub(super) fn carry_out(&mut self, act: Act) {
        match act {
            Act::Place { colour, sector } => self.board.place(colour, sector),
            Act::Carry { from, level, way } => {
                self.board.carry(from, level, self.terms.ring.step(from, way));
            }
        }
    }
}
