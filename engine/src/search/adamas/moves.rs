//! The moves of a position: all, where they are few, else captures, single pieces and stacks, and a
//! sample of what is left.

use super::{
    super::native::mix,
    board::{Board, Move, PARTS_MAX, Part, number},
    hexagon::{Cells, DIRECTIONS},
};

/// Cells that a stack can go to, at the most: six lines from the middle of the largest board.
const TARGETS_MAX: usize = 42;

/// Cells for a first part that the stack does not see which falls after it, at the most.
const HIDDEN_MAX: usize = 2;

/// Orders of captures that are tried for one stack, at the most.
const ORDERS_MAX: u32 = 1_000;

/// Numbers by chance.
#[derive(Clone, Debug)]
pub(super) struct Chance(pub(super) u64);

impl Chance {
    /// A number below another.
    fn below(&mut self, below: usize) -> usize {
        self.0 = mix(self.0);
        let scaled = (u128::from(self.0) * below as u128) >> 64;
        usize::try_from(scaled).expect("it is below a usize")
    }

    /// None, all, or any number between.
    fn some_or_all(&mut self, all: u8) -> u8 {
        match self.below(3) {
            0 => 0,
            1 => all,
            _ => number(self.below(usize::from(all) + 1)),
        }
    }

    /// Brings some of the items to the front.
    fn draw<T>(&mut self, items: &mut [T], count: usize) {
        for index in 0..count.min(items.len()) {
            let other = index + self.below(items.len() - index);
            items.swap(index, other);
        }
    }
}

/// A stack that can move, with the cells that it can go to: those that it captures first.
#[derive(Clone, Copy, Debug)]
struct Source {
    from: usize,
    height: u8,
    targets: [u8; TARGETS_MAX],
    len: usize,
    captures: usize,
}

impl Source {
    fn new<const W: usize, const S: usize>(
        board: &Board<W, S>,
        occupied: Cells<W>,
        capturable: Cells<W>,
        from: usize,
    ) -> Self {
        let others = board.others(board.seat());
        let mut source = Self {
            from,
            height: board.height(from),
            targets: [0; TARGETS_MAX],
            len: 0,
            captures: 0,
        };
        for direction in 0..DIRECTIONS {
            let ray = board.hexagon.ray::<W>(from, direction);
            let mut free = ray;
            if let Some(seen) = board.first_seen(occupied, from, direction) {
                free = ray.without(board.hexagon.ray(seen, direction));
                if others.contains(seen) {
                    free.remove(seen);
                    if capturable.contains(seen) {
                        source.push(seen);
                        source.targets.swap(source.captures, source.len - 1);
                        source.captures += 1;
                    }
                }
            }
            for cell in free {
                source.push(cell);
            }
        }
        source
    }

    fn push(&mut self, cell: usize) {
        self.targets[self.len] = number(cell);
        self.len += 1;
    }

    fn targets(&self) -> &[u8] {
        &self.targets[..self.len]
    }

    /// The number of splits, if it is below a limit.
    fn count(&self, limit: u64) -> Option<u64> {
        let mut ways = 1;
        for factor in 1..=self.len as u64 {
            ways = ways * (u64::from(self.height) + factor) / factor;
            // One of them leaves all pieces where they are.
            if ways - 1 > limit {
                return None;
            }
        }
        Some(ways - 1)
    }
}

/// What can move in a position.
pub(super) struct Choice<'b, const W: usize, const S: usize = 2> {
    board: &'b Board<W, S>,
    sources: Vec<Source>,
    capturable: Cells<W>,
}

impl<'b, const W: usize, const S: usize> Choice<'b, W, S> {
    pub(super) fn new(board: &'b Board<W, S>) -> Self {
        let capturable = board.capturable();
        let occupied = board.occupied();
        let stacks = board.stacks(board.seat());
        let sources = stacks.into_iter();
        let sources = sources.map(|from| Source::new(board, occupied, capturable, from));
        let sources = sources.filter(|source| source.len > 0).collect();
        Self { board, sources, capturable }
    }

