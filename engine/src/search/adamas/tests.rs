//! The native position against `rules`, and what the search promises.

use adamant_rules::{Kind, Options, Position, Seat, game::MoveCount, games::adamas::Adamas};
use rand::{RngExt as _, SeedableRng as _, rngs::StdRng};

use super::{
    board::{Board, Move, PARTS_MAX, Part},
    moves::{Chance, Choice},
};
use crate::search::{Limits, Report, Search, Settings, Stop, native::End};

fn open(text: &str) -> Position {
    let options = Options::parse(text, Kind::Adamas.option_specs()).unwrap();
    Kind::Adamas.open(&options, 2).unwrap()
}

/// A position in the middle of a game, with O to move, written `c1:OOO c3:X`.
pub(super) fn arranged(text: &str, stacks: &str) -> Position {
    arranged_for(2, text, stacks)
}

fn arranged_for(players: usize, text: &str, stacks: &str) -> Position {
    let options = Options::parse(text, Kind::Adamas.option_specs()).unwrap();
    let stacks: Vec<_> =
        stacks.split_whitespace().map(|stack| stack.split_once(':').unwrap()).collect();
    Position::Adamas(Adamas::from_setup(&options, players, &stacks, Seat::FIRST, false).unwrap())
}

/// Reads a move that the native position can hold.
fn read<const W: usize, const S: usize>(board: &Board<W, S>, text: &str) -> Option<Move> {
    let cell = |name: &str| (0..board.hexagon.len()).find(|&cell| board.hexagon.name(cell) == name);
    let part = |text: &str| {
        let (pieces, name) = text.split_once('x').unwrap_or(("1", text));
        Part { cell: cell(name).unwrap().try_into().unwrap(), pieces: pieces.parse().unwrap() }
    };
    let (from, to) = text.split_once('-').unwrap();
    let side = |text: &str| text.split(',').map(part).collect::<Vec<_>>();
    let (from, mut to) = (side(from), side(to));
    if from.len() > 1 {
        return Some(Move::merge(&from, to[0].cell.into()));
    }
    if to.len() == 1 {
        to[0].pieces = from[0].pieces;
    }
    let ordered = if board.progressive { to.len() } else { 0 };
    (to.len() <= PARTS_MAX).then(|| Move::split_in_order(from[0].cell.into(), &to, ordered))
}

fn end_of(position: &Position) -> Option<End> {
    position.clone().settle().map(|(winners, _)| match winners.single() {
        Some(winner) => End::Won(winner.index()),
        None => End::Drawn,
    })
}

/// Compares all that a native position says, and moves that it samples. `look` looks at what is left
/// to say where there is a list of moves.
fn compare<const W: usize, const S: usize>(
    board: &Board<W, S>,
    position: &Position,
    chance: &mut Chance,
    look: impl Fn(&Board<W, S>, &[Move]),
) {
    let end = board.end().map(|end| match end {
        End::Won(seat) => End::Won(board.owner(seat).into()),
        End::Drawn => End::Drawn,
    });
    assert_eq!(end, end_of(position));
    if board.end().is_some() {
        return;
    }
    assert_eq!(board.hash(), position.hash());
    assert_eq!(usize::from(board.owner(board.seat())), position.to_move().index());
    // A seat of three that is out leaves a position of two.
    let same = Board::<W, S>::from_rules(position);
    assert_eq!(same.is_some(), position.seats_in().len() == S);
    if let Some(same) = same {
        assert_eq!(format!("{same:?}"), format!("{board:?}"));
    }
    let choice = Choice::new(board);
    if board.progressive {
        return compare_in_order(board, position, &choice, chance, look);
    }
    let MoveCount::Exactly(legal) = position.count_moves() else { panic!("they are counted") };
    for limit in [100, 1_000, 1_000_000] {
        let expected = (legal <= u128::from(limit)).then(|| u64::try_from(legal).unwrap());
        assert_eq!(choice.count(limit), expected);
    }
    let text = |mv: &Move| board.text(*mv);
    let mut moves = Vec::new();
    choice.sample(300, chance, &mut moves);
    for mv in moves.iter().map(text) {
        let read = position.parse_move(&mv).unwrap();
        assert!(position.validate(&read).is_ok(), "{mv} {position:?}");
        assert_eq!(read.to_string(), mv);
    }
    moves.sort_unstable();
    let sampled = moves.len();
    moves.dedup();
    assert_eq!(moves.len(), sampled, "moves occur twice");
    if legal <= 1_500 {
        moves.clear();
        let are_all = choice.all(&mut moves);
        let mut texts: Vec<_> = moves.iter().map(text).collect();
        texts.sort_unstable();
        let all = position.legal_moves(usize::MAX).into_iter().map(|mv| mv.to_string());
        let mut all: Vec<_> = all.filter(|mv| read(board, mv).is_some()).collect();
        assert_eq!(are_all, all.len() as u128 == legal);
        all.sort_unstable();
        assert_eq!(texts, all);
        look(board, &moves);
    }
}

