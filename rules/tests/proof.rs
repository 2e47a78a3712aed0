//! Proofs of wins: against every reply, and never cut short by a game's own measure of progress.

use adamant_rules::{
    Kind, Move, Options, Position,
    proof::{Prover, gain, listed},
};

/// Draws numbers by a seed.
fn draws(mut seed: u64) -> impl FnMut(usize) -> usize {
    move |below| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(seed >> 33).unwrap() % below
    }
}

fn wins_at_once(position: &Position, mv: &Move) -> bool {
    let mut end = position.clone();
    end.apply(mv);
    end.settle().is_some_and(|(winners, _)| winners.single() == Some(position.to_move()))
}

#[test]
fn no_win_in_one_needs_more_moves() {
    let mut wins = 0;
    for &kind in Kind::ALL {
        let mut pick = draws(7);
        let mut position = kind.open(&Options::new(), 2).unwrap();
        for _ in 0..60 {
            let list = listed(&position).unwrap_or_default();
            if list.iter().any(|mv| wins_at_once(&position, mv)) {
                wins += 1;
                assert!(position.moves_needed(position.to_move()) <= 1, "{kind:?}");
            }
            let some = position.sample_moves(12, &mut pick);
            let Some(mv) = some.into_iter().max_by_key(|mv| gain(&position, mv)) else { break };
            position.apply(&mv);
            if position.settle().is_some() {
                break;
            }
        }
    }
    assert!(wins > 0);
}

#[test]
fn a_forced_win_holds_against_every_reply() {
    let options = Options::parse("-board=8x4", Kind::Diam.option_specs()).unwrap();
    let mut found = 0;
    for seed in 0..40 {
        let mut pick = draws(seed);
        let mut position = Kind::Diam.open(&options, 2).unwrap();
        for _ in 0..12 {
            let mut prover = Prover::new(1_000_000);
            let Ok(one) = prover.winning_move(&position, 1) else { break };
            let Ok(two) = prover.winning_move(&position, 2) else { break };
            if let (None, Some(mv)) = (one, two) {
                found += 1;
                let mut next = position.clone();
                next.apply(&mv);
                assert!(next.settle().is_none());
                for reply in next.legal_moves(usize::MAX) {
                    let mut last = next.clone();
                    last.apply(&reply);
                    let winner = last.settle().map(|(winners, _)| winners.single());
                    let moves = last.legal_moves(usize::MAX);
                    let is_won = winner == Some(Some(position.to_move()));
                    assert!(is_won || moves.iter().any(|mv| wins_at_once(&last, mv)));
                }
            }
            let mv = position.sample_moves(1, &mut pick).remove(0);
            position.apply(&mv);
            if position.settle().is_some() {
                break;
            }
        }
    }
    assert!(found > 3, "{found}");
}
