//! The levels at Stymie, of which they know nothing.

use adamant_engine::choice::{Level, choose};
use adamant_rules::{
    Consequence, EndReason, Kind, Position, Seat, SeatSet,
    games::stymie::{LastMove, Stymie},
};
use rand::{SeedableRng, rngs::StdRng};

use crate::{after_greedy, options, start, won_by_greedy};

fn won_by(position: &Position) -> Option<Seat> {
    let consequence = position.pending()?;
    let Consequence::End { winners, reason: EndReason::Connected } = consequence else {
        panic!("{consequence:?}")
    };
    winners.single()
}

#[test]
fn games_end_with_a_winner() {
    for (text, seed) in [("-size=3", 1), ("-size=3 -swap", 2), ("-size=5 -swap", 3)] {
        for &level in Level::NAMED {
            let mut position = start(Kind::Stymie, text, 2);
            let mut rng = StdRng::seed_from_u64(seed);
            while won_by(&position).is_none() {
                let mv = choose(&position, level, &mut rng).unwrap();
                assert_eq!(position.validate(&mv).map(|captures| captures.len()), Ok(0), "{mv}");
                position.apply(&mv);
            }
        }
    }
}

#[test]
fn a_win_at_hand_is_taken() {
    let pieces = ["a7", "c7", "e7", "g7", "i7", "m7", "o7"].map(|cell| (cell, 'H'));
    let h = Seat::new(1).unwrap();
    let options = options(Kind::Stymie, "");
    let position = Stymie::from_setup(&options, &pieces, h, LastMove::Single).unwrap();
    let position = Position::Stymie(position);
    let end = Consequence::End { winners: SeatSet::only(h), reason: EndReason::Connected };
    for seed in 0..10 {
        assert_eq!(after_greedy(&position, seed).pending(), Some(end));
    }
}

#[test]
fn greedy_beats_random() {
    for (text, games) in [("-size=5", 20), ("-size=8", 8)] {
        let won = won_by_greedy(Kind::Stymie, text, games, 300);
        assert!(won * 10 >= 9 * usize::try_from(games).unwrap(), "{won} of {games}, {text}");
    }
}
