//! What a move may do, and which moves there are: all, some, and those of cells picked so far.

use super::{
    LastMove, Stymie,
    board::{CellSet, Spot},
    notation::{Cells, Move, MoveKind, PIECES_MAX},
    violation::RuleViolation,
};
use crate::{
    cell::{Cell, CellName},
    game::{Game, MoveCount, Target},
    hashing::{Pick, spread},
    refusal::IllegalMove,
    sketch::{CompletedSketch, Sketch},
};

impl Stymie {
    /// The empty cells of the other shape that touch a cell, in order.
    fn free_touching(&self, spot: Spot) -> impl Iterator<Item = Spot> {
        spot.touching().filter(|&next| self.board.free().contains(next))
    }

    fn singles(&self) -> impl Iterator<Item = Move> {
        self.board.free().iter().map(|spot| Move::put([spot]))
    }

    fn doubles(&self) -> impl Iterator<Item = Move> {
        let free =
            if self.last_move == LastMove::None { &CellSet::EMPTY } else { self.board.free() };
        free.iter().filter(|spot| spot.is_octagon()).flat_map(|octagon| {
            self.free_touching(octagon).map(move |square| Move::put([octagon, square]))
        })
    }

    /// One cell in the middle and two of the other shape that touch it.
    fn triples(&self) -> impl Iterator<Item = Move> {
        let free = if self.may_triple() { self.board.free() } else { &CellSet::EMPTY };
        free.iter().flat_map(move |middle| {
            self.free_touching(middle).flat_map(move |first| {
                let later = self.free_touching(middle).filter(move |&second| second > first);
                later.map(move |second| Move::put([middle, first, second]))
            })
        })
    }

    pub(super) fn swaps(&self) -> impl Iterator<Item = Move> {
        self.may_swap().then_some(Move::SWAP).into_iter()
    }

    /// Every legal move, those with the fewest pieces first.
    pub(super) fn by_pieces(&self) -> impl Iterator<Item = Move> {
        let several = self.doubles().chain(self.triples());
        self.singles().chain(several).chain(self.swaps())
    }

    /// Returns `max` of more legal moves: those with one piece and the swap first, then an even
    /// sample of the others.
    pub(super) fn pick_representatives(&self, max: usize) -> Vec<Move> {
        let several: Vec<_> = self.doubles().chain(self.triples()).collect();
        let mut found: Vec<_> = self.singles().chain(self.swaps()).take(max).collect();
        let room = (max - found.len()).min(several.len());
        let places = spread(several.len() as u128, room, self.hash());
        found.extend(places.filter_map(|place| several.get(usize::try_from(place).ok()?).cloned()));
        found
    }

    /// The number of legal moves.
    pub(super) fn count(&self) -> MoveCount {
        let free = self.board.free();
        let mut count = u128::from(free.len()) + u128::from(self.may_swap());
        for spot in free.iter() {
            let touching = self.free_touching(spot).count() as u128;
            if spot.is_octagon() && self.last_move != LastMove::None {
                count += touching;
            }
            if self.may_triple() {
                count += touching * touching.saturating_sub(1) / 2;
            }
        }
        MoveCount::Exactly(count)
    }

    /// Some legal moves: all, where they are few, else as many as can be of each kind, one kind
    /// after the other. Listing them is cheap.
    pub(super) fn sample(&self, max: usize, pick: Pick<'_>) -> Vec<Move> {
        let mut kinds: Vec<Vec<_>> = vec![
            self.singles().collect(),
            self.doubles().collect(),
            self.triples().collect(),
            self.swaps().collect(),
        ];
        if kinds.iter().map(Vec::len).sum::<usize>() <= max {
            return kinds.concat();
        }
        kinds.retain(|moves| !moves.is_empty());
        let mut found = Vec::with_capacity(max);
        let mut kind = pick(kinds.len());
        while found.len() < max {
            let moves = &mut kinds[kind];
            found.push(moves.swap_remove(pick(moves.len())));
            if moves.is_empty() {
                kinds.remove(kind);
            } else {
                kind += 1;
            }
            // There are more moves than are wanted, so that some kind is left.
            kind %= kinds.len();
        }
        found
    }

    /// The cells that may get a piece together with this one, as hints for the player.
    pub(super) fn targets_of(&self, from: Spot) -> Vec<Target> {
        if !self.board.free().contains(from) || self.last_move == LastMove::None {
            return Vec::new();
        }
        let mut found: CellSet = self.free_touching(from).collect();
        if self.may_triple() {
            let touching = found;
            for middle in touching.iter() {
                for spot in self.free_touching(middle).filter(|&spot| spot != from) {
                    found.insert(spot);
                }
            }
        }
        found.iter().map(|spot| Target { cell: spot.into(), capture: false }).collect()
    }

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
    fn may_triple(&self) -> bool {
        self.check_triple().is_ok()
    }

    /// Whether the players may change seats now.
    fn may_swap(&self) -> bool {
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

impl Stymie {
    /// Whether these cells could be those of a move, or some of them.
    pub(super) fn can_complete_sketch(&self, sketch: &Sketch) -> bool {
        if !sketch.from().is_empty() || sketch.to().len() > PIECES_MAX {
            return false;
        }
        let lattice = self.board.lattice();
        let spots: Option<Cells> = sketch.to().iter().map(|part| lattice.spot(part.cell)).collect();
        let free = |&spot: &Spot| self.board.free().contains(spot);
        match spots.filter(|spots| spots.iter().all(free)).as_deref() {
            None => false,
            Some([]) => !self.board.free().is_empty(),
            Some([_]) => true,
            Some(&[first, second]) => {
                self.last_move != LastMove::None && self.go_together(first, second)
            }
            Some(several) => self.validate_move(&Move::put(several.iter().copied())).is_ok(),
        }
    }

    /// Whether two free cells can be of one move: they touch, or there is one that both touch for a
    /// third piece.
    fn go_together(&self, first: Spot, second: Spot) -> bool {
        let third = |middle: Spot| middle.touching().any(|spot| spot == second);
        first.touching().any(|spot| spot == second)
            || self.may_triple() && self.free_touching(first).any(third)
    }

    /// The move of a completed sketch, if it has any cell.
    pub(super) fn build_sketched_move(
        &self,
        completed: &CompletedSketch,
    ) -> Result<Option<Move>, IllegalMove> {
        if !completed.from.is_empty() {
            return Err(RuleViolation::PieceMoved.into());
        }
        let mut cells = Cells::new();
        for chosen in &completed.to {
            let spot = self.board.lattice().spot(chosen.cell);
            let spot = spot.ok_or_else(|| IllegalMove::NoSuchCell { name: CellName::unknown() })?;
            cells.try_push(spot).map_err(|_| RuleViolation::TooManyCells { max: PIECES_MAX })?;
        }
        Ok((!cells.is_empty()).then(|| Move::put(cells)))
    }
}