    /// The cells that own stacks can merge on.
    fn meetings(&self) -> impl Iterator<Item = usize> {
        let others = self.board.others(self.board.seat());
        let closed = others.without(self.capturable);
        (0..self.board.hexagon.len()).filter(move |&cell| !closed.contains(cell))
    }

    /// The own stacks that a cell sees, with all their pieces.
    fn own_seen(&self, to: usize) -> ([Part; DIRECTIONS], usize) {
        let (occupied, own) = (self.board.occupied(), self.board.stacks(self.board.seat()));
        let (mut seen, mut len) = ([Part::default(); DIRECTIONS], 0);
        for direction in 0..DIRECTIONS {
            let first = self.board.first_seen(occupied, to, direction);
            if let Some(cell) = first.filter(|&cell| own.contains(cell)) {
                seen[len] = Part { cell: number(cell), pieces: self.board.height(cell) };
                len += 1;
            }
        }
        (seen, len)
    }

    /// The number of all legal moves, if it is at most `limit`.
    pub(super) fn count(&self, limit: u64) -> Option<u64> {
        let mut all = 0;
        for source in &self.sources {
            all += source.count(limit)?;
            if all > limit {
                return None;
            }
        }
        for to in self.meetings() {
            let (seen, len) = self.own_seen(to);
            let any: u64 = seen[..len].iter().map(|part| u64::from(part.pieces) + 1).product();
            let of_one: u64 = seen[..len].iter().map(|part| u64::from(part.pieces)).sum();
            all += any - of_one - 1;
            if all > limit {
                return None;
            }
        }
        Some(all)
    }

    /// A split; where captures are progressive, those of its parts come first, and there is none
    /// if one of them fails in this order.
    fn split(&self, from: usize, parts: &[Part]) -> Option<Move> {
        if !self.board.progressive {
            return Some(Move::split(from, parts));
        }
        let mut parts = parts.to_vec();
        let is_capture = |part: &Part| self.capturable.contains(part.cell.into());
        parts.sort_by_key(|part| !is_capture(part));
        let captures = parts.iter().filter(|part| is_capture(part)).count();
        let mv = Move::split_in_order(from, &parts, captures);
        (captures < 2 || self.board.falls_in_order(&mv)).then_some(mv)
    }

    /// Adds every move that has at most as many parts as a move can have here; where captures are
    /// progressive, in one order of its parts, and some whose first part lets another stack fall.
    /// Returns whether these are all legal moves.
    pub(super) fn all(&self, moves: &mut Vec<Move>) -> bool {
        let mut parts = [Part::default(); PARTS_MAX];
        let mut is_all = !self.board.progressive;
        for source in &self.sources {
            self.splits(source, 0, source.height, &mut parts, 0, moves);
            is_all &= usize::from(source.height).min(source.len) <= PARTS_MAX;
        }
        for to in self.meetings() {
            let (seen, len) = self.own_seen(to);
            merges(&seen[..len], to, &mut parts, 0, moves);
        }
        self.add_all_later_captures(moves);
        is_all
    }

    /// Adds moves that are worth a look: captures by each stack, all at once first, then every
    /// number of pieces to every single cell, then splits and merges by chance, until there are
    /// `most`.
    pub(super) fn sample(&self, most: usize, chance: &mut Chance, moves: &mut Vec<Move>) {
        for source in &self.sources {
            self.add_captures(source, chance, moves);
        }
        let (before, later) = (moves.len(), most / 3);
        self.add_all_later_captures(moves);
        chance.draw(&mut moves[before..], later);
        moves.truncate(before + later);
        let first = moves.len();
        for source in &self.sources {
            for &to in &source.targets[source.captures..source.len] {
                for pieces in 1..=source.height {
                    moves.push(Move::split(source.from, &[Part { cell: to, pieces }]));
                }
            }
        }
        // Where not all have room, chance picks, and leaves some for moves of several parts.
        let singles = most.saturating_sub(first) * 3 / 4;
        if moves.len() - first > singles {
            chance.draw(&mut moves[first..], singles);
            moves.truncate(first + singles);
        }
        let second = moves.len();
        let wanted = most.saturating_sub(second);
        for _ in 0..wanted {
            moves.extend(self.any(chance));
        }
        moves[second..].sort_unstable();
        let mut known = second;
        for index in second..moves.len() {
            let mv = moves[index];
            if !moves[..first].contains(&mv) && (known == second || moves[known - 1] != mv) {
                moves[known] = mv;
                known += 1;
            }
        }
        moves.truncate(known);
    }

