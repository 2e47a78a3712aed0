//! The reasons for which a move is refused: each has a key and a sentence that says what it names.

use std::collections::BTreeMap;

use adamant_rules::{
    IllegalMove, Kind, Options,
    reason::{Reason, ReasonText},
};

const PROTOCOL: &str = include_str!("../../docs/PROTOCOL.md");

fn sentences() -> BTreeMap<String, ReasonText> {
    IllegalMove::sentences().collect()
}

/// The names between braces.
fn places(sentence: &str) -> impl Iterator<Item = &str> {
    sentence.split('{').skip(1).map(|rest| rest.split_once('}').unwrap().0)
}

#[test]
fn keys_are_unique_and_name_the_arguments_of_their_sentences() {
    let known = sentences();
    assert_eq!(known.len(), IllegalMove::sentences().count());
    for (key, text) in known {
        assert!(key.split_once('.').is_some_and(|(of, name)| !of.is_empty() && !name.is_empty()));
        for name in places(text.sentence) {
            assert!(text.args.contains(&name), "{key} has no {name}");
        }
    }
}

#[test]
fn the_protocol_lists_every_key_with_its_sentence() {
    for (key, text) in sentences() {
        let row = format!("| `{key}` | {} |", text.sentence);
        assert!(PROTOCOL.contains(&row), "docs/PROTOCOL.md has no row\n{row}");
    }
}

/// Tries moves of every shape in every game, and collects the reasons.
fn reasons() -> Vec<Reason> {
    let notations = [
        "",
        "hello",
        "c1",
        "c3",
        "swap",
        "z9",
        "z9-z8",
        "0xc1-c3",
        "99xc1-c3",
        "9xc1-c3",
        "c1-c1",
        "c1-e3",
        "c5-c3",
        "c2-c3",
        "c1-c5",
        "2xc1-2xc3",
        "2xc1-c3,d1",
        "c1,c2-c3,c4",
        "c1-c3,c3",
        "k13-j12-l12",
        "k13-k13",
        "k13-o13",
        "a5-b6",
        "k14-k12",
        "f6,f6",
        "f6,g5",
        "a1,b2,c3,d4",
        "A1",
        "X1",
        "Q1",
        "A99",
        "1+",
        "8,0+",
        "1,2+",
        "8+",
        "1-5",
    ];
    let mut found = Vec::new();
    for &kind in Kind::ALL {
        let options = kind.complete(&Options::new(), 2).unwrap();
        let mut position = kind.start(&options, 2);
        for _ in 0..3 {
            for notation in notations {
                let tried = position.parse_move(notation);
                if let Err(why) = tried.and_then(|mv| position.validate(&mv)) {
                    found.push(why.reason());
                }
            }
            position.apply(&position.legal_moves(1)[0].clone());
        }
    }
    found
}

#[test]
fn reasons_are_their_keys_sentences_filled_in() {
    let known = sentences();
    let found = reasons();
    assert!(found.len() > 100, "{}", found.len());
    for reason in found {
        let text = known[reason.text.key];
        assert_eq!(reason.text.sentence, text.sentence);
        let mut filled = text.sentence.to_owned();
        for (name, arg) in reason.named_args() {
            filled = filled.replace(&format!("{{{name}}}"), &arg.to_string());
        }
        assert_eq!(reason.to_string(), filled);
        assert!(!filled.contains('{'), "{filled}");
    }
}
