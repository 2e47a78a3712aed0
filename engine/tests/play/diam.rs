//! What the levels play in Diam, of which they know no more than of any game.

use adamant_engine::choice::Level;
use adamant_rules::{
    Consequence, EndReason, Kind, Move, Position, Seat, SeatSet, games::diam::Diam,
};

use crate::{after_greedy, game, options, won_by_greedy};

/// Far above the longest game that two bots were seen to play.
const PLIES_MAX: u32 = 5_000;

/// A position with the first player to move.
fn arranged(stacks: &[(&str, &str)]) -> Position {
    Position::Diam(Diam::from_setup(&options(Kind::Diam, ""), stacks, Seat::FIRST).unwrap())
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
            let course = game(Kind::Diam, text, &levels, seed, PLIES_MAX).unwrap();
            assert!(!course.winners.is_empty(), "{text}");
        }
    }
}

#[test]
fn a_win_of_the_other_is_prevented() {
    // Placing X or moving it from 4 to 5 would win: only a piece on 5 keeps it away.
    let position = arranged(&[("1", "AX"), ("5", "B"), ("4", "X"), ("3", "Y")]);
    for seed in 0..10 {
        let after = after_greedy(&position, seed);
        let wins = |mv: &Move| {
            let mut after = after.clone();
            after.apply(mv);
            after.pending().is_some()
        };
        assert!(!after.legal_moves(usize::MAX).iter().any(wins), "seed {seed}");
    }
}

#[test]
fn greedy_beats_random() {
    for text in ["", "-board=12x6 -pieces=4x6"] {
        assert!(won_by_greedy(Kind::Diam, text, 30, PLIES_MAX) >= 27, "{text}");
    }
}
