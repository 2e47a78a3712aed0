//! Moves built from sketches, cell by cell. Validation is elsewhere.

use super::{
    board::Stack,
    game::Adamas,
    hexagon::Spot,
    notation::{Move, PARTS_MAX, Part, Parts, Path},
    violation::RuleViolation,
};
use crate::{
    cell::{Cell, CellName},
    refusal::IllegalMove,
    sketch::{self, Amount, AmountWish, CompletedSketch, PickedAmount, Sketch},
};

impl Adamas {
    /// Whether these cells could be those of a move, or some of them.
    pub(super) fn can_complete_sketch(&self, sketch: &Sketch) -> bool {
        let (Some(from), Some(to)) = (self.spots(sketch.from()), self.spots(sketch.to())) else {
            return false;
        };
        let is_own = |&from: &Spot| self.board[from].owner() == Some(self.to_move);
        if !from.iter().all(is_own) {
            return false;
        }
        match (from.as_slice(), to.as_slice()) {
            ([], []) => self.board.stacks_of(self.to_move).any(|(from, _)| self.can_act(from)),
            ([], _) => false,
            ([from], []) => self.can_act(*from),
            ([from], to) => self.may_split(*from, to),
            ([first, ..], []) => {
                let all = self.destinations(*first);
                all.into_iter().any(|to| self.may_merge(&from, to))
            }
            (from, [to]) => self.may_merge(from, *to),
            (_, _) => false,
        }
    }

    fn may_split(&self, from: Spot, to: &[Spot]) -> bool {
        to.len() <= usize::from(self.board[from].height())
            && to.iter().enumerate().all(|(index, &to)| {
                // Where captures are progressive, what falls as a later part is decided by the
                // amounts of all parts, and these are yet to be chosen.
                let later = self.prog_cap && index > 0 && !self.opening;
                self.sees(from, to) && (later || self.may_land(to))
            })
    }

    fn may_merge(&self, from: &[Spot], to: Spot) -> bool {
        self.may_land(to) && from.iter().all(|&from| from != to && self.sees(from, to))
    }

    fn sees(&self, from: Spot, to: Spot) -> bool {
        let direction = from.direction_to(to);
        direction.is_some_and(|direction| self.board.between(from, to, direction).is_none())
    }

    fn spots(&self, parts: &[sketch::PickedCell]) -> Option<Vec<Spot>> {
        parts.iter().map(|part| self.board.hexagon().spot(part.cell)).collect()
    }

    /// The amounts stand where there are several cells: at the targets of a split, at the sources
    /// of a merge. A move from one cell to another has its amount at the target.
    pub(super) fn complete_amounts(&self, sketch: &Sketch) -> CompletedSketch {
        let mut completed = CompletedSketch::of(sketch);
        match (sketch.from(), sketch.to()) {
            ([source], [target]) => {
                // What was a merge up to now has it at its source.
                let wish = target.wish.as_ref().or(source.wish.as_ref());
                share(self.height(source.cell), &[wish], &mut completed.to);
            }
            ([source], targets) => {
                let wishes: Vec<_> = targets.iter().map(|part| part.wish.as_ref()).collect();
                share(self.height(source.cell), &wishes, &mut completed.to);
            }
            (sources, targets) => {
                // What went from one cell to another up to now had it at its target.
                let mut moved = targets.first().and_then(|target| target.wish.as_ref());
                for (part, chosen) in sources.iter().zip(&mut completed.from) {
                    let wish = part.wish.as_ref().or(moved.take());
                    share(self.height(part.cell), &[wish], std::slice::from_mut(chosen));
                }
            }
        }
        completed
    }

    /// Of how many pieces the seat to move disposes on a cell.
    fn height(&self, cell: Cell) -> u8 {
        let stack = self.board.hexagon().spot(cell).map(|spot| self.board[spot]);
        let own = stack.filter(|stack| stack.owner() == Some(self.to_move));
        own.map_or(0, Stack::height)
    }

    /// Builds the move of a completed sketch, if it has sources and targets.
    pub(super) fn build_sketched_move(
        &self,
        completed: &CompletedSketch,
    ) -> Result<Option<Move>, IllegalMove> {
        let (mut from, mut to) = (self.parts(&completed.from)?, self.parts(&completed.to)?);
        let path = match (from.as_mut_slice(), to.as_mut_slice()) {
            ([], _) | (_, []) => return Ok(None),
            ([source], targets) => {
                if !self.prog_cap {
                    targets.sort_unstable_by_key(|part| part.spot);
                }
                Path::Split { from: source.spot, to }
            }
            (sources, [target]) => {
                sources.sort_unstable_by_key(|part| part.spot);
                Path::Merge { to: target.spot, from }
            }
            (_, _) => return Err(RuleViolation::SeveralToSeveral.into()),
        };
        Ok(Some(Move::new(self.board.hexagon(), path)))
    }

    fn parts(&self, cells: &[PickedAmount]) -> Result<Parts, IllegalMove> {
        let mut parts = Parts::new();
        for PickedAmount { cell, amount } in cells {
            let spot = self.board.hexagon().spot(*cell);
            let spot = spot.ok_or_else(|| IllegalMove::NoSuchCell { name: CellName::unknown() })?;
            let part = Part { spot, pieces: amount.pieces() };
            parts.try_push(part).map_err(|_| RuleViolation::TooManyParts { max: PARTS_MAX })?;
        }
        Ok(parts)
    }
}

/// Gives each cell the wished number of pieces as long as one is left for each later cell, and one
/// piece where there is no wish. Leaves all amounts fixed if there are too few pieces.
fn share(all: u8, wishes: &[Option<&AmountWish>], cells: &mut [PickedAmount]) {
    let Some(mut spare) = usize::from(all).checked_sub(cells.len()) else { return };
    let shares: Vec<usize> = wishes
        .iter()
        .map(|wish| {
            let more = match wish {
                Some(AmountWish::Pieces(pieces)) => {
                    usize::from(pieces.saturating_sub(1)).min(spare)
                }
                Some(AmountWish::Choice(_)) | None => 0,
            };
            spare -= more;
            1 + more
        })
        .collect();
    let count = |pieces: usize| u8::try_from(pieces).expect("no more pieces than the stack has");
    for (cell, share) in cells.iter_mut().zip(shares) {
        cell.amount = Amount::Pieces { pieces: count(share), range: 1..=count(share + spare) };
    }
}
