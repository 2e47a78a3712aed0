//! The levels at Adamas.

use std::collections::BTreeSet;

use adamant_engine::choice::{Level, choose};
use adamant_rules::{Consequence, Kind, Position, Seat, games::adamas::Adamas};
use proptest::prelude::*;
use rand::{SeedableRng, rngs::StdRng};

use crate::{game, options, start, won_by_greedy};

/// Far above the longest game that two bots were seen to play on side 3, which had 937 moves.
const PLIES_MAX: u32 = 5_000;

/// A position in the middle of a game of Adamas, with O to move, written `c1:OOO c3:X`.
fn arranged(text: &str, players: usize, stacks: &str) -> Position {
    let stacks: Vec<_> =
        stacks.split_whitespace().map(|stack| stack.split_once(':').unwrap()).collect();
    let position =
        Adamas::from_setup(&options(Kind::Adamas, text), players, &stacks, Seat::FIRST, false)
            .unwrap();
    Position::Adamas(position)
}

fn chosen(position: &Position, level: Level, seed: u64) -> Option<String> {
    let mv = choose(position, level, &mut StdRng::seed_from_u64(seed))?;
    Some(mv.to_string())
}

/// The position after the greedy move, with what must follow.
fn after_greedy(position: &Position, seed: u64) -> Position {
    let mut after = crate::after_greedy(position, seed);
    settle(&mut after);
    after
}

/// Removes who must leave; whether the game goes on.
fn settle(position: &mut Position) -> bool {
    loop {
        match position.pending() {
            None => return true,
            Some(Consequence::End { .. }) => return false,
            Some(Consequence::Skip(_)) => position.skip(),
            Some(Consequence::Remove(seat, _)) => position.remove(seat),
        }
    }
}

fn pieces(position: &Position, letter: char) -> usize {
    position.stacks().iter().map(|(_, stack)| stack.matches(letter).count()).sum()
}

/// Whether the seat to move can capture pieces of that letter.
fn can_capture(position: &Position, letter: char) -> bool {
    let stacks = position.stacks();
    let of_letter = |cell| stacks.iter().any(|(at, stack)| *at == cell && stack.contains(letter));
    let targets = position.sources().into_iter().flat_map(|from| position.targets(from));
    targets.into_iter().any(|target| target.capture && of_letter(target.cell))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn chosen_moves_are_legal_and_repeatable(
        size in 2..=8_u32,
        pieces in 2..=99_u32,
        players in 2..=3_usize,
        progressive: bool,
        plies in 0..60_usize,
        seed: u64,
    ) {
        let flag = if progressive { " -prog_cap" } else { "" };
        let mut position = start(Kind::Adamas, &format!("-size={size} -pieces={pieces}{flag}"), players);
        let mut rng = StdRng::seed_from_u64(seed);
        for _ in 0..plies {
            let mv = choose(&position, Level::Random, &mut rng).unwrap();
            prop_assert!(position.validate(&mv).is_ok(), "{}", mv);
            let mut next = position.clone();
            next.apply(&mv);
            if !settle(&mut next) {
                break;
            }
            position = next;
        }
        for &level in Level::NAMED {
            let mv = chosen(&position, level, seed).unwrap();
            let judged = position.parse_move(&mv).and_then(|mv| position.validate(&mv));
            prop_assert!(judged.is_ok(), "{}: {:?}", mv, judged);
            prop_assert_eq!(chosen(&position, level, seed), Some(mv));
        }
    }
}

#[test]
fn a_seat_without_moves_chooses_nothing() {
    let position = arranged("-size=2", 2, "a1:O a2:XX b1:XX b2:XX");
    for &level in Level::NAMED {
        assert_eq!(chosen(&position, level, 1), None);
    }
}

