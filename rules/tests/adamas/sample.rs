//! Samples of moves: legal, different, bounded and of every kind.

use adamant_rules::{
    game::Game,
    games::adamas::{Adamas, Move},
};

use super::positions::arranged;
use crate::games::picks;

fn sample(position: &Adamas, max: usize, seed: u64) -> Vec<Move> {
    position.sample_moves(max, &mut picks(seed))
}

fn captures(position: &Adamas, mv: &Move) -> usize {
    position.validate(mv).unwrap().len()
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
