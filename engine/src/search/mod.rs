//! The strong search: for each game a native position and a search of its own, under common limits.
//!
//! - [`Search`] is one thought: a position, what has been before, limits, an order to stop.
//! - [`control`] counts nodes, reads the clock and holds the best that was found so far.
//! - [`native`] is what the position of a game must offer to be searched.
//!
//! A search by game is a function `search(position, seen, control)`. It calls [`Control::found`] as
//! soon as it has a move, and again whenever it has a better one; it ends soon after
//! [`Control::node`] or [`Control::is_over`] has said so. A win in one it reports before it asks.
//! With one thread, the same position, seed and limits without a time give the same report on every
//! machine, because nothing is kept from one thought to the next. How [several threads] search is
//! each search's own.
//!
//! [several threads]: Control::think_together

mod adamas;
mod asked;
mod bench;
mod book;
mod clock;
pub mod control;
mod diam;
mod hexma;
mod levels;
mod measured;
pub mod native;
mod oracle;
mod race;
mod report;
mod sampled;
mod solve;
mod stymie;
mod verdict;

use std::time::Instant;

use adamant_rules::{Kind, Position};

use crate::choice::NODE_BUDGET;

pub use adamas::endgame::{
    BadTable, Endgame, PIECES as TABLE_PIECES, Progress, SIDES as TABLE_SIDES, TableFault,
    built_in_tables, read_table, table_file, use_tables,
};
pub use asked::{Limits, Settings, set_default_hash};
pub use bench::{BenchLine, bench};
pub use book::{BadBook, Book, BookFault, book_file, built_in_books, read_books, use_books};
pub(crate) use clock::now;
pub use control::{Control, Stop};
pub use diam::fit::{Fit, fit as fit_diam};
pub use levels::{LevelNumber, Strength};
pub use oracle::oracle;
pub use report::{Line, Report, SCORE_MAX};
pub use solve::{SOLVED, SOLVED_SIZES, Unsolved, solve};
pub use verdict::{Opening, Oracle, Verdict};

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
        let Self { position, seen, limits, mut settings, started } = *self;
        // Each thread has some of the memory.
        settings.threads = settings.threads.min(settings.hash_mb.max(1));
        let mut control = Control::new(position, limits, settings, started, stop, on_info);
        if position.clone().settle().is_none() {
            let may_look_up = settings.uses_book && settings.lines == 1;
            match may_look_up.then(|| book::by_book(position, seen, settings.seed)).flatten() {
                Some(line) => control.found(1, 1, vec![line]),
                None => search(position, seen, &mut control),
            }
        }
        control.into_report()
    }
}

/// The nodes of a thought that has no other limit. On average it takes 20 to 40 ms of a core, as a
/// thought of `hard-0.1` does, and 80 ms on the largest boards.
pub fn default_nodes(position: &Position) -> u64 {
    match position.kind() {
        // Playouts, which are much faster.
        Kind::Stymie => 300_000,
        Kind::Diam => 100_000,
        Kind::Adamas => 60_000,
        Kind::Hexma => NODE_BUDGET,
    }
}

