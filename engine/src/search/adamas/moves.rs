//! Moves of Adamas: all of them where they are few, otherwise a sample with every move that matters
//! most often.

use std::fmt::Write as _;

use super::{
    geometry::{Cells, Geometry},
    position::Adamas,
};
use crate::search::native::{Native as _, mix};

/// Parts of a native move, at the most. Moves of more parts are neither listed nor sampled.
pub(super) const PARTS_MAX: usize = 7;

/// Stacks on lines through one cell, at the most.
const SEEN_MAX: usize = 6;

/// Marks a merge.
const MERGE: u8 = 0x80;

/// Pieces that leave one source or reach one destination.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Part {
    pub(super) cell: u8,
    pub(super) pieces: u8,
}

/// A move: the source of a split or the destination of a merge, and the parts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Move {
    anchor: u8,
    /// How many parts, and whether it is a merge.
    kind: u8,
    parts: [Part; PARTS_MAX],
}

/// A move as its stacks and cells.
pub(super) enum Shape<'a> {
    Split { from: usize, to: &'a [Part] },
    Merge { from: &'a [Part], to: usize },
}

impl Move {
    #[expect(clippy::cast_possible_truncation, reason = "cells are below 61, parts below 8")]
    fn new(kind: u8, anchor: usize, parts: &[Part]) -> Self {
        let mut all = [Part::default(); PARTS_MAX];
        all[..parts.len()].copy_from_slice(parts);
        Self { anchor: anchor as u8, kind: kind | parts.len() as u8, parts: all }
    }

    fn split(from: usize, parts: &[Part]) -> Self {
        Self::new(0, from, parts)
    }

    fn merge(to: usize, parts: &[Part]) -> Self {
        Self::new(MERGE, to, parts)
    }

    /// What it does.
    #[inline]
    pub(super) fn shape(&self) -> Shape<'_> {
        let parts = &self.parts[..usize::from(self.kind & !MERGE)];
        let anchor = usize::from(self.anchor);
        if self.kind & MERGE == 0 {
            Shape::Split { from: anchor, to: parts }
        } else {
            Shape::Merge { from: parts, to: anchor }
        }
    }

    /// The canonical notation.
    pub(super) fn text(&self, board: &Geometry) -> String {
        let list = |parts: &[Part]| {
            let parts = parts.iter().map(|part| {
                let name = board.name(part.cell.into());
                if part.pieces == 1 { name } else { format!("{}x{name}", part.pieces) }
            });
            parts.collect::<Vec<_>>().join(",")
        };
        let mut text = String::new();
        let written = match self.shape() {
            Shape::Split { from, to: [part] } => {
                let one = [Part { cell: self.anchor, pieces: part.pieces }];
                debug_assert_eq!(usize::from(self.anchor), from, "a split has its source");
                write!(text, "{}-{}", list(&one), board.name(part.cell.into()))
            }
            Shape::Split { from, to } => write!(text, "{}-{}", board.name(from), list(to)),
            Shape::Merge { from, to } => write!(text, "{}-{}", list(from), board.name(to)),
        };
        debug_assert!(written.is_ok(), "a string takes all");
        text
    }
}

/// Parts in the making.
#[derive(Clone, Copy, Default)]
struct Parts {
    list: [Part; PARTS_MAX],
    len: usize,
}

impl Parts {
    fn as_slice(&self) -> &[Part] {
        &self.list[..self.len]
    }

    fn push(&mut self, cell: usize, pieces: u8) {
        let cell = u8::try_from(cell).unwrap_or(u8::MAX);
        self.list[self.len] = Part { cell, pieces };
        self.len += 1;
    }
}

/// The number of ways to give at most `pieces` pieces to so many cells.
fn ways(cells: u32, pieces: u8) -> u64 {
    (1..=u64::from(cells)).fold(1_u64, |ways, factor| {
        ways.saturating_mul(u64::from(pieces) + factor).checked_div(factor).unwrap_or(u64::MAX)
    })
}

impl Adamas {
    /// The cells where pieces of the seat to move may land, if they see them.
    fn open_cells(&self) -> u64 {
        let other = 1 - self.to_move();
        !self.stacks(other) | self.threatened(other)
    }

    /// The own stacks that see a cell.
    fn own_seen(&self, to: usize) -> u64 {
        self.board().first_seen(to, self.occupied()) & self.stacks(self.to_move())
    }

    /// The cells that a stack sees.
    fn seen(&self, from: usize) -> u64 {
        self.board().look(from, self.occupied()).1
    }

    fn all_cells(&self) -> u64 {
        (1 << self.board().cells()) - 1
    }

