//! How moves are read and written, and what is said of those that are none.

use adamant_rules::{IllegalMove, Kind, Options, game::Game};

use super::positions::{A, X, arranged, refused, start};

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
fn cells_are_numbered_from_one() {
    let position = start("-board=12x3");
    for (number, at) in (1..).zip(position.layout().cells) {
        assert_eq!(position.cell_name(at.cell).to_string(), format!("{number}"));
    }
    assert_eq!(start("").cell("9"), None);
    assert_eq!(start("-board=10x3").cell("11"), None);
}
