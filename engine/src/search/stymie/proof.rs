//! Who wins on a small board: depth-first proof-number search (A. Nagai, 2002) over every legal
//! move, with regions.
//!
//! The region of a win is the set of free cells that the winner may need, whatever the other seat
//! does there or elsewhere. A move outside of the region of the answer to another move loses to the
//! same answer, so that few moves have to be looked at (must-play regions; R. Hayward and others,
//! "Solving 7x7 Hex", 2005). Here three pieces at once go beyond the region, in two ways:
//!
//! - Whoever wins by putting down three needs the right to them, which another move before does not
//!   give. The region of such a win is [`WHOLE`].
//! - After a single piece of the winner the other seat may put down three, one of which may lie
//!   outside of the region, on a cell that is taken here. Two cells with such a cell between them
//!   are refuted like a move.
//!
//! It is exact, up to two positions with the same hash.

use super::{
    board::{Board, LastMove},
    lattice::{Lattice, Placement, SMALL},
    small::{Cells, Hashes, Key, SmallLattice, WHOLE, bits},
};

/// The number of positions that no search comes to.
const NEVER: u32 = u32::MAX;

/// The share of the moves, the most promising ones, that are looked at together, besides the first.
const SHARE: usize = 10;

/// A position goes on until its number exceeds that of the next by this share.
const SLACK: u32 = 4;

/// A move that is looked at after all others is behind by so much.
const LAST: i32 = 10_000;

/// Positions among which one is forgotten for a new one.
const BUCKET: usize = 4;

/// Who wins a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Outcome {
    /// The seat to move, with this move.
    Win(Placement),
    /// The other seat, whatever the seat to move does.
    Loss,
}

/// A position as the seat to move has it.
#[derive(Clone, Copy)]
struct Place {
    own: Cells,
    other: Cells,
    seat: usize,
    triples: bool,
}

/// What is known about a position, for the seat to move.
#[derive(Clone, Copy)]
struct Known {
    /// How many positions have to be proven at the least to prove a win, or a loss: none if it is
    /// proven.
    win: u32,
    loss: u32,
    /// The region of whoever wins, if that is proven.
    region: Cells,
}

impl Known {
    const NOTHING: Self = Self { win: 1, loss: 1, region: 0 };

    const fn win(region: Cells) -> Self {
        Self { win: 0, loss: NEVER, region }
    }

    const fn loss(region: Cells) -> Self {
        Self { win: NEVER, loss: 0, region }
    }
}

/// A move that is not refuted yet, and what is known about the position after it.
#[derive(Clone, Copy)]
struct Candidate {
    pieces: Cells,
    after: Key,
    known: Known,
    /// How much shorter the way of the other seat is then.
    behind: i32,
}

/// A proof in progress.
pub(super) struct Proof {
    lattice: &'static Lattice<SMALL>,
    small: &'static SmallLattice,
    board: Board<SMALL>,
    uses_regions: bool,
    table: Table,
    positions: u64,
    /// The number of positions at which it makes a pause.
    pause: u64,
    /// The move that has won last.
    winning: Cells,
}

impl Proof {
    /// The memory that its table takes for a position.
    pub(super) const BYTES_PER_POSITION: usize = size_of::<[u64; 4]>();

    /// A proof of who wins a position after the opening, without a swap, on a board with fewer than 64
    /// cells. Its table has 2 to the power `bits` positions.
    pub(super) fn new(lattice: &'static Lattice<SMALL>, board: Board<SMALL>, bits: u32) -> Self {
        debug_assert!(board.last != LastMove::None && board.end().is_none(), "{board:?}");
        Self {
            lattice,
            small: SmallLattice::of(lattice),
            board,
            uses_regions: true,
            table: Table::new(bits),
            positions: 0,
            pause: 0,
            winning: 0,
        }
    }

    /// The same without regions: it looks at every move but single pieces to which one can be added. It
    /// takes many times as long.
    pub(super) fn without_regions(self) -> Self {
        Self { uses_regions: false, ..self }
    }

    /// The positions that it has looked at.
    pub(super) const fn positions(&self) -> u64 {
        self.positions
    }

