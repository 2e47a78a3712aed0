//! Samples of moves: legal, different, bounded and of every kind.

use std::collections::BTreeSet;

use adamant_rules::game::Game;

use super::positions::{A, arranged};
use crate::games::picks;

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