    /// Adds splits of which a quiet first part, and the pieces in the air, let a stack fall that does
    /// not fall as the position stands. Only where captures are progressive there are any.
    fn add_all_later_captures(&self, moves: &mut Vec<Move>) {
        if self.board.progressive && !self.board.opening {
            self.sources.iter().for_each(|source| self.add_later_captures(source, moves));
        }
    }

    fn add_later_captures(&self, source: &Source, moves: &mut Vec<Move>) {
        let (board, others) = (self.board, self.board.others(self.board.seat()));
        let mut quiet = Cells::EMPTY;
        for &cell in &source.targets()[source.captures..] {
            quiet.insert(cell.into());
        }
        for direction in 0..DIRECTIONS {
            let seen = board.first_seen(board.occupied(), source.from, direction);
            if let Some(target) = seen.filter(|&seen| others.contains(seen)) {
                for taken in 2..=source.height {
                    self.later_captures_of(target, (source, taken), quiet, moves);
                }
            }
        }
    }

    /// The splits of so many pieces of which the first part lets this stack fall.
    fn later_captures_of(
        &self,
        target: usize,
        (source, taken): (&Source, u8),
        quiet: Cells<W>,
        moves: &mut Vec<Move>,
    ) {
        let (other, height) = (self.board.seat_at(target), self.board.height(target));
        let lifted = self.board.lifted(source.from, taken);
        let (occupied, count) = (lifted.occupied(), lifted.enemies_seen(target, other));
        let mut add = |first: usize, pieces: u8| {
            let first = Part { cell: number(first), pieces };
            let second = Part { cell: number(target), pieces: taken - pieces };
            let mv = Move::split_in_order(source.from, &[first, second], 2);
            debug_assert!(self.board.falls_in_order(&mv), "{}", self.board.text(mv));
            moves.push(mv);
        };
        let mut hidden = quiet;
        for direction in 0..DIRECTIONS {
            let mut near = lifted.hexagon.ray::<W>(target, direction);
            let seen = lifted.first_seen(occupied, target, direction);
            let mut from_there = 0;
            if let Some(seen) = seen {
                near = near.without(lifted.hexagon.ray(seen, direction));
                if !lifted.stacks(other).contains(seen) {
                    from_there = lifted.height(seen);
                }
            }
            hidden = hidden.without(near);
            for cell in near & quiet {
                // Pieces before a stack hide it, and pieces on it add to it.
                let others = if seen == Some(cell) { count } else { count - from_there };
                let pieces = height.wrapping_sub(others);
                if (1..taken).contains(&pieces) {
                    add(cell, pieces);
                }
            }
        }
        if count == height && !self.capturable.contains(target) {
            for cell in hidden.into_iter().take(HIDDEN_MAX) {
                add(cell, 1);
            }
        }
    }

