//! The native position against `rules`, and what the search promises.

use std::collections::BTreeSet;

use adamant_rules::{Kind, Options, Position, Seat, games::adamas};
use rand::{RngExt as _, SeedableRng as _, rngs::StdRng};

use super::{
    moves::{Chance, Move, PARTS_MAX},
    position::Adamas,
    value::judge,
};
use crate::search::{
    Limits, Report, Search, Stop,
    native::{End, Native as _},
};

/// Moves that are listed to compare all of them.
const LISTED_MAX: usize = 3_000;

fn open(text: &str) -> Position {
    let options = Options::parse(text, Kind::Adamas.option_specs()).unwrap();
    Kind::Adamas.open(&options, 2).unwrap()
}

fn setup(options: &str, stacks: &[(&str, &str)], seat: Seat) -> Position {
    let options = Options::parse(options, Kind::Adamas.option_specs()).unwrap();
    Position::Adamas(adamas::Adamas::from_setup(&options, 2, stacks, seat, false).unwrap())
}

fn end_of(position: &mut Position) -> Option<End> {
    position.settle().map(|(winners, _)| match winners.single() {
        Some(winner) => End::Won(winner.index()),
        None => End::Drawn,
    })
}

/// The number of parts of a written move.
fn parts(text: &str) -> usize {
    let commas = |side: &str| side.matches(',').count() + 1;
    text.split('-').map(commas).max().unwrap_or(1)
}

/// Makes a native move in both positions, which must stay equal.
fn play(position: &Position, native: &Adamas, mv: Move) -> (Position, Adamas) {
    let text = native.text(mv);
    let mut after = position.clone();
    let parsed = after.parse_move(&text).unwrap();
    if let Err(refusal) = after.play(&parsed) {
        panic!("{text} in {position:?}: {refusal}");
    }
    assert_eq!(parsed.to_string(), text);
    let mut next = *native;
    next.play(mv);
    let end = end_of(&mut after);
    assert_eq!(next.end(), end, "{text} in {position:?}");
    if end.is_none() {
        assert_eq!(next.hash(), after.hash(), "{text} in {position:?}");
        assert_eq!(Adamas::from_rules(&after), Some(next));
    }
    (after, next)
}

/// Checks all moves where they are few, and a sample of them.
fn check(position: &Position, native: &Adamas, chance: u64) -> Vec<Move> {
    let legal = position.legal_moves(LISTED_MAX);
    let mut sample = Vec::new();
    let is_complete = native.sample(200, &mut Chance(chance), &mut sample);
    if legal.len() < LISTED_MAX {
        let texts = legal.iter().map(ToString::to_string);
        let (few, many): (Vec<_>, Vec<_>) = texts.partition(|text| parts(text) <= PARTS_MAX);
        let mut moves = Vec::new();
        native.moves(&mut moves);
        let listed: Vec<_> = moves.iter().map(|&mv| native.text(mv)).collect();
        let listed_once: BTreeSet<_> = listed.iter().cloned().collect();
        assert_eq!(listed_once.len(), listed.len());
        assert_eq!(listed_once, few.into_iter().collect(), "{position:?}");
        if is_complete {
            assert!(many.is_empty());
            let sampled: BTreeSet<_> = sample.iter().map(|&mv| native.text(mv)).collect();
            assert_eq!(sampled, listed_once);
        }
        // The value is asked only of positions behind a move.
        if native.may_capture_now() {
            check_wins(native, &moves);
        }
    }
    assert!(!sample.is_empty());
    sample
}

/// Without progressive captures the value knows every move that captures everything.
fn check_wins(native: &Adamas, moves: &[Move]) {
    let opponent = 1 - native.to_move();
    let captures_all = moves.iter().any(|&mv| {
        let mut after = *native;
        after.play(mv);
        after.pieces(opponent) == 0
    });
    let known = judge(native).wins;
    assert!(captures_all || !known, "{native:?}");
    if !native.prog_cap() {
        assert_eq!(captures_all, known, "{native:?}");
    }
}

#[test]
fn native_positions_are_those_of_the_rules_along_random_games() {
    let mut rng = StdRng::seed_from_u64(1);
    let mut ends = BTreeSet::new();
    for side in 2..=5 {
        for pieces in [2, 3, 4, 8, 16, 99] {
            for flag in ["", " -prog_cap"] {
                let text = format!("-size={side} -pieces={pieces}{flag}");
                let mut position = open(&text);
                let mut native = Adamas::from_rules(&position).unwrap();
                assert_eq!(native.prog_cap(), !flag.is_empty());
                for _ in 0..40 {
                    let sample = check(&position, &native, rng.random());
                    for _ in 0..5 {
                        play(&position, &native, sample[rng.random_range(0..sample.len())]);
                    }
                    let chosen = sample[rng.random_range(0..sample.len())];
                    (position, native) = play(&position, &native, chosen);
                    if let Some(end) = native.end() {
                        ends.insert(format!("{end:?}"));
                        break;
                    }
                }
            }
        }
    }
    assert_eq!(ends.len(), 3, "{ends:?}");
}

