//! What results say: the object of `--json`, and what a table is made of.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{
    plan::Plan,
    result::Usage,
    run::End,
    schedule::Schedule,
    stats::{Estimate, Pentanomial, Rating, Sprt, Trinomial, ratings},
    tally::{PairingTally, Tally},
};

/// Shared games that each set of engines is credited with, so that no rating is infinite.
const PRIOR: f64 = 1.0;

/// An engine's results.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct EngineReport {
    /// Its name.
    pub name: String,
    /// Its games.
    pub games: u32,
    /// Wins, draws and losses.
    #[serde(flatten)]
    pub results: Trinomial,
    /// Its points: 1 for a win, a part of a draw.
    pub points: f64,
    /// Its rating, where more than two engines or players take part.
    pub rating: Option<Rating>,
    /// How often it failed, by kind.
    pub faults: BTreeMap<String, u32>,
    /// What it used for a move; without a move nothing.
    pub usage: Option<UsageReport>,
}

/// What an engine used for a move, on average and at the most.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct UsageReport {
    /// Its moves.
    pub moves: u64,
    /// The mean time in milliseconds.
    pub time_ms: f64,
    /// The longest time.
    pub time_ms_max: f64,
    /// The mean number of nodes of the moves of which it has told them.
    pub nodes: Option<f64>,
    /// The most nodes.
    pub nodes_max: Option<u64>,
}

impl UsageReport {
    #[expect(clippy::cast_precision_loss, reason = "microseconds and nodes have few digits")]
    fn of(usage: Usage) -> Option<Self> {
        let Usage { moves, micros, micros_max, counted, nodes, nodes_max } = usage;
        let told = counted > 0;
        (moves > 0).then(|| Self {
            moves,
            time_ms: micros as f64 / 1000.0 / moves as f64,
            time_ms_max: micros_max as f64 / 1000.0,
            nodes: told.then(|| nodes as f64 / counted as f64),
            nodes_max: told.then_some(nodes_max),
        })
    }
}

/// The results of engines that meet.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct PairingReport {
    /// The engines.
    pub engines: Vec<String>,
    /// Their games.
    pub games: u32,
    /// Wins, draws and losses of the first.
    #[serde(flatten)]
    pub results: Trinomial,
    /// Pairs of games by the points of the first engine: 0, 0.5, 1, 1.5, 2. Only in games for two.
    pub pentanomial: Option<Pentanomial>,
    /// The difference between the two, once a pair is complete.
    pub estimate: Option<Estimate>,
}

/// What results say.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Report {
    /// What the object is: `match`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// Whether all games were played, a test ended the match, or it was interrupted.
    pub end: End,
    /// The game.
    pub game: &'static str,
    /// Its options.
    pub options: String,
    /// The number of players.
    pub players: usize,
    /// The games that were played.
    pub games: u32,
    /// The games that were planned.
    pub planned: u32,
    /// The engines, in the order in which they were named.
    pub engines: Vec<EngineReport>,
    /// Those who met.
    pub pairings: Vec<PairingReport>,
    /// The sequential test.
    pub sprt: Option<Sprt>,
}

impl Report {
    /// Reports on the results so far.
    pub fn new(plan: &Plan, schedule: &Schedule, tally: &Tally, end: End) -> Self {
        let is_rated = plan.engines.len() > 2 && tally.games() > 0;
        let rated = if is_rated {
            ratings(plan.engines.len(), &tally.comparisons(), PRIOR)
        } else {
            Vec::new()
        };
        let engine = |(index, name): (usize, &String)| {
            let counted = &tally.engines[index];
            let faults = counted.faults.iter();
            EngineReport {
                name: name.clone(),
                games: counted.games.games(),
                results: counted.games,
                points: counted.points,
                rating: rated.get(index).copied(),
                faults: faults.map(|(kind, number)| (kind.to_string(), *number)).collect(),
                usage: UsageReport::of(counted.usage),
            }
        };
        let pairing = |(index, counted): (usize, &PairingTally)| {
            let is_pair = plan.rules.players == 2;
            PairingReport {
                engines: tally.pairing_names(index),
                games: counted.games.games(),
                results: counted.games,
                pentanomial: is_pair.then_some(counted.pairs),
                estimate: Estimate::of(&counted.pairs),
            }
        };
        let tested = tally.pairings.first().map(|pairing| pairing.pairs).unwrap_or_default();
        Self {
            kind: "match",
            end,
            game: plan.rules.kind.name(),
            options: plan.rules.options.to_string(),
            players: plan.rules.players,
            games: tally.games(),
            planned: schedule.games(),
            engines: tally.names().iter().enumerate().map(engine).collect(),
            pairings: tally.pairings.iter().enumerate().map(pairing).collect(),
            sprt: plan.sprt.map(|bounds| Sprt::of(bounds, &tested)),
        }
    }
}