    /// Goes on for so many positions. Returns who wins, once that is proven.
    pub(super) fn go_on(&mut self, positions: u64) -> Option<Outcome> {
        let board = &self.board;
        if let Some(win) = board.winning_move(self.lattice) {
            return Some(Outcome::Win(win));
        }
        let place = Place {
            own: board.pieces(board.to_move).0[0],
            other: board.pieces(1 - board.to_move).0[0],
            seat: board.to_move.into(),
            triples: board.may_triple(),
        };
        self.pause = self.positions.saturating_add(positions);
        let key = key(self.small.hashes(place.own, place.other, place.seat), place.triples);
        match self.prove(place, key, (NEVER, NEVER)) {
            Known { win: 0, .. } => Some(Outcome::Win(self.placement(self.winning))),
            Known { loss: 0, .. } => Some(Outcome::Loss),
            Known { .. } => None,
        }
    }

    fn placement(&self, pieces: Cells) -> Placement {
        let cells = bits(pieces).map(|cell| u16::try_from(cell).expect("the board is small"));
        self.lattice.placement(&cells.collect::<Vec<_>>())
    }

    /// Looks at a position until its numbers reach those of `most`. The seat to move does not win at
    /// once.
    fn prove(&mut self, place: Place, key: Key, most: (u32, u32)) -> Known {
        let before = self.positions;
        self.positions += 1;
        let mut refuted = Vec::new();
        let mut candidates = self.candidates(&place, &mut refuted);
        let known = match self.recall(&place, &mut candidates, &mut refuted) {
            Some(known) => known,
            None => self.search(&place, candidates, refuted, most),
        };
        let region = self.small.show(known.region, place.seat, key.image);
        self.table.keep(key.hash, Known { region, ..known }, self.positions - before);
        known
    }

    /// The moves after which the other seat does not win at once, the most promising first. The
    /// regions of wins at once are added to those that refute moves.
    fn candidates(&self, place: &Place, refuted: &mut Vec<Cells>) -> Vec<Candidate> {
        let &Place { own, other, seat, triples } = place;
        let (small, free) = (self.small, self.small.all & !own & !other);
        let threat = small.win(other, free, 1 - seat, false);
        refuted.extend(threat.filter(|_| self.uses_regions));
        let hashes = small.hashes(other, own, 1 - seat);
        let mut candidates = Vec::with_capacity(64);
        for pieces in small.moves(free, triples) {
            if is_refuted(pieces, refuted) {
                continue;
            }
            let (left, is_single) = (free & !pieces, pieces.is_power_of_two());
            if let Some(win) = small.win(other, left, 1 - seat, is_single) {
                if win.count_ones() < 3 && self.uses_regions {
                    refuted.push(win);
                }
                continue;
            }
            let is_part = is_single && small.is_paired(pieces, left);
            if is_part && !self.uses_regions {
                continue;
            }
            let mut hashes = hashes;
            small.add(&mut hashes, pieces, 1 - seat, 1);
            let mut behind =
                2 * small.way(own | pieces, left, seat) - small.way(other, left, 1 - seat);
            if is_part {
                // Two are better.
                behind += LAST;
            }
            let after = key(hashes, is_single);
            candidates.push(Candidate { pieces, after, known: Known::NOTHING, behind });
        }
        candidates.sort_by_key(|candidate| candidate.behind);
        candidates
    }

    /// Takes from the table what it knows about the positions after the moves. Returns what is proven
    /// by that.
    fn recall(
        &mut self,
        place: &Place,
        candidates: &mut [Candidate],
        refuted: &mut Vec<Cells>,
    ) -> Option<Known> {
        for candidate in candidates {
            let Some(mut known) = self.table.find(candidate.after.hash) else { continue };
            known.region = self.small.shown(known.region, 1 - place.seat, candidate.after.image);
            candidate.known = known;
            if known.loss == 0 {
                return Some(self.won(candidate.pieces, known.region));
            }
            if known.win == 0 {
                refuted.push(known.region);
            }
        }
        None
    }

    /// Looks at the positions after the moves, always at the one that promises the shortest proof.
    fn search(
        &mut self,
        place: &Place,
        mut candidates: Vec<Candidate>,
        mut refuted: Vec<Cells>,
        (most_win, most_loss): (u32, u32),
    ) -> Known {
        loop {
            candidates.retain(|one| one.known.win > 0 && !is_refuted(one.pieces, &refuted));
            if candidates.is_empty() {
                return Known::loss(self.region_of_loss(place, &refuted));
            }
            let promising = (1 + candidates.len() / SHARE).min(candidates.len());
            let (mut best, mut win, mut next, mut loss) = (0, NEVER, NEVER, 0_u32);
            for (index, candidate) in candidates[..promising].iter().enumerate() {
                loss = loss.saturating_add(candidate.known.win);
                if candidate.known.loss < win {
                    (best, win, next) = (index, candidate.known.loss, win);
                } else {
                    next = next.min(candidate.known.loss);
                }
            }
            if win >= most_win || loss >= most_loss || self.positions >= self.pause {
                return Known { win, loss, region: 0 };
            }
            let Candidate { pieces, after, known, .. } = candidates[best];
            let most = (
                most_loss - (loss - known.win),
                most_win.min(next.saturating_add(next / SLACK).saturating_add(1)),
            );
            let known = self.prove(place.after(pieces), after, most);
            candidates[best].known = known;
            if known.loss == 0 {
                return self.won(pieces, known.region);
            }
            if known.win == 0 {
                refuted.push(known.region);
            }
        }
    }

