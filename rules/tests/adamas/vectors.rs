//! Every case of `vectors/adamas.json`: moves with what they capture and lead to, counts of
//! visible enemies, and ends.

use std::collections::BTreeMap;

use adamant_rules::{
    Consequence, EndReason, LeaveReason, SeatSet, game::Game, games::adamas::Adamas,
};
use serde_json::Value;

use super::seat_of;
use crate::games::{cases_of, options_of, stacks, texts_of};

const KEYS: &str = "id players options position to_move opening move legal captures after result why cell \
    visible_enemy_count threatened has_legal_move tied";

#[test]
fn every_case_holds() {
    let mut checked = BTreeMap::<&str, usize>::new();
    for (id, case) in &cases_of(include_str!("../vectors/adamas.json"), KEYS) {
        let position = arrange(case);
        let kind = if case["move"].is_string() {
            check_move(id, case, position);
            "move"
        } else if let Some(cell) = case["cell"].as_str() {
            let cell = position.cell(cell).unwrap();
            let count = case["visible_enemy_count"].as_u64().unwrap();
            assert_eq!(u64::from(position.visible_enemy_count(cell)), count, "{id}");
            let threatened = position.threatened().contains(&cell);
            assert_eq!(threatened, case["threatened"].as_bool().unwrap(), "{id}");
            "count"
        } else if let Some(has_legal_move) = case["has_legal_move"].as_bool() {
            assert_eq!(position.can_move(), has_legal_move, "{id}");
            let stuck = Consequence::Remove(position.to_move(), LeaveReason::NoMove);
            assert_eq!(position.pending() == Some(stuck), !has_legal_move, "{id}");
            "stuck"
        } else {
            let tied = case["tied"].as_bool().unwrap();
            let tie = Consequence::End { winners: SeatSet::all(2), reason: EndReason::TwoPieces };
            assert_eq!(position.pending(), tied.then_some(tie), "{id}");
            "tie"
        };
        *checked.entry(kind).or_default() += 1;
    }
    let expected = BTreeMap::from([("move", 35), ("count", 12), ("stuck", 2), ("tie", 3)]);
    assert_eq!(checked, expected);
}

fn check_move(id: &str, case: &Value, mut position: Adamas) {
    let text = case["move"].as_str().unwrap();
    let before = position.clone();
    let validated =
        position.parse_move(text).and_then(|mv| position.validate(&mv).map(|c| (mv, c)));
    assert_eq!(validated.is_ok(), case["legal"].as_bool().unwrap(), "{id}: {validated:?}");
    let Ok((mv, captures)) = validated else {
        assert!(case["after"].is_null(), "{id}");
        return;
    };

    let mut taken: Vec<_> = captures
        .iter()
        .map(|capture| {
            let letter = position.letter(capture.seat).to_string();
            let pieces = letter.repeat(capture.pieces.into());
            (position.cell_name(capture.cell).to_string(), letter, pieces)
        })
        .collect();
    let text_of = |value: &Value| value.as_str().unwrap().to_owned();
    let mut expected: Vec<_> = case["captures"]
        .as_array()
        .unwrap()
        .iter()
        .map(|capture| {
            (text_of(&capture["cell"]), text_of(&capture["seat"]), text_of(&capture["pieces"]))
        })
        .collect();
    taken.sort();
    expected.sort();
    assert_eq!(taken, expected, "{id}");

    position.apply(&mv);
    assert_eq!(stacks(&position), texts_of(&case["after"]), "{id}");

    if case["result"].is_object() {
        assert_eq!(case["result"]["reason"], "last_player", "{id}");
        let winners = case["result"]["winners"].as_array().unwrap();
        let winners: SeatSet = winners.iter().map(|seat| seat_of(seat.as_str().unwrap())).collect();
        while let Some(Consequence::Remove(seat, reason)) = position.pending() {
            assert_eq!(reason, LeaveReason::NoPieces, "{id}");
            position.remove(seat);
        }
        let end = Consequence::End { winners, reason: EndReason::LastPlayer };
        assert_eq!(position.pending(), Some(end), "{id}");
    }
    assert_eq!(before.parse_move(&mv.to_string()).unwrap(), mv, "{id}");
}

fn arrange(case: &Value) -> Adamas {
    let players = case["players"].as_u64().unwrap().try_into().unwrap();
    let stacks = texts_of(&case["position"]);
    let stacks: Vec<_> = stacks.iter().map(|(cell, pieces)| (&**cell, &**pieces)).collect();
    let to_move = seat_of(case["to_move"].as_str().unwrap_or("O"));
    let opening = case["opening"].as_bool().unwrap_or(false);
    Adamas::from_setup(&options_of(case), players, &stacks, to_move, opening).unwrap()
}
