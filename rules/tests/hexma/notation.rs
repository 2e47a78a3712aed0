//! How moves are read and written, and what is said of those that are none.

use adamant_rules::{Cell, IllegalMove, game::Game};

use super::positions::{arranged, refused, start};

#[test]
fn one_canonical_form() {
    let position = start(2);
    for (written, form) in [
        ("k13-j12", "k13-j12"),
        ("K13-J12", "k13-j12"),
        (" \tk13-j12\r\n", "k13-j12"),
        ("n14-l12", "n14-l12"),
        ("m1-m17", "m1-m17"),
    ] {
        assert_eq!(position.parse_move(written).unwrap().to_string(), form, "{written}");
    }
}

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
fn text_that_is_no_move_is_refused() {
    let position = start(2);
    for written in [
        "",
        " ",
        "-",
        "k13",
        "k13-",
        "-j12",
        "k13--j12",
        "k13-j12-",
        "k13 - j12",
        "k13-j12 l12",
        "k13,m13-j12",
        "1xk13-j12",
        "k-j12",
        "13-12",
        "k13-j",
        "k13–j12",
        "ç13-j12",
        "k13-j1²",
        "k13-\u{1b}[2J",
        "k13-j1.5",
        "resign",
        "pass",
    ] {
        let answer = position.parse_move(written);
        assert!(matches!(answer, Err(IllegalMove::Unreadable { .. })), "{written}: {answer:?}");
    }
}

#[test]
fn length_is_bounded_before_anything_else() {
    let position = arranged(2, "m9:O l8:X", "O");
    let too_long = Err(IllegalMove::TOO_LONG);
    assert_eq!(position.parse_move(&"k7-m9-".repeat(1_000_000)), too_long);
    assert_eq!(position.parse_move(&"0".repeat(1_000_000)), too_long);
    // Back and forth, as often as there is room.
    let longest = format!("m9{}", "-k7-m9".repeat(84)) + "-k7";
    assert!((506..=512).contains(&longest.len()));
    assert_eq!(position.parse_move(&longest), position.parse_move("m9-k7"));
    assert_eq!(position.parse_move(&format!("{longest}-m9-k7")), too_long);
}

#[test]
fn every_cell_is_found_by_its_name() {
    let position = start(2);
    for at in position.layout().cells {
        let name = position.cell_name(at.cell);
        assert_eq!(position.cell(name.as_str()), Some(at.cell));
        assert_eq!(position.cell(&name.as_str().to_uppercase()), Some(at.cell));
    }
    for none in
        ["", "m", "m0", "1", "b5", "a1", "y17", "z5", "m18", "m01", "m1 ", "é1", "m256", "m-1"]
    {
        assert_eq!(position.cell(none), None, "{none}");
    }
    for number in [121, 128, 255, 256, 400, u16::MAX] {
        assert_eq!(position.cell_name(Cell(number)).as_str(), "?");
        assert_eq!(position.targets(Cell(number)), []);
    }
}
