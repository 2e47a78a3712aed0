//! What holds in every game and for every text.

use std::collections::BTreeSet;

use adamant_rules::{
    Cell, Consequence, Options, Seat,
    game::{Game, Mark, MoveCount},
    games::adamas::Adamas,
};
use proptest::prelude::*;

use super::positions::start;

#[derive(Clone, Debug)]
struct Plan {
    options: String,
    players: usize,
    choices: Vec<u32>,
}

fn plan() -> impl Strategy<Value = Plan> {
    let choices = proptest::collection::vec(any::<u32>(), 1..40);
    (2..=8_u32, 2..=12_u32, any::<bool>(), 2..=3_usize, choices).prop_map(
        |(size, pieces, progressive, players, choices)| {
            let flag = if progressive { " -prog_cap" } else { "" };
            Plan { options: format!("-size={size} -pieces={pieces}{flag}"), players, choices }
        },
    )
}

/// A move somewhere among the hints: a capture where there is one, else any number of pieces.
fn choose(position: &Adamas, choice: u32) -> String {
    let choice = choice as usize;
    let sources = position.sources();
    let stacks = position.stacks();
    let capture = sources.iter().find_map(|&from| {
        position.targets(from).into_iter().find(|target| target.capture).map(|to| (from, to))
    });
    let (from, to) = capture.unwrap_or_else(|| {
        let from = sources[choice % sources.len()];
        let targets = position.targets(from);
        (from, targets[choice / 16 % targets.len()])
    });
    let (_, pieces) = stacks.iter().find(|(cell, _)| *cell == from).unwrap();
    let count = 1 + choice / 256 % pieces.len();
    format!("{count}x{}-{}", position.cell_name(from), position.cell_name(to.cell))
}

fn pieces(position: &Adamas) -> [usize; 3] {
    let mut counts = [0; 3];
    for (_, stack) in position.stacks() {
        counts["OXY".find(&stack[..1]).unwrap()] += stack.len();
    }
    counts
}

/// Lets everything happen that must; whether the game goes on.
fn settle(position: &mut Adamas) -> Result<bool, TestCaseError> {
    loop {
        prop_assert_eq!(position.hash(), position.hash_from_scratch());
        match position.pending() {
            None => return Ok(true),
            Some(Consequence::End { .. }) => return Ok(false),
            Some(Consequence::Skip(_)) => prop_assert!(false, "no seat is skipped in Adamas"),
            Some(Consequence::Remove(seat, _)) => {
                let before = pieces(position);
                position.remove(seat);
                let mut after = pieces(position);
                prop_assert_eq!(after[seat.index()], 0);
                after[seat.index()] = before[seat.index()];
                prop_assert_eq!(after, before);
                prop_assert!(position.seats_in().contains(position.to_move()));
            }
        }
    }
}

fn check_hints(position: &Adamas) -> Result<(), TestCaseError> {
    let sources = position.sources();
    prop_assert_eq!(!sources.is_empty(), position.can_move());
    prop_assert_eq!(!position.legal_moves(1).is_empty(), position.can_move());
    let cells: Vec<_> = position.layout().cells.iter().map(|at| at.cell).collect();
    let occupied: Vec<_> = position.stacks().into_iter().map(|(cell, _)| cell).collect();
    for &from in &cells {
        let targets = position.targets(from);
        prop_assert_eq!(!targets.is_empty(), sources.contains(&from));
        for &to in cells.iter().filter(|_| occupied.contains(&from)) {
            let notation = format!("{}-{}", position.cell_name(from), position.cell_name(to));
            let validated =
                position.parse_move(&notation).and_then(|mv| position.validate(&mv)).ok();
            let hint = targets.iter().find(|target| target.cell == to);
            prop_assert_eq!(
                validated.map(|captures| !captures.is_empty()),
                hint.map(|t| t.capture)
            );
        }
    }
    Ok(())
}

fn check_list(position: &Adamas) -> Result<(), TestCaseError> {
    for mv in position.legal_moves(150) {
        let notation = mv.to_string();
        prop_assert_eq!(position.parse_move(&notation), Ok(mv.clone()));
        prop_assert_eq!(position.parse_move(&notation.to_uppercase()), Ok(mv.clone()));
        let captures = position.validate(&mv);
        prop_assert!(captures.is_ok(), "{}: {:?}", notation, captures);
        let captures = captures.unwrap();

        let (before, mut after) = (pieces(position), position.clone());
        after.apply(&mv);
        let mut left = pieces(&after);
        for capture in captures {
            left[capture.seat.index()] += usize::from(capture.pieces);
        }
        prop_assert_eq!(left, before, "pieces vanish by capture only");
        prop_assert_eq!(after.hash(), after.hash_from_scratch());
        prop_assert!(after != *position);
    }
    Ok(())
}

