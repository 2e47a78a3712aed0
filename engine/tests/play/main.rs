//! What the levels play: always by the rules, the same for the same seed, and how well.

#![expect(clippy::unwrap_used, reason = "whatever fails here fails a test")]

mod adamas;
mod diam;
mod hexma;
mod levels;
mod puzzles;
mod search;
mod stymie;

use adamant_engine::choice::{Level, choose, choose_after};
use adamant_rules::{
    Act, BySeat, EndReason, Kind, Options, Player, Position, Seat, SeatSet, Setup, Table,
    TimeControl, table::Outcome,
};
use rand::{SeedableRng, rngs::StdRng};

/// How a game went.
#[derive(PartialEq, Eq, Debug)]
struct Course {
    winners: SeatSet,
    reason: EndReason,
    plies: u32,
}

fn options(kind: Kind, text: &str) -> Options {
    Options::parse(text, kind.option_specs()).unwrap()
}

/// The opening position of a challenge such as `-size=4`.
fn start(kind: Kind, text: &str, players: usize) -> Position {
    kind.start(&kind.complete(&options(kind, text), players).unwrap(), players)
}

/// The position just after the greedy move.
fn after_greedy(position: &Position, seed: u64) -> Position {
    after_choice(position, Level::Greedy, seed)
}

/// The position just after the move that a level chooses.
fn after_choice(position: &Position, level: Level, seed: u64) -> Position {
    let mv = choose(position, level, &mut StdRng::seed_from_u64(seed)).unwrap();
    let mut after = position.clone();
    after.apply(&mv);
    after
}

/// A whole game by the rules of a table, repetition included; `None` if it takes more moves.
fn game(kind: Kind, text: &str, levels: &[Level], seed: u64, plies_max: u32) -> Option<Course> {
    let player = |user: String| Player { user: user.into(), bot: true, guest: false, rating: None };
    let setup = Setup {
        kind,
        options: options(kind, text),
        seats: BySeat::from_fn(levels.len(), |seat| player(format!("bot{}", seat.index()))),
        clock: TimeControl::None,
        rated: false,
        delay: 0,
        unlisted: false,
    };
    let events = Table::begin(setup, 0).unwrap();
    let mut table = Table::new(&events[0]).unwrap();
    events[1..].iter().for_each(|event| table.apply(event).unwrap());
    let mut rng = StdRng::seed_from_u64(seed);
    while let Some(seat) = table.to_move() {
        if table.ply() == plies_max {
            return None;
        }
        let level = levels[seat.index()];
        let mv = choose_after(table.positions_seen(), table.position(), level, &mut rng).unwrap();
        let act = Act::Move { seat, turn: table.turn(), notation: &mv.to_string(), lag_ms: 0 };
        for event in table.decide(&act, 0).unwrap() {
            table.apply(&event).unwrap();
        }
    }
    let Outcome::Ended { winners, reason, .. } = table.outcome().unwrap() else {
        panic!("bots do not abort")
    };
    Some(Course { winners: *winners, reason: *reason, plies: table.ply() })
}

/// How many of some games a greedy player wins against a random one, each of them opening half.
fn won_by_greedy(kind: Kind, text: &str, games: u64, plies_max: u32) -> usize {
    score(kind, text, [Level::Greedy, Level::Random], games, plies_max).0
}

/// How many of some games each of two levels wins, each of them opening half.
fn score(kind: Kind, text: &str, levels: [Level; 2], games: u64, plies_max: u32) -> (usize, usize) {
    let [mut first, mut second] = [0, 0];
    for seed in 0..games {
        let mut seated = levels;
        let swapped = seed % 2 == 1;
        if swapped {
            seated.reverse();
        }
        let course = game(kind, text, &seated, seed, plies_max);
        match course.and_then(|course| course.winners.single()) {
            Some(winner) if (winner == Seat::FIRST) != swapped => first += 1,
            Some(_) => second += 1,
            None => {}
        }
    }
    (first, second)
}
