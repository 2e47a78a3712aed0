//! Samples of moves: legal, different, bounded and of every kind.

use adamant_rules::{
    game::Game,
    games::adamas::{Adamas, Move},
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

fn sample(position: &Adamas, max: usize, seed: u64) -> Vec<Move> {
    position.sample_moves(max, &mut picks(seed))
}

fn captures(position: &Adamas, mv: &Move) -> usize {
    position.validate(mv).unwrap().len()
}

proptest! {
    #![proptest_config(crate::cases(64))]

    #[test]
    fn samples_are_legal_different_and_bounded(
        size in 2..=8_u32,
        pieces in 2..=99_u32,
        players in 2..=3_usize,
        progressive: bool,
        max in 0..60_usize,
        seeds in proptest::collection::vec(any::<u64>(), 1..20),
    ) {
        let flag = if progressive { " -prog_cap" } else { "" };
        let mut position = start(&format!("-size={size} -pieces={pieces}{flag}"), players);
        for seed in seeds {
            if position.pending().is_some() {
                break;
            }
            let moves = sample(&position, max, seed);
            prop_assert!(moves.len() <= max);
            prop_assert_eq!(moves.is_empty(), max == 0);
            for (index, mv) in moves.iter().enumerate() {
                prop_assert!(position.validate(mv).is_ok(), "{}", mv);
                // What is not in canonical form would come back changed.
                prop_assert_eq!(&position.parse_move(&mv.to_string()), &Ok(mv.clone()));
                prop_assert!(!moves[..index].contains(mv), "{} twice", mv);
            }
            let one = sample(&position, 1, seed);
            prop_assert_eq!(one.len(), 1);
            position.apply(&one[0]);
        }
    }
}

#[test]
fn few_moves_are_all_sampled() {
    let position = arranged("-size=2", 2, "a1:OO b3:O c1:X", "O");
    let all = position.legal_moves(usize::MAX);
    assert_eq!(sample(&position, all.len(), 1), all);
    assert!(sample(&position, all.len() - 1, 1).len() < all.len());
}

#[test]
fn captures_are_sampled_first_but_not_alone() {
    let position = arranged("", 2, "c3:OO a1:XX e1:XX c5:XX", "O");
    for seed in 0..20 {
        let moves = sample(&position, 12, seed);
        assert!(moves[..6].iter().all(|mv| captures(&position, mv) > 0), "{moves:?}");
        assert!(moves.iter().any(|mv| captures(&position, mv) == 0), "{moves:?}");
    }
}

#[test]
fn several_stacks_are_captured_at_once() {
    let most = |options| {
        let position = arranged(options, 2, "c3:OO a1:XX e1:XX c5:XX", "O");
        sample(&position, 30, 7).iter().map(|mv| captures(&position, mv)).max()
    };
    assert_eq!(most(""), Some(2));
    assert_eq!(most("-prog_cap"), Some(1));
}

#[test]
fn splits_and_merges_of_every_stack_are_sampled() {
    let position = arranged("-size=4", 2, "d1:OOOOOO d4:OOO a1:OOOO g4:XXX", "O");
    let moves: Vec<_> = sample(&position, 200, 3).iter().map(ToString::to_string).collect();
    for source in ["d1", "d4", "a1"] {
        let split = format!("{source}-");
        assert!(moves.iter().any(|mv| mv.starts_with(&split) && mv.contains(',')));
        assert!(moves.iter().any(|mv| mv.contains(&split) && !mv.contains(',')));
    }
    assert!(moves.iter().any(|mv| mv.split('-').next().unwrap().contains(',')));
}