#[test]
fn boards_and_tables_that_are_too_large_are_not_native() {
    assert_eq!(Adamas::from_rules(&open("-size=6")), None);
    let three = Kind::Adamas.open(&Options::new(), 3).unwrap();
    assert_eq!(Adamas::from_rules(&three), None);
}

fn think(position: &Position, seen: &[u64], limits: Limits) -> Report {
    Search::new(position, seen, limits).run(&Stop::default(), &mut |_| {})
}

const FIRST: Seat = Seat::FIRST;

#[test]
fn a_win_in_one_is_found_with_a_single_node() {
    let position = setup("", &[("c1", "OO"), ("c5", "XX"), ("a1", "O")], FIRST);
    let report = think(&position, &[], Limits { nodes: Some(1), ..Limits::default() });
    assert_eq!((report.value, report.exact), (1000, true));
    let mut after = position;
    after.play(&report.best.unwrap()).unwrap();
    assert_eq!(after.settle().and_then(|(winners, _)| winners.single()), Some(FIRST));
}

#[test]
fn a_move_to_a_third_occurrence_is_a_draw_and_to_a_second_worth_one() {
    // One piece against three: only a repetition saves the first seat.
    let position = setup("", &[("c1", "O"), ("e3", "XXX"), ("a3", "XX")], FIRST);
    let mut after = position.clone();
    let mv = position.parse_move("c1-c2").unwrap();
    after.play(&mv).unwrap();
    assert_eq!(after.settle(), None);
    let limits = Limits { nodes: Some(3_000), ..Limits::default() };
    for occurrences in 1..=2 {
        let seen = vec![after.hash(); occurrences];
        let report = think(&position, &seen, limits);
        assert_eq!(report.best.map(|mv| mv.to_string()), Some("c1-c2".to_owned()));
        assert_eq!(report.value, 0);
    }
}

#[test]
fn a_proven_win_is_won_against_every_reply() {
    let mut rng = StdRng::seed_from_u64(3);
    let mut proven = 0;
    while proven < 5 {
        let mut position = open("-size=2 -pieces=3");
        for _ in 0..rng.random_range(2..8) {
            if position.clone().settle().is_none() {
                let mut pick = |below| rng.random_range(0..below);
                let mv = position.sample_moves(1, &mut pick).pop().unwrap();
                position.play(&mv).unwrap();
            }
        }
        if position.settle().is_some() {
            continue;
        }
        let report = think(&position, &[], Limits { nodes: Some(3_000), ..Limits::default() });
        let distance = report.lines.first().and_then(|line| line.distance);
        if report.exact && report.value > 0 && distance.is_some_and(|far| far > 1 && far < 8) {
            assert_wins(&position, &report, 12);
            proven += 1;
        }
    }
}

/// Plays the best move, and then every reply.
fn assert_wins(position: &Position, report: &Report, plies: u32) {
    let me = position.to_move();
    assert!(report.exact && report.value == 1000 && plies > 0, "{position:?} {report:?}");
    let mut after = position.clone();
    after.play(report.best.as_ref().unwrap()).unwrap();
    if let Some((winners, _)) = after.settle() {
        assert_eq!(winners.single(), Some(me));
        return;
    }
    for reply in after.legal_moves(usize::MAX) {
        let mut next = after.clone();
        next.play(&reply).unwrap();
        if let Some((winners, _)) = next.settle() {
            assert_eq!(winners.single(), Some(me));
        } else {
            let limits = Limits { nodes: Some(20_000), ..Limits::default() };
            assert_wins(&next, &think(&next, &[], limits), plies - 1);
        }
    }
}

#[test]
fn the_same_nodes_give_the_same_report() {
    for text in ["", "-prog_cap", "-size=4"] {
        let position = open(text);
        let limits = Limits { nodes: Some(8_000), ..Limits::default() };
        let found = || {
            let report = think(&position, &[], limits);
            (report.best, report.lines, report.nodes)
        };
        assert_eq!(found(), found());
        assert_eq!(found().2, 8_000);
    }
}

#[test]
fn a_stopped_search_has_a_legal_move() {
    let position = open("-size=5 -pieces=99");
    let stop = Stop::default();
    stop.now();
    let report = Search::new(&position, &[], Limits::default()).run(&stop, &mut |_| {});
    assert!(position.validate(&report.best.unwrap()).is_ok());
}
