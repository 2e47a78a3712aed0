use std::{collections::HashMap, io::Cursor};

use adamant_rules::{Kind, Options, Position};

use super::{
    super::{super::Verdict, board::Board},
    number::bits,
    table::{LOST, is_lost_value},
    *,
};
use crate::search::{
    Oracle,
    adamas::tests::{arranged, think},
    oracle,
};

/// More than the legal moves of any position here.
const MOVES_MAX: usize = 1_000;

fn open(options: &str) -> Position {
    let options = Options::parse(options, Kind::Adamas.option_specs()).unwrap();
    Kind::Adamas.open(&options, 2).unwrap()
}

fn verdict(position: &Position) -> Option<Verdict> {
    Tables::now().verdict(&Board::<1>::from_rules(position).unwrap())
}

/// A position of a game in progress and those after its moves; for one that ends the game whether
/// who has moved wins.
#[derive(Clone)]
enum After {
    Position(u64),
    End { is_won: bool },
}

/// All positions that a game can reach, by the referee's rules alone.
fn reachable(open: Position) -> HashMap<u64, (Position, Vec<After>)> {
    let mut known = HashMap::new();
    let mut open = vec![open];
    while let Some(position) = open.pop() {
        if known.contains_key(&position.hash()) {
            continue;
        }
        let moves = position.legal_moves(MOVES_MAX);
        assert!(moves.len() < MOVES_MAX);
        let mut list = Vec::new();
        for mv in moves {
            let mut after = position.clone();
            after.apply(&mv);
            list.push(match after.settle() {
                Some((winners, _)) => After::End { is_won: winners.single().is_some() },
                None => After::Position(after.hash()),
            });
            if let Some(After::Position(_)) = list.last() {
                open.push(after);
            }
        }
        known.insert(position.hash(), (position, list));
    }
    known
}

/// Solves positions by going over all of them again and again: another way than the tables'.
fn solved(positions: &HashMap<u64, (Position, Vec<After>)>) -> HashMap<u64, Verdict> {
    let mut verdicts: HashMap<u64, Verdict> = HashMap::new();
    for plies in 1.. {
        let is_decided = |(&hash, (_, after)): (&u64, &(Position, Vec<After>))| {
            let loses = |after: &After| match after {
                After::End { is_won } => *is_won,
                After::Position(hash) => matches!(verdicts.get(hash), Some(Verdict::Loss(_))),
            };
            let wins = |after: &After| match after {
                After::End { .. } => false,
                After::Position(hash) => matches!(verdicts.get(hash), Some(Verdict::Win(_))),
            };
            if verdicts.contains_key(&hash) {
                None
            } else if after.iter().any(loses) {
                Some((hash, Verdict::Win(plies)))
            } else {
                after.iter().all(wins).then_some((hash, Verdict::Loss(plies)))
            }
        };
        let found: Vec<_> = positions.iter().filter_map(is_decided).collect();
        if found.is_empty() {
            break;
        }
        verdicts.extend(found);
    }
    verdicts
}

#[test]
fn another_solver_agrees_with_every_position_of_a_small_board() {
    for options in ["-size=2 -pieces=2", "-size=2 -pieces=3"] {
        let positions = reachable(open(options));
        let verdicts = solved(&positions);
        for (hash, (position, _)) in &positions {
            if let Some(known) = verdict(position) {
                assert_eq!(Some(&known), verdicts.get(hash).or(Some(&Verdict::Draw)));
            } else {
                assert_eq!(*hash, open(options).hash(), "only the first move may not capture");
            }
        }
    }
}

#[test]
fn a_table_is_sound_and_survives_its_file() {
    let table = Endgame::make(3, 4, &mut |_| ()).unwrap();
    assert_eq!(table.check(&mut |_| ()), 0);
    let mut file = Vec::new();
    table.write(&mut file).unwrap();
    let mut again = Endgame::read(&mut Cursor::new(&file)).unwrap();
    let values = |table: &Endgame| -> Vec<u8> {
        table.slices.iter().flat_map(|slice| slice.values.clone()).collect()
    };
    assert_eq!(values(&again), values(&table));
    let built_in = Tables::now();
    let built_in = values(built_in.of_side(3).unwrap());
    assert_eq!(values(&again), built_in[..values(&again).len()]);

    let place = again.slices.iter().position(|slice| slice.layout.pieces == [2, 2]).unwrap();
    let wins = again.slices[place].values.iter_mut().find(|value| **value > LOST).unwrap();
    *wins += 2;
    assert_ne!(again.check(&mut |_| ()), 0);
    let cut = &file[..file.len() / 2];
    assert!(matches!(Endgame::read(&mut Cursor::new(cut)), Err(TableFault::Damaged)));
    let last = file.len() - 40;
    file[last] ^= 1;
    assert!(Endgame::read(&mut Cursor::new(&file)).is_err());
    assert!(matches!(Endgame::read(&mut Cursor::new(vec![0; 99])), Err(TableFault::Other)));
}

#[test]
fn the_longest_win_takes_as_many_plies_as_the_table_says() {
    let tables = Tables::now();
    let table = tables.of_side(3).unwrap();
    let slice = &table.slices[Endgame::slot([3, 2])];
    let longest = (0..).zip(&slice.values).filter(|(_, value)| !is_lost_value(**value));
    let (number, &value) = longest.max_by_key(|&(_, &value)| value).unwrap();
    let at = table.numbering.stacks(&slice.layout, number).unwrap();
    let stacks = bits(at.own | at.other).map(|cell| {
        let letter = if at.own >> cell & 1 != 0 { "O" } else { "X" };
        format!("{}:{}", table.hexagon.name(cell), letter.repeat(at.heights[cell].into()))
    });
    let mut position = arranged("", &stacks.collect::<Vec<_>>().join(" "));
    for plies in (1..value).rev() {
        let report = think(&position, &[], u64::MAX);
        assert_eq!((report.exact, report.lines[0].distance), (true, Some(plies.into())));
        let best = report.best.unwrap();
        let Oracle { verdict, best: all, .. } = oracle(&position, usize::MAX, u64::MAX).unwrap();
        assert_eq!(verdict.plies(), Some(plies.into()));
        assert!(all.contains(&best.to_string()));
        position.apply(&best);
        position.settle();
    }
    assert!(position.settle().is_some());
    assert_eq!(oracle(&position, 1, 1), None);
}

#[test]
#[ignore = "long: it looks at every move of three million positions"]
fn built_in_tables_are_sound() {
    for table in built_in_tables() {
        assert_eq!(table.check(&mut |_| ()), 0);
    }
}
