//! The eight levels of the computer: how much each looks at, and how freely it chooses among what it
//! has found.
//!
//! A level is the search of the game with few nodes and a temperature on the values of the moves at
//! the root. No mistakes are planted. From level 3 on a win in one is taken and stopped.

use std::fmt;

use adamant_rules::{Kind, Move, Position};
use rand::{Rng, RngExt as _};

use super::{Limits, Line, Report, SCORE_MAX, Search, Settings, Stop, measured};

/// Moves that a tempered level chooses among with the values of the search.
const LINES: usize = 64;

/// Other moves that it chooses among. The search has not valued them.
const OTHERS: usize = 32;

/// What these count less than the best move, as a score, unless the last line is worth still less.
const UNVALUED: i32 = 200;

/// Further moves that are looked at for one that does not let another seat win at once.
const SAVERS: usize = 512;

/// Nodes from which a search itself sees every win in one that a move would allow.
const LOOKS_AHEAD: u64 = 10_000;

/// A level from 1, the weakest, to 8.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LevelNumber(u8);

impl LevelNumber {
    /// All levels, the weakest first.
    pub const ALL: [Self; 8] =
        [Self(1), Self(2), Self(3), Self(4), Self(5), Self(6), Self(7), Self(8)];

    /// The level of this number.
    pub fn new(number: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.0 == number)
    }

    /// Its number.
    pub const fn get(self) -> u8 {
        self.0
    }

    /// Its name in commands and configuration.
    pub const fn name(self) -> &'static str {
        ["1", "2", "3", "4", "5", "6", "7", "8"][self.0 as usize - 1]
    }

    /// How it plays a game.
    pub fn strength(self, kind: Kind) -> Strength {
        Ladder::of(kind).strengths[usize::from(self.0) - 1]
    }

    /// What its strength in a game is above that of level 1, in Elo, where that was measured.
    pub fn elo(self, kind: Kind) -> Option<u16> {
        Ladder::of(kind).elo.map(|elo| elo[usize::from(self.0) - 1])
    }
}

impl fmt::Display for LevelNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// How a level plays a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Strength {
    /// The nodes of a thought; none for any legal move.
    pub nodes: u64,
    /// How many moves it looks ahead at the most.
    pub depth: Option<u32>,
    /// The loss of value, as a score, with which a move is chosen a third as often as the best; none
    /// for the best move.
    pub temperature: u32,
    /// Whether it takes every win in one, and looks apart from the search for those that a move
    /// would allow. A long search sees them anyway.
    pub is_careful: bool,
    /// Whether it uses endgame tables.
    pub uses_tables: bool,
}

impl Strength {
    /// Whether it thinks, rather than making any legal move.
    pub const fn searches(self) -> bool {
        self.nodes > 0
    }

    /// Narrows the limits of a thought to those of this strength, and has it find what it chooses
    /// among.
    pub fn narrow(self, limits: Limits, settings: Settings) -> (Limits, Settings) {
        let nodes = limits.nodes.into_iter().chain([self.nodes]).min();
        let depth = limits.depth.into_iter().chain(self.depth).min();
        let least = if self.temperature > 0 { LINES } else { 1 };
        let lines = settings.lines.max(least);
        let uses_tables = settings.uses_tables && self.uses_tables;
        let settings = Settings { lines, uses_tables, uses_book: false, threads: 1, ..settings };
        (Limits { nodes, depth, ..limits }, settings)
    }

    /// Thinks about a position, and chooses a move.
    pub fn think(
        self,
        seen: &[u64],
        position: &Position,
        rng: &mut impl Rng,
    ) -> Option<(Move, Report)> {
        if !self.searches() {
            let mv = position.sample_moves(1, &mut |below| rng.random_range(0..below)).pop()?;
            return Some((mv, Report::default()));
        }
        let settings = Settings { seed: rng.random(), ..Settings::default() };
        let (limits, settings) = self.narrow(Limits::default(), settings);
        let search = Search::new(position, seen, limits).with(settings);
        let report = search.run(&Stop::default(), &mut |_| {});
        let mv = self.choose(position, &report, rng)?;
        Some((mv, report))
    }

    /// Chooses a move after a thought; `None` if there is none.
    pub fn choose(self, position: &Position, report: &Report, rng: &mut impl Rng) -> Option<Move> {
        let best = report.best.clone()?;
        let wins = report.lines.first().is_some_and(|line| line.distance == Some(1));
        if self.is_careful && wins && report.value > 0 {
            return Some(best);
        }
        let mut candidates = self.candidates(position, report, rng);
        while let Some(mv) = draw(&mut candidates, rng) {
            if !self.is_careful || !lets_win(position, &mv) {
                return Some(mv);
            }
        }
        let mut further = position.sample_moves(SAVERS, &mut |below| rng.random_range(0..below));
        further.retain(|mv| !lets_win(position, mv));
        Some(further.into_iter().next().unwrap_or(best))
    }

