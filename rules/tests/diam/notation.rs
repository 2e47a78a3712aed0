//! How moves are read and written, and what is said of those that are none.

use adamant_rules::{IllegalMove, Kind, Options, game::Game};

use super::positions::{A, X, all_options, arranged, refused, start};

#[test]
fn one_canonical_form() {
    let position = start("-board=12x6 -pieces=4x6");
    for (written, form) in [
        ("A1", "A1"),
        ("x4", "X4"),
        ("w12", "W12"),
        ("4+", "4+"),
        ("4,1+", "4+"),
        ("4,01+", "4+"),
        ("12-", "12-"),
        ("6,3-", "6,3-"),
        ("6,003-", "6,3-"),
        (" \tz10\r\n", "Z10"),
    ] {
        assert_eq!(position.parse_move(written).unwrap().to_string(), form, "{written}");
    }
}

/// Whether or not a stack can have so many pieces.
#[test]
fn numbers_are_written_as_the_formatter_writes_them() {
    let position = start("");
    for number in 2..=u8::MAX {
        let written = format!("1,{number}+");
        assert_eq!(position.parse_move(&written).unwrap().to_string(), written);
    }
}

#[test]
fn text_that_is_no_move_is_refused() {
    let position = start("");
    for written in [
        "",
        " ",
        "+",
        "-",
        "1",
        "A",
        "A+",
        "A1+",
        "AA1",
        "1A",
        "4++",
        "4+-",
        "+4",
        "4,+",
        ",3+",
        "4,1",
        "4,1,2+",
        "4, 1+",
        "4 +",
        "A 1",
        "4.1+",
        "6,-3-",
        "6,+3+",
        "4–",
        "٤+",
        "Ä1",
        "A١",
        "A-1",
        "A+1",
        "\u{1b}[2J",
        "resign",
        "A1A2",
        "A1,B2",
        "ß1",
        "1\u{301}+",
    ] {
        let answer = position.parse_move(written);
        assert!(matches!(answer, Err(IllegalMove::Unreadable { .. })), "{written}: {answer:?}");
    }
}

#[test]
fn every_misuse_has_its_own_sentence() {
    let position = start("");
    for (written, sentence) in [
        ("A9", "there is no cell 9 on this board"),
        ("A0", "there is no cell 0 on this board"),
        ("A01", "there is no cell 01 on this board"),
        ("a123456789", "there is no cell 12345678 on this board"),
        ("9+", "there is no cell 9 on this board"),
        ("0,2-", "there is no cell 0 on this board"),
        ("1,0+", "the pieces of a stack are counted from 1, which is the bottom one"),
        ("1,000-", "the pieces of a stack are counted from 1, which is the bottom one"),
        ("q5", "there are no pieces Q in this game"),
        ("c5", "there are no pieces C in this game"),
        ("W5", "there are no pieces W in this game"),
        ("Z5", "there are no pieces Z in this game"),
    ] {
        assert_eq!(refused(&position, written), sentence, "{written}");
    }
    assert_eq!(refused(&start("-pieces=3x3"), "W1"), "there are no pieces W in this game");
    assert_eq!(
        refused(&start("-pieces=3x3"), "Z1"),
        "Z is your opponent's: place one of your own pieces"
    );
}

#[test]
fn every_broken_rule_has_its_own_sentence() {
    let position = arranged("", "3:AXB 4:YX 5:YXXY 6:Y 7:ABAA", A);
    for (written, sentence) in [
        ("X1", "X is your opponent's: place one of your own pieces"),
        ("A5", "you have no A left to place"),
        ("B5", "sector 5 is full: no stack here is higher than 4"),
        ("1+", "sector 1 is empty"),
        ("4,3+", "sector 4 has 2 pieces, so none is that high"),
        ("6,2+", "sector 6 has 1 piece, so none is that high"),
        ("6,99999999999999999999+", "sector 6 has 1 piece, so none is that high"),
        ("6+", "piece 1 of sector 6 is Y, which is not yours"),
        ("5,3-", "piece 3 of sector 5 is X, which is not yours"),
        ("3+", "sector 4 would be 5 high with these pieces, and no stack here is higher than 4"),
        ("7-", "sector 6 would be 5 high with these pieces, and no stack here is higher than 4"),
    ] {
        assert_eq!(refused(&position, written), sentence, "{written}");
    }
    let bound = arranged("-nomirror", "7:A", X);
    assert_eq!(
        refused(&bound, "Y3"),
        "with -nomirror your first piece may not go opposite your opponent's, which sector 3 is"
    );
}

#[test]
fn length_is_bounded_before_anything_else() {
    let position = start("");
    let too_long = Err(IllegalMove::TOO_LONG);
    assert_eq!(position.parse_move(&"A".repeat(1_000_000)), too_long);
    assert_eq!(position.parse_move(&format!("4,{}1+", "0".repeat(1_000_000))), too_long);
    assert_eq!(position.parse_move(&format!("A{}", "1".repeat(33))), too_long);
}

#[test]
fn a_move_of_another_board_is_refused() {
    let large = start("-board=12x4 -pieces=4x4");
    let small = start("");
    for notation in ["A9", "12+", "9,2-"] {
        let validated = small.validate(&large.parse_move(notation).unwrap());
        assert!(
            matches!(validated, Err(IllegalMove::NoSuchCell { .. })),
            "{notation}: {validated:?}"
        );
    }
    assert!(small.validate(&large.parse_move("C1").unwrap()).is_err());
}

#[test]
fn a_move_of_another_game_is_refused() {
    let start = |kind: Kind| kind.start(&kind.complete(&Options::new(), 2).unwrap(), 2);
    let (adamas, diam) = (start(Kind::Adamas), start(Kind::Diam));
    for (position, mv) in
        [(&adamas, diam.parse_move("A1").unwrap()), (&diam, adamas.parse_move("c1-c2").unwrap())]
    {
        let answer = position.validate(&mv);
        assert!(matches!(answer, Err(IllegalMove::Unreadable { .. })), "{answer:?}");
        assert!(position.affected_cells(&mv).is_empty());
    }
}

#[test]
fn every_cell_is_found_by_its_name() {
    for options in all_options() {
        let position = start(&options);
        let cells = position.layout().cells;
        let sectors = options["-board=".len()..].split('x').next().unwrap();
        assert_eq!(cells.len().to_string(), sectors);
        for (number, at) in (1..).zip(cells) {
            assert_eq!(position.cell_name(at.cell).to_string(), format!("{number}"));
            assert_eq!(position.cell(&format!("{number}")), Some(at.cell));
        }
        for none in ["", "0", "00", "01", "13", "-1", "+1", "1 ", "a1", "111", "256", "²"] {
            assert_eq!(position.cell(none), None, "{none} with {options}");
        }
    }
    assert_eq!(start("").cell("9"), None);
    assert_eq!(start("-board=10x3").cell("11"), None);
}
