//! The native position against `rules`, and what the search promises.

use std::collections::BTreeSet;

use adamant_rules::{Kind, Options, Position};
use rand::{RngExt as _, SeedableRng as _, rngs::StdRng};

use super::position::Diam;
use crate::search::{
    Limits, Report, Search, Settings, Stop,
    native::{End, Native as _},
};

fn variants() -> Vec<Options> {
    let boards = ["8x3", "8x4", "8x6", "10x3", "10x5", "12x4", "12x6"];
    let sets = ["2x3", "2x4", "3x3", "3x6", "4x3", "4x6"];
    let mut variants = Vec::new();
    for board in boards {
        for set in sets {
            for flag in ["", " -nomirror"] {
                let text = format!("-board={board} -pieces={set}{flag}");
                variants.push(Options::parse(&text, Kind::Diam.option_specs()).unwrap());
            }
        }
    }
    variants
}

/// Checks a position and its moves, and returns what wins at once.
fn check(position: &Position, native: &Diam) -> Vec<usize> {
    assert_eq!(Diam::from_rules(position), Some(*native));
    assert_eq!(native.hash(), position.hash());
    let legal = position.legal_moves(usize::MAX);
    let mut moves = Vec::new();
    native.moves(&mut moves);
    let texts: Vec<_> = moves.iter().map(|&mv| native.text(mv)).collect();
    assert_eq!(texts, legal.iter().map(ToString::to_string).collect::<Vec<_>>());
    let me = native.to_move();
    let wins = |&index: &usize| {
        let mut after = *native;
        after.play(moves[index]);
        after.end() == Some(End::Won(me))
    };
    let wins: Vec<_> = (0..moves.len()).filter(wins).collect();
    let winning: BTreeSet<_> = wins.iter().map(|&index| texts[index].clone()).collect();
    match native.winning_move(me) {
        Some(mv) => assert!(winning.contains(&native.text(mv)), "{winning:?} {native:?}"),
        None => assert!(winning.is_empty(), "{winning:?} {native:?}"),
    }
    wins
}

#[test]
fn native_positions_are_those_of_the_rules_along_random_games() {
    let mut rng = StdRng::seed_from_u64(1);
    let mut ends = BTreeSet::new();
    for options in variants() {
        let mut position = Kind::Diam.open(&options, 2).unwrap();
        let mut native = Diam::from_rules(&position).unwrap();
        for _ in 0..120 {
            let wins = check(&position, &native);
            let moves = position.legal_moves(usize::MAX);
            // Most wins are passed by, so that boards fill.
            let index = (0..8)
                .map(|_| rng.random_range(0..moves.len()))
                .find(|index| !wins.contains(index))
                .unwrap_or(0);
            let mut list = Vec::new();
            native.moves(&mut list);
            native.play(list[index]);
            position.play(&moves[index]).unwrap();
            let end = position.settle().map(|(winners, _)| match winners.single() {
                Some(winner) => End::Won(winner.index()),
                None => End::Drawn,
            });
            assert_eq!(native.end(), end);
            if let Some(end) = end {
                ends.insert(format!("{end:?}"));
                break;
            }
        }
    }
    assert!(ends.len() >= 2, "{ends:?}");
}

fn think(position: &Position, seen: &[u64], limits: Limits) -> Report {
    Search::new(position, seen, limits).run(&Stop::default(), &mut |_| {})
}

fn played(moves: &[&str]) -> Position {
    let mut position = Kind::Diam.open(&Options::new(), 2).unwrap();
    for text in moves {
        let mv = position.parse_move(text).unwrap();
        position.play(&mv).unwrap();
    }
    position
}

#[test]
fn a_win_in_one_is_found_without_a_node() {
    let position = played(&["A1", "X2", "A1", "X5", "B3", "Y7"]);
    let report = think(&position, &[], Limits { nodes: Some(1), ..Limits::default() });
    assert_eq!(report.best.unwrap().to_string(), "A5");
    assert_eq!((report.value, report.exact), (1000, true));
    assert_eq!(report.lines[0].distance, Some(1));
}

#[test]
fn a_proven_win_is_won_against_every_reply() {
    let mut rng = StdRng::seed_from_u64(7);
    let mut proven = 0;
    while proven < 5 {
        let mut position = Kind::Diam.open(&Options::new(), 2).unwrap();
        for _ in 0..rng.random_range(4..14) {
            if position.clone().settle().is_none() {
                let mut pick = |below| rng.random_range(0..below);
                let mv = position.sample_moves(1, &mut pick).pop().unwrap();
                position.play(&mv).unwrap();
            }
        }
        if position.settle().is_some() {
            continue;
        }
        let report = think(&position, &[], Limits { depth: Some(4), ..Limits::default() });
        let distance = report.lines[0].distance;
        if report.exact && report.value > 0 && distance.is_some_and(|distance| distance > 1) {
            assert_wins(&position, distance.unwrap(), 4);
            proven += 1;
        }
    }
}

/// Plays the best move, and then every reply.
fn assert_wins(position: &Position, distance: u32, depth: u32) {
    let me = position.to_move();
    let limits = Limits { depth: Some(depth), ..Limits::default() };
    let report = think(position, &[], limits);
    assert!(report.exact && report.value == 1000, "{position:?} {report:?}");
    let mut after = position.clone();
    after.play(&report.best.unwrap()).unwrap();
    if let Some((winners, _)) = after.settle() {
        assert_eq!(winners.single(), Some(me));
        return;
    }
    assert!(distance > 1, "{position:?}");
    for reply in after.legal_moves(usize::MAX) {
        let mut next = after.clone();
        next.play(&reply).unwrap();
        match next.settle() {
            Some((winners, _)) => assert_eq!(winners.single(), Some(me)),
            None => assert_wins(&next, distance - 2, depth),
        }
    }
}

#[test]
fn the_same_nodes_give_the_same_report() {
    let position = played(&["A1", "X2", "B1", "Y6"]);
    let limits = Limits { nodes: Some(5_000), ..Limits::default() };
    let found = || {
        let report = think(&position, &[], limits);
        (report.best, report.lines, report.nodes)
    };
    assert_eq!(found(), found());
    assert_eq!(found().2, 5_000);
}

#[test]
fn several_lines_have_different_moves_in_order() {
    let position = played(&["A1", "X2", "B1", "Y6"]);
    let limits = Limits { nodes: Some(20_000), ..Limits::default() };
    let settings = Settings { lines: 4, ..Settings::default() };
    let search = Search::new(&position, &[], limits).with(settings);
    let report = search.run(&Stop::default(), &mut |_| {});
    let firsts: BTreeSet<_> = report.lines.iter().map(|line| &line.moves[0]).collect();
    assert_eq!(firsts.len(), 4);
    assert!(report.lines.is_sorted_by(|one, other| one.value >= other.value));
}

#[test]
fn a_stopped_search_has_a_legal_move() {
    let position = played(&["A1", "X2"]);
    let stop = Stop::default();
    stop.now();
    let report = Search::new(&position, &[], Limits::default()).run(&stop, &mut |_| {});
    assert!(position.validate(&report.best.unwrap()).is_ok());
}
