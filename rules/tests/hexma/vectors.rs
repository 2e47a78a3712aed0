//! Every case of `vectors/hexma.json`: starts with their edges, where pieces can hop to, moves that
//! are legal or not, and which seats are connected.

use std::collections::{BTreeMap, BTreeSet};

use adamant_rules::{
    Consequence, EndReason, SeatSet,
    game::{Game, MoveCount},
    games::hexma::Hexma,
};
use serde_json::Value;

use super::{seat_of, start, targets};
use crate::games::{cases_of, play, stacks, texts_of};

const KEYS: &str =
    "id players start edges position to_move from destinations connected move legal why";

#[test]
fn every_case_holds() {
    let mut checked = BTreeMap::<&str, usize>::new();
    for (id, case) in &cases_of(include_str!("../vectors/hexma.json"), KEYS) {
        let players = case["players"].as_u64().unwrap().try_into().unwrap();
        let kind = if case["start"].is_object() {
            check_start(id, case, &start(players));
            "start"
        } else if case["move"].is_string() {
            check_move(id, case, arrange(case, players));
            "move"
        } else if case["destinations"].is_array() {
            check_destinations(id, case, &arrange(case, players));
            "destinations"
        } else {
            check_connected(id, case, &arrange(case, players));
            "connected"
        };
        *checked.entry(kind).or_default() += 1;
    }
    let expected =
        BTreeMap::from([("start", 2), ("destinations", 2), ("connected", 1), ("move", 11)]);
    assert_eq!(checked, expected);
}

fn check_start(id: &str, case: &Value, position: &Hexma) {
    assert_eq!(stacks(position), texts_of(&case["start"]), "{id}");
    assert_eq!(position.to_move(), seat_of("O"), "{id}");
    let layout = position.layout();
    let edges = case["edges"].as_object().unwrap();
    assert_eq!(layout.edges.len(), 2 * edges.len(), "{id}");
    for (letter, of_seat) in edges {
        for (name, cells) in of_seat.as_object().unwrap() {
            let found = layout.edges.iter().find(|e| e.seat == seat_of(letter) && e.name == name);
            let found: BTreeSet<_> =
                found.unwrap().cells.iter().map(|&c| position.cell_name(c).to_string()).collect();
            assert_eq!(found, names(cells), "{id}: {name} of {letter}");
            assert_eq!(found.len(), 17, "{id}");
        }
    }
}

fn check_destinations(id: &str, case: &Value, position: &Hexma) {
    let from = case["from"].as_str().unwrap();
    let expected = names(&case["destinations"]);
    assert_eq!(targets(position, from).into_iter().collect::<BTreeSet<_>>(), expected, "{id}");
    let cell = position.cell(from).unwrap();
    assert_eq!(position.sources().contains(&cell), !expected.is_empty(), "{id}");
    for at in position.layout().cells {
        let to = position.cell_name(at.cell).to_string();
        let moved = play(&mut position.clone(), &format!("{from}-{to}"));
        assert_eq!(moved.is_ok(), expected.contains(&to), "{id}: to {to}: {moved:?}");
    }
    let MoveCount::Exactly(count) = position.count_moves() else { panic!("{id}") };
    assert!(count >= expected.len() as u128, "{id}");
}

fn check_move(id: &str, case: &Value, mut position: Hexma) {
    let notation = case["move"].as_str().unwrap();
    let mut expected = texts_of(&case["position"]);
    let moved = play(&mut position, notation);
    assert_eq!(moved.is_ok(), case["legal"].as_bool().unwrap(), "{id}: {moved:?}");
    if moved.is_ok() {
        let points: Vec<_> = notation.split('-').collect();
        let piece = expected.remove(points[0]).unwrap();
        expected.insert((*points.last().unwrap()).to_owned(), piece);
    }
    assert_eq!(stacks(&position), expected, "{id}");
}

fn check_connected(id: &str, case: &Value, position: &Hexma) {
    for (letter, connected) in case["connected"].as_object().unwrap() {
        let seat = seat_of(letter);
        assert_eq!(position.connected(seat), connected.as_bool().unwrap(), "{id}: {letter}");
        if position.connected(seat) {
            let winners = SeatSet::only(seat);
            let end = Consequence::End { winners, reason: EndReason::Connected };
            assert_eq!(position.pending(), Some(end), "{id}");
        }
    }
}

fn arrange(case: &Value, players: usize) -> Hexma {
    let pieces = texts_of(&case["position"]);
    let pieces: Vec<_> =
        pieces.iter().map(|(cell, letter)| (cell.as_str(), letter.parse().unwrap())).collect();
    let to_move = seat_of(case["to_move"].as_str().unwrap_or("O"));
    Hexma::from_setup(players, &pieces, to_move).unwrap()
}

fn names(value: &Value) -> BTreeSet<String> {
    serde_json::from_value(value.clone()).unwrap()
}
