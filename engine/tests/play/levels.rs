//! The eight levels of the computer.

use adamant_engine::{
    choice::{Level, choose},
    search::LevelNumber,
};
use adamant_rules::{Kind, Position, Seat};
use rand::{RngExt as _, SeedableRng as _, rngs::StdRng};

use crate::start;

fn chosen(position: &Position, number: LevelNumber, seed: u64) -> String {
    let mut rng = StdRng::seed_from_u64(seed);
    choose(position, Level::Numbered(number), &mut rng).unwrap().to_string()
}

/// Positions along random games.
fn along_games(kind: Kind, options: &str, games: u64, mut check: impl FnMut(&Position, u64)) {
    for seed in 0..games {
        let mut rng = StdRng::seed_from_u64(seed);
        let mut position = start(kind, options, 2);
        for _ in 0..40 {
            check(&position, seed);
            let mv = position.sample_moves(1, &mut |below| rng.random_range(0..below)).remove(0);
            position.apply(&mv);
            if position.settle().is_some() {
                break;
            }
        }
    }
}

/// The moves that win at once.
fn wins(position: &Position) -> Vec<String> {
    let moves = position.legal_moves(usize::MAX).into_iter().filter(|mv| {
        let mut after = position.clone();
        after.apply(mv);
        after.settle().is_some_and(|(winners, _)| winners.single() == Some(position.to_move()))
    });
    moves.map(|mv| mv.to_string()).collect()
}

/// Whether a move loses at once, or the next seat can win at once after it.
fn lets_win(position: &Position, notation: &str) -> bool {
    let mut after = position.clone();
    after.apply(&position.parse_move(notation).unwrap());
    if let Some((winners, _)) = after.settle() {
        return !winners.contains(position.to_move());
    }
    // A seat that cannot move is passed over.
    after.to_move() != position.to_move() && !wins(&after).is_empty()
}

#[test]
fn every_level_plays_legal_moves_and_the_same_by_its_seed() {
    for &kind in Kind::ALL {
        for players in kind.players() {
            let position = start(kind, "", players);
            // Full strength is measured elsewhere, and takes long.
            for number in LevelNumber::ALL.into_iter().take(6) {
                let notation = chosen(&position, number, 7);
                let mv = position.parse_move(&notation).unwrap();
                assert!(position.validate(&mv).is_ok(), "{number}: {notation}");
                assert_eq!(chosen(&position, number, 7), notation, "{kind:?} {number}");
            }
        }
    }
}

#[test]
fn from_level_3_on_a_win_in_one_is_taken_and_stopped() {
    let (mut taken, mut stopped) = (0, 0);
    for (kind, options) in [(Kind::Diam, "-board=8x4"), (Kind::Stymie, "-size=4")] {
        along_games(kind, options, 12, |position, seed| {
            let wins = wins(position);
            let all = position.legal_moves(usize::MAX);
            let lets = all.iter().filter(|mv| lets_win(position, &mv.to_string())).count();
            if wins.is_empty() && (lets == 0 || lets == all.len()) {
                return;
            }
            for number in LevelNumber::ALL.into_iter().skip(2).take(4) {
                let notation = chosen(position, number, seed);
                if wins.is_empty() {
                    stopped += 1;
                    assert!(!lets_win(position, &notation), "{kind:?} {number}: {notation}");
                } else {
                    taken += 1;
                    assert!(wins.contains(&notation), "{kind:?} {number}: {notation}");
                }
            }
        });
    }
    assert!(taken > 20 && stopped > 20, "{taken} taken, {stopped} stopped");
}

#[test]
fn a_stronger_level_beats_a_weaker_one() {
    let [weak, strong] = [2, 6].map(|number| LevelNumber::new(number).unwrap());
    let mut won = 0;
    for seed in 0..10 {
        let mut position = start(Kind::Diam, "-board=8x4", 2);
        let strong_seat = usize::from(seed % 2 == 0);
        let winner = (0..200).find_map(|_| {
            let is_strong = position.to_move().index() == strong_seat;
            let number = if is_strong { strong } else { weak };
            let notation = chosen(&position, number, seed);
            position.apply(&position.parse_move(&notation).unwrap());
            position.settle().map(|(winners, _)| winners.single().map(Seat::index))
        });
        won += usize::from(winner.flatten() == Some(strong_seat));
    }
    assert!(won >= 8, "{won} of 10");
}