    fn won(&mut self, pieces: Cells, after: Cells) -> Known {
        self.winning = pieces;
        let three = pieces.count_ones() == 3;
        Known::win(if three || !self.uses_regions { WHOLE } else { pieces | after })
    }

    /// Few cells that together refute every move, by regions of single refutations.
    fn region_of_loss(&self, place: &Place, refuted: &[Cells]) -> Cells {
        if !self.uses_regions {
            return WHOLE;
        }
        let free = self.small.all & !place.own & !place.other;
        let mut left: Vec<Cells> = self.small.moves(free, place.triples).collect();
        if place.triples {
            left.extend(self.small.astride(free));
        }
        let mut region = 0;
        while !left.is_empty() {
            // The one that needs the fewest further cells for each move.
            let use_of = |&one: &Cells| {
                let count = left.iter().filter(|&pieces| pieces & one == 0).count();
                let more = (one & !region).count_ones() as usize;
                (count > 0).then_some((more, count, one))
            };
            let best = refuted
                .iter()
                .filter_map(use_of)
                .min_by(|one, other| (one.0 * other.1).cmp(&(other.0 * one.1)));
            let Some((.., chosen)) = best else { return WHOLE };
            region |= chosen;
            left.retain(|pieces| pieces & chosen != 0);
        }
        region
    }
}

impl Place {
    /// The position after a move.
    const fn after(&self, pieces: Cells) -> Self {
        let &Self { own, other, seat, .. } = self;
        let triples = pieces.is_power_of_two();
        Self { own: other, other: own | pieces, seat: 1 - seat, triples }
    }
}

/// What is known about positions, as their images show them: the hash, the region, both numbers and
/// what a position is worth, which is how many positions it took, fewer with each one that has been
/// forgotten instead.
struct Table(Vec<[u64; 4]>);

impl Table {
    fn new(bits: u32) -> Self {
        Self(vec![[0; 4]; BUCKET.max(1 << bits)])
    }

    fn bucket(&mut self, hash: u64) -> &mut [[u64; 4]] {
        let buckets = self.0.len() / BUCKET;
        let first = usize::try_from(hash >> 20).unwrap_or(0) % buckets * BUCKET;
        &mut self.0[first..first + BUCKET]
    }

    fn find(&mut self, hash: u64) -> Option<Known> {
        let &[_, region, numbers, _] = self.bucket(hash).iter().find(|entry| entry[0] == hash)?;
        let [win, loss] = [numbers >> 32, numbers & u64::from(u32::MAX)];
        let number = |number| u32::try_from(number).unwrap_or(NEVER);
        Some(Known { win: number(win), loss: number(loss), region })
    }

    /// Remembers a position in place of the one that is worth least.
    fn keep(&mut self, hash: u64, known: Known, worth: u64) {
        let bucket = self.bucket(hash);
        let same = bucket.iter().position(|entry| entry[0] == hash);
        let place = same.unwrap_or_else(|| {
            for old in &mut *bucket {
                old[3] -= old[3] / 8;
            }
            (0..BUCKET).min_by_key(|&index| bucket[index][3]).unwrap_or(0)
        });
        let numbers = u64::from(known.win) << 32 | u64::from(known.loss);
        bucket[place] = [hash, known.region, numbers, worth];
    }
}

/// The key of a position: what looks the same in an image is the same.
fn key(hashes: Hashes, triples: bool) -> Key {
    let (image, hash) = (0..).zip(hashes).min_by_key(|&(_, hash)| hash).expect("there are four");
    Key { hash: if triples { !hash } else { hash }, image }
}

/// Whether a move is outside of a region that refutes such moves.
fn is_refuted(pieces: Cells, regions: &[Cells]) -> bool {
    regions.iter().any(|region| region & pieces == 0)
}