    /// About how many legal moves there are; with progressive captures, without those that capture
    /// behind the first part.
    fn count(&self) -> u64 {
        let open = self.open_cells();
        let own = Cells(self.stacks(self.to_move()));
        let splits = own.fold(0_u64, |sum, from| {
            let cells = (self.seen(from) & open).count_ones();
            sum.saturating_add(ways(cells, self.height(from)) - 1)
        });
        Cells(self.all_cells() & open).fold(splits, |sum, to| {
            let seen = self.own_seen(to);
            if seen.count_ones() < 2 {
                return sum;
            }
            let all = Cells(seen)
                .fold(1_u64, |all, cell| all.saturating_mul(u64::from(self.height(cell)) + 1));
            let singles: u64 = Cells(seen).map(|cell| u64::from(self.height(cell))).sum();
            sum.saturating_add(all - singles - 1)
        })
    }

    /// Adds the legal moves of at most [`PARTS_MAX`] parts until the list has `max`. Returns whether
    /// these are all that there are.
    pub(super) fn list(&self, max: usize, moves: &mut Vec<Move>) -> bool {
        let open = self.open_cells();
        let mut is_complete = true;
        for from in Cells(self.stacks(self.to_move())) {
            is_complete &= if self.prog_cap() {
                let seen = self.seen(from);
                (1..=self.height(from)).fold(true, |is_complete, taken| {
                    let split = Progressive { position: self, from, taken, seen, max };
                    // Moves of too many parts are left out, but not those behind them.
                    moves.len() < max
                        && split.list(self, None, Parts::default(), taken, moves)
                        && is_complete
                })
            } else {
                let cells = self.seen(from) & open;
                let left = self.height(from);
                list_shares(cells, left, Parts::default(), max, &mut |parts| {
                    moves.push(Move::split(from, parts));
                    moves.len()
                })
            };
        }
        for to in Cells(self.all_cells() & open) {
            let seen = self.own_seen(to);
            if seen.count_ones() >= 2 {
                is_complete &= self.list_merges(to, seen, Parts::default(), max, moves);
            }
        }
        is_complete
    }

    fn list_merges(
        &self,
        to: usize,
        seen: u64,
        parts: Parts,
        max: usize,
        moves: &mut Vec<Move>,
    ) -> bool {
        let Some(cell) = Cells(seen).next() else {
            if parts.len >= 2 {
                moves.push(Move::merge(to, parts.as_slice()));
            }
            return moves.len() < max;
        };
        (0..=self.height(cell)).all(|pieces| {
            let mut parts = parts;
            if pieces > 0 {
                parts.push(cell, pieces);
            }
            self.list_merges(to, seen & (seen - 1), parts, max, moves)
        })
    }
}

/// Calls `add` with each way to give pieces to cells, until it says that there are `max`. Returns
/// whether none was left out.
fn list_shares(
    cells: u64,
    left: u8,
    parts: Parts,
    max: usize,
    add: &mut impl FnMut(&[Part]) -> usize,
) -> bool {
    let mut is_complete = true;
    let mut rest = cells;
    while let Some(cell) = Cells(rest).next() {
        rest &= rest - 1;
        for pieces in 1..=left {
            let mut parts = parts;
            parts.push(cell, pieces);
            if add(parts.as_slice()) >= max {
                return false;
            }
            if left == pieces || rest == 0 {
                continue;
            }
            is_complete &=
                parts.len < PARTS_MAX && list_shares(rest, left - pieces, parts, max, add);
        }
    }
    is_complete
}

/// The splits of one stack with so many pieces where captures are progressive. Two orders of parts
/// that cannot differ in what they capture are the same split: parts between captures go by their
/// cells, and no capture stands directly behind a part that it could have stood before.
struct Progressive<'a> {
    position: &'a Adamas,
    from: usize,
    taken: u8,
    seen: u64,
    max: usize,
}

