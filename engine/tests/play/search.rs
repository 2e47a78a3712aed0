//! What looking ahead is good for, in every game: whatever a game has at hand is taken, what the
//! others have at hand is prevented, and a level that does not look ahead is beaten.

use adamant_engine::choice::{Level, choose, choose_after, opinion};
use adamant_rules::{
    Consequence, Kind, Move, Position, Seat,
    games::{
        adamas::Adamas,
        diam::Diam,
        stymie::{LastMove, Stymie},
    },
};
use proptest::prelude::*;
use rand::{SeedableRng, rngs::StdRng};

use crate::{after_choice, game, options, score, start};

fn ends(position: &Position, winner: Seat) -> bool {
    let mut position = position.clone();
    loop {
        match position.pending() {
            Some(Consequence::End { winners, .. }) => return winners.single() == Some(winner),
            Some(Consequence::Remove(seat, _)) => position.remove(seat),
            Some(Consequence::Skip(_)) | None => return false,
        }
    }
}

/// Whether the seat to move can win at once.
fn can_win(position: &Position) -> bool {
    let wins = |mv: &Move| {
        let mut after = position.clone();
        after.apply(mv);
        ends(&after, position.to_move())
    };
    position.legal_moves(usize::MAX).iter().any(wins)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn chosen_moves_are_legal_repeatable_and_win_where_one_can(
        kind in prop::sample::select(Kind::ALL),
        three: bool,
        plies in 0..40_usize,
        seed: u64,
    ) {
        let players = if three { *kind.players().end() } else { 2 };
        // Small, so that every move can be tried.
        let text = match kind {
            Kind::Adamas => "-size=2 -pieces=3",
            Kind::Stymie => "-size=5",
            Kind::Hexma | Kind::Diam => "",
        };
        let mut position = start(kind, text, players);
        let mut rng = StdRng::seed_from_u64(seed);
        for _ in 0..plies {
            let mut next = position.clone();
            next.apply(&choose(&position, Level::Greedy, &mut rng).unwrap());
            if next.pending().is_some() {
                break;
            }
            position = next;
        }
        let chosen =
            || choose(&position, Level::Search, &mut StdRng::seed_from_u64(seed)).unwrap();
        let mv = chosen();
        prop_assert!(position.validate(&mv).is_ok(), "{}", mv);
        prop_assert_eq!(&chosen(), &mv);
        let mut after = position.clone();
        after.apply(&mv);
        prop_assert_eq!(ends(&after, position.to_move()), can_win(&position), "{}", mv);
    }
}

#[test]
fn a_win_at_hand_is_prevented() {
    let diam = [("1", "AX"), ("5", "B"), ("4", "X"), ("3", "Y")];
    let diam = Diam::from_setup(&options(Kind::Diam, ""), &diam, Seat::FIRST).unwrap();
    // H lacks k7 alone, and V is far behind.
    let pieces = ["a7", "c7", "e7", "g7", "i7", "m7", "o7"].map(|cell| (cell, 'H'));
    let terms = options(Kind::Stymie, "");
    let stymie = Stymie::from_setup(&terms, &pieces, Seat::FIRST, LastMove::Other).unwrap();
    // The last stack of O sees as many pieces as it has, and can capture neither.
    let stacks = [("a1", "OO"), ("c1", "X"), ("e3", "X")];
    let terms = options(Kind::Adamas, "");
    let adamas = Adamas::from_setup(&terms, 2, &stacks, Seat::FIRST, false).unwrap();
    for position in [Position::Diam(diam), Position::Stymie(stymie), Position::Adamas(adamas)] {
        let mut passed = position.clone();
        passed.skip();
        assert!(can_win(&passed) && !can_win(&position), "{:?}", position.kind());
        for seed in 0..5 {
            let after = after_choice(&position, Level::Search, seed);
            assert!(!can_win(&after), "{:?}, seed {seed}", position.kind());
        }
    }
}

#[test]
fn a_seat_that_is_ahead_avoids_earlier_positions() {
    // O has many ways to be ahead by far, and has tried the one that it likes best.
    let stacks = [("a1", "OOOO"), ("b1", "OO"), ("c1", "OO"), ("e3", "X")];
    let terms = options(Kind::Adamas, "");
    let position =
        Position::Adamas(Adamas::from_setup(&terms, 2, &stacks, Seat::FIRST, false).unwrap());
    let liked = after_choice(&position, Level::Search, 1);
    assert!(!can_win(&position) && liked.pending().is_none());
    let seen = [position.hash(), liked.hash()];
    let mut rng = StdRng::seed_from_u64(1);
    let other = choose_after(&seen, &position, Level::Search, &mut rng).unwrap();
    let mut after = position.clone();
    after.apply(&other);
    assert_ne!(after.hash(), liked.hash());
}

/// The seat that moves first may be ahead, but not by much.
#[test]
fn no_opening_position_counts_as_decided() {
    for &kind in Kind::ALL {
        for level in [Level::Random, Level::Greedy, Level::Search] {
            let found = opinion(&[], &start(kind, "", 2), level).unwrap();
            assert!(found.score.abs() < 500, "{kind:?} {level:?}: {found:?}");
        }
    }
}

#[test]
#[ignore = "long"]
fn whole_games_of_three_are_played() {
    for (kind, text) in [(Kind::Adamas, "-size=2"), (Kind::Hexma, "")] {
        let levels = [Level::Search, Level::Greedy, Level::Greedy];
        let course = game(kind, text, &levels, 3, 400);
        assert!(course.is_none_or(|course| !course.winners.is_empty()), "{kind:?}");
    }
}

/// A few games of this level against the greedy one, on small boards where it is slow. The example
/// `match` plays any number.
#[test]
#[ignore = "long"]
fn looking_ahead_beats_greed() {
    for (kind, text, games) in [
        (Kind::Adamas, "-pieces=5", 4),
        (Kind::Hexma, "", 4),
        (Kind::Stymie, "-size=5", 12),
        (Kind::Diam, "", 12),
    ] {
        let (won, lost) = score(kind, text, [Level::Search, Level::Greedy], games, 300);
        println!("{kind:?} {text}: won {won}, lost {lost} of {games}");
        assert!(won >= 3 * lost.max(1) && won > lost, "{kind:?} {text}: won {won}, lost {lost}");
    }
}
