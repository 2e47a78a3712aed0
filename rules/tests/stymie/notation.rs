//! How moves are read and written, and what is said of those that are none.

use adamant_rules::{game::Game, games::stymie::LastMove};

use super::positions::{after, arranged, refused, start};

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
fn a_move_of_a_larger_board_is_refused() {
    let mv = start("-size=12").parse_move("w23").unwrap();
    let answer = arranged("-size=11", "", "V", LastMove::Single).validate(&mv);
    assert_eq!(answer.unwrap_err().to_string(), "there is no cell w23 on this board");
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
