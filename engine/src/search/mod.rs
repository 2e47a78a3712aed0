//! The strong search: for each game a native position and a search of its own, under common limits.
//!
//! - [`Search`] is one thought: a position, what has been before, limits, an order to stop.
//! - [`control`] counts nodes, reads the clock and holds the best that was found so far.
//! - [`native`] is what the position of a game must offer to be searched.
//!
//! A search by game is a function `search(position, seen, control)`. It calls [`Control::found`] as
//! soon as it has a move, and again whenever it has a better one; it ends soon after
//! [`Control::node`] or [`Control::is_over`] has said so. A win in one it reports before it asks.
//! One thread searches. The same position, seed and limits without a time give the same report on
//! every machine, because nothing is kept from one thought to the next.

mod adamas;
mod clock;
pub mod control;
mod diam;
pub mod native;
mod sampled;

use std::time::{Duration, Instant};

use adamant_rules::{Kind, Move, Position};

pub use control::{Control, Line, SCORE_MAX, Stop};
pub use diam::fit::{Fit, fit as fit_diam};

/// What bounds a thought. It ends at the limit that it reaches first; without any when it is
/// stopped, or when nothing is left to find out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Limits {
    /// Nodes: positions that are made and looked at, or playouts.
    pub nodes: Option<u64>,
    /// Moves to look ahead; without meaning for a search by playouts.
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
    /// What a draw is worth less than an even position to the seat that thinks, as a score.
    pub contempt: i32,
}

impl Default for Settings {
    fn default() -> Self {
        Self { seed: 0, lines: 1, hash_mb: 16, contempt: 0 }
    }
}

/// What a thought has found, at its end or so far.
#[derive(Clone, PartialEq, Debug)]
pub struct Report {
    /// The best move; `None` if the seat to move has none.
    pub best: Option<Move>,
    /// The best moves with their continuations, the best first.
    pub lines: Vec<Line>,
    /// The value of the best move for the seat to move, from -[`SCORE_MAX`] to [`SCORE_MAX`].
    pub value: i32,
    /// Whether the value is proven.
    pub exact: bool,
    /// The moves that all lines were looked ahead.
    pub depth: u32,
    /// The moves that the longest line was looked ahead.
    pub seldepth: u32,
    /// The share of the tables in use, in thousandths.
    pub hashfull: u32,
    /// The nodes.
    pub nodes: u64,
    /// The time.
    pub time: Duration,
}

/// A thought about a position.
#[derive(Clone, Debug)]
pub struct Search<'a> {
    position: &'a Position,
    seen: &'a [u64],
    limits: Limits,
    settings: Settings,
    started: Instant,
}

impl<'a> Search<'a> {
    /// A thought that begins now. `seen` are the hashes of the positions of the game so far, as
    /// `Table::positions_seen` has them.
    pub fn new(position: &'a Position, seen: &'a [u64], limits: Limits) -> Self {
        let settings = Settings::default();
        Self { position, seen, limits, settings, started: clock::now() }
    }

    /// The same with other settings.
    #[must_use]
    pub const fn with(mut self, settings: Settings) -> Self {
        self.settings = settings;
        self
    }

    /// The same as one that began earlier: time counts from there.
    #[must_use]
    pub const fn since(mut self, started: Instant) -> Self {
        self.started = started;
        self
    }

    /// Thinks until a limit is reached, `stop` is set, or nothing is left to find out. Calls
    /// `on_info` for each report on the way.
    pub fn run(&self, stop: &Stop, on_info: &mut dyn FnMut(&Report)) -> Report {
        let Self { position, seen, limits, settings, started } = *self;
        let mut control = Control::new(position, limits, settings, started, stop, on_info);
        if position.clone().settle().is_none() {
            search(position, seen, &mut control);
        }
        control.into_report()
    }
}

/// The nodes of a thought that has no other limit: about as long as a thought of `hard-0.1` takes.
pub fn default_nodes(position: &Position) -> u64 {
    match position.kind() {
        Kind::Adamas | Kind::Hexma | Kind::Stymie | Kind::Diam => crate::choice::NODE_BUDGET,
    }
}

/// Lets the search of the game think.
fn search(position: &Position, seen: &[u64], control: &mut Control<'_>) {
    match position.kind() {
        Kind::Adamas => adamas::search(position, seen, control),
        Kind::Diam => diam::search(position, seen, control),
        Kind::Hexma | Kind::Stymie => sampled::search(position, seen, control),
    }
}