/// Moves of which the order decides what is legal cannot be counted, and no list has them all.
fn compare_in_order<const W: usize, const S: usize>(
    board: &Board<W, S>,
    position: &Position,
    choice: &Choice<'_, W, S>,
    chance: &mut Chance,
    look: impl Fn(&Board<W, S>, &[Move]),
) {
    let mut moves = Vec::new();
    choice.sample(300, chance, &mut moves);
    if choice.count(1_500).is_some() {
        assert!(!choice.all(&mut moves));
    }
    for mv in moves.iter().map(|mv| board.text(*mv)) {
        let read = position.parse_move(&mv).unwrap();
        assert!(position.validate(&read).is_ok(), "{mv} {position:?}");
        assert_eq!(read.to_string(), mv);
    }
    look(board, &moves);
}

/// A move that captures all is seen where there is one, and by a glance, but for what falls only
/// after another stack.
fn wins_are_seen<const W: usize>(board: &Board<W>, moves: &[Move]) {
    let captures_all = |mv: &&Move| {
        let mut after = *board;
        after.play(**mv);
        after.pieces(1 - board.seat()) == 0
    };
    let found = Choice::new(board).capture_of_all();
    let are_all = !board.progressive;
    let is_listed = moves.iter().any(|mv| captures_all(&mv));
    assert!(found.is_some() == is_listed || found.is_some() && !are_all, "{board:?}");
    assert!(found.is_none_or(|mv| captures_all(&&mv)), "{found:?} {board:?}");
    // The value is that of positions after a move, which are no openings.
    let is_seen = super::value::value(board) == super::value::WIN;
    assert!(board.opening || is_seen == found.is_some() || !is_seen && !are_all, "{board:?}");
}

/// Plays random games of two, or from the moment on at which two players are left. Returns the ends.
fn games<const W: usize>(text: &str, players: usize, games: u64, plies: u32) -> Vec<End> {
    games_with::<W, 2>(text, players, (games, plies), wins_are_seen)
}

/// Plays random games with both, from the moment on at which so many players are left.
fn games_with<const W: usize, const S: usize>(
    text: &str,
    players: usize,
    (games, plies): (u64, u32),
    look: impl Fn(&Board<W, S>, &[Move]),
) -> Vec<End> {
    let mut ends = Vec::new();
    for seed in 0..games {
        let mut rng = StdRng::seed_from_u64(seed);
        let options = Options::parse(text, Kind::Adamas.option_specs()).unwrap();
        let mut position = Kind::Adamas.open(&options, players).unwrap();
        while position.seats_in().len() > S {
            assert!(Board::<W, S>::from_rules(&position).is_none());
            let mv = position.sample_moves(1, &mut |below| rng.random_range(0..below)).remove(0);
            position.apply(&mv);
            position.settle();
        }
        if position.clone().settle().is_some() {
            continue;
        }
        let mut board = Board::<W, S>::from_rules(&position).unwrap();
        for _ in 0..plies {
            compare(&board, &position, &mut Chance(rng.random()), &look);
            if let Some(end) = board.end() {
                ends.push(end);
                break;
            }
            let mut pick = |below: usize| rng.random_range(0..below);
            let moves = position.sample_moves(20, &mut pick);
            // Those that the native position cannot hold are of no use.
            let Some((mv, native)) = moves
                .into_iter()
                .find_map(|mv| Some((read(&board, &mv.to_string())?, mv)))
                .map(|(native, mv)| (mv, native))
            else {
                break;
            };
            assert_eq!(board.text(native), mv.to_string());
            board.play(native);
            position.apply(&mv);
            position.settle();
        }
    }
    ends
}