    fn add_captures(&self, source: &Source, chance: &mut Chance, moves: &mut Vec<Move>) {
        let (all, height) = (source.captures, source.height);
        if all >= 2 && height >= 2 {
            let most = all.min(usize::from(height));
            moves.extend(self.captures_with(source, most, 0, 0));
            let spare = height - number(most);
            for target in 0..if spare > 0 { most } else { 0 } {
                moves.extend(self.captures_with(source, most, target, spare));
            }
        }
        for &cell in &source.targets[..all] {
            for pieces in 1..=height {
                moves.push(Move::split(source.from, &[Part { cell, pieces }]));
            }
        }
        // Others come along, or pieces of the same stack go elsewhere meanwhile.
        for index in 0..all {
            let to = source.targets[index];
            let (seen, len) = self.own_seen(to.into());
            if len >= 2 {
                push_new(merge(seen, len, to.into(), chance), moves);
            }
            if height >= 2 && source.len > all {
                for _ in 0..2 {
                    let quiet = all + chance.below(source.len - all);
                    let first = 1 + chance.some_or_all(height - 2);
                    let second = 1 + chance.some_or_all(height - 1 - first);
                    let parts = [
                        Part { cell: to, pieces: first },
                        Part { cell: source.targets[quiet], pieces: second },
                    ];
                    if let Some(mv) = self.split(source.from, &parts) {
                        push_new(mv, moves);
                    }
                }
            }
        }
    }

    /// A move of several parts; few parts are more likely than many.
    fn any(&self, chance: &mut Chance) -> Option<Move> {
        let source = &self.sources[chance.below(self.sources.len())];
        if chance.below(3) == 0 {
            let to = source.targets[chance.below(source.len)];
            let (seen, len) = self.own_seen(to.into());
            return (len >= 2).then(|| merge(seen, len, to.into(), chance));
        }
        let most = source.len.min(source.height.into()).min(PARTS_MAX);
        if most < 2 {
            return None;
        }
        let count = if chance.below(2) == 0 { 2 } else { 2 + chance.below(most - 1) };
        let mut targets = source.targets;
        chance.draw(&mut targets[..source.len], count);
        let mut parts = [Part::default(); PARTS_MAX];
        let mut left = chance.some_or_all(source.height - number(count));
        for (part, &cell) in parts.iter_mut().zip(&targets[..count]) {
            let more = chance.some_or_all(left);
            *part = Part { cell, pieces: 1 + more };
            left -= more;
        }
        self.split(source.from, &parts[..count])
    }

    /// One piece to each of the first captures of a stack, and more to one of them.
    fn captures_with(
        &self,
        source: &Source,
        stacks: usize,
        target: usize,
        more: u8,
    ) -> Option<Move> {
        let mut parts = [Part::default(); PARTS_MAX];
        for (index, (part, &cell)) in parts.iter_mut().zip(&source.targets[..stacks]).enumerate() {
            *part = Part { cell, pieces: 1 + if index == target { more } else { 0 } };
        }
        self.split(source.from, &parts[..stacks])
    }

    /// Adds the splits that begin with the first parts and go on to targets from `next` on.
    fn splits(
        &self,
        source: &Source,
        next: usize,
        left: u8,
        parts: &mut [Part; PARTS_MAX],
        len: usize,
        moves: &mut Vec<Move>,
    ) {
        if len == PARTS_MAX {
            return;
        }
        for (index, &cell) in source.targets().iter().enumerate().skip(next) {
            for pieces in 1..=left {
                parts[len] = Part { cell, pieces };
                moves.extend(self.split(source.from, &parts[..=len]));
                self.splits(source, index + 1, left - pieces, parts, len + 1, moves);
            }
        }
    }
}