impl Progressive<'_> {
    /// Adds the splits that begin with these parts. `board` is what the next part is counted on,
    /// `before` what the last one was.
    fn list(
        &self,
        board: &Adamas,
        before: Option<&Adamas>,
        parts: Parts,
        left: u8,
        moves: &mut Vec<Move>,
    ) -> bool {
        let mut is_complete = true;
        for cell in Cells(self.seen) {
            if !self.may_go(board, before, &parts, cell) {
                continue;
            }
            for pieces in 1..=left {
                let mut parts = parts;
                parts.push(cell, pieces);
                if pieces == left {
                    moves.push(Move::split(self.from, parts.as_slice()));
                    if moves.len() >= self.max {
                        return false;
                    }
                } else if parts.len == PARTS_MAX {
                    is_complete = false;
                } else {
                    let after = self.after(board, &parts, cell, pieces);
                    is_complete &= self.list(&after, Some(board), parts, left - pieces, moves);
                    if moves.len() >= self.max {
                        return false;
                    }
                }
            }
        }
        is_complete
    }

    /// What the part behind the last one is counted on.
    fn after(&self, board: &Adamas, parts: &Parts, cell: usize, pieces: u8) -> Adamas {
        let mut after = *board;
        let me = self.position.to_move();
        if parts.len == 1 {
            after.take(self.from, me, self.taken);
        }
        after.land(cell, me, pieces);
        after
    }

    fn is_enemy(&self, cell: usize) -> bool {
        self.position.stacks(1 - self.position.to_move()) >> cell & 1 == 1
    }

    /// Whether pieces may land on a cell, counted on a board.
    fn lands(&self, board: &Adamas, cell: usize) -> bool {
        !self.is_enemy(cell) || board.may_capture(cell, 1 - self.position.to_move())
    }

    fn may_go(&self, board: &Adamas, before: Option<&Adamas>, parts: &Parts, cell: usize) -> bool {
        if parts.as_slice().iter().any(|part| usize::from(part.cell) == cell) {
            return false;
        }
        let last = parts.as_slice().last().map(|part| usize::from(part.cell));
        let quiet = last.filter(|&last| !self.is_enemy(last));
        if !self.is_enemy(cell) {
            return quiet.is_none_or(|last| cell > last);
        }
        self.lands(board, cell)
            && (quiet.is_none() || before.is_none_or(|before| !self.lands(before, cell)))
    }
}

/// Numbers that look random and are the same for the same seed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chance(pub(super) u64);

impl Chance {
    /// A number below another one, which is not 0.
    fn below(&mut self, limit: u32) -> u32 {
        self.0 = mix(self.0);
        (((self.0 >> 32) * u64::from(limit)) >> 32) as u32
    }

    fn pieces(&mut self, limit: u8) -> u8 {
        u8::try_from(self.below(limit.into())).unwrap_or(0)
    }

    /// None, all, or any number between.
    fn some_or_all(&mut self, all: u8) -> u8 {
        match self.below(3) {
            0 => 0,
            1 => all,
            _ => self.pieces(all + 1),
        }
    }

    /// One of the cells of a mask that is not empty.
    fn cell(&mut self, mask: u64) -> usize {
        let place = self.below(mask.count_ones());
        Cells(mask).nth(place as usize).unwrap_or(0)
    }
}

/// Tries in which a sample finds a move, at the most; some find what it has already.
const TRIES_PER_MOVE: usize = 2;

/// Numbers of pieces to try for each single part where there is no room for every number.
const COUNTS: u8 = 4;

/// Ways to share pieces out, for each stack with captures.
const SHARES: usize = 6;

impl Adamas {
    /// Adds about `max` legal moves: all if they are few, else single parts, captures, and a sample
    /// of the rest. Returns whether these are all that there are.
    pub(super) fn sample(&self, max: usize, chance: &mut Chance, moves: &mut Vec<Move>) -> bool {
        if self.count() <= max as u64 {
            let most = if self.prog_cap() { 2 * max } else { usize::MAX };
            if self.list(most, moves) {
                return true;
            }
            moves.clear();
        }
        let other = 1 - self.to_move();
        let (open, targets) = (self.open_cells(), self.threatened(other));
        let own = self.stacks(self.to_move());
        let singles: u32 = Cells(own)
            .map(|from| (self.seen(from) & open).count_ones() * u32::from(self.height(from)))
            .sum();
        let with_every_count = singles as usize <= max;
        for from in Cells(own) {
            self.add_singles(from, self.seen(from) & open, with_every_count, chance, moves);
            let captures = self.seen(from) & targets;
            if captures != 0 {
                self.add_captures(from, captures, open, chance, moves);
            }
        }
        for to in Cells(targets) {
            self.add_merges(to, chance, moves);
        }
        let wanted = max.max(moves.len() + max / 4);
        for _ in 0..TRIES_PER_MOVE * (wanted - moves.len()) {
            if moves.len() >= wanted {
                break;
            }
            self.add_any(own, open, chance, moves);
        }
        false
    }

    fn add_singles(
        &self,
        from: usize,
        to: u64,
        with_every_count: bool,
        chance: &mut Chance,
        moves: &mut Vec<Move>,
    ) {
        let height = self.height(from);
        for cell in Cells(to) {
            let mut add = |pieces| {
                let mut parts = Parts::default();
                parts.push(cell, pieces);
                moves.push(Move::split(from, parts.as_slice()));
            };
            if with_every_count || height <= COUNTS {
                (1..=height).for_each(add);
            } else {
                add(1);
                add(height);
                for _ in 2..COUNTS {
                    add(2 + chance.pieces(height - 2));
                }
            }
        }
    }

