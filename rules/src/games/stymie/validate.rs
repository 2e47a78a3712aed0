//! Validates moves and makes them. Consequences are decided elsewhere.

use super::{
    game::{LastMove, Stymie},
    lattice::Spot,
    notation::{Move, MoveKind},
    violation::RuleViolation,
};
use crate::{cell::Cell, refusal::IllegalMove};

impl Stymie {
    /// Whether the seat to move may do this.
    pub(super) fn validate_move(&self, mv: &Move) -> Result<(), IllegalMove> {
        match mv.kind() {
            MoveKind::Place(cells) => self.validate_placement(cells),
            MoveKind::Swap => Ok(self.check_swap()?),
        }
    }

    fn validate_placement(&self, cells: &[Spot]) -> Result<(), IllegalMove> {
        for &spot in cells {
            if !self.board.free().contains(spot) {
                let cell = spot.into();
                return Err(match self.board.lattice().spot(Cell::from(spot)) {
                    Some(_) => RuleViolation::NotEmpty { cell }.into(),
                    None => IllegalMove::NoSuchCell { name: cell },
                });
            }
        }
        if cells.len() > 1 {
            if self.last_move == LastMove::None {
                return Err(RuleViolation::OpeningIsSingle.into());
            }
            check_shape(cells)?;
        }
        if cells.len() > 2 {
            self.check_triple()?;
        }
        Ok(())
    }

    fn check_triple(&self) -> Result<(), RuleViolation> {
        match self.last_move {
            LastMove::Single => Ok(()),
            LastMove::Opening => Err(RuleViolation::TripleAfterOpening),
            LastMove::None | LastMove::Other => Err(RuleViolation::TripleUnearned),
        }
    }

    fn check_swap(&self) -> Result<(), RuleViolation> {
        if !self.swap {
            Err(RuleViolation::SwapNotPlayed)
        } else if self.last_move != LastMove::Opening {
            Err(RuleViolation::SwapOutOfTime)
        } else {
            Ok(())
        }
    }

    /// Whether the seat to move may put down three pieces.
    pub(super) fn may_triple(&self) -> bool {
        self.check_triple().is_ok()
    }

    /// Whether the players may change seats now.
    pub(super) fn may_swap(&self) -> bool {
        self.check_swap().is_ok()
    }

    /// Makes a legal move. After a swap it is the same seat's turn: another player sits there.
    pub(super) fn carry_out(&mut self, mv: &Move) {
        match mv.kind() {
            MoveKind::Place(cells) => {
                for &spot in cells {
                    self.board.put(spot, self.to_move);
                }
                self.last_move = match (self.last_move, cells.len()) {
                    (LastMove::None, _) => LastMove::Opening,
                    (_, 1) => LastMove::Single,
                    _ => LastMove::Other,
                };
                self.pass_turn();
            }
            MoveKind::Swap => self.last_move = LastMove::Other,
        }
    }
}

/// Whether several cells are one octagon with squares that touch it, or one square with octagons.
fn check_shape(cells: &[Spot]) -> Result<(), RuleViolation> {
    let of_shape = |octagon| cells.iter().copied().filter(move |spot| spot.is_octagon() == octagon);
    let (first, second) = (cells[0].into(), cells[1].into());
    let middle = match (of_shape(true).count(), of_shape(false).count()) {
        (_, 0) => return Err(RuleViolation::OctagonsOnly { first, second }),
        (0, _) => return Err(RuleViolation::SquaresOnly { first, second }),
        (1, _) => of_shape(true).next(),
        _ => of_shape(false).next(),
    };
    let middle = middle.expect("there is one of each shape at least");
    match of_shape(!middle.is_octagon()).find(|&spot| !middle.touching().any(|t| t == spot)) {
        None => Ok(()),
        Some(apart) => Err(RuleViolation::Apart { first: middle.into(), second: apart.into() }),
    }
}
