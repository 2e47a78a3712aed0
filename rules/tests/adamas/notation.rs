//! How moves are read and written, and what is said of those that are none.

use adamant_rules::{
    IllegalMove,
    game::Game,
    games::adamas::{Adamas, RuleViolation},
};

use super::positions::{arranged, refused, start};

fn canonical(position: &Adamas, notation: &str) -> String {
    position.parse_move(notation).unwrap().to_string()
}

#[test]
fn progressive_splits_keep_their_order() {
    let position = start("-size=4 -prog_cap", 2);
    assert_eq!(canonical(&position, "d1-f1,2xe1,d3"), "d1-f1,2xe1,d3");
    assert_eq!(canonical(&position, "2xd1,3xa4-d4"), "3xa4,2xd1-d4");
    assert_ne!(position.parse_move("d1-d2,e1"), position.parse_move("d1-e1,d2"));
}

#[test]
fn cells_sort_by_row_and_then_by_number() {
    let position = arranged("-size=8", 2, "h8:OO a1:X", "O");
    assert_eq!(canonical(&position, "h8-h15,o8,h9,a8,h10,h1"), "h8-a8,h1,h9,h10,h15,o8");
}

#[test]
fn every_misuse_of_the_notation_has_its_own_sentence() {
    let position = start("-size=4", 2);
    for (written, sentence) in [
        ("0xd1-d3", "a part of a move takes at least one piece, and d1 is given none"),
        ("d1-d2,00xd3", "a part of a move takes at least one piece, and d3 is given none"),
        ("100xd1-d3", "the count at d1 is too great: no stack is higher than 99"),
        (
            "99999999999999999999999xd1-d3",
            "the count at d1 is too great: no stack is higher than 99",
        ),
        ("2xd1-2xd3", "the count is given on both sides: write it once, as in 9xd1-d3"),
        (
            "2xd1-d3,e1",
            "a split has its counts at its destinations, as in d1-2xd3,e1; d1 takes no count here",
        ),
        (
            "d1,a4-2xd4",
            "a merge has its counts at its sources, as in 2xd1,3xa4-d4; d4 takes no count here",
        ),
        ("2xd1,3xa4-d4,d5", "a move has either one source or one destination"),
        ("d1-d3,e1,D3", "d3 is named twice: add its counts up, as in 2xd3"),
        ("d1,2xd1-d4", "d1 is named twice: add its counts up, as in 2xd1"),
        ("d1-d1", "d1 is both source and destination"),
        ("d1-d2,d1", "d1 is both source and destination"),
        ("a4,d4-d4", "d4 is both source and destination"),
        ("d1-d8", "there is no cell d8 on this board"),
        ("d1-h1", "there is no cell h1 on this board"),
        ("d1-d0", "there is no cell d0 on this board"),
        ("d1-d03", "there is no cell d03 on this board"),
        ("d1-d123456789", "there is no cell d1234567 on this board"),
    ] {
        assert_eq!(refused(&position, written), sentence, "{written}");
    }
}

#[test]
fn a_split_to_everything_in_sight_can_be_written() {
    let stacks = format!("h8:{} b1:X", "O".repeat(99));
    let position = arranged("-size=8", 2, &stacks, "O");
    let targets = position.targets(position.cell("h8").unwrap());
    let names: Vec<_> =
        targets.iter().map(|target| format!("2x{}", position.cell_name(target.cell))).collect();
    assert_eq!(names.len(), 42);
    let written = format!("h8-{}", names.join(","));
    assert_eq!(canonical(&position, &written), written);
    assert!(position.validate(&position.parse_move(&written).unwrap()).is_ok());
    let more = format!("{written},a1");
    assert_eq!(position.parse_move(&more), Err(RuleViolation::TooManyParts { max: 42 }.into()));
}

#[test]
fn every_broken_rule_has_its_own_sentence() {
    let position = arranged("", 2, "c1:OOO c2:O c5:XXXX a1:OO e3:X", "O");
    for (written, sentence) in [
        ("c4-c3", "c4 is empty"),
        ("c5-c4", "c5 is not your stack"),
        ("a1,c5-c3", "c5 is not your stack"),
        ("4xc1-b1", "c1 has 3 pieces, not 4"),
        ("2xc2-c3", "c2 has 1 piece, not 2"),
        ("c1-99xd1,99xb1", "c1 has 3 pieces, not 198"),
        ("a1,c1-e1", "a1 and e1 are not on one line"),
        ("c1-e2", "c1 and e2 are not on one line"),
        ("c1-c3", "c1 does not see c3: c2 is in the way"),
        ("c1,c2-c4", "c1 does not see c4: c2 is in the way"),
        ("c2-c5", "c5 is 4 high but sees 1 enemy piece"),
    ] {
        assert_eq!(refused(&position, written), sentence, "{written}");
    }
    let crowded = arranged("", 2, "c1:OOO c3:X a3:XXXX", "O");
    assert_eq!(refused(&crowded, "c1-c3"), "c3 is 1 high but sees 3 enemy pieces");
    assert_eq!(
        refused(&start("", 2), "c1-c5"),
        "the opening move may not capture, and c5 is an enemy stack"
    );
}

#[test]
fn a_move_of_another_board_is_refused() {
    let mv = start("-size=8", 2).parse_move("h1-o1").unwrap();
    assert!(matches!(start("", 2).validate(&mv), Err(IllegalMove::Unreadable { .. })));
}