    /// Adds all captures of a stack at once, and captures with other parts.
    fn add_captures(
        &self,
        from: usize,
        captures: u64,
        open: u64,
        chance: &mut Chance,
        moves: &mut Vec<Move>,
    ) {
        let height = self.height(from);
        let mut targets = [0_usize; SEEN_MAX];
        let count = captures.count_ones() as usize;
        for (place, cell) in targets.iter_mut().zip(Cells(captures)) {
            *place = cell;
        }
        let targets = &mut targets[..count];
        targets.sort_unstable_by_key(|&cell| (u8::MAX - self.height(cell), cell));
        if self.prog_cap() {
            // Once pieces are in the air, what was threatened sees too little.
            for &first in targets.iter() {
                for _ in 0..SHARES {
                    self.add_split(from, &[first], open & !captures, height, chance, moves);
                }
            }
            return;
        }
        let most = count.min(height.into());
        let mut parts = Parts::default();
        for &cell in &targets[..most] {
            parts.push(cell, 1);
        }
        let spare = height - u8::try_from(most).unwrap_or(height);
        for index in 0..most {
            let mut with_all = parts;
            with_all.list[index].pieces += spare;
            moves.push(sorted_split(from, with_all));
        }
        moves.push(sorted_split(from, parts));
        for _ in 0..SHARES {
            self.add_split(from, &targets[..most], open & !captures, height, chance, moves);
            if most > 1 {
                let one = chance.below(u32::try_from(most).unwrap_or(1)) as usize;
                let one = [targets[one]];
                self.add_split(from, &one, open & !captures, height, chance, moves);
            }
        }
    }

    /// Adds a split to these cells and some of the others, with any numbers of pieces.
    fn add_split(
        &self,
        from: usize,
        to: &[usize],
        others: u64,
        height: u8,
        chance: &mut Chance,
        moves: &mut Vec<Move>,
    ) {
        let mut parts = Parts::default();
        for &cell in to {
            parts.push(cell, 1);
        }
        let mut quiet = self.seen(from) & others;
        let most = (quiet.count_ones() as usize)
            .min(usize::from(height).saturating_sub(to.len()))
            .min(PARTS_MAX - to.len());
        let more = chance.below(u32::try_from(most).unwrap_or(0).min(3) + 1);
        let start = parts.len;
        for _ in 0..more {
            let cell = chance.cell(quiet);
            quiet &= !(1 << cell);
            parts.push(cell, 1);
        }
        if parts.len == 0 {
            return;
        }
        parts.list[start..parts.len].sort_unstable_by_key(|part| part.cell);
        let spare = height - u8::try_from(parts.len).unwrap_or(height);
        let mut left = chance.some_or_all(spare);
        for part in &mut parts.list[..parts.len] {
            let pieces = chance.some_or_all(left);
            part.pieces += pieces;
            left -= pieces;
        }
        moves.push(if self.prog_cap() {
            Move::split(from, parts.as_slice())
        } else {
            sorted_split(from, parts)
        });
    }

    /// Adds merges on a cell: of all that see it, and of some.
    fn add_merges(&self, to: usize, chance: &mut Chance, moves: &mut Vec<Move>) {
        let seen = self.own_seen(to);
        if seen.count_ones() < 2 {
            return;
        }
        let mut all = Parts::default();
        for cell in Cells(seen) {
            all.push(cell, self.height(cell));
        }
        moves.push(Move::merge(to, all.as_slice()));
        for _ in 0..SHARES {
            self.add_merge(to, seen, chance, moves);
        }
    }

    fn add_merge(&self, to: usize, mut seen: u64, chance: &mut Chance, moves: &mut Vec<Move>) {
        let wanted = 2 + chance.below(seen.count_ones() - 1);
        while seen.count_ones() > wanted {
            seen &= !(1 << chance.cell(seen));
        }
        let mut parts = Parts::default();
        for cell in Cells(seen) {
            parts.push(cell, 1 + chance.some_or_all(self.height(cell) - 1));
        }
        moves.push(Move::merge(to, parts.as_slice()));
    }

    /// Adds a move of any kind.
    fn add_any(&self, own: u64, open: u64, chance: &mut Chance, moves: &mut Vec<Move>) {
        let from = chance.cell(own);
        let to = self.seen(from) & open;
        if to == 0 {
            return;
        }
        let first = chance.cell(to);
        if chance.below(3) == 0 {
            let seen = self.own_seen(first);
            if seen.count_ones() >= 2 {
                self.add_merge(first, seen, chance, moves);
                return;
            }
        }
        // Only the first part of a progressive split may capture.
        let enemies = if self.prog_cap() { self.stacks(1 - self.to_move()) } else { 0 };
        let others = to & !(1 << first) & !enemies;
        self.add_split(from, &[first], others, self.height(from), chance, moves);
    }
}

fn sorted_split(from: usize, mut parts: Parts) -> Move {
    parts.list[..parts.len].sort_unstable_by_key(|part| part.cell);
    Move::split(from, parts.as_slice())
}