#[test]
fn random_moves_come_from_every_stack() {
    let position = arranged("", 2, "a1:OO c1:OO e1:OOO c5:XXXX");
    let moves: Vec<_> = (0..60).filter_map(|seed| chosen(&position, Level::Random, seed)).collect();
    for source in ["a1-", "c1-", "e1-"] {
        assert!(moves.iter().any(|mv| mv.contains(source)), "{source} in {moves:?}");
    }
}

#[test]
fn a_win_at_hand_is_taken() {
    for (text, stacks) in [
        // One stack is left, and is seen by as many pieces as it has.
        ("", "c1:O a1:OO c5:X"),
        // Two are left, and one split reaches both.
        ("", "c3:OOO c5:XXX a1:XXX d1:O"),
        ("-prog_cap", "c1:O a1:OO c5:X"),
        // Among more moves than are tried.
        (
            "-size=8 -pieces=99",
            "h1:OOOOOOOOOOOOOOOOOOOO a1:OOOOOOO o8:OOO h15:XXXXXXXXXXXXXXXXXXXXXXX",
        ),
    ] {
        let position = arranged(text, 2, stacks);
        for seed in 0..10 {
            let after = after_greedy(&position, seed);
            assert_eq!(pieces(&after, 'X'), 0, "{stacks}, seed {seed}");
        }
    }
}

#[test]
fn the_greater_capture_is_preferred() {
    // The four pieces of c5 can be captured, or the one of e2, but not all by one move.
    let position = arranged("", 2, "c3:OOOO b1:O c5:XXXX e2:X");
    let gains = |mv| position.validate(mv).unwrap().iter().map(|c| c.pieces).sum();
    let gains: BTreeSet<u8> = position.legal_moves(usize::MAX).iter().map(gains).collect();
    assert_eq!(gains, BTreeSet::from([0, 1, 4]));
    for seed in 0..10 {
        assert_eq!(pieces(&after_greedy(&position, seed), 'X'), 1, "seed {seed}");
    }
}

#[test]
fn threatened_pieces_are_brought_to_safety() {
    let position = arranged("", 2, "c1:OOO e2:OO c5:XX a1:X");
    let mut passed = position.clone();
    passed.skip();
    assert!(can_capture(&passed, 'O') && !can_capture(&position, 'X'));
    for seed in 0..10 {
        assert!(!can_capture(&after_greedy(&position, seed), 'O'), "seed {seed}");
    }
}

#[test]
fn all_others_are_opponents() {
    let position = arranged("", 3, "c1:OOO d4:O e3:XX a1:YYY b4:YYYYY");
    let mut passed = position.clone();
    passed.skip();
    assert!(!can_capture(&passed, 'O'), "the next seat threatens nothing");
    passed.skip();
    assert!(can_capture(&passed, 'O'), "the one after it does");
    for seed in 0..10 {
        let mut after = after_greedy(&position, seed);
        assert!(!can_capture(&after, 'O'), "seed {seed}");
        after.skip();
        assert!(!can_capture(&after, 'O'), "seed {seed}");
    }
}

#[test]
fn greedy_beats_random() {
    let won = won_by_greedy(Kind::Adamas, "", 16, PLIES_MAX);
    assert!(won >= 12, "{won} of 16");
}

#[test]
fn games_between_bots_end() {
    for (text, levels) in [
        ("", &[Level::Greedy; 2][..]),
        ("-prog_cap", &[Level::Greedy; 2]),
        ("-size=2", &[Level::Greedy; 3]),
        ("", &[Level::Random; 2]),
        ("", &[Level::Random; 3]),
    ] {
        for seed in 0..2 {
            let course = game(Kind::Adamas, text, levels, seed, PLIES_MAX).unwrap();
            assert!(!course.winners.is_empty() && course.plies > 0);
        }
    }
}

#[test]
fn the_same_seed_plays_the_same_game() {
    let course =
        || game(Kind::Adamas, "-size=2", &[Level::Greedy, Level::Random], 5, PLIES_MAX).unwrap();
    assert_eq!(course(), course());
}