impl<const W: usize> Choice<'_, W> {
    /// A move that captures all pieces of the other seat.
    pub(super) fn capture_of_all(&self) -> Option<Move> {
        let left = self.board.pieces(1 - self.board.seat());
        let stacks = self.board.stacks(1 - self.board.seat());
        if self.board.progressive && stacks.len() > 1 {
            return self.capture_of_all_in_order(stacks);
        }
        let all = |source: &&Source| {
            let targets = &source.targets[..source.captures];
            let captured: u8 = targets.iter().map(|&to| self.board.height(to.into())).sum();
            captured == left && source.captures <= usize::from(source.height)
        };
        let captures = |source: &Source| self.captures_with(source, source.captures, 0, 0);
        let found = self.sources.iter().find(all).and_then(captures);
        found.or_else(|| self.later_capture().filter(|_| stacks.len() == 1))
    }

    /// A split that captures these stacks, in whatever order.
    fn capture_of_all_in_order(&self, stacks: Cells<W>) -> Option<Move> {
        let count = stacks.len() as usize;
        let occupied = self.board.occupied();
        let sees = |from: usize, cell: usize| {
            let mut firsts = (0..DIRECTIONS).map(|way| self.board.first_seen(occupied, from, way));
            firsts.any(|first| first == Some(cell))
        };
        let can_reach = |source: &&Source| {
            usize::from(source.height) >= count
                && !self.board.opening
                && count <= DIRECTIONS
                && stacks.into_iter().all(|cell| sees(source.from, cell))
        };
        self.sources.iter().filter(can_reach).find_map(|source| {
            let (mut parts, mut tries) = ([Part::default(); PARTS_MAX], ORDERS_MAX);
            self.in_order(source, stacks, source.height, &mut parts, 0, &mut tries)
        })
    }

    /// A split that begins with the first parts and captures the other stacks in whatever order.
    fn in_order(
        &self,
        source: &Source,
        others: Cells<W>,
        left: u8,
        parts: &mut [Part; PARTS_MAX],
        len: usize,
        tries: &mut u32,
    ) -> Option<Move> {
        if others.is_empty() {
            *tries = tries.saturating_sub(1);
            // More pieces that go elsewhere are in the air as well.
            let quiet = source.targets().get(source.captures).copied();
            let with = |more: u8| {
                let mut all = *parts;
                all[len] = Part { cell: quiet.unwrap_or(0), pieces: more };
                let mv =
                    Move::split_in_order(source.from, &all[..len + usize::from(more > 0)], len);
                self.board.falls_in_order(&mv).then_some(mv)
            };
            return (0..=if quiet.is_some() { left } else { 0 }).find_map(with);
        }
        let later = number(others.len() as usize - 1);
        for cell in others {
            let mut rest = others;
            rest.remove(cell);
            for pieces in 1..=left - later {
                if *tries == 0 {
                    return None;
                }
                parts[len] = Part { cell: number(cell), pieces };
                let found = self.in_order(source, rest, left - pieces, parts, len + 1, tries);
                if found.is_some() {
                    return found;
                }
            }
        }
        None
    }

    /// A split of which a quiet first part lets a stack fall.
    fn later_capture(&self) -> Option<Move> {
        let mut moves = Vec::new();
        self.add_all_later_captures(&mut moves);
        moves.first().copied()
    }
}

fn push_new(mv: Move, moves: &mut Vec<Move>) {
    if !moves.contains(&mv) {
        moves.push(mv);
    }
}

/// Pieces of at least two of these stacks together.
fn merge(mut seen: [Part; DIRECTIONS], len: usize, to: usize, chance: &mut Chance) -> Move {
    let count = 2 + chance.below(len - 1);
    chance.draw(&mut seen[..len], count);
    for part in &mut seen[..count] {
        part.pieces = 1 + chance.some_or_all(part.pieces - 1);
    }
    Move::merge(&seen[..count], to)
}

/// Adds the merges of at least two of these stacks that begin with the first parts.
fn merges(
    seen: &[Part],
    to: usize,
    parts: &mut [Part; PARTS_MAX],
    len: usize,
    moves: &mut Vec<Move>,
) {
    for (index, part) in seen.iter().enumerate() {
        for pieces in 1..=part.pieces {
            parts[len] = Part { cell: part.cell, pieces };
            if len > 0 {
                moves.push(Move::merge(&parts[..=len], to));
            }
            merges(&seen[index + 1..], to, parts, len + 1, moves);
        }
    }
}
