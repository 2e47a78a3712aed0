//! A measurement that is the same on every machine but for its time: fixed positions, fixed nodes.

use std::time::Duration;

use adamant_rules::{Kind, Options, Position};

use super::{Limits, Report, Search, Stop, clock, native::mix};
use crate::choice::{NODE_BUDGET, Watch, best_under};

/// The games, with the plies of their positions and the nodes of each thought.
const CASES: [(Kind, &str, &[u32], u64); 7] = [
    (Kind::Adamas, "", &[0, 8, 16, 32], 10_000),
    (Kind::Adamas, "-size=4 -prog_cap", &[8], 10_000),
    (Kind::Hexma, "", &[0, 10, 30, 60], 10_000),
    (Kind::Stymie, "", &[0, 6, 12, 24], 200_000),
    (Kind::Stymie, "-size=10 -swap", &[9], 100_000),
    (Kind::Diam, "", &[0, 6, 12, 18], 10_000),
    (Kind::Diam, "-board=10x5 -pieces=3x4", &[10], 10_000),
];

/// Games that `rules` play out at random from each position.
const PLAYOUTS: u64 = 200;

/// What the search of a game has done.
#[derive(Clone, PartialEq, Debug)]
pub struct BenchLine {
    /// The game.
    pub game: &'static str,
    /// Its options where they are not the usual ones.
    pub options: &'static str,
    /// The positions.
    pub positions: usize,
    /// The nodes of all thoughts.
    pub nodes: u64,
    /// Changes with whatever a thought finds: moves, values, depths, nodes.
    pub signature: u32,
    /// The time of all thoughts.
    pub time: Duration,
    /// Nodes a second of the level that never changes on the same positions; in Stymie, whose nodes
    /// are games played out at random, those of `rules`.
    pub baseline_nps: f64,
}

impl BenchLine {
    /// How many times as fast as the baseline the search is.
    pub fn ratio(&self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "nodes are far below 2^52")]
        let nodes = self.nodes as f64;
        nodes / self.time.as_secs_f64().max(1e-9) / self.baseline_nps
    }
}

/// Counts the nodes of the level that never changes.
struct Counted(u64);

impl Watch for Counted {
    fn halts(&mut self, cost: u64) -> bool {
        self.0 += cost;
        false
    }
}

/// Searches all positions, each line beside its baseline.
pub fn bench() -> Vec<BenchLine> {
    let line = |&(kind, options, plies, nodes)| BenchLine {
        baseline_nps: baseline(kind, options, plies),
        ..run(kind, options, plies, nodes)
    };
    CASES.iter().map(line).collect()
}

fn baseline(kind: Kind, options: &str, plies: &[u32]) -> f64 {
    let positions: Vec<_> = plies.iter().map(|&plies| position(kind, options, plies)).collect();
    let begun = clock::now();
    let mut seed = 0;
    let mut pick = |below: usize| {
        seed = mix(seed + 1);
        usize::try_from(seed % below as u64).expect("it is below a usize")
    };
    let mut counted = Counted(0);
    for position in &positions {
        if kind == Kind::Stymie {
            (0..PLAYOUTS).for_each(|_| play_out(position.clone(), &mut pick));
            counted.0 += PLAYOUTS;
        } else {
            best_under(&[], position, NODE_BUDGET, &mut pick, &mut counted);
        }
    }
    #[expect(clippy::cast_precision_loss, reason = "nodes are far below 2^52")]
    let nodes = counted.0 as f64;
    nodes / begun.elapsed().as_secs_f64().max(1e-9)
}

fn play_out(mut position: Position, pick: &mut dyn FnMut(usize) -> usize) {
    while position.settle().is_none() {
        let mv = position.sample_moves(1, pick).remove(0);
        position.apply(&mv);
    }
}

fn run(kind: Kind, options: &'static str, plies: &[u32], nodes: u64) -> BenchLine {
    let mut line = BenchLine {
        game: kind.name(),
        options,
        positions: plies.len(),
        nodes: 0,
        signature: 0,
        time: Duration::ZERO,
        baseline_nps: 0.0,
    };
    let mut hash = 0;
    for &plies in plies {
        let position = position(kind, options, plies);
        let limits = Limits { nodes: Some(nodes), ..Limits::default() };
        let report = Search::new(&position, &[], limits).run(&Stop::default(), &mut |_| {});
        line.nodes += report.nodes;
        line.time += report.time;
        hash = sign(hash, &report);
    }
    line.signature = u32::try_from(hash >> 32).expect("half of the bits are left");
    line
}

/// A position after some moves that chance picks, the same for ever.
fn position(kind: Kind, options: &str, plies: u32) -> Position {
    let options = Options::parse(options, kind.option_specs()).expect("the options are known");
    let start = kind.open(&options, 2).expect("the options are possible");
    let mut seed = u64::from(plies);
    'games: loop {
        let mut position = start.clone();
        for _ in 0..plies {
            let mut pick = |below: usize| {
                seed = mix(seed);
                usize::try_from(seed % below as u64).expect("it is below a usize")
            };
            let mv = position.sample_moves(1, &mut pick).remove(0);
            position.apply(&mv);
            if position.settle().is_some() {
                continue 'games;
            }
        }
        return position;
    }
}

/// Joins a report to a hash.
fn sign(hash: u64, report: &Report) -> u64 {
    let line = report.lines.first();
    let text = line.iter().flat_map(|line| line.moves.join(" ").into_bytes()).map(u64::from);
    let numbers = [report.nodes, u64::from(report.depth), u64::from(report.value.unsigned_abs())];
    text.chain(numbers).fold(hash, |hash, number| mix(hash ^ number))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whoever changes what a search finds changes these numbers.
    #[test]
    fn a_few_nodes_have_the_signature_of_this_search() {
        let few = |&(kind, options, plies, nodes)| run(kind, options, plies, nodes / 20);
        let lines: Vec<_> = CASES.iter().map(few).collect();
        let signed: Vec<_> = lines.iter().map(|line| (line.nodes, line.signature)).collect();
        assert_eq!(
            signed,
            [
                (2_000, 0x26d6_859c),
                (500, 0xf058_267b),
                (2_000, 0x016d_d5e0),
                (40_192, 0x9ff5_3c4f),
                (5_056, 0xc076_2048),
                (1_029, 0xa6fb_3796),
                (80, 0xa1e5_e731),
            ]
        );
    }
}
