//! Every case of `vectors/stymie.json`: cells and what they touch, the shapes of moves, turns and
//! their verdicts, and a game that is won.

use std::collections::{BTreeMap, BTreeSet};

use adamant_rules::{
    Consequence, EndReason, SeatSet,
    game::{CellShape, Game},
    games::stymie::{LastMove, Stymie},
};
use serde_json::Value;

use super::{arranged, seat_of, start};
use crate::games::{cases_of, play};

const KEYS: &str = "id options octagons squares last_cell position connected cell neighbours exists move \
    shape moves legal why";

#[test]
fn every_case_holds() {
    let mut checked = BTreeMap::<&str, usize>::new();
    for (id, case) in &cases_of(include_str!("../vectors/stymie.json"), KEYS) {
        let has = |key| !case[key].is_null();
        let kind = if has("octagons") {
            check_cells(id, case);
            "cells"
        } else if has("connected") {
            check_connected(id, case);
            "connected"
        } else if has("neighbours") {
            check_neighbours(id, case);
            "neighbours"
        } else if has("exists") {
            let cell = start(&options(case)).cell(text(&case["cell"]));
            assert_eq!(cell.is_some(), case["exists"].as_bool().unwrap(), "{id}");
            "exists"
        } else if has("moves") {
            check_turns(id, case);
            "turns"
        } else {
            check_shape(id, case);
            "shape"
        };
        *checked.entry(kind).or_default() += 1;
    }
    let expected = BTreeMap::from([
        ("cells", 3),
        ("connected", 1),
        ("neighbours", 3),
        ("exists", 1),
        ("shape", 13),
        ("turns", 9),
    ]);
    assert_eq!(checked, expected);
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

fn options(case: &Value) -> String {
    let options = case["options"].as_object().unwrap();
    assert!(options.keys().eq(["size"]));
    format!("-size={}", options["size"])
}

fn check_cells(id: &str, case: &Value) {
    let position = start(&options(case));
    let cells = position.layout().cells;
    let count = |shape| cells.iter().filter(|at| at.shape == shape).count() as u64;
    assert_eq!(Some(count(CellShape::Octagon)), case["octagons"].as_u64(), "{id}");
    assert_eq!(Some(count(CellShape::Square)), case["squares"].as_u64(), "{id}");
    let last = position.cell_name(cells.last().unwrap().cell);
    assert_eq!(last.as_str(), text(&case["last_cell"]), "{id}");
}

fn check_connected(id: &str, case: &Value) {
    let pieces = case["position"].as_object().unwrap().iter();
    let pieces: Vec<_> = pieces.map(|(cell, letter)| format!("{cell}:{}", text(letter))).collect();
    let position = arranged(&options(case), &pieces.join(" "), "V", LastMove::Other);
    for (letter, connected) in case["connected"].as_object().unwrap() {
        let seat = seat_of(letter);
        let connected = connected.as_bool().unwrap();
        assert_eq!(position.is_connected(seat), connected, "{id}: {letter}");
        let end = Consequence::End { winners: SeatSet::only(seat), reason: EndReason::Connected };
        assert_eq!(position.pending() == Some(end), connected, "{id}: {letter}");
    }
}

fn check_neighbours(id: &str, case: &Value) {
    let position = start(&options(case));
    let cells = position.neighbours(position.cell(text(&case["cell"])).unwrap());
    let names: Vec<_> = cells.iter().map(|&cell| position.cell_name(cell).to_string()).collect();
    let expected: BTreeSet<_> =
        case["neighbours"].as_array().unwrap().iter().map(|name| text(name).to_owned()).collect();
    assert_eq!(names.len(), expected.len(), "{id}");
    assert_eq!(BTreeSet::from_iter(names), expected, "{id}");
}

fn check_shape(id: &str, case: &Value) {
    let position = arranged(&options(case), "", "V", LastMove::Single);
    let mv = position.parse_move(text(&case["move"]));
    let validated = mv.and_then(|mv| position.validate(&mv).map(|_| mv));
    let shape = validated.ok().map(|mv| match mv.to_string().split(',').count() {
        1 => "single",
        2 => "double",
        _ => "triple",
    });
    assert_eq!(shape, case["shape"].as_str(), "{id}");
}

fn check_turns(id: &str, case: &Value) {
    let mut position: Stymie = start(&options(case));
    let moves = case["moves"].as_array().unwrap();
    let verdicts = case["legal"].as_array().unwrap();
    assert_eq!(moves.len(), verdicts.len(), "{id}");
    for (notation, legal) in moves.iter().zip(verdicts) {
        let played = play(&mut position, text(notation));
        assert_eq!(played.is_ok(), legal.as_bool().unwrap(), "{id}: {notation}: {played:?}");
    }
}