/// What the listed moves of every seat capture, were it that seat's turn.
fn captured_by_any(position: &Adamas, options: &str, opening: bool) -> Vec<Cell> {
    let options = Options::parse(options, Adamas::OPTIONS).unwrap();
    let players = position.players();
    let named: Vec<_> = position
        .stacks()
        .into_iter()
        .map(|(cell, pieces)| (position.cell_name(cell), pieces))
        .collect();
    let stacks: Vec<_> =
        named.iter().map(|(cell, pieces)| (cell.as_str(), pieces.as_str())).collect();
    let mut found = BTreeSet::new();
    for seat in position.seats_in().iter() {
        let opening = opening && seat == position.to_move();
        let turn = Adamas::from_setup(&options, players, &stacks, seat, opening).unwrap();
        for mv in turn.legal_moves(usize::MAX) {
            // A capture that an earlier part makes possible is none in the position as it is.
            let first = turn.affected_cells(&mv).into_iter().find(|&(_, mark)| mark == Mark::To);
            let captured = turn.validate(&mv).unwrap().into_iter().map(|capture| capture.cell);
            found.extend(captured.filter(|&cell| {
                !options.flag("prog_cap") || first.is_some_and(|(first, _)| cell == first)
            }));
        }
    }
    found.into_iter().collect()
}

proptest! {
    #![proptest_config(crate::cases(64))]

    #[test]
    fn random_games_keep_the_invariants(plan in plan()) {
        let mut position = start(&plan.options, plan.players);
        for (ply, &choice) in plan.choices.iter().enumerate() {
            if !settle(&mut position)? {
                break;
            }
            if ply % 4 == 0 {
                check_hints(&position)?;
                check_list(&position)?;
            }
            let mv = position.parse_move(&choose(&position, choice)).unwrap();
            prop_assert!(position.validate(&mv).is_ok());
            position.apply(&mv);
        }
    }

    #[test]
    fn counting_is_listing(
        size in 2..=3_u32,
        players in 2..=3_usize,
        choices in proptest::collection::vec(any::<u32>(), 0..8),
    ) {
        let mut position = start(&format!("-size={size} -pieces=5"), players);
        for choice in choices {
            if !settle(&mut position)? {
                break;
            }
            let listed = position.legal_moves(usize::MAX);
            prop_assert_eq!(position.count_moves(), MoveCount::Exactly(listed.len() as u128));
            let mv = position.parse_move(&choose(&position, choice)).unwrap();
            position.apply(&mv);
        }
    }

    #[test]
    fn threatened_pieces_are_those_the_others_could_capture(
        size in 2..=3_u32,
        players in 2..=3_usize,
        progressive: bool,
        choices in proptest::collection::vec(any::<u32>(), 0..12),
    ) {
        let flag = if progressive { " -prog_cap" } else { "" };
        let options = format!("-size={size} -pieces=4{flag}");
        let mut position = start(&options, players);
        for (ply, choice) in choices.into_iter().enumerate() {
            prop_assert_eq!(position.threatened(), captured_by_any(&position, &options, ply == 0));
            let mv = position.parse_move(&choose(&position, choice)).unwrap();
            position.apply(&mv);
            if !settle(&mut position)? {
                break;
            }
        }
    }

    #[test]
    fn any_seat_may_leave_at_any_time(plan in plan(), seat in 0..3_usize) {
        let mut position = start(&plan.options, plan.players);
        let seat = Seat::new(seat % plan.players).unwrap();
        for choice in plan.choices {
            if !settle(&mut position)? {
                return Ok(());
            }
            let mv = position.parse_move(&choose(&position, choice)).unwrap();
            position.apply(&mv);
        }
        let before = position.clone();
        position.remove(seat);
        prop_assert_eq!(position.hash(), position.hash_from_scratch());
        prop_assert_eq!(pieces(&position)[seat.index()], 0);
        prop_assert_eq!(position.seats_in(), before.seats_in().without(seat));
        prop_assert!(position.seats_in().contains(position.to_move()));
    }

    #[test]
    fn any_text_is_handled(text in "\\PC*|[0-9a-oxX, -]{0,40}", bytes: Vec<u8>) {
        let position = start("", 3);
        for text in [text.as_str(), &String::from_utf8_lossy(&bytes)] {
            if let Ok(mv) = position.parse_move(text) {
                prop_assert_eq!(position.parse_move(&mv.to_string()), Ok(mv.clone()));
                drop(position.validate(&mv));
            }
        }
    }
}
