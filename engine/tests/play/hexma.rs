//! The levels at Hexma, of which they know nothing.

use adamant_engine::choice::{Level, choose};
use adamant_rules::{Consequence, EndReason, Kind, Position, Seat, SeatSet, games::hexma::Hexma};
use rand::{SeedableRng, rngs::StdRng};

use crate::{after_greedy, game, start, won_by_greedy};

#[test]
fn chosen_moves_are_legal() {
    for players in 2..=3 {
        for &level in Level::NAMED {
            let mut position = start(Kind::Hexma, "", players);
            let mut rng = StdRng::seed_from_u64(7);
            for _ in 0..30 {
                let mv = choose(&position, level, &mut rng).unwrap();
                assert!(position.validate(&mv).is_ok(), "{mv}");
                position.apply(&mv);
                assert_eq!(position.pending(), None);
            }
        }
    }
}

#[test]
fn a_chain_at_hand_is_completed() {
    let chain = ["q13", "p12", "o11", "n10", "l8", "k7", "j6", "i5", "k9"].map(|cell| (cell, 'O'));
    let pieces = [&chain[..], &[("a13", 'X')]].concat();
    let position = Position::Hexma(Hexma::from_setup(2, &pieces, Seat::FIRST).unwrap());
    for seed in 0..10 {
        let winners = SeatSet::only(Seat::FIRST);
        let end = Consequence::End { winners, reason: EndReason::Connected };
        assert_eq!(after_greedy(&position, seed).pending(), Some(end));
    }
}

#[test]
fn greedy_beats_random() {
    assert!(won_by_greedy(Kind::Hexma, "", 10, 300) >= 9);
}

#[test]
fn most_games_between_greedy_players_end_soon() {
    let game = |seed| game(Kind::Hexma, "", &[Level::Greedy; 2], seed, 150);
    let courses: Vec<_> = (0..12).filter_map(game).collect();
    assert!(courses.len() >= 10, "{courses:?}");
    let decided = courses.iter().filter(|course| course.reason == EndReason::Connected).count();
    assert!(decided >= 4, "{courses:?}");
}