#[test]
fn positions_are_those_of_rules() {
    let mut ends = games::<1>("", 2, 40, 200);
    for size in 2..=5 {
        for pieces in [2, 3, 7, 12, 99] {
            ends.extend(games::<1>(&format!("-size={size} -pieces={pieces}"), 2, 3, 60));
        }
    }
    for size in 2..=8 {
        ends.extend(games::<3>(&format!("-size={size}"), 2, 2, 60));
        ends.extend(games::<3>(&format!("-size={size} -prog_cap"), 2, 6, 90));
    }
    ends.extend(games::<1>("-size=3 -pieces=3", 3, 8, 60));
    ends.extend(games::<1>("-size=3 -pieces=3 -prog_cap", 3, 8, 60));
    for end in [End::Won(0), End::Won(1), End::Drawn] {
        assert!(ends.contains(&end), "{ends:?}");
    }
}

#[test]
fn positions_of_three_are_those_of_rules() {
    let mut ends = games_with::<1, 3>("", 3, (20, 120), |_, _| {});
    ends.extend(games_with::<3, 3>("-size=8 -pieces=99", 3, (2, 40), |_, _| {}));
    for pieces in [2, 3, 4] {
        for flag in ["", "-prog_cap"] {
            let text = format!("-size=3 -pieces={pieces} {flag}");
            ends.extend(games_with::<1, 3>(&text, 3, (10, 150), |_, _| {}));
            ends.extend(games_with::<3, 3>(&text, 3, (4, 150), |_, _| {}));
        }
    }
    for end in [End::Won(0), End::Won(1), End::Won(2), End::Drawn] {
        assert!(ends.contains(&end), "{ends:?}");
    }
}

#[test]
fn too_large_boards_are_not_known() {
    assert!(Board::<1>::from_rules(&open("-size=6")).is_none());
    assert!(Board::<3>::from_rules(&open("-size=8 -pieces=99")).is_some());
}

pub(super) fn think(position: &Position, seen: &[u64], nodes: u64) -> Report {
    let limits = Limits { nodes: Some(nodes), ..Limits::default() };
    Search::new(position, seen, limits).run(&Stop::default(), &mut |_| {})
}

#[test]
fn a_win_in_one_is_found_without_a_node() {
    for stacks in ["c1:O a1:OO c5:X", "c3:OOO c5:XXX a1:XXX d1:O"] {
        let report = think(&arranged("", stacks), &[], 1);
        assert_eq!((report.value, report.exact, report.nodes), (1000, true, 0), "{stacks}");
        assert_eq!(report.lines[0].distance, Some(1));
    }
}

/// A position in the course of a game, in which a seat has one piece.
fn last_pieces(mut check: impl FnMut(&Position)) {
    for seed in 0..400 {
        let mut rng = StdRng::seed_from_u64(seed);
        let mut position = open("-pieces=4");
        for _ in 0..120 {
            let mv = position.sample_moves(1, &mut |below| rng.random_range(0..below)).remove(0);
            position.apply(&mv);
            if position.settle().is_some() {
                break;
            }
            let letters = [0, 1].map(|seat| position.letter(Seat::new(seat).unwrap()));
            let all: String = position.stacks().into_iter().map(|(_, stack)| stack).collect();
            if letters.iter().any(|&letter| all.matches(letter).count() == 1) {
                check(&position);
            }
        }
    }
}

fn wins(position: &Position, mv: &adamant_rules::Move) -> bool {
    let mut after = position.clone();
    after.apply(mv);
    after.settle().is_some_and(|(winners, _)| winners.single() == Some(position.to_move()))
}

