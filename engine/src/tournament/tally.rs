//! Counts results as they come, in any order.

use std::collections::{BTreeMap, HashMap};

use super::{
    plan::Plan,
    result::{FaultKind, GameResult, Usage},
    schedule::Schedule,
    stats::{Comparison, Pentanomial, Trinomial},
};

/// The results of one set of engines.
#[derive(Clone, Debug, Default)]
pub(crate) struct PairingTally {
    /// The games of the first engine of the set.
    pub(crate) games: Trinomial,
    /// Pairs of games for two; empty in games for three.
    pub(crate) pairs: Pentanomial,
    /// What each engine won.
    pub(crate) wins: Vec<f64>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct EngineTally {
    pub(crate) games: Trinomial,
    /// The points: 1 for a win, a part of a draw.
    pub(crate) points: f64,
    pub(crate) faults: BTreeMap<FaultKind, u32>,
    /// What it used.
    pub(crate) usage: Usage,
}

/// Counts of results.
#[derive(Clone, Debug)]
pub struct Tally {
    names: Vec<String>,
    schedule: Schedule,
    pub(crate) engines: Vec<EngineTally>,
    pub(crate) pairings: Vec<PairingTally>,
    /// For each pair whose second game is missing, what the first engine won in the first.
    open_pairs: HashMap<u32, f64>,
    games: u32,
}

impl Tally {
    /// Returns empty counts.
    pub fn new(plan: &Plan, schedule: &Schedule) -> Self {
        let players = plan.rules.players;
        let of_pairing = || PairingTally { wins: vec![0.0; players], ..PairingTally::default() };
        Self {
            names: plan.engines.iter().map(|engine| engine.name.to_string()).collect(),
            schedule: schedule.clone(),
            engines: vec![EngineTally::default(); plan.engines.len()],
            pairings: schedule.pairings().iter().map(|_| of_pairing()).collect(),
            open_pairs: HashMap::new(),
            games: 0,
        }
    }

    /// Counts a result. Returns the pair that it completes, with the half points of its first
    /// engine.
    pub fn add(&mut self, result: &GameResult) -> Option<(u32, usize)> {
        self.games += 1;
        let scheduled = self.schedule.game(result.index(), 1);
        let engines = self.schedule.pairings()[scheduled.pairing].clone();
        for (place, &engine) in engines.iter().enumerate() {
            let share = result.share(&self.names[engine]);
            let is_sole = result.winners.len() == 1;
            let tally = &mut self.engines[engine];
            count(&mut tally.games, share, is_sole);
            tally.points += share;
            let pairing = &mut self.pairings[scheduled.pairing];
            pairing.wins[place] += share;
            if place == 0 {
                count(&mut pairing.games, share, is_sole);
            }
        }
        for (name, usage) in result.seats.iter().zip(&result.usage) {
            if let Some(engine) = self.names.iter().position(|known| known == name) {
                self.engines[engine].usage.add(*usage);
            }
        }
        for fault in &result.faults {
            if let Some(engine) = self.names.iter().position(|name| *name == fault.engine) {
                *self.engines[engine].faults.entry(fault.kind).or_default() += 1;
            }
        }
        if engines.len() != 2 {
            return None;
        }
        let share = result.share(&self.names[engines[0]]);
        let pair = result.index() / self.schedule.rotations();
        let Some(other) = self.open_pairs.remove(&pair) else {
            self.open_pairs.insert(pair, share);
            return None;
        };
        let half_points = half_points(share) + half_points(other);
        self.pairings[scheduled.pairing].pairs.add(half_points);
        Some((pair, half_points))
    }

    /// The number of games.
    pub const fn games(&self) -> u32 {
        self.games
    }

    /// The name and the results of the first engine.
    pub fn first(&self) -> (&str, Trinomial) {
        let name = self.names.first().map_or("", String::as_str);
        (name, self.engines.first().map_or_else(Trinomial::default, |engine| engine.games))
    }

    /// What each set of engines has won, for ratings.
    pub(crate) fn comparisons(&self) -> Vec<Comparison> {
        let pairings = self.schedule.pairings().iter().zip(&self.pairings);
        let compared = pairings.filter(|(_, tally)| tally.games.games() > 0);
        compared
            .map(|(players, tally)| Comparison {
                players: players.clone(),
                wins: tally.wins.clone(),
            })
            .collect()
    }

    /// The engines of each pairing.
    pub(crate) fn pairing_names(&self, pairing: usize) -> Vec<String> {
        let engines = &self.schedule.pairings()[pairing];
        engines.iter().map(|&engine| self.names[engine].clone()).collect()
    }

    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }
}

fn count(games: &mut Trinomial, share: f64, is_sole: bool) {
    if share <= 0.0 {
        games.losses += 1;
    } else if is_sole {
        games.wins += 1;
    } else {
        games.draws += 1;
    }
}

/// The half points of a game for two.
fn half_points(share: f64) -> usize {
    if share > 0.75 { 2 } else { usize::from(share > 0.25) }
}
