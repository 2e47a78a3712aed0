//! Validates moves and makes them. Consequences are decided elsewhere.

use super::{
    game::Diam,
    notation::MoveKind,
    ring::{Direction, Sector},
    stack::{Colour, FIRST, SECOND},
    violation::RuleViolation,
};
use crate::refusal::IllegalMove;

impl Diam {
    /// Whether the seat to move may do this.
    pub(super) fn validate_kind(&self, kind: MoveKind) -> Result<(), IllegalMove> {
        let (MoveKind::Place { sector, .. } | MoveKind::Carry { from: sector, .. }) = kind;
        if !self.variant.ring.contains(sector) {
            return Err(IllegalMove::NoSuchCell { name: sector.name() });
        }
        match kind {
            MoveKind::Place { colour, sector } => self.validate_placement(colour, sector)?,
            MoveKind::Carry { from, level, direction } => {
                self.validate_movement(from, level, direction)?;
            }
        }
        Ok(())
    }

    fn validate_placement(&self, colour: Colour, sector: Sector) -> Result<(), RuleViolation> {
        let letter = colour.letter();
        if !self.variant.has(colour) {
            Err(RuleViolation::NoSuchColour { letter })
        } else if colour.owner() != self.to_move {
            Err(RuleViolation::NotYourColour { letter })
        } else if self.board.reserve(colour) == 0 {
            Err(RuleViolation::NoneInReserve { letter })
        } else if !self.has_room(sector, 1) {
            Err(RuleViolation::Full { cell: sector.name(), max: self.variant.height_max })
        } else if self.mirror() == Some(sector) {
            Err(RuleViolation::Mirrored { cell: sector.name() })
        } else {
            Ok(())
        }
    }

    fn validate_movement(
        &self,
        from: Sector,
        level: u8,
        direction: Direction,
    ) -> Result<(), RuleViolation> {
        let stack = self.board[from];
        let height = stack.height();
        if height == 0 {
            return Err(RuleViolation::EmptySector { cell: from.name() });
        }
        let Some(colour) = stack.piece(level) else {
            return Err(RuleViolation::NoSuchPiece { cell: from.name(), height });
        };
        if colour.owner() != self.to_move {
            let letter = colour.letter();
            return Err(RuleViolation::NotYourPiece { cell: from.name(), piece: level, letter });
        }
        let to = self.variant.ring.step(from, direction);
        let pieces = height + 1 - level;
        if !self.has_room(to, pieces) {
            let height = self.board[to].height() + pieces;
            return Err(RuleViolation::TooHigh {
                cell: to.name(),
                height,
                max: self.variant.height_max,
            });
        }
        Ok(())
    }

    /// Whether a sector has room for `pieces` more.
    pub(super) fn has_room(&self, sector: Sector, pieces: u8) -> bool {
        self.board[sector].height() + pieces <= self.variant.height_max
    }

    /// The sector that the seat to move may not place on because it is opposite the opponent's
    /// first piece. It binds the second player's first placement alone. That is always the second
    /// move of a game, because a player without a piece on the board can only place one. So the
    /// opponent's first piece is the only one there, and no history of moves is needed.
    pub(super) fn mirror(&self) -> Option<Sector> {
        let binds = self.variant.nomirror
            && self.to_move == SECOND
            && self.board.placed(self.variant, SECOND) == 0
            && self.board.placed(self.variant, FIRST) == 1;
        let ring = self.variant.ring;
        let first = binds.then(|| ring.sectors().find(|&s| self.board[s].height() > 0)).flatten();
        first.map(|sector| ring.opposite(sector))
    }

    /// Does what is legal.
    pub(super) fn carry_out(&mut self, kind: MoveKind) {
        match kind {
            MoveKind::Place { colour, sector } => self.board.place(colour, sector),
            MoveKind::Carry { from, level, direction } => {
                self.board.carry(from, level, self.variant.ring.step(from, direction));
            }
        }
    }
}
