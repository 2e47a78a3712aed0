//! The puzzles of the page: some of each game are proven, and wrong ones are found out.

use adamant_engine::puzzles::{
    Fault, Puzzle,
    mine::{Bounds, Miner},
};
use adamant_rules::{Kind, Options};

const FILES: [&str; 4] = [
    include_str!("../../../web/src/learn/puzzles/adamas.jsonl"),
    include_str!("../../../web/src/learn/puzzles/hexma.jsonl"),
    include_str!("../../../web/src/learn/puzzles/stymie.jsonl"),
    include_str!("../../../web/src/learn/puzzles/diam.jsonl"),
];

/// Every so many puzzles one is proven here; `adamant puzzles check --all` proves them all.
const SAMPLE: usize = 25;

/// The moves of a proof that is short enough for this test.
const EFFORT: u64 = 300_000;

/// The moves of any proof.
const EFFORT_MAX: u64 = 200_000_000;

fn puzzles() -> impl Iterator<Item = Puzzle> {
    FILES.into_iter().flat_map(str::lines).map(|line| serde_json::from_str(line).unwrap())
}

#[test]
fn puzzles_of_the_page_are_proven() {
    let mut proven = 0;
    for puzzle in puzzles().step_by(SAMPLE) {
        match puzzle.prove(EFFORT) {
            Ok(()) => proven += 1,
            Err(Fault::TooLong(_)) => {}
            Err(fault) => panic!("{}: {fault}", puzzle.id),
        }
    }
    assert!(proven > 30, "{proven}");
}

#[test]
fn no_puzzle_is_there_twice() {
    let mut ids: Vec<_> = puzzles().map(|puzzle| puzzle.id).collect();
    let count = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), count);
}

/// Returns the fault of the first puzzle that a change can be made to.
fn fault(change: impl Fn(&mut Puzzle) -> bool) -> Fault {
    let mut changed = puzzles().filter_map(|mut puzzle| change(&mut puzzle).then_some(puzzle));
    changed.next().unwrap().prove(EFFORT_MAX).unwrap_err()
}

#[test]
fn a_solution_that_is_not_told_is_found() {
    let fault = fault(|puzzle| !std::mem::take(&mut puzzle.also).is_empty());
    assert!(matches!(fault, Fault::Solutions(_)), "{fault}");
}

#[test]
fn a_win_that_is_faster_is_found() {
    let fault = fault(|puzzle| {
        let has_one_move = puzzle.plies == 1;
        puzzle.plies = 3;
        has_one_move
    });
    assert!(matches!(fault, Fault::Solutions(_) | Fault::Field(..)), "{fault}");
}

#[test]
fn a_reply_that_is_not_the_longest_defence_is_found() {
    // A reply of the line that ends it one move earlier.
    let mut found = 0;
    for puzzle in puzzles().filter(|puzzle| puzzle.plies == 5).step_by(SAMPLE) {
        let position = puzzle.position().unwrap();
        let line: Vec<&str> = puzzle.solution.split(' ').collect();
        let mut after = position.clone();
        after.apply(&position.parse_move(line[0]).unwrap());
        for reply in after.legal_moves(200) {
            let reply = reply.to_string();
            let mut other = puzzle.clone();
            other.solution = [line[0], &reply, line[2], line[3], line[4]].join(" ");
            if let Err(Fault::Defence(named)) = other.prove(EFFORT_MAX) {
                assert_eq!(named, reply);
                found += 1;
                break;
            }
        }
        if found > 1 {
            return;
        }
    }
    panic!("only {found} were found");
}

#[test]
fn a_reply_that_refutes_nothing_is_found() {
    let fault = fault(|puzzle| {
        let listed = puzzle.refutations.get(1).map(|refutation| refutation.reply.clone());
        let other = puzzle.refutations.first().map(|refutation| refutation.reply.clone());
        for refutation in &mut puzzle.refutations {
            refutation.moves.clear();
        }
        listed.is_some() && listed != other
    });
    assert!(matches!(fault, Fault::NotRefuted { .. } | Fault::Move(..)), "{fault}");
}

#[test]
fn mined_puzzles_are_proven_and_repeat_by_their_seed() {
    let bounds = Bounds { plies: 40, last: 6, effort: 100_000 };
    let options = Options::parse("-board=8x4", Kind::Diam.option_specs()).unwrap();
    let miner = Miner::new(Kind::Diam, options, bounds).unwrap();
    let found: Vec<Puzzle> = (0..20).filter_map(|seed| miner.mine(seed)).collect();
    assert!(found.len() > 3, "{}", found.len());
    for puzzle in &found {
        puzzle.prove(EFFORT_MAX).unwrap_or_else(|fault| panic!("{puzzle:?}: {fault}"));
    }
    let again: Vec<Puzzle> = (0..20).filter_map(|seed| miner.mine(seed)).collect();
    assert_eq!(found, again);
}
