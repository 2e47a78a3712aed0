//! How many moves there are, where the numbers are known.

use adamant_rules::{
    game::{Game, MoveCount},
    games::diam::Diam,
};

use super::positions::{A, X, arranged, play, start};

fn count(position: &Diam) -> u128 {
    match position.count_moves() {
        MoveCount::Exactly(count) => count,
        MoveCount::NotCounted(why) => panic!("{why}"),
    }
}

#[test]
fn the_opening_is_any_letter_anywhere() {
    for (options, moves) in
        [("", 2 * 8), ("-board=10x3 -pieces=3x3", 3 * 10), ("-board=12x6 -pieces=4x6", 4 * 12)]
    {
        assert_eq!(count(&start(options)), moves, "{options}");
    }
}

#[test]
fn the_answer_is_as_free_unless_it_may_not_mirror() {
    for (options, moves) in [
        ("", 2 * 8),
        ("-nomirror", 2 * 7),
        ("-board=10x3 -pieces=3x3 -nomirror", 3 * 9),
        ("-board=12x6 -pieces=4x6 -nomirror", 4 * 11),
    ] {
        let mut position = start(options);
        play(&mut position, "B3").unwrap();
        assert_eq!(count(&position), moves, "{options}");
        let answer = position.legal_moves(1)[0];
        position.apply(&answer);
        let sectors = position.layout().cells.len() as u128;
        let colours = if sectors == 8 { 2 } else { sectors / 2 - 2 };
        // Two ways for the piece on the board, under whatever was put on top of it.
        assert_eq!(count(&position), colours * sectors + 2, "{options}");
    }
}

#[test]
fn moves_are_listed_in_order() {
    let position = arranged("", "1:AXB 2:YXY 4:BA 8:X", A);
    let listed: Vec<_> = position.legal_moves(usize::MAX).iter().map(ToString::to_string).collect();
    let expected = [
        "A1", "A2", "A3", "A4", "A5", "A6", "A7", "A8", "B1", "B2", "B3", "B4", "B5", "B6", "B7",
        "B8", "1-", "1,3+", "1,3-", "4+", "4-", "4,2+", "4,2-",
    ];
    assert_eq!(listed, expected);
    assert_eq!(count(&position), 23);
    assert_eq!(position.legal_moves(0), []);
    assert_eq!(position.legal_moves(17), position.legal_moves(100)[..17]);
}

#[test]
fn only_movements_are_left_without_a_reserve() {
    let position = arranged("-pieces=2x3", "1:AAB 3:ABB 5:XXX", A);
    let listed: Vec<_> = position.legal_moves(usize::MAX).iter().map(ToString::to_string).collect();
    let expected =
        ["1+", "1-", "1,2+", "1,2-", "1,3+", "1,3-", "3+", "3-", "3,2+", "3,2-", "3,3+", "3,3-"];
    assert_eq!(listed, expected);
    assert_eq!(count(&arranged("-pieces=2x3", "1:AAB 3:ABB 5:XXX", X)), 8 + 6);
}
