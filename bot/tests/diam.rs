//! What the levels play in Diam, of which they know no more than of any game.

#![expect(clippy::unwrap_used, reason = "whatever fails here fails a test")]

use adamant_bot::{Level, choose};
use adamant_rules::{
    Act, BySeat, Consequence, EndReason, Kind, Options, Player, Position, Seat, SeatSet, Setup,
    Table, TimeControl, games::diam::Diam, table::Outcome,
};
use rand::{SeedableRng, rngs::StdRng};

/// Far above the longest game that two bots were seen to play.
const PLIES_MAX: u32 = 5_000;

fn options(text: &str) -> Options {
    Options::read(text, Kind::Diam.option_specs()).unwrap()
}

/// A position with the first player to move.
fn arranged(stacks: &[(&str, &str)]) -> Position {
    Position::Diam(Diam::with_stacks(&options(""), stacks, Seat::FIRST).unwrap())
}

fn after_greedy(position: &Position, seed: u64) -> Position {
    let play = choose(position, Level::Greedy, &mut StdRng::seed_from_u64(seed)).unwrap();
    let mut after = position.clone();
    after.play(&play);
    after
}

/// A whole game by the rules of a table: how it ended.
fn game(text: &str, levels: [Level; 2], seed: u64) -> (SeatSet, EndReason) {
    let player = |user: String| Player { user: user.into(), bot: true, guest: false, rating: None };
    let setup = Setup {
        kind: Kind::Diam,
        options: options(text),
        seats: BySeat::from_fn(2, |seat| player(format!("bot{}", seat.index()))),
        clock: TimeControl::None,
        rated: false,
    };
    let events = Table::begin(setup, 0).unwrap();
    let mut table = Table::new(&events[0]).unwrap();
    events[1..].iter().for_each(|event| table.apply(event).unwrap());
    let mut rng = StdRng::seed_from_u64(seed);
    while let Some(seat) = table.to_move() {
        assert!(table.ply() < PLIES_MAX, "a game without end");
        let play = choose(table.position(), levels[seat.index()], &mut rng).unwrap();
        let act = Act::Move { seat, turn: table.turn(), notation: &play.to_string() };
        for event in table.decide(&act, 0).unwrap() {
            table.apply(&event).unwrap();
        }
    }
    match table.outcome().unwrap() {
        Outcome::Ended { winners, reason, .. } => (*winners, *reason),
        Outcome::Aborted { .. } => panic!("bots do not abort"),
    }
}

#[test]
fn a_win_at_hand_is_taken() {
    let position = arranged(&[("1", "XA"), ("2", "YX"), ("5", "Y"), ("6", "B")]);
    let win = Consequence::End { winners: SeatSet::only(Seat::FIRST), reason: EndReason::Aligned };
    for seed in 0..10 {
        assert_eq!(after_greedy(&position, seed).pending(), Some(win));
    }
}

#[test]
fn the_game_is_not_given_away() {
    // 2+ opposes the two X on level 3; everything else is harmless.
    let position = arranged(&[("2", "AX"), ("3", "Y"), ("7", "BYX"), ("1", "B")]);
    for seed in 0..30 {
        assert_eq!(after_greedy(&position, seed).pending(), None);
    }
}

#[test]
fn whole_games_are_played_to_their_end() {
    for (text, levels) in [
        ("", [Level::Greedy; 2]),
        ("-board=12x6 -pieces=4x6 -nomirror", [Level::Greedy, Level::Random]),
        ("-board=8x3 -pieces=2x6", [Level::Random; 2]),
        ("-board=10x5 -pieces=3x3", [Level::Random, Level::Greedy]),
    ] {
        for seed in 0..4 {
            let (winners, _) = game(text, levels, seed);
            assert!(!winners.is_empty(), "{text}");
        }
    }
}

#[test]
fn greedy_beats_random() {
    let wins = |seed| {
        let (winners, reason) = game("", [Level::Random, Level::Greedy], seed);
        reason == EndReason::Aligned && winners == SeatSet::only(Seat::new(1).unwrap())
    };
    assert!((0..30).filter(|&seed| wins(seed)).count() >= 18);
}