/// Lets the search of the game think, or that of all games where there is none for the variant.
fn search(position: &Position, seen: &[u64], control: &mut Control<'_>) {
    let is_known = match position.kind() {
        Kind::Adamas => adamas::search(position, seen, control),
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
    use std::time::Duration;

    use adamant_rules::{Options, proof::Prover};
    use rand::{RngExt as _, SeedableRng as _, rngs::StdRng};

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
            for nodes in [None, Some(u64::MAX)] {
                let stop = Stop::default();
                let search = Search::new(&position, &[], Limits { nodes, ..Limits::default() });
                // A thought that is decided ends by itself and reports all the same.
                let report = search.run(&stop, &mut |_| stop.now());
                assert!(position.validate(&report.best.unwrap()).is_ok());
            }
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
    fn several_threads_keep_to_common_limits() {
        for position in positions() {
            let settings = Settings { threads: 3, ..Settings::default() };
            let think = |nodes: Option<u64>, stop: &Stop| {
                let limits = Limits { nodes, ..Limits::default() };
                let search = Search::new(&position, &[], limits).with(settings);
                let report = search.run(stop, &mut |report| {
                    if nodes.is_none() && report.nodes > 1_000 {
                        stop.now();
                    }
                });
                assert!(position.validate(&report.best.unwrap()).is_ok());
                report.nodes
            };
            let nodes = think(Some(3_000), &Stop::default());
            assert!((3_000..3_500).contains(&nodes), "{:?}: {nodes}", position.kind());
            assert!(think(None, &Stop::default()) > 1_000);
        }
    }

    #[test]
    fn several_threads_prove_what_is_true() {
        for (kind, options, plies) in
            [(Kind::Stymie, "-size=3", 3), (Kind::Adamas, "-size=2 -pieces=3", 10)]
        {
            let options = Options::parse(options, kind.option_specs()).unwrap();
            let mut proven = 0;
            for seed in 0..24 {
                let mut rng = StdRng::seed_from_u64(seed);
                let mut position = kind.open(&options, 2).unwrap();
                for _ in 0..plies {
                    if position.clone().settle().is_none() {
                        let pick = &mut |below| rng.random_range(0..below);
                        let mv = position.sample_moves(1, pick).remove(0);
                        position.play(&mv).unwrap();
                    }
                }
                let Some(truth) = oracle(&position, usize::MAX, u64::MAX) else { continue };
                let settings = Settings { threads: 3, uses_tables: false, ..Settings::default() };
                let limits = Limits { nodes: Some(10_000), ..Limits::default() };
                let search = Search::new(&position, &[], limits).with(settings);
                let report = search.run(&Stop::default(), &mut |_| {});
                if report.exact {
                    let sign = match truth.verdict {
                        Verdict::Win(_) => 1,
                        Verdict::Draw => 0,
                        Verdict::Loss(_) => -1,
                    };
                    assert_eq!(report.value.signum(), sign, "{position:?} {report:?}");
                    proven += 1;
                }
            }
            assert!(proven > 4, "{kind:?}: {proven}");
        }
    }

    #[test]
    fn a_threat_to_win_in_two_moves_is_stopped() {
        let hexma = "\
        n14-p12 p4-n6 o15-n14 m5-o7 p12-n12 o7-n8 o13-m11 n6-o7 n14-n10 l4-n6 n10-n14 m3-l4 \
        m13-k11 n8-o9 j14-n10 k3-m3 p14-o13 m1-i5 n12-p14 j4-p10 n14-j10 o7-p8 l16-l12 o3-q9 \
        k15-o15 i5-j6 j10-l10 q9-k7 k11-i5 o5-m7 o15-m1 k7-o7 m1-m5 n6-l8 i5-h6 n2-o3 \
        m17-q13 l8-m9 q13-o11 m9-q13 o13-n12 j6-i7 o11-m13 n4-o5 m11-k9 p10-q11 m5-k7 l2-r12 \
        l12-r10 i7-j8 k7-l6 o9-p10 p14-o13 j8-h8 l10-m9 o5-m5 n12-p12 m7-o9";
        let stymie = "\
        g7 g3,h2 j10,k9 m3,n2 a11 h12,i13 a3 b2,c3 a5 o3 a9,b8 i3,j2 f4 l6,m5,n6 g13 \
        d2,e1,f2 c9 o1 b12,b14,c13 a7,b6";
        for (kind, game, nodes) in [(Kind::Hexma, hexma, 60_000), (Kind::Stymie, stymie, 300_000)] {
            let mut position = kind.open(&Options::new(), 2).unwrap();
            for text in game.split_whitespace() {
                position.play(&position.parse_move(text).unwrap()).unwrap();
            }
            let limits = Limits { nodes: Some(nodes), ..Limits::default() };
            let report = Search::new(&position, &[], limits).run(&Stop::default(), &mut |_| {});
            let saves = Prover::new(100_000_000).saves(&position, &report.best.unwrap(), 2);
            assert_eq!(saves, Ok(true), "{kind:?}");
        }
    }

    #[test]
    fn as_many_lines_are_reported_as_are_wanted() {
        let for_two = |position: &Position| position.players() == 2;
        for position in positions().into_iter().filter(for_two) {
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