    /// The moves with how often they are chosen, relative to the best.
    fn candidates(
        self,
        position: &Position,
        report: &Report,
        rng: &mut impl Rng,
    ) -> Vec<(Move, f64)> {
        let most = report.lines.iter().map(|line| line.value).max().unwrap_or(0);
        let least = report.lines.iter().map(|line| line.value).min().unwrap_or(0);
        let known = |line: &Line| {
            let mv = position.parse_move(line.moves.first()?).ok()?;
            Some((mv, self.weight(most - line.value)))
        };
        let mut candidates: Vec<_> = report.lines.iter().filter_map(known).collect();
        let others = position.sample_moves(OTHERS, &mut |below| rng.random_range(0..below));
        // A level that plays the best move has only that one.
        let weight =
            if self.temperature == 0 { 0.0 } else { self.weight((most - least).max(UNVALUED)) };
        for mv in others {
            if candidates.iter().all(|(known, _)| *known != mv) {
                candidates.push((mv, weight));
            }
        }
        candidates
    }

    /// How often a move of so much less value is chosen, relative to the best: close to the
    /// exponential function, by multiplications alone, which are the same on every machine.
    fn weight(self, loss: i32) -> f64 {
        if self.temperature == 0 {
            return if loss == 0 { 1.0 } else { 0.0 };
        }
        let step = 1.0 + f64::from(loss) / f64::from(self.temperature) / 16.0;
        let square = step * step;
        let fourth = square * square;
        let eighth = fourth * fourth;
        1.0 / (eighth * eighth)
    }
}

/// Takes a move out, by its weight. Moves of no weight come last.
fn draw(candidates: &mut Vec<(Move, f64)>, rng: &mut impl Rng) -> Option<Move> {
    let total: f64 = candidates.iter().map(|(_, weight)| weight).sum();
    let mut left = rng.random::<f64>() * total;
    let at = candidates.iter().position(|(_, weight)| {
        left -= weight;
        left < 0.0
    });
    (!candidates.is_empty()).then(|| candidates.remove(at.unwrap_or(0)).0)
}

/// Whether the next seat wins at once after a move.
fn lets_win(position: &Position, mv: &Move) -> bool {
    let me = position.to_move();
    let mut after = position.clone();
    after.apply(mv);
    if let Some((winners, _)) = after.settle() {
        return !winners.contains(me);
    }
    let limits = Limits { nodes: Some(1), ..Limits::default() };
    let report = Search::new(&after, &[], limits).run(&Stop::default(), &mut |_| {});
    let wins = report.lines.first().is_some_and(|line| line.distance == Some(1));
    after.to_move() != me && wins && report.value == SCORE_MAX
}

/// The levels of a game.
struct Ladder {
    strengths: [Strength; 8],
    /// The sums of the measured differences between neighbours, once there are any.
    elo: measured::Elo,
}

impl Ladder {
    const fn of(kind: Kind) -> &'static Self {
        match kind {
            Kind::Adamas => &ADAMAS,
            Kind::Hexma => &HEXMA,
            Kind::Stymie => &STYMIE,
            Kind::Diam => &DIAM,
        }
    }
}

/// Any legal move.
const RANDOM: Strength =
    Strength { nodes: 0, depth: None, temperature: 0, is_careful: false, uses_tables: false };

/// The best move after so many nodes.
const fn best(nodes: u64) -> Strength {
    Strength { nodes, is_careful: nodes < LOOKS_AHEAD, ..RANDOM }
}

/// A move by its value at a glance.
const fn glance(nodes: u64, temperature: u32) -> Strength {
    Strength { nodes, depth: Some(1), temperature, is_careful: true, ..RANDOM }
}

/// A move by its value after so many nodes.
const fn tempered(nodes: u64, temperature: u32) -> Strength {
    Strength { depth: None, ..glance(nodes, temperature) }
}

/// The same without a look at what the next seat can win, for level 2.
const fn careless(strength: Strength) -> Strength {
    Strength { is_careful: false, ..strength }
}

/// The same with endgame tables, for level 8.
const fn perfect(strength: Strength) -> Strength {
    Strength { uses_tables: true, ..strength }
}

static ADAMAS: Ladder = Ladder {
    strengths: [
        RANDOM,
        careless(best(60)),
        best(220),
        best(700),
        best(2_000),
        best(4_300),
        best(8_500),
        perfect(best(12_000)),
    ],
    elo: measured::ADAMAS,
};

static HEXMA: Ladder = Ladder {
    strengths: [
        RANDOM,
        careless(glance(500, 55)),
        glance(500, 32),
        best(1_300),
        best(1_750),
        best(5_000),
        best(17_000),
        perfect(best(60_000)),
    ],
    elo: measured::HEXMA,
};

static STYMIE: Ladder = Ladder {
    strengths: [
        RANDOM,
        careless(tempered(128, 40)),
        tempered(128, 24),
        best(350),
        best(1_100),
        best(7_000),
        best(50_000),
        perfect(best(300_000)),
    ],
    elo: measured::STYMIE,
};

static DIAM: Ladder = Ladder {
    strengths: [
        RANDOM,
        careless(glance(4_000, 100)),
        best(220),
        best(550),
        best(1_800),
        best(6_500),
        best(22_000),
        perfect(best(100_000)),
    ],
    elo: measured::DIAM,
};
