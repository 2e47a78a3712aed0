//! Moves that stand for all: legal, different, the same each time, with all captures and all moves
//! of one part as far as there is room, and something of everything else.

use std::collections::{BTreeMap, BTreeSet};

use adamant_rules::{
    game::{Game, Mark, MoveCount},
    games::adamas::{Adamas, Move},
};
use proptest::prelude::*;

use super::positions::{arranged, play, start};

fn captures(position: &Adamas, mv: &Move) -> bool {
    !position.validate(mv).unwrap().is_empty()
}

fn cells(position: &Adamas, moves: &[Move], mark: Mark) -> BTreeSet<String> {
    let affected = moves.iter().flat_map(|mv| position.affected_cells(mv));
    let cells = affected.filter(|&(_, as_what)| as_what == mark);
    cells.map(|(cell, _)| position.cell_name(cell).as_str().to_owned()).collect()
}

/// Every cell that a stack of the seat to move may go to.
fn targets(position: &Adamas) -> BTreeSet<String> {
    let targets = position.sources().into_iter().flat_map(|from| position.targets(from));
    targets.map(|target| position.cell_name(target.cell).as_str().to_owned()).collect()
}

fn sources(position: &Adamas) -> BTreeSet<String> {
    position
        .sources()
        .into_iter()
        .map(|cell| position.cell_name(cell).as_str().to_owned())
        .collect()
}

fn is_single(position: &Adamas, mv: &Move) -> bool {
    position.affected_cells(mv).len() == 2
}

/// How many different ones there are.
fn told(moves: &[Move]) -> usize {
    moves.iter().map(ToString::to_string).collect::<BTreeSet<_>>().len()
}

proptest! {
    #![proptest_config(crate::cases(24))]

    #[test]
    fn captures_and_single_parts_come_first(
        size in 2..=3_u32,
        players in 2..=3_usize,
        progressive: bool,
        room in 0..400_usize,
        choices in proptest::collection::vec(any::<usize>(), 0..10),
    ) {
        let flag = if progressive { " -prog_cap" } else { "" };
        let mut position = start(&format!("-size={size} -pieces=6{flag}"), players);
        for choice in choices {
            if position.pending().is_some() {
                break;
            }
            let survey = position.representative_moves(room);
            let listed = position.legal_moves(usize::MAX);
            prop_assert_eq!(&survey, &position.clone().representative_moves(room));
            prop_assert!(survey.iter().all(|mv| position.validate(mv).is_ok()));
            let told: BTreeSet<_> = survey.iter().map(ToString::to_string).collect();
            prop_assert_eq!(told.len(), survey.len());
            if !progressive {
                prop_assert_eq!(survey.len(), room.min(listed.len()));
                let first = |mv: &&Move| is_single(&position, mv) || captures(&position, mv);
                let first: Vec<_> = listed.iter().filter(first).collect();
                if first.len() <= room {
                    for mv in first {
                        prop_assert!(told.contains(&mv.to_string()), "{} is missing", mv);
                    }
                }
            }
            position.apply(&listed[choice % listed.len()]);
        }
    }

    #[test]
    fn nothing_is_out_of_reach(
        players in 2..=3_usize,
        choices in proptest::collection::vec(any::<usize>(), 0..8),
    ) {
        let mut position = start("-size=2 -pieces=5", players);
        for choice in choices {
            if position.pending().is_some() {
                break;
            }
            // One move less than there are: the groups hold the others.
            let listed = position.legal_moves(usize::MAX);
            let survey = position.representative_moves(listed.len() - 1);
            prop_assert_eq!(survey.len(), listed.len() - 1);
            prop_assert!(survey.iter().all(|mv| listed.contains(mv)));
            position.apply(&listed[choice % listed.len()]);
        }
    }
}

#[test]
fn every_cell_is_among_the_targets_of_an_opening() {
    let position = start("", 2);
    assert_eq!(position.count_moves(), MoveCount::Exactly(6_434));
    let survey = position.representative_moves(512);
    assert_eq!(survey.len(), 512);
    assert_eq!(cells(&position, &survey, Mark::To), targets(&position));
    let several = survey.iter().filter(|mv| !is_single(&position, mv)).count();
    assert!(several > 300, "an even sample of the others");
}

#[test]
fn representatives_of_a_huge_move_list_are_fast() {
    for flag in ["", " -prog_cap"] {
        for players in [2, 3] {
            let mut position = start(&format!("-size=8 -pieces=99{flag}"), players);
            let survey = position.representative_moves(512);
            assert_eq!(told(&survey), 512);
            assert_eq!(cells(&position, &survey, Mark::To), targets(&position));
            for notation in ["h1-30xh8,20xa1,o1,9xd1", "50xh15-h14"] {
                drop(play(&mut position, notation));
            }
            let survey = position.representative_moves(512);
            assert_eq!(told(&survey), 512);
            assert_eq!(cells(&position, &survey, Mark::To), targets(&position));
            assert_eq!(cells(&position, &survey, Mark::From), sources(&position));
            assert!(survey.iter().all(|mv| position.validate(mv).is_ok()));
        }
    }
}

/// A stack of two and one of six that may go to as many cells, and nothing to capture.
#[test]
fn room_is_shared_out_as_evenly_as_sizes_let_it() {
    let stacks = format!("a1:OO c3:{} e1:{}", "O".repeat(6), "X".repeat(60));
    let position = arranged("", 2, &stacks, "O");
    let shares = |moves: &[Move]| {
        let mut shares = BTreeMap::new();
        for mv in moves.iter().filter(|mv| is_single(&position, mv)) {
            *shares.entry(position.affected_cells(mv)).or_insert(0_usize) += 1;
        }
        shares
    };
    let all = shares(&position.legal_moves(usize::MAX));
    assert_eq!(all.values().copied().collect::<BTreeSet<_>>(), BTreeSet::from([2, 6]));
    for room in 0..all.values().sum() {
        let survey = position.representative_moves(room);
        let shares = shares(&survey);
        assert_eq!((survey.len(), shares.values().sum::<usize>()), (room, room));
        let most = shares.values().max().copied().unwrap_or(0);
        for (group, &size) in &all {
            let share = shares.get(group).copied().unwrap_or(0);
            assert!(share == size || share + 1 >= most, "{share} for {group:?} of {room}");
        }
        if room > 1 {
            assert_eq!(cells(&position, &survey, Mark::From), sources(&position));
        }
    }
}

#[test]
fn captures_that_are_too_many_leave_room_for_single_parts() {
    let stacks = format!("c3:{} a1:XXXXXXXXXXXXXXXX", "O".repeat(16));
    let position = arranged("", 2, &stacks, "O");
    let survey = position.representative_moves(200);
    let told = |capture: bool, alone: bool| {
        let told = survey.iter().filter(|mv| captures(&position, mv) == capture);
        told.filter(|mv| is_single(&position, mv) == alone).count()
    };
    // Sixteen of one part capture; 11 other cells could get up to sixteen pieces each.
    assert_eq!(told(true, true), 16);
    assert_eq!((told(false, true), told(true, false)), (92, 92));
    assert_eq!(told(false, false), 0);
    assert_eq!(cells(&position, &survey, Mark::To), targets(&position));
}
