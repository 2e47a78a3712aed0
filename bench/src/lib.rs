//! Games played to their middle, the same in every run, for the benchmarks to measure.

use std::fmt;

use adamant_rules::{
    Act, BySeat, Event, Events, Kind, Options, Player, Seat, Setup, Table, TimeControl,
};
use rand::{RngExt as _, SeedableRng as _, rngs::SmallRng};

/// The seed of all measured games.
const SEED: u64 = 20_070_501;

/// A game with its players and options.
#[derive(Debug, Clone, Copy)]
pub struct Case {
    name: &'static str,
    kind: Kind,
    players: usize,
    options: &'static str,
}

/// Every game, in its usual form and in its most expensive one.
pub const CASES: &[Case] = &[
    Case::new("Adamas 3", Kind::Adamas, 2, ""),
    Case::new("Adamas 5, three players", Kind::Adamas, 3, "-size=5"),
    Case::new("Adamas 3 -prog_cap", Kind::Adamas, 2, "-prog_cap"),
    Case::new("Hexma", Kind::Hexma, 2, ""),
    Case::new("Hexma, three players", Kind::Hexma, 3, ""),
    Case::new("Stymie 12", Kind::Stymie, 2, "-size=12"),
    Case::new("Diam 12x6", Kind::Diam, 2, "-board=12x6 -pieces=4x6"),
];

impl Case {
    const fn new(name: &'static str, kind: Kind, players: usize, options: &'static str) -> Self {
        Self { name, kind, players, options }
    }

    /// Its name.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Returns a game of at least this many plies if there is one.
    pub fn played(&self, plies: usize) -> Played {
        played(self.kind, self.players, self.options, plies)
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// A table and a move that its next player may make.
#[derive(Debug, Clone)]
pub struct Middle {
    /// The game so far.
    pub table: Table,
    /// The seat to move.
    pub seat: Seat,
    /// A legal move, as a client writes it.
    pub notation: String,
}

/// A game from its first event on.
#[derive(Debug, Clone)]
pub struct Played {
    /// The first event.
    pub created: Event,
    /// The later events.
    pub events: Vec<Event>,
    /// The tables before each move, with the move.
    pub middles: Vec<Middle>,
}

/// Returns what is agreed before a game between bots.
pub fn setup(kind: Kind, players: usize, options: &str) -> Setup {
    let player = |seat: usize| Player {
        user: format!("user{seat}").into(),
        bot: true,
        guest: false,
        rating: None,
    };
    Setup {
        kind,
        options: Options::parse(options, kind.option_specs()).expect("the options are the game's"),
        seats: BySeat::try_from_iter((0..players).map(player)).expect("there are seats enough"),
        clock: TimeControl::Fischer { base_ms: 3_600_000, inc_ms: 1_000 },
        rated: false,
        delay: 0,
        unlisted: false,
    }
}

/// Plays random games until one has this many plies, and returns it cut to that length. Draws by
/// repetition are switched off, so that games are long.
fn played(kind: Kind, players: usize, options: &str, plies: usize) -> Played {
    let mut longest: Option<Played> = None;
    for attempt in 0..200 {
        let game = play_one(kind, players, options, plies, SEED + attempt);
        if game.middles.len() >= plies {
            return game;
        }
        if longest.as_ref().is_none_or(|best| best.middles.len() < game.middles.len()) {
            longest = Some(game);
        }
    }
    longest.expect("games were played")
}

fn play_one(kind: Kind, players: usize, options: &str, plies: usize, seed: u64) -> Played {
    let mut rng = SmallRng::seed_from_u64(seed);
    let begun = Table::begin(setup(kind, players, options), 0).expect("the setup can be played");
    let (created, later) = begun.split_first().expect("a game begins with events");
    let mut table = Table::new(created).expect("it is the first event").without_repetition();
    let mut game = Played { created: created.clone(), events: Vec::new(), middles: Vec::new() };
    let mut record = |table: &mut Table, events: &[Event]| {
        for event in events {
            table.apply(event).expect("a table applies what it has decided");
            game.events.push(event.clone());
        }
    };
    record(&mut table, later);
    let mut now = 0;
    let mut middles = Vec::new();
    while middles.len() < plies
        && let Some(seat) = table.to_move()
    {
        let mut pick = |below: usize| rng.random_range(0..below);
        let moves = table.position().sample_moves(8, &mut pick);
        let play = &moves[pick(moves.len())];
        let middle = Middle { table: table.clone(), seat, notation: play.to_string() };
        now += 10;
        let events = table.decide(&middle.act(), now).expect("the move is legal");
        record(&mut table, &events);
        middles.push(middle);
    }
    game.middles = middles;
    game
}

impl Middle {
    /// The move as an act.
    fn act(&self) -> Act<'_> {
        let turn = self.table.turn();
        Act::Move { seat: self.seat, turn, notation: &self.notation, lag_ms: 0 }
    }

    /// Returns the events of the move, made a little after the last one.
    pub fn decide(&self) -> Events {
        self.table.decide(&self.act(), self.table.last_at() + 10).expect("the move is legal")
    }
}

impl Played {
    /// The moves of the middle third, which the benchmarks measure.
    pub fn middle(&self) -> &[Middle] {
        let third = self.middles.len() / 3;
        &self.middles[third..self.middles.len() - third]
    }

    /// Replays the whole game from its events.
    pub fn replay(&self) -> Table {
        let mut table =
            Table::new(&self.created).expect("it is the first event").without_repetition();
        for event in &self.events {
            table.apply(event).expect("it was applied before");
        }
        table
    }
}
