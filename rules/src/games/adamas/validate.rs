//! Validates moves and makes them. Consequences are decided elsewhere.

use super::{
    board::Board,
    game::Adamas,
    hexagon::{DIRECTIONS, Spot},
    notation::{Part, Path},
    violation::RuleViolation,
};
use crate::{
    game::{Capture, Captures},
    seat::Seat,
};

impl Adamas {
    /// Whether the seat to move may go this way, and what it would capture.
    pub(super) fn validate_path(&self, path: &Path) -> Result<Captures, RuleViolation> {
        match path {
            Path::Split { from, to } => self.validate_split(*from, to),
            Path::Merge { from, to } => self.validate_merge(from, *to),
        }
    }

    fn validate_split(&self, from: Spot, parts: &[Part]) -> Result<Captures, RuleViolation> {
        let taken = parts.iter().map(|part| u16::from(part.pieces)).sum();
        let taken = self.check_source(from, taken)?;
        let mut captures = Captures::new();
        if self.prog_cap && parts.len() > 1 {
            // The first part is counted before anything moves. Then everything that the move takes
            // is in the air, and each later part is counted on what the earlier ones have left.
            let mut counted = self.board.clone();
            for (index, part) in parts.iter().enumerate() {
                self.check_sight(from, part.spot)?;
                captures.extend(self.check_landing(&counted, part.spot)?);
                if index == 0 {
                    counted.take(from, taken);
                }
                counted.land(part.spot, self.to_move, part.pieces);
            }
        } else {
            for part in parts {
                self.check_sight(from, part.spot)?;
                captures.extend(self.check_landing(&self.board, part.spot)?);
            }
        }
        Ok(captures)
    }

    fn validate_merge(&self, parts: &[Part], to: Spot) -> Result<Captures, RuleViolation> {
        for part in parts {
            self.check_source(part.spot, u16::from(part.pieces))?;
            self.check_sight(part.spot, to)?;
        }
        Ok(self.check_landing(&self.board, to)?.into_iter().collect())
    }

    /// Returns the number of pieces taken if the source belongs to the mover and has as many.
    fn check_source(&self, from: Spot, taken: u16) -> Result<u8, RuleViolation> {
        let stack = self.board[from];
        let name = || self.board.hexagon().name(from);
        match stack.owner() {
            None => Err(RuleViolation::EmptySource { cell: name() }),
            Some(owner) if owner != self.to_move => {
                Err(RuleViolation::NotYourStack { cell: name() })
            }
            Some(_) => {
                let height = stack.height();
                u8::try_from(taken)
                    .ok()
                    .filter(|&taken| taken <= height)
                    .ok_or_else(|| RuleViolation::TooFewPieces { cell: name(), height, taken })
            }
        }
    }

    /// Sight is always that of the position before the move, in every part of it.
    fn check_sight(&self, from: Spot, to: Spot) -> Result<(), RuleViolation> {
        let name = |spot| self.board.hexagon().name(spot);
        let direction = from
            .direction_to(to)
            .ok_or_else(|| RuleViolation::NotOnOneLine { from: name(from), to: name(to) })?;
        match self.board.between(from, to, direction) {
            None => Ok(()),
            Some(by) => {
                Err(RuleViolation::OutOfSight { from: name(from), to: name(to), by: name(by) })
            }
        }
    }

    /// Whether the mover's pieces may land on a cell, and what they capture there. The visible
    /// enemy count is taken on `counted`.
    pub(super) fn check_landing(
        &self,
        counted: &Board,
        to: Spot,
    ) -> Result<Option<Capture>, RuleViolation> {
        let stack = self.board[to];
        let Some(seat) = stack.owner().filter(|&owner| owner != self.to_move) else {
            return Ok(None);
        };
        let name = || self.board.hexagon().name(to);
        if self.opening {
            return Err(RuleViolation::OpeningCapture { cell: name() });
        }
        let (height, seen) = (stack.height(), counted.enemies_seen(to, seat));
        if height == seen {
            Ok(Some(Capture { cell: to.into(), seat, pieces: height }))
        } else {
            Err(RuleViolation::NotThreatened { cell: name(), height, seen })
        }
    }

    /// Whether a single piece that sees a cell may go there.
    pub(super) fn may_land(&self, to: Spot) -> bool {
        self.check_landing(&self.board, to).is_ok()
    }

    /// Returns the stacks that another seat could capture, were it its turn. A seat that sees a
    /// stack that is as high as its visible enemy count can go there with a single piece.
    pub(super) fn threatened_stacks(&self) -> impl Iterator<Item = Spot> {
        let threatened = |&(spot, owner, height): &(Spot, Seat, u8)| {
            height == self.board.enemies_seen(spot, owner) && self.is_seen_by_captor(spot, owner)
        };
        self.board.stacks().filter(threatened).map(|(spot, ..)| spot)
    }

    /// Whether a seat that may capture at all sees another one's stack.
    fn is_seen_by_captor(&self, spot: Spot, owner: Seat) -> bool {
        let seen =
            DIRECTIONS.iter().filter_map(|&direction| self.board.first_seen(spot, direction));
        seen.filter_map(|(_, stack)| stack.owner())
            .any(|seat| seat != owner && !(self.opening && seat == self.to_move))
    }

    /// Moves the pieces of a legal move.
    pub(super) fn carry_out(&mut self, path: &Path) {
        match path {
            Path::Split { from, to } => {
                for part in to {
                    self.board.take(*from, part.pieces);
                    self.board.land(part.spot, self.to_move, part.pieces);
                }
            }
            Path::Merge { from, to } => {
                for part in from {
                    self.board.take(part.spot, part.pieces);
                    self.board.land(*to, self.to_move, part.pieces);
                }
            }
        }
    }
}
