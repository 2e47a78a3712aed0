//! Playouts: boards filled at random, sixty-four at once.
//!
//! A cell is a word with a bit for each playout, set where the first seat has the cell. What hangs
//! together with the lower edge spreads over these words until nothing changes, so that all
//! playouts cost little more than one. A full board connects the edges of exactly one seat.

#![expect(
    clippy::cast_possible_truncation,
    reason = "a board has at most 265 cells, each with eight neighbours"
)]

use super::{
    super::native::mix,
    board::Board,
    lattice::{Lattice, Set},
};

/// Playouts at once: the bits of a word.
pub(super) const PLAYOUTS: u32 = u64::BITS;

/// What some playouts from a position have come to.
#[derive(Debug)]
pub(super) struct Fill {
    /// Cell by cell: where its neighbours begin in `near`; one more for the end.
    starts: Vec<u32>,
    near: Vec<u16>,
    owned: Vec<u64>,
    reached: Vec<u64>,
    /// Cell by cell: the playouts in which the first seat has it, and those that it has won then.
    pub(super) has: Vec<u32>,
    pub(super) wins: Vec<u32>,
    /// The playouts that the first seat has won.
    pub(super) won: u32,
    chance: u64,
}

impl Fill {
    pub(super) fn new<const W: usize>(lattice: &Lattice<W>, seed: u64) -> Self {
        let (mut starts, mut near) = (vec![0], Vec::new());
        for neighbours in &lattice.neighbours {
            near.extend(neighbours);
            starts.push(near.len() as u32);
        }
        let (words, counts) = (vec![0; lattice.len()], vec![0; lattice.len()]);
        Self {
            starts,
            near,
            owned: words.clone(),
            reached: words,
            has: counts.clone(),
            wins: counts,
            won: 0,
            chance: seed,
        }
    }

    pub(super) fn run<const W: usize>(&mut self, lattice: &Lattice<W>, board: &Board<W>) {
        let [lower, upper] = &lattice.edges[0];
        self.draw(board);
        self.spread(lower);
        let at_upper = upper.iter().map(|cell| self.reached[usize::from(cell)]);
        let won = at_upper.fold(0, |won, reached| won | reached);
        self.won = won.count_ones();
        let counts = self.has.iter_mut().zip(&mut self.wins);
        for ((has, wins), owned) in counts.zip(&self.owned) {
            *has = owned.count_ones();
            *wins = (owned & won).count_ones();
        }
    }

    /// Lets chance give each free cell to a seat.
    fn draw<const W: usize>(&mut self, board: &Board<W>) {
        for (cell, owned) in (0..).zip(&mut self.owned) {
            *owned = if board.free.has(cell) {
                self.chance = self.chance.wrapping_add(0x9e37_79b9_7f4a_7c15);
                mix(self.chance)
            } else if board.pieces(0).has(cell) {
                u64::MAX
            } else {
                0
            };
        }
    }

    /// Finds what hangs together with an edge.
    fn spread<const W: usize>(&mut self, edge: &Set<W>) {
        for (cell, (reached, owned)) in (0..).zip(self.reached.iter_mut().zip(&self.owned)) {
            *reached = if edge.has(cell) { *owned } else { 0 };
        }
        // Upwards first, where nearly all chains go; then back and forth.
        while self.sweep(0..self.owned.len()) && self.sweep((0..self.owned.len()).rev()) {}
    }

    /// Lets each cell in turn reach what its neighbours have. Returns whether anything changed.
    fn sweep(&mut self, cells: impl Iterator<Item = usize>) -> bool {
        let mut changed = 0;
        for cell in cells {
            let (owned, before) = (self.owned[cell], self.reached[cell]);
            if owned == before {
                continue;
            }
            let (start, end) = (self.starts[cell] as usize, self.starts[cell + 1] as usize);
            let near = self.near[start..end].iter();
            let around = near.fold(0, |all, &next| all | self.reached[usize::from(next)]);
            let after = before | around & owned;
            changed |= before ^ after;
            self.reached[cell] = after;
        }
        changed != 0
    }
}
