//! Samples of moves: legal, different, bounded and of every kind.

use adamant_rules::{
    game::Game,
    games::stymie::{LastMove, Move, Stymie},
};

use super::positions::arranged;
use crate::games::picks;

fn sample(position: &Stymie, max: usize, seed: u64) -> Vec<Move> {
    position.sample_moves(max, &mut picks(seed))
}

fn pieces(mv: &Move) -> usize {
    let notation = mv.to_string();
    if notation == "swap" { 0 } else { notation.split(',').count() }
}

#[test]
fn every_kind_has_its_share() {
    for seed in 0..20 {
        let position = arranged("", "c3:V e1:H", "V", LastMove::Single);
        let mut kinds: Vec<_> = sample(&position, 30, seed).iter().map(pieces).collect();
        kinds.sort_unstable();
        assert_eq!(kinds, [[1; 10], [2; 10], [3; 10]].concat());

        let position = arranged("-swap", "c3:V", "H", LastMove::Opening);
        let mut kinds: Vec<_> = sample(&position, 3, seed).iter().map(pieces).collect();
        kinds.sort_unstable();
        assert_eq!(kinds, [0, 1, 2]);
    }
}

#[test]
fn one_move_may_be_any() {
    let position = arranged("-size=3", "", "V", LastMove::Single);
    let all = position.legal_moves(usize::MAX);
    let found: Vec<_> = (0..2_000).flat_map(|seed| sample(&position, 1, seed * 0x9e37)).collect();
    for mv in all {
        assert!(found.contains(&mv), "{mv}");
    }
}

#[test]
fn representatives_are_single_pieces_and_an_even_sample() {
    let position = arranged("-size=12", "c3:V e1:H", "V", LastMove::Single);
    let all = position.legal_moves(usize::MAX);
    let survey = position.representative_moves(512);
    assert_eq!((survey.len(), &survey), (512, &position.representative_moves(512)));
    assert!(survey.iter().all(|mv| all.contains(mv)));
    let count = |moves: &[Move], number| moves.iter().filter(|mv| pieces(mv) == number).count();
    assert_eq!(count(&survey, 1), count(&all, 1));
    assert!(count(&survey, 2) > 20 && count(&survey, 3) > 20);
    let middle = position.moves_after(None, Some(&all[700]), 100);
    assert_eq!(middle, all[701..801]);
    assert_eq!(position.representative_moves(usize::MAX), all);
}
