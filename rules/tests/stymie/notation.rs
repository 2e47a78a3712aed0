//! How moves are read and written, and what is said of those that are none.

use adamant_rules::{
    IllegalMove,
    game::Game,
    games::stymie::{LastMove, RuleViolation, Stymie},
};

use super::positions::{after, arranged, refused, start};

fn canonical(position: &Stymie, notation: &str) -> String {
    position.parse_move(notation).unwrap().to_string()
}

#[test]
fn one_canonical_form() {
    let position = start("-size=12");
    for (written, form) in [
        ("f6", "f6"),
        ("F6", "f6"),
        ("g5,f6", "f6,g5"),
        ("h6,G5,f6", "f6,g5,h6"),
        ("f6,f4,g5", "f4,f6,g5"),
        ("a11,a9,b10", "a9,a11,b10"),
        ("w23,v22", "v22,w23"),
        (" \tf6,g5\r\n", "f6,g5"),
        ("swap", "swap"),
        (" SwaP ", "swap"),
    ] {
        assert_eq!(canonical(&position, written), form, "{written}");
    }
}

#[test]
fn text_that_is_no_move_is_refused() {
    let position = start("");
    for written in [
        "",
        " ",
        ",",
        "f",
        "6",
        "6f",
        "f6,",
        ",f6",
        "f6,,g5",
        "f6 g5",
        "f6, g5",
        "f6-g5",
        "f6;g5",
        "f-6",
        "f+6",
        "f6.0",
        "ff6",
        "f６",
        "é6",
        "f6\u{1b}[2J",
        "swap,f6",
        "swap swap",
        "pass",
        "resign",
    ] {
        let answer = position.parse_move(written);
        assert!(matches!(answer, Err(IllegalMove::Unreadable { .. })), "{written}: {answer:?}");
    }
}

#[test]
fn every_misuse_of_the_notation_has_its_own_sentence() {
    let position = after("-size=3", &["c3", "e1"]);
    for (written, sentence) in [
        ("a1,A1", "a1 is named twice"),
        ("a1,b2,a3,b4", "a move puts down 3 pieces at the most"),
        ("b1", "there is no cell b1 on this board"),
        ("a2", "there is no cell a2 on this board"),
        ("a7", "there is no cell a7 on this board"),
        ("g1", "there is no cell g1 on this board"),
        ("a0", "there is no cell a0 on this board"),
        ("a01", "there is no cell a01 on this board"),
        ("a1,Z9", "there is no cell Z9 on this board"),
        ("a123456789", "there is no cell a1234567 on this board"),
    ] {
        assert_eq!(refused(&position, written), sentence, "{written}");
    }
}

#[test]
fn every_broken_rule_has_its_own_sentence() {
    let together = "pieces put down together are on an octagon and a square touching it, or on \
                    three such cells";
    let opening = "the opening move puts down exactly one piece";
    let unearned = "three pieces are allowed only if the opponent's last move put down exactly one";
    let late = "swap is only for the answer to the opening move";
    let cases: &[(&[&str], &str, &str)] = &[
        (&[], "f6,g5", opening),
        (&[], "f6,g5,h6", opening),
        (&[], "f6,h6", opening),
        (&["c3"], "c3", "c3 is not empty"),
        (&["c3", "f6"], "g5,f6", "f6 is not empty"),
        (&["c3", "e1"], "e3,c3", "c3 is not empty"),
        (&["c3"], "f6,h6", &format!("f6 and h6 are squares: {together}")),
        (&["c3"], "i5,g5", &format!("g5 and i5 are octagons: {together}")),
        (&["c3", "e1"], "k5,g5,i5", &format!("g5 and i5 are octagons: {together}")),
        (&["c3", "e1"], "f6,f4,h8", &format!("f4 and f6 are squares: {together}")),
        (&["c3"], "g5,h8", "g5 and h8 do not touch"),
        (&["c3"], "h8,i5", "i5 and h8 do not touch"),
        (&["c3", "e1"], "g5,h4,h8", "g5 and h8 do not touch"),
        (&["c3", "e1"], "g5,h4,k5", "h4 and k5 do not touch"),
        (
            &["c3"],
            "f6,g5,h6",
            "three pieces answer a single piece of the opponent, but not the opening",
        ),
        (&["c3", "f6,g5"], "j6,k5,l6", unearned),
        (&["c3", "e1", "f6,g5,h6"], "j6,k5,l6", unearned),
        (&[], "swap", "this game is played without swap"),
        (&["c3"], "swap", "this game is played without swap"),
    ];
    for (moves, written, sentence) in cases {
        assert_eq!(refused(&after("", moves), written), *sentence, "{moves:?} {written}");
    }
    for moves in [&[][..], &["c3", "e1"], &["c3", "swap"], &["c3", "swap", "e1"]] {
        assert_eq!(refused(&after("-swap", moves), "swap"), late, "{moves:?}");
    }
}

#[test]
fn length_is_bounded_before_anything_else() {
    let position = start("");
    let too_long = Err(IllegalMove::TOO_LONG);
    assert_eq!(position.parse_move(&("f6,".repeat(1_000_000) + "g5")), too_long);
    assert_eq!(position.parse_move(&("f".to_owned() + &"0".repeat(1_000_000) + "6")), too_long);
    assert_eq!(
        position.parse_move("a1,b2,c3,d4,e5"),
        Err(RuleViolation::TooManyCells { max: 3 }.into())
    );
}

#[test]
fn a_move_of_a_larger_board_is_refused() {
    let mv = start("-size=12").parse_move("w23").unwrap();
    let answer = arranged("-size=11", "", "V", LastMove::Single).validate(&mv);
    assert_eq!(answer.unwrap_err().to_string(), "there is no cell w23 on this board");
}

#[test]
fn every_cell_is_found_by_its_name() {
    for size in 3..=12_usize {
        let position = start(&format!("-size={size}"));
        let cells = position.layout().cells;
        assert_eq!(cells.len(), size * size + (size - 1) * (size - 1));
        for window in cells.windows(2) {
            assert!(window[0].cell < window[1].cell);
        }
        for at in cells {
            let name = position.cell_name(at.cell);
            assert_eq!(position.cell(name.as_str()), Some(at.cell));
            assert_eq!(position.cell(&name.as_str().to_uppercase()), Some(at.cell));
        }
        for none in
            ["", "a", "a0", "1", "x1", "x24", "a2", "b1", "a25", "a01", "a1 ", "é1", "a257", "a-1"]
        {
            assert_eq!(position.cell(none), None, "{none} at size {size}");
        }
    }
}

#[test]
fn the_prompt_says_what_may_be_written() {
    let helps = |options, moves: &[&str]| after(options, moves).notation_help();
    assert!(!helps("", &[]).contains("two"));
    assert!(helps("-swap", &["c3"]).contains("swap"));
    for (options, moves, three) in [
        ("", &["c3"][..], false),
        ("-swap", &["c3"], false),
        ("-swap", &["c3", "swap"], false),
        ("", &["c3", "e1"], true),
        ("", &["c3", "e1", "f6,g5"], false),
    ] {
        let help = helps(options, moves);
        assert!(help.contains("two") && help.contains("three") == three, "{moves:?}: {help}");
    }
}
