//! Puzzles: exactly one move reaches the goal, and every wrong move has its refutation.

use adamant_rules::{Consequence, Kind, Move, Options, Position, Seat};

use super::{Goal, Puzzle, SearchError, find};

/// The number of moves that a search of the tests may make.
const EFFORT: u64 = 1_000_000;

fn after(kind: Kind, options: &str, moves: &str) -> Position {
    let options = Options::parse(options, kind.option_specs()).unwrap();
    let mut position = kind.start(&kind.complete(&options, 2).unwrap(), 2);
    for notation in moves.split_whitespace() {
        let mv = position.parse_move(notation).unwrap();
        position.validate(&mv).unwrap();
        position.apply(&mv);
        assert_eq!(position.pending(), None, "{notation} ends the game");
    }
    position
}

/// The winner of a position that has just been reached, if the game is over.
fn winner(position: &Position) -> Option<Seat> {
    match position.pending()? {
        Consequence::End { winners, .. } => winners.single(),
        Consequence::Remove(..) | Consequence::Skip(_) => panic!("not in these positions"),
    }
}

fn made(position: &Position, mv: &Move) -> Position {
    let mut after = position.clone();
    after.apply(mv);
    after
}

/// The moves by which the seat to move wins at once: a second, naive search.
fn wins_now(position: &Position) -> Vec<Move> {
    let me = position.to_move();
    let moves = position.legal_moves(usize::MAX);
    moves.into_iter().filter(|mv| winner(&made(position, mv)) == Some(me)).collect()
}

/// The moves after which the seat to move wins with its next move, whatever the reply.
fn wins_next(position: &Position) -> Vec<Move> {
    let moves = position.legal_moves(usize::MAX);
    let forced = moves.into_iter().filter(|mv| {
        let after = made(position, mv);
        let replies = after.legal_moves(usize::MAX);
        winner(&after).is_none()
            && replies.iter().all(|reply| {
                let next = made(&after, reply);
                winner(&next).is_none() && !wins_now(&next).is_empty()
            })
    });
    forced.collect()
}

fn texts(moves: &[Move]) -> Vec<String> {
    moves.iter().map(ToString::to_string).collect()
}

/// The number of wrong moves that a puzzle refutes.
fn refuted(puzzle: &Puzzle) -> usize {
    puzzle.refutations.iter().map(|refutation| refutation.moves.len()).sum()
}

#[test]
fn a_win_in_one_is_found() {
    let position = after(Kind::Diam, "", "A1 X2 B1 X5");
    let puzzle = find(&position, EFFORT).unwrap().unwrap();
    assert_eq!((puzzle.goal, puzzle.plies), (Goal::Win, 1));
    assert_eq!(puzzle.line, wins_now(&position));
    assert_eq!(texts(&puzzle.line), ["B5"]);
    assert_eq!(puzzle.choices, position.legal_moves(usize::MAX).len());
}

#[test]
fn a_win_against_every_defence_is_found() {
    let position = after(Kind::Stymie, "-size=4", "g7 f6,g5 c5,d4 d6,e5 b6,c7 d2,e3");
    let puzzle = find(&position, EFFORT).unwrap().unwrap();
    assert_eq!((puzzle.goal, puzzle.plies), (Goal::Win, 3));
    assert_eq!(wins_now(&position), []);
    assert_eq!(puzzle.line[..1], wins_next(&position));
    let [solution, defence, end] = &puzzle.line[..] else { panic!("three moves") };
    let defended = made(&made(&position, solution), defence);
    assert!(wins_now(&defended).contains(end));
    for refutation in &puzzle.refutations {
        for wrong in &refutation.moves {
            let stopped = made(&made(&position, wrong), &refutation.reply);
            assert_eq!(wins_now(&stopped), [], "{wrong} {}", refutation.reply);
        }
    }
    assert_eq!(refuted(&puzzle) + 1, puzzle.choices);
}

#[test]
fn the_only_defence_is_found_and_every_other_move_is_refuted() {
    let position = after(Kind::Stymie, "-size=4", "g5 f4,g3 c3,d4 d6,e5 b6,c5 a7");
    let puzzle = find(&position, EFFORT).unwrap().unwrap();
    assert_eq!((puzzle.goal, puzzle.plies), (Goal::Save, 1));
    assert_eq!(wins_now(&made(&position, &puzzle.line[0])), []);
    for refutation in &puzzle.refutations {
        for wrong in &refutation.moves {
            let after = made(&position, wrong);
            assert!(wins_now(&after).contains(&refutation.reply), "{wrong} {}", refutation.reply);
        }
    }
    assert_eq!(refuted(&puzzle) + 1, puzzle.choices);
}

#[test]
fn an_opening_is_no_puzzle() {
    assert_eq!(find(&after(Kind::Diam, "", ""), EFFORT), Ok(None));
}

#[test]
fn a_search_says_why_it_cannot_be_exhaustive() {
    assert_eq!(find(&after(Kind::Hexma, "", ""), 100), Err(SearchError::Budget));
    assert_eq!(find(&after(Kind::Adamas, "-size=5", ""), EFFORT), Err(SearchError::Moves));
    assert_eq!(find(&after(Kind::Adamas, "-prog_cap", ""), EFFORT), Err(SearchError::NotCounted));
}

#[test]
fn three_players_have_no_puzzles() {
    let options = Kind::Hexma.complete(&Options::new(), 3).unwrap();
    assert_eq!(find(&Kind::Hexma.start(&options, 3), EFFORT), Ok(None));
}
