//! Samples of moves: legal, different, bounded and of every kind.

use adamant_rules::{
    game::Game,
    games::hexma::{Hexma, Move},
};

use super::positions::{arranged, start};
use crate::games::picks;

fn sample(position: &Hexma, max: usize, seed: u64) -> Vec<Move> {
    position.sample_moves(max, &mut picks(seed))
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
