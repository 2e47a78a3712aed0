//! What a thought is asked: its limits, and how it thinks.

use std::{
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

/// The memory for the tables of a thought that is not told how much, in MiB.
static HASH_MB: AtomicUsize = AtomicUsize::new(64);

/// Has thoughts that begin later use at most so much memory for tables, in MiB and at least 1, unless
/// they are told how much.
pub fn set_default_hash(mb: usize) {
    HASH_MB.store(mb.max(1), Ordering::Relaxed);
}

/// What bounds a thought. It ends at the limit that it reaches first; without any when it is
/// stopped, or when nothing is left to find out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Limits {
    /// Nodes: positions that are made and looked at, or playouts. Each of several threads may make
    /// some dozens more.
    pub nodes: Option<u64>,
    /// Moves to look ahead; in a search by playouts how often its visits double.
    pub depth: Option<u32>,
    /// The time after which the thought ends.
    pub time: Option<Duration>,
    /// The time after which it begins nothing that it could hardly finish.
    pub soft_time: Option<Duration>,
}

/// How a search thinks, whatever the position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Settings {
    /// What chance depends on, besides the position.
    pub seed: u64,
    /// How many best moves it reports with their lines.
    pub lines: usize,
    /// The most memory for tables, in MiB.
    pub hash_mb: usize,
    /// How many threads search a position of two players, at most one for each MiB of `hash_mb`. With
    /// more than one, a thought does not repeat.
    pub threads: usize,
    /// Whether it uses endgame tables, and the solver of small boards.
    pub uses_tables: bool,
    /// Whether it takes the first moves of a game from an opening book, where it reports one line.
    pub uses_book: bool,
    /// What a draw is worth less than an even position to the seat that thinks, as a score.
    pub contempt: i32,
}

impl Default for Settings {
    fn default() -> Self {
        let hash_mb = HASH_MB.load(Ordering::Relaxed);
        let (uses_tables, uses_book) = (true, false);
        Self { seed: 0, lines: 1, hash_mb, threads: 1, uses_tables, uses_book, contempt: 0 }
    }
}
