//! The transposition table of the search of Diam, for all its threads.

use std::sync::atomic::{AtomicU64, Ordering};

use super::position::Move;
use crate::search::{Limits, Settings};

/// What a stored value says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Bound {
    /// It is at least this.
    Lower,
    /// It is at most this.
    Upper,
    Exact,
}

/// What is known of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Entry {
    /// The value; a proven one counts its moves from the position.
    pub(super) value: i32,
    /// The moves that it was looked ahead.
    pub(super) depth: i32,
    pub(super) bound: Bound,
    pub(super) best: Option<Move>,
}

/// Entries that share a place: the first keeps what is deepest.
const WAYS: usize = 2;

/// Bytes of an entry: its key and one word.
const ENTRY_BYTES: usize = 16;

/// More than any thread looks at.
const NODES_PER_MICROSECOND: u128 = 10;

/// A place for an entry. Its key is mixed with its word, so that what two threads have written at the
/// same time belongs to no position.
type Place = [AtomicU64; 2];

/// What is known of positions, by hash.
pub(super) struct Table {
    places: Vec<[Place; WAYS]>,
    mask: u64,
}

fn load([key, word]: &Place) -> (u64, u64) {
    let word = word.load(Ordering::Relaxed);
    (key.load(Ordering::Relaxed) ^ word, word)
}

fn store([key, place]: &Place, hash: u64, word: u64) {
    key.store(hash ^ word, Ordering::Relaxed);
    place.store(word, Ordering::Relaxed);
}

impl Table {
    /// A table of at most `mb` MiB, for a thought with these limits. One that is larger than it can
    /// fill would be slower: the system clears each page at its first use.
    pub(super) fn new(Settings { hash_mb: mb, threads, .. }: Settings, limits: Limits) -> Self {
        let most = (mb.max(1) << 20) / (ENTRY_BYTES * WAYS);
        let by_memory = 1 << most.ilog2();
        let places = positions(limits, threads)
            .map_or(by_memory, |all| all.min(by_memory).next_power_of_two());
        Self { places: bytemuck::zeroed_vec(places), mask: places as u64 - 1 }
    }

    #[expect(clippy::cast_possible_truncation, reason = "the mask is below the number of places")]
    const fn place(&self, hash: u64) -> usize {
        (hash & self.mask) as usize
    }

    /// What is known of the position with this hash.
    pub(super) fn get(&self, hash: u64) -> Option<Entry> {
        let mut ways = self.places[self.place(hash)].iter().map(load);
        ways.find(|&(key, word)| key == hash && word != 0).map(|(_, word)| unpack(word))
    }

    /// Takes note of what is known of a position.
    pub(super) fn put(&self, hash: u64, entry: Entry) {
        let [first, second] = &self.places[self.place(hash)];
        let (key, word) = load(first);
        let is_first = word == 0 || key == hash || unpack(word).depth <= entry.depth;
        store(if is_first { first } else { second }, hash, pack(entry));
    }

    /// Of some entries those in use, and their number.
    pub(super) fn fill(&self) -> (usize, usize) {
        let some = || self.places.iter().take(500).flatten();
        (some().filter(|place| load(place).1 != 0).count(), some().count())
    }
}

/// The positions that a thought with these limits can take note of, at the most.
fn positions(limits: Limits, threads: usize) -> Option<usize> {
    let most = NODES_PER_MICROSECOND * threads.max(1) as u128;
    let by_time = limits.time.map(|time| time.as_micros() * most);
    let nodes = limits.nodes.map(u128::from).into_iter().chain(by_time).min()?;
    Some(usize::try_from(nodes).unwrap_or(usize::MAX))
}

/// Value, depth, move and bound, 16 bits each; never 0.
const fn pack(entry: Entry) -> u64 {
    let value = (entry.value + (1 << 15)).cast_unsigned() as u64;
    let depth = entry.depth.cast_unsigned() as u64 & 0xffff;
    let best = match entry.best {
        Some(mv) => mv.number() as u64 + 1,
        None => 0,
    };
    let bound = match entry.bound {
        Bound::Lower => 1,
        Bound::Upper => 2,
        Bound::Exact => 3,
    };
    value << 48 | depth << 32 | best << 16 | bound
}

#[expect(clippy::cast_possible_truncation, reason = "each part is 16 bits")]
const fn unpack(word: u64) -> Entry {
    let best = (word >> 16) & 0xffff;
    Entry {
        value: (word >> 48) as i32 - (1 << 15),
        depth: ((word >> 32) & 0xffff) as i32,
        bound: match word & 0xffff {
            1 => Bound::Lower,
            2 => Bound::Upper,
            _ => Bound::Exact,
        },
        best: if best == 0 { None } else { Some(Move::of((best - 1) as u8)) },
    }
}
