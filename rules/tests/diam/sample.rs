//! Samples of moves: legal, different, bounded and of every kind.

use std::collections::BTreeSet;

use adamant_rules::game::Game;
use proptest::prelude::*;

use super::positions::{A, all_options, arranged, picks, start};

proptest! {
    #![proptest_config(crate::cases(64))]

    #[test]
    fn samples_are_legal_different_and_bounded(
        options in proptest::sample::select(all_options()),
        max in 0..110_usize,
        seeds in proptest::collection::vec(any::<u64>(), 1..40),
    ) {
        let mut position = start(&options);
        for seed in seeds {
            if position.pending().is_some() {
                break;
            }
            let moves = position.sample_moves(max, &mut picks(seed));
            let all = position.legal_moves(usize::MAX);
            prop_assert_eq!(moves.len(), max.min(all.len()));
            let different: BTreeSet<_> = moves.iter().map(ToString::to_string).collect();
            prop_assert_eq!(different.len(), moves.len());
            prop_assert!(moves.iter().all(|mv| all.contains(mv)));
            let one = position.sample_moves(1, &mut picks(seed));
            prop_assert_eq!(one.len(), 1);
            position.apply(&one[0]);
        }
    }
}

#[test]
fn few_moves_are_all_sampled() {
    let position = arranged("", "1:AX 2:B", A);
    let all = position.legal_moves(usize::MAX);
    assert_eq!(position.sample_moves(all.len(), &mut picks(1)), all);
    assert_eq!(position.sample_moves(usize::MAX, &mut picks(1)), all);
    assert_eq!(position.sample_moves(all.len() - 1, &mut picks(1)).len(), all.len() - 1);
}

#[test]
fn every_move_is_sampled_sooner_or_later() {
    let position = arranged("", "1:AX 2:B", A);
    let sampled: BTreeSet<_> = (0..400)
        .flat_map(|seed| position.sample_moves(2, &mut picks(seed * 7919)))
        .map(|mv| mv.to_string())
        .collect();
    assert_eq!(sampled.len(), position.legal_moves(usize::MAX).len());
}

#[test]
fn a_seat_without_moves_has_no_sample() {
    let position = arranged("", "1:XYXY 2:ABAB 3:BABA 4:YXYX", A);
    assert!(position.sample_moves(10, &mut picks(1)).is_empty());
}