#[test]
fn a_last_piece_that_cannot_escape_is_lost_whatever_it_does() {
    let (mut lost, mut others) = (0, 0);
    last_pieces(|position| {
        let board = Board::<1>::from_rules(position).unwrap();
        if board.pieces(board.seat()) > 1 || Choice::new(&board).capture_of_all().is_some() {
            return;
        }
        let is_captured = |mv: &adamant_rules::Move| {
            let mut after = position.clone();
            after.apply(mv);
            let native = Board::<1>::from_rules(&after).unwrap();
            after.settle().is_none() && Choice::new(&native).capture_of_all().is_some()
        };
        let is_lost = position.legal_moves(usize::MAX).iter().all(is_captured);
        assert_eq!(super::value::value(&board) < -super::value::DECIDED, is_lost, "{board:?}");
        *if is_lost { &mut lost } else { &mut others } += 1;
    });
    assert!(lost > 5 && others > 5, "{lost} {others}");
}

#[test]
fn a_win_proven_in_three_is_there_after_every_reply() {
    let mut proven = 0;
    last_pieces(|position| {
        if proven == 8 {
            return;
        }
        let report = think(position, &[], 3_000);
        if !report.exact || report.value < 0 || report.lines[0].distance != Some(3) {
            return;
        }
        proven += 1;
        let mut after = position.clone();
        after.apply(&report.best.unwrap());
        assert!(after.settle().is_none());
        for reply in after.legal_moves(usize::MAX) {
            let mut next = after.clone();
            next.apply(&reply);
            assert!(next.settle().is_none(), "{reply} ends a game that is lost");
            assert_eq!(think(&next, &[], 1).lines[0].distance, Some(1), "{reply}");
        }
    });
    assert_eq!(proven, 8);
}

#[test]
fn a_win_of_the_other_seat_is_stopped_wherever_it_can_be() {
    let mut stopped = 0;
    for seed in 0..40 {
        let mut rng = StdRng::seed_from_u64(seed);
        let mut position = open("-size=2 -pieces=3");
        for _ in 0..12 {
            let can_win = |position: &Position| {
                position.legal_moves(usize::MAX).iter().any(|mv| wins(position, mv))
            };
            let loses = |mv: &adamant_rules::Move| {
                let mut after = position.clone();
                after.apply(mv);
                after.settle().is_none() && can_win(&after)
            };
            let legal = position.legal_moves(usize::MAX);
            let losing = legal.iter().filter(|mv| loses(mv)).count();
            if !can_win(&position) && losing > 0 && losing < legal.len() {
                let best = think(&position, &[], 2_000).best.unwrap();
                assert!(!loses(&best), "{best} in {position:?}");
                stopped += 1;
            }
            let mv = position.sample_moves(1, &mut |below| rng.random_range(0..below)).remove(0);
            position.apply(&mv);
            if position.settle().is_some() {
                break;
            }
        }
    }
    assert!(stopped > 20, "{stopped}");
}

#[test]
fn a_seat_that_is_ahead_avoids_a_position_that_was_before() {
    let position = arranged("", "a1:OOO b1:OO c1:O e3:X");
    let think = |position: &Position, seen: &[u64]| {
        let limits = Limits { nodes: Some(2_000), ..Limits::default() };
        let settings = Settings { uses_tables: false, ..Settings::default() };
        Search::new(position, seen, limits).with(settings).run(&Stop::default(), &mut |_| {})
    };
    let first = think(&position, &[]);
    assert!(first.value < 1000, "the game goes on: {first:?}");
    let after = |report: &Report| {
        let mut after = position.clone();
        after.apply(report.best.as_ref().unwrap());
        after.hash()
    };
    let seen = [position.hash(), after(&first)];
    assert_ne!(after(&think(&position, &seen)), seen[1]);
}

#[test]
fn of_three_the_one_who_is_nearly_out_is_put_out() {
    let position = arranged_for(3, "-size=3", "c1:O a1:OO c5:X e1:YYYY");
    let report = think(&position, &[], 3_000);
    assert_eq!(report.best.unwrap().to_string(), "c1-c5", "{:?}", report.lines);
}
