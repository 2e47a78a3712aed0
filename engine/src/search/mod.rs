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

mod bench;
mod clock;
pub mod control;
mod diam;
mod hexma;
pub mod native;
mod sampled;
mod stymie;

use std::time::{Duration, Instant};

use adamant_rules::{Kind, Move, Position};

pub use bench::{BenchLine, bench};
pub(crate) use clock::now;
pub use control::{Control, Line, SCORE_MAX, Stop};
pub use diam::fit::{Fit, fit as fit_diam};

/// What bounds a thought. It ends at the limit that it reaches first; without any when it is
/// stopped, or when nothing is left to find out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Limits {
    /// Nodes: positions that are made and looked at, or playouts.
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
    /// What a draw is worth less than an even position to the seat that thinks, as a score.
    pub contempt: i32,
}

impl Default for Settings {
    fn default() -> Self {
        Self { seed: 0, lines: 1, hash_mb: 64, contempt: 0 }
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
        Self { position, seen, limits, settings, started: now() }
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
        // Playouts, which are much faster.
        Kind::Stymie => 300_000,
        Kind::Diam => 100_000,
        Kind::Adamas | Kind::Hexma => crate::choice::NODE_BUDGET,
    }
}

/// Lets the search of the game think, or that of all games where there is none for the variant.
fn search(position: &Position, seen: &[u64], control: &mut Control<'_>) {
    let is_known = match position.kind() {
        Kind::Adamas => false,
        Kind::Diam => diam::search(position, seen, control),
        Kind::Hexma => hexma::search(position, seen, control),
        Kind::Stymie => {
            stymie::search(position, control);
            true
        }
    };
    if !is_known {
        sampled::search(position, seen, control);
    }
}

#[cfg(test)]
mod tests {
    use adamant_rules::Options;

    use super::*;

    /// The opening positions of all games.
    fn positions() -> Vec<Position> {
        let players =
            |kind: &Kind| kind.players().map(|players| (*kind, players)).collect::<Vec<_>>();
        let games = Kind::ALL.iter().flat_map(players);
        games.map(|(kind, players)| kind.open(&Options::new(), players).unwrap()).collect()
    }

    #[test]
    fn a_thought_ends_in_time_with_a_legal_move() {
        for position in positions() {
            for time in [0, 1, 20] {
                let time = Duration::from_millis(time);
                let limits = Limits { time: Some(time), ..Limits::default() };
                let report = Search::new(&position, &[], limits).run(&Stop::default(), &mut |_| {});
                assert!(position.validate(&report.best.unwrap()).is_ok());
                // Far more than any search takes, so that a busy machine does not matter.
                assert!(report.time < time + Duration::from_secs(1), "{:?}", position.kind());
            }
        }
    }

    #[test]
    fn an_order_to_stop_ends_a_thought_without_limits() {
        for position in positions() {
            let stop = Stop::default();
            let search = Search::new(&position, &[], Limits::default());
            // A thought that is decided ends by itself and reports all the same.
            let report = search.run(&stop, &mut |_| stop.now());
            assert!(position.validate(&report.best.unwrap()).is_ok());
        }
    }

    #[test]
    fn a_thought_keeps_to_its_nodes_and_repeats_by_them() {
        for position in positions() {
            let think = |nodes: u64, seed: u64| {
                let limits = Limits { nodes: Some(nodes), ..Limits::default() };
                let settings = Settings { seed, ..Settings::default() };
                let search = Search::new(&position, &[], limits).with(settings);
                let Report { lines, nodes, .. } = search.run(&Stop::default(), &mut |_| {});
                (lines, nodes)
            };
            let (lines, nodes) = think(3_000, 1);
            assert_eq!((lines, nodes), think(3_000, 1), "{:?}", position.kind());
            assert!((1..3_100).contains(&nodes), "{:?}: {nodes}", position.kind());
        }
    }

    #[test]
    fn as_many_lines_are_reported_as_are_wanted() {
        let for_two = |position: &Position| position.players() == 2;
        let searched = |position: &Position| {
            [Kind::Diam, Kind::Hexma, Kind::Stymie].contains(&position.kind())
        };
        for position in positions().into_iter().filter(|p| for_two(p) && searched(p)) {
            let limits = Limits { nodes: Some(20_000), ..Limits::default() };
            let settings = Settings { lines: 3, ..Settings::default() };
            let search = Search::new(&position, &[], limits).with(settings);
            let lines = search.run(&Stop::default(), &mut |_| {}).lines;
            let mut first: Vec<_> = lines.iter().map(|line| line.moves[0].clone()).collect();
            first.dedup();
            assert_eq!(first.len(), 3, "{lines:?}");
            assert!(lines.is_sorted_by(|one, other| one.value >= other.value), "{lines:?}");
        }
    }
}
