//! The levels play games without captures too: always by the rules, and not past a win.

use adamant_bot::{Level, choose};
use adamant_rules::{Consequence, Kind, Options, Position, Seat, games::hexma::Hexma};
use rand::{SeedableRng, rngs::StdRng};

#[test]
fn chosen_moves_are_legal() {
    for players in 2..=3 {
        for &level in Level::ALL {
            let mut position = Kind::Hexma.start(&Options::new(), players);
            let mut rng = StdRng::seed_from_u64(7);
            for _ in 0..30 {
                let play = choose(&position, level, &mut rng).unwrap();
                assert!(position.judge(&play).is_ok(), "{play}");
                position.play(&play);
                assert_eq!(position.pending(), None);
            }
        }
    }
}

#[test]
fn a_chain_at_hand_is_completed() {
    let chain = ["q13", "p12", "o11", "n10", "l8", "k7", "j6", "i5", "k9"].map(|cell| (cell, 'O'));
    let pieces = [&chain[..], &[("a13", 'X')]].concat();
    let position = Position::Hexma(Hexma::with_pieces(2, &pieces, Seat::FIRST).unwrap());
    for seed in 0..10 {
        let play = choose(&position, Level::Greedy, &mut StdRng::seed_from_u64(seed)).unwrap();
        let mut after = position.clone();
        after.play(&play);
        let Some(Consequence::End { winners, .. }) = after.pending() else { panic!("{play}") };
        assert_eq!(winners.single(), Some(Seat::FIRST));
    }
}
