//! Every case of `vectors/diam.json`: moves with their positions and winners, and a player who
//! cannot move.

use std::collections::BTreeMap;

use adamant_rules::{Consequence, EndReason, SeatSet, game::Game, games::diam::Diam};
use serde_json::Value;

use super::{A, X};
use crate::games::{cases_of, options_of, play, stacks, texts_of};

const KEYS: &str =
    "id options position to_move move legal why after winner history reserve has_legal_move";

#[test]
fn every_case_holds() {
    let mut checked = BTreeMap::<&str, usize>::new();
    for (id, case) in &cases_of(include_str!("../vectors/diam.json"), KEYS) {
        let position = arrange(case);
        if let Some(history) = case["history"].as_array() {
            let mut played = Diam::start(&Diam::complete(&options_of(case), 2).unwrap(), 2);
            for notation in history {
                play(&mut played, notation.as_str().unwrap()).unwrap();
            }
            assert_eq!(played, position, "{id}");
            *checked.entry("history").or_default() += 1;
        }
        if let Some(reserve) = case["reserve"].as_str() {
            assert_eq!(reserve, "both empty", "{id}");
            assert!("ABCDWXYZ".chars().all(|letter| position.reserve(letter) == 0), "{id}");
            *checked.entry("reserve").or_default() += 1;
        }
        if case["move"].is_string() {
            check_move(id, case, position);
            *checked.entry("move").or_default() += 1;
        } else {
            let has_legal_move = case["has_legal_move"].as_bool().unwrap();
            assert_eq!(position.can_move(), has_legal_move, "{id}");
            let skip = Consequence::Skip(position.to_move());
            assert_eq!(position.pending() == Some(skip), !has_legal_move, "{id}");
            *checked.entry("stuck").or_default() += 1;
        }
    }
    let expected = BTreeMap::from([("move", 27), ("history", 3), ("reserve", 1), ("stuck", 1)]);
    assert_eq!(checked, expected);
}

fn check_move(id: &str, case: &Value, mut position: Diam) {
    let text = case["move"].as_str().unwrap();
    assert_eq!(position.pending(), None, "{id}");
    let validated = position.parse_move(text).and_then(|mv| position.validate(&mv).map(|_| mv));
    assert_eq!(validated.is_ok(), case["legal"].as_bool().unwrap(), "{id}: {validated:?}");
    let Ok(mv) = validated else {
        assert!(case["after"].is_null() && case["winner"].is_null(), "{id}");
        return;
    };
    assert_eq!(position.parse_move(&mv.to_string()), Ok(mv), "{id}");
    position.apply(&mv);
    assert_eq!(stacks(&position), texts_of(&case["after"]), "{id}");
    let end = case["winner"].as_str().map(|winner| Consequence::End {
        winners: SeatSet::only(if winner == "A" { A } else { X }),
        reason: EndReason::Aligned,
    });
    assert_eq!(position.pending(), end, "{id}");
}

fn arrange(case: &Value) -> Diam {
    let stacks = texts_of(&case["position"]);
    let stacks: Vec<_> = stacks.iter().map(|(cell, pieces)| (&**cell, &**pieces)).collect();
    let to_move = if case["to_move"] == "A" { A } else { X };
    Diam::from_setup(&options_of(case), &stacks, to_move).unwrap()
}
