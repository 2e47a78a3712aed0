//! The levels at Stymie, of which they know nothing.

#![expect(clippy::unwrap_used, reason = "whatever fails here fails a test")]

use adamant_bot::{Level, choose};
use adamant_rules::{
    Consequence, EndReason, Kind, Options, Position, Seat, SeatSet,
    games::stymie::{LastMove, Stymie},
};
use rand::{SeedableRng, rngs::StdRng};

fn options(text: &str) -> Options {
    Options::read(text, Kind::Stymie.option_specs()).unwrap()
}

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
        for &level in Level::ALL {
            let options = Kind::Stymie.complete(&options(text), 2).unwrap();
            let mut position = Kind::Stymie.start(&options, 2);
            let mut rng = StdRng::seed_from_u64(seed);
            while won_by(&position).is_none() {
                let play = choose(&position, level, &mut rng).unwrap();
                assert_eq!(position.judge(&play).map(|captures| captures.len()), Ok(0), "{play}");
                position.play(&play);
            }
        }
    }
}

#[test]
fn a_win_at_hand_is_taken() {
    let pieces = ["a7", "c7", "e7", "g7", "i7", "m7", "o7"].map(|cell| (cell, 'H'));
    let h = Seat::new(1).unwrap();
    let position = Stymie::with_pieces(&options(""), &pieces, h, LastMove::Single).unwrap();
    for seed in 0..10 {
        let mut position = Position::Stymie(position.clone());
        let play = choose(&position, Level::Greedy, &mut StdRng::seed_from_u64(seed)).unwrap();
        position.play(&play);
        let end = Consequence::End { winners: SeatSet::only(h), reason: EndReason::Connected };
        assert_eq!(position.pending(), Some(end), "{play}");
    }
}
