//! Samples of moves: legal, different, bounded and of every kind.

use adamant_rules::{
    game::Game,
    games::hexma::{Hexma, Move},
};
use proptest::prelude::*;

use super::positions::{arranged, start};

/// Picks from a sequence of numbers that looks like chance and is the same each time.
fn picks(mut state: u64) -> impl FnMut(usize) -> usize {
    move |below| {
        assert!(below > 0, "there is nothing to pick from");
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap() % below
    }
}

fn sample(position: &Hexma, max: usize, seed: u64) -> Vec<Move> {
    position.sample_moves(max, &mut picks(seed))
}

proptest! {
    #![proptest_config(crate::cases(64))]

    #[test]
    fn samples_are_legal_different_and_bounded(
        players in 2..=3_usize,
        max in 0..60_usize,
        seeds in proptest::collection::vec(any::<u64>(), 1..40),
    ) {
        let mut position = start(players);
        for seed in seeds {
            if position.pending().is_some() {
                break;
            }
            let all = position.legal_moves(usize::MAX);
            let moves = sample(&position, max, seed);
            prop_assert_eq!(moves.len(), max.min(all.len()));
            for (index, mv) in moves.iter().enumerate() {
                prop_assert!(position.validate(mv).is_ok(), "{}", mv);
                prop_assert!(!moves[..index].contains(mv), "{} twice", mv);
            }
            position.apply(&sample(&position, 1, seed)[0]);
        }
    }
}

#[test]
fn few_moves_are_all_sampled() {
    let position = start(2);
    let all = position.legal_moves(usize::MAX);
    assert_eq!(sample(&position, all.len(), 1), all);
    assert_eq!(sample(&position, usize::MAX, 1), all);
}

#[test]
fn every_move_can_be_sampled() {
    let position = start(3);
    let mut left = position.legal_moves(usize::MAX);
    for seed in 0..500 {
        left.retain(|mv| *mv != sample(&position, 1, seed)[0]);
    }
    assert_eq!(left, []);
}

#[test]
fn a_seat_without_moves_has_no_sample() {
    let position = arranged(2, "m17:O l16:X n16:X k15:X o15:X", "O");
    assert_eq!(sample(&position, 5, 1), []);
}
