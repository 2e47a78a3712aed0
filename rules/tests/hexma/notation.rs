//! How moves are read and written, and what is said of those that are none.

use adamant_rules::{Cell, IllegalMove, game::Game};

use super::positions::{arranged, refused, start};

#[test]
fn named_landing_points_are_looked_at_and_forgotten() {
    let position = arranged(2, "q11:O p12:X m13:X n12:X", "O");
    let plain = position.parse_move("q11-k13").unwrap();
    assert!(position.validate(&plain).is_ok());
    assert_eq!(position.parse_move("q11-o13-k13"), Ok(plain));
    assert_eq!(position.parse_move("Q11-O13-M11-O13-K13"), Ok(plain), "going back is a way too");
    assert_eq!(position.parse_move("q11-o13-q11-o13-k13"), Ok(plain), "and so is the start");
}

#[test]
fn some_of_the_landing_points_are_enough() {
    let position = arranged(2, "q11:O p12:X m13:X i13:X", "O");
    let plain = position.parse_move("q11-g13").unwrap();
    assert!(position.validate(&plain).is_ok());
    for written in ["q11-o13-k13-g13", "q11-o13-g13", "q11-k13-g13", "q11-k13-q11-g13"] {
        assert_eq!(position.parse_move(written), Ok(plain), "{written}");
    }
    assert_eq!(plain.to_string(), "q11-g13");
}

#[test]
fn every_leg_must_be_reached_by_hops() {
    let position = arranged(2, "q11:O p12:X m13:X o11:O m11:X h12:X", "O");
    let no_hops = |from, to| format!("no series of hops leads from {from} to {to}");
    for (written, sentence) in [
        ("q11-o13-p12-k13", "p12 is occupied".to_owned()),
        ("q11-k13-q13", no_hops("k13", "q13")),
        ("q11-o13-q13", no_hops("o13", "q13")),
        ("q11-o13-o13", no_hops("o13", "o13")),
        ("q11-q13-o13", no_hops("q11", "q13")),
        ("q11-q9-o13", no_hops("q11", "q9")),
        ("q11-u11-y13", no_hops("q11", "u11")),
        ("q11-o13-q11", "a move may pass q11 again but not end where it began".to_owned()),
        ("q11-m11-k13", "m11 is occupied".to_owned()),
        ("h12-l12-p12", "the piece on h12 is not yours".to_owned()),
        ("i11-m11-q11", "there is no piece on i11".to_owned()),
        ("q11-o13-k13-z1", "there is no cell z1 on this board".to_owned()),
    ] {
        assert_eq!(refused(&position, written), sentence, "{written}");
    }
}

#[test]
fn every_broken_rule_has_its_own_sentence() {
    let position = arranged(2, "q11:O p12:X m13:X o11:O m11:X h12:X", "O");
    for (written, sentence) in [
        ("a5-c5", "there is no piece on a5"),
        ("a5-a5", "there is no piece on a5"),
        ("p12-q13", "the piece on p12 is not yours"),
        ("q11-q11", "a move may pass q11 again but not end where it began"),
        ("q11-p12", "p12 is occupied"),
        ("q11-o11", "o11 is occupied"),
        ("q11-m13", "m13 is occupied"),
        ("q11-q13", "no step and no series of hops leads from q11 to q13"),
        ("q11-u11", "no step and no series of hops leads from q11 to u11"),
        ("q11-i13", "no step and no series of hops leads from q11 to i13"),
        ("q11-a5", "no step and no series of hops leads from q11 to a5"),
        ("q11-b5", "there is no cell b5 on this board"),
        ("q11-a1", "there is no cell a1 on this board"),
        ("q11-q0", "there is no cell q0 on this board"),
        ("q11-q09", "there is no cell q09 on this board"),
        ("q11-m18", "there is no cell m18 on this board"),
        ("q11-z5", "there is no cell z5 on this board"),
        ("q11-q123456789", "there is no cell q1234567 on this board"),
    ] {
        assert_eq!(refused(&position, written), sentence, "{written}");
    }
}

#[test]
fn a_way_is_as_long_as_there_is_room() {
    let position = arranged(2, "m9:O l8:X", "O");
    // Back and forth.
    let longest = format!("m9{}", "-k7-m9".repeat(84)) + "-k7";
    assert!((506..=512).contains(&longest.len()));
    assert_eq!(position.parse_move(&longest), position.parse_move("m9-k7"));
    assert_eq!(position.parse_move(&format!("{longest}-m9-k7")), Err(IllegalMove::TOO_LONG));
}

#[test]
fn a_cell_of_no_board_has_no_name_and_no_targets() {
    let position = start(2);
    for number in [121, 128, 255, 256, 400, u16::MAX] {
        assert_eq!(position.cell_name(Cell(number)).as_str(), "?");
        assert_eq!(position.targets(Cell(number)), []);
    }
}
