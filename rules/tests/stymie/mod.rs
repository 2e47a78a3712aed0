//! Stymie, tested from outside: what its positions say and do.

mod reference_rules;
mod vectors;

use std::collections::BTreeSet;

use adamant_rules::{
    Consequence, EndReason, Kind, Options, Position, Seat, SeatSet,
    game::{CellShape, Game, Mark, MoveCount},
    games::stymie::{LastMove, Move, PositionError, Stymie},
    options::{OptionError, OptionValue},
    record::{ReplayStep, TextRecord},
    table::Outcome,
};
use insta::assert_snapshot;

use crate::games::{self, cells, count_shown, opening, picks, play, refused, shown, written};

/// The opening position of a challenge such as `-size=4`.
fn start(options: &str) -> Stymie {
    opening(options, 2)
}

/// A position in the middle of a game, written `f6:V g5:H`.
fn arranged(options: &str, pieces: &str, to_move: &str, last_move: LastMove) -> Stymie {
    let options = Options::parse(options, Stymie::OPTIONS).unwrap();
    let pieces: Vec<_> =
        cells(pieces).into_iter().map(|(cell, letter)| (cell, letter.parse().unwrap())).collect();
    Stymie::from_setup(&options, &pieces, seat_of(to_move), last_move).unwrap()
}

/// The position after these moves.
fn after(options: &str, moves: &[&str]) -> Stymie {
    let mut position = start(options);
    for notation in moves {
        play(&mut position, notation).unwrap();
    }
    position
}

fn seat_of(letter: &str) -> Seat {
    games::seat_of("VH", letter)
}

fn won_by(letter: &str) -> Consequence {
    let winners = SeatSet::only(seat_of(letter));
    Consequence::End { winners, reason: EndReason::Connected }
}

#[test]
fn options_have_bounds_and_defaults() {
    for (given, complete) in [("", "-size=8"), ("-swap", "-size=8 -swap"), ("-size=3", "-size=3")] {
        let options = Options::parse(given, Stymie::OPTIONS).unwrap();
        let options = Kind::Stymie.complete(&options, 2).unwrap();
        assert_eq!(options.to_string(), complete, "{given}");
        assert_eq!(options.len(), 2);
        assert_eq!(Kind::Stymie.complete(&options, 2).as_ref(), Ok(&options));
    }
    for size in [2, 13] {
        let mut options = Options::new();
        options.set("size", OptionValue::Number(size));
        let error = Stymie::complete(&options, 2).unwrap_err();
        assert!(matches!(error, OptionError::OutOfBounds { .. }), "{size}: {error}");
    }
    for players in [1, 3] {
        let error = Kind::Stymie.complete(&Options::new(), players).unwrap_err();
        assert!(matches!(error, OptionError::Players { .. }), "{players}: {error}");
    }
    assert_eq!(Kind::from_name("STYMIE"), Some(Kind::Stymie));
}

#[test]
fn the_board_is_empty_and_v_begins() {
    let position = start("");
    assert_eq!(written(&position), "");
    assert_eq!(position.to_move(), seat_of("V"));
    assert_eq!(["V", "H"].map(|letter| position.letter(seat_of(letter))), ['V', 'H']);
    assert_eq!(position.seats_in(), SeatSet::all(2));
    assert_eq!(position.count_moves(), MoveCount::Exactly(64 + 49));
    assert_eq!(position.pending(), None);
}

#[test]
fn seats_take_turns_and_pieces_stay() {
    let mut position = start("");
    for (notation, pieces, next) in [
        ("f6", "f6:V", "H"),
        ("h6,g5", "f6:V g5:H h6:H", "V"),
        ("a1", "a1:V f6:V g5:H h6:H", "H"),
        ("o15,n14,o13", "a1:V f6:V g5:H h6:H n14:H o13:H o15:H", "V"),
    ] {
        play(&mut position, notation).unwrap();
        assert_eq!(written(&position), pieces);
        assert_eq!(position.to_move(), seat_of(next));
    }
}

#[test]
fn all_moves_on_the_smallest_board() {
    // 9 octagons and 4 squares with 4 sides each; the middle octagon has 6 pairs of squares, the
    // four on the edges have 1, each square has 6 pairs of octagons.
    let count = |last_move| arranged("-size=3", "", "H", last_move).count_moves();
    assert_eq!(count(LastMove::None), MoveCount::Exactly(13));
    assert_eq!(count(LastMove::Other), MoveCount::Exactly(13 + 16));
    assert_eq!(count(LastMove::Opening), MoveCount::Exactly(13 + 16));
    assert_eq!(count(LastMove::Single), MoveCount::Exactly(13 + 16 + 6 + 4 + 24));
    let swap = arranged("-size=3 -swap", "", "H", LastMove::Opening);
    assert_eq!(swap.count_moves(), MoveCount::Exactly(13 + 16 + 1));
}

#[test]
fn the_right_to_three_pieces_does_not_carry_over() {
    // V leaves its right unused and H, answered by two pieces, has none.
    let mut position = after("", &["c3", "e1"]);
    assert!(position.parse_move("f6,g5,h6").is_ok_and(|mv| position.validate(&mv).is_ok()));
    play(&mut position, "f6,g5").unwrap();
    assert!(refused(&position, "j6,k5,l6").contains("exactly one"));
    play(&mut position, "j6,k5").unwrap();
    assert!(refused(&position, "l8,m7,n8").contains("exactly one"));
}

#[test]
fn a_seat_that_is_passed_over_leaves_no_right_behind() {
    let mut position = after("", &["c3", "e1"]);
    position.skip();
    assert_eq!(position.to_move(), seat_of("H"));
    assert!(refused(&position, "f6,g5,h6").contains("exactly one"));

    let mut opening = start("-swap");
    opening.skip();
    assert_eq!(opening.to_move(), seat_of("H"));
    assert!(refused(&opening, "f6,g5").contains("opening"), "the game is still to be opened");
}

#[test]
fn a_swap_leaves_piece_and_turn_and_gives_no_right_to_three() {
    let mut position = after("-swap", &["f6"]);
    let swap = position.parse_move("Swap").unwrap();
    assert!(position.validate(&swap).unwrap().is_empty());
    assert!(position.swaps_seats(&swap));
    assert!(!position.swaps_seats(&position.parse_move("g5").unwrap()));
    assert_eq!(position.affected_cells(&swap), []);
    let before = position.clone();
    position.apply(&swap);
    assert_eq!(written(&position), "f6:V");
    assert_eq!(position.to_move(), seat_of("H"));
    assert_eq!(position.seats_in(), SeatSet::all(2));
    assert_ne!(position.hash(), before.hash());
    assert_eq!(position.hash(), position.hash_from_scratch());
    assert!(refused(&position, "g5,h6,i5").contains("exactly one"));

    play(&mut position, "g5").unwrap();
    assert!(play(&mut position.clone(), "h6,i5,i7").is_ok(), "the answer is a singleton like any");
}

#[test]
fn v_connects_top_and_bottom_and_h_the_sides() {
    let column = "c1:V c3:V c5:V c7:V";
    let row = "a5:H c5:H e5:H g5:H";
    for (pieces, notation, to_move, winner) in [
        (column, "c9", "V", true),
        (column, "c9", "H", false),
        (row, "i5", "H", true),
        (row, "i5", "V", false),
        // The last piece may be anywhere in the chain.
        ("a1:V c5:V c7:V c9:V", "b2,c3", "V", true),
        ("c3:H e5:H f6:H g7:H i7:H a3:H", "d4", "H", true),
        // Two squares do not touch, however near.
        ("b2:V b4:V a1:V a9:V b6:V b8:V a7:V", "a3", "V", false),
        // A chain along the whole edge does not reach the other one.
        ("a1:V c1:V e1:V g1:V", "i1", "V", false),
        ("a1:H a3:H a5:H a7:H", "a9", "H", false),
    ] {
        let mut position = arranged("-size=5", pieces, to_move, LastMove::Other);
        assert_eq!(position.pending(), None);
        play(&mut position, notation).unwrap();
        let end = winner.then(|| won_by(to_move));
        assert_eq!(position.pending(), end, "{pieces} {notation}");
        assert_eq!(position.is_connected(seat_of(to_move)), winner);
    }
}

#[test]
fn three_pieces_may_win_at_once() {
    let mut position = arranged("-size=3", "c1:V", "V", LastMove::Single);
    play(&mut position, "a5,b4,c3").unwrap();
    assert_eq!(position.pending(), Some(won_by("V")));
}

#[test]
fn the_last_player_wins() {
    for (leaves, stays) in [("V", "H"), ("H", "V")] {
        let mut position = after("", &["c3", "e1"]);
        position.remove(seat_of(leaves));
        assert_eq!(position.hash(), position.hash_from_scratch());
        assert_eq!(position.to_move(), seat_of(stays));
        let winners = SeatSet::only(seat_of(stays));
        let end = Consequence::End { winners, reason: EndReason::LastPlayer };
        assert_eq!(position.pending(), Some(end));
    }
    let mut position = after("", &["c3", "e1"]);
    position.remove(seat_of("V"));
    assert!(refused(&position, "f6,g5,h6").contains("exactly one"), "e1 was H's own move");
}

#[test]
fn the_hash_covers_all_that_decides_legality() {
    let of = |options: &str, pieces: &str, to_move: &str, last_move| {
        arranged(options, pieces, to_move, last_move).hash()
    };
    let mut one_left = arranged("-size=3", "c3:V e1:H", "V", LastMove::Other);
    one_left.remove(seat_of("H"));
    let hashes = [
        of("-size=3", "c3:V e1:H", "V", LastMove::Other),
        of("-size=3", "c3:V e1:H", "V", LastMove::Single),
        of("-size=3", "c3:V e1:H", "V", LastMove::Opening),
        of("-size=3", "c3:V e1:H", "V", LastMove::None),
        of("-size=3", "c3:V e1:H", "H", LastMove::Other),
        of("-size=4", "c3:V e1:H", "V", LastMove::Other),
        of("-size=3 -swap", "c3:V e1:H", "V", LastMove::Other),
        of("-size=3", "c3:H e1:V", "V", LastMove::Other),
        of("-size=3", "c3:V e3:H", "V", LastMove::Other),
        of("-size=3", "c3:V", "V", LastMove::Other),
        of("-size=3", "", "V", LastMove::Other),
        one_left.hash(),
    ];
    assert_eq!(hashes.iter().collect::<BTreeSet<_>>().len(), hashes.len());
}

#[test]
fn touched_cells_are_those_with_new_pieces() {
    let position = after("", &["c3", "e1"]);
    let marks = position.affected_cells(&position.parse_move("h6,g5,f6").unwrap());
    let cells = ["f6", "g5", "h6"].map(|name| (position.cell(name).unwrap(), Mark::To));
    assert_eq!(marks, cells);
}

#[test]
fn cells_of_other_boards_are_nothing_here() {
    let foreign = start("-size=12").cell("w23").unwrap();
    let position = arranged("-size=3", "", "V", LastMove::Single);
    assert_eq!(position.cell_name(foreign).as_str(), "?");
    assert_eq!(position.targets(foreign), []);
    assert_eq!(position.neighbours(foreign), []);
    assert_eq!(position.draw(&[(foreign, Mark::Cursor)]), position.draw(&[]));
}

#[test]
fn positions_are_small_and_plain() {
    // One that holds memory elsewhere would have to be dropped.
    assert!(!std::mem::needs_drop::<Position>());
    assert!(size_of::<Stymie>() <= 256);
}

#[test]
fn pieces_that_cannot_stand_are_refused() {
    let arrange = |options: &str, pieces: &[(&str, char)], to_move| {
        let options = Options::parse(options, Stymie::OPTIONS).unwrap();
        Stymie::from_setup(&options, pieces, to_move, LastMove::Other).unwrap_err()
    };
    let (v, third) = (seat_of("V"), Seat::new(2).unwrap());
    let no_cell = PositionError::NoSuchCell { name: "b1".into() };
    assert_eq!(arrange("", &[("b1", 'V')], v), no_cell);
    let twice = PositionError::CellTwice { name: "C1".into() };
    assert_eq!(arrange("", &[("c1", 'V'), ("C1", 'H')], v), twice);
    let letter = PositionError::NoSuchLetter { letter: 'X' };
    assert_eq!(arrange("", &[("c1", 'X')], v), letter);
    assert_eq!(arrange("", &[], third), PositionError::NoSuchSeat);
    assert!(matches!(arrange("-size=13", &[], v), PositionError::Options(_)));
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

/// The game that the official help shows, won by H.
fn sample_game() -> Stymie {
    arranged(
        "",
        "i1:V c3:V i3:V m3:V o3:H h4:V j4:V l4:V n4:H c5:V i5:H m5:H o5:V d6:V h6:H j6:H l6:V n6:V \
         a7:H e7:V g7:H i7:V k7:H m7:H o7:V b8:H h8:H j8:V l8:H n8:V c9:H e9:V i9:H k9:V m9:V \
         f10:V j10:V c11:H g11:V i11:H k11:V d12:H f12:V h12:V j12:H e13:H g13:H i13:H k13:V k15:V",
        "V",
        LastMove::Other,
    )
}

#[test]
fn the_smallest_board() {
    assert_snapshot!(start("-size=3").draw(&[]), @r"
         A  B  C  D  E
        ---   ---   ---
    5 |     |     |     | 5
    4   ---   ---   ---   4
    3 |     |     |     | 3
    2   ---   ---   ---   2
    1 |     |     |     | 1
        ---   ---   ---
         A  B  C  D  E
    ");
}

#[test]
fn the_sample_game() {
    assert_snapshot!(sample_game().draw(&[]), @r"
          A  B  C  D  E  F  G  H  I  J  K  L  M  N  O
         ---   ---   ---   ---   ---   ---   ---   ---
    15 |     |     |     |     |     |  V  |     |     | 15
    14   ---   ---   ---   ---   ---   ---   ---   ---   14
    13 |     |     |  H  |  H  |  H  |  V  |     |     | 13
    12   ---   --- H --- V --- V --- H ---   ---   ---   12
    11 |     |  H  |     |  V  |  H  |  V  |     |     | 11
    10   ---   ---   --- V ---   --- V ---   ---   ---   10
     9 |     |  H  |  V  |     |  H  |  V  |  V  |     | 9
     8   --- H ---   ---   --- H --- V --- H --- V ---   8
     7 |  H  |     |  V  |  H  |  V  |  H  |  H  |  V  | 7
     6   ---   --- V ---   --- H --- H --- V --- V ---   6
     5 |     |  V  |     |     |  H  |     |  H  |  V  | 5
     4   ---   ---   ---   --- V --- V --- V --- H ---   4
     3 |     |  V  |     |     |  V  |     |  V  |  H  | 3
     2   ---   ---   ---   ---   ---   ---   ---   ---   2
     1 |     |     |     |     |  V  |     |     |     | 1
         ---   ---   ---   ---   ---   ---   ---   ---
          A  B  C  D  E  F  G  H  I  J  K  L  M  N  O
    ");
}

#[test]
fn the_largest_board_is_not_wider_than_a_terminal() {
    for (size, height) in [(8, 19), (12, 27)] {
        let text =
            arranged(&format!("-size={size}"), "", "V", LastMove::Other).draw(&[]).to_string();
        assert_eq!(text.lines().count(), height);
        assert!(text.lines().all(|line| line.len() <= 80), "size {size}");
    }
    let large = arranged("-size=12", "a23:V w23:H v22:V w1:H b2:H", "V", LastMove::Other);
    assert_snapshot!(large.draw(&[]), @r"
          A  B  C  D  E  F  G  H  I  J  K  L  M  N  O  P  Q  R  S  T  U  V  W
         ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---
    23 |  V  |     |     |     |     |     |     |     |     |     |     |  H  | 23
    22   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   --- V ---   22
    21 |     |     |     |     |     |     |     |     |     |     |     |     | 21
    20   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   20
    19 |     |     |     |     |     |     |     |     |     |     |     |     | 19
    18   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   18
    17 |     |     |     |     |     |     |     |     |     |     |     |     | 17
    16   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   16
    15 |     |     |     |     |     |     |     |     |     |     |     |     | 15
    14   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   14
    13 |     |     |     |     |     |     |     |     |     |     |     |     | 13
    12   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   12
    11 |     |     |     |     |     |     |     |     |     |     |     |     | 11
    10   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   10
     9 |     |     |     |     |     |     |     |     |     |     |     |     | 9
     8   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   8
     7 |     |     |     |     |     |     |     |     |     |     |     |     | 7
     6   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   6
     5 |     |     |     |     |     |     |     |     |     |     |     |     | 5
     4   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   4
     3 |     |     |     |     |     |     |     |     |     |     |     |     | 3
     2   --- H ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   2
     1 |     |     |     |     |     |     |     |     |     |     |     |  H  | 1
         ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---
          A  B  C  D  E  F  G  H  I  J  K  L  M  N  O  P  Q  R  S  T  U  V  W
    ");
}

#[test]
fn marks_are_seen_without_colours() {
    let position = arranged("-size=4", "c3:V d4:H f4:V e5:H", "V", LastMove::Single);
    let cell = |name| position.cell(name).unwrap();
    let marks = [
        (cell("d4"), Mark::To),
        (cell("e5"), Mark::To),
        (cell("e3"), Mark::Chosen),
        (cell("f2"), Mark::Target),
        (cell("g3"), Mark::Target),
        (cell("g1"), Mark::Target),
        (cell("g1"), Mark::Cursor),
        (cell("d2"), Mark::Cursor),
        (cell("d2"), Mark::Target),
        (cell("c3"), Mark::From),
        (cell("f4"), Mark::Captured),
    ];
    assert_snapshot!(position.draw(&marks), @r"
         A  B  C  D  E  F  G
        ---   ---   ---   ---
    7 |     |     |     |     | 7
    6   ---   ---   ---   ---   6
    5 |     |     | +H  |     | 5
    4   ---   ---+H ---*V ---   4
    3 |     | -V  |  =  |  :  | 3
    2   ---   --- > --- : ---   2
    1 |     |     |     |  >  | 1
        ---   ---   ---   ---
         A  B  C  D  E  F  G
    ");
}

#[test]
fn spans_know_what_they_show() {
    let position = arranged("-size=4", "c3:V d4:H", "V", LastMove::Single);
    let cell = |name| position.cell(name).unwrap();
    let drawing = position.draw(&[(cell("d4"), Mark::To), (cell("b2"), Mark::Target)]);
    assert_eq!(shown(&position, &drawing, "c3"), [("V", Some(0), None)]);
    assert_eq!(shown(&position, &drawing, "d4"), [("+H", Some(1), Some(Mark::To))]);
    assert_eq!(shown(&position, &drawing, "b2"), [(":", None, Some(Mark::Target))]);
    assert_eq!(shown(&position, &drawing, "a1"), [("", None, None)]);
    assert_eq!(count_shown(&drawing), 16 + 9);
}

#[test]
fn neighbouring_octagons_are_one_apart_and_row_1_is_lowest() {
    for size in 3..=12 {
        let position = start(&format!("-size={size}"));
        let layout = position.layout();
        let places: Vec<_> = layout.cells.iter().map(|at| (at.cell, at.x, at.y)).collect();
        let at = |name: &str| {
            let cell = position.cell(name).unwrap();
            *places.iter().find(|(known, _, _)| *known == cell).unwrap()
        };
        let ((_, ax, ay), (_, bx, by)) = (at("a1"), at("b2"));
        assert!(bx > ax && by < ay);
        for at in &layout.cells {
            // Squares lie in the middle of four octagons.
            for next in position.neighbours(at.cell) {
                let next = layout.cells.iter().find(|other| other.cell == next).unwrap();
                let distance = (at.x - next.x).hypot(at.y - next.y);
                let octagons = [at, next].iter().all(|at| at.shape == CellShape::Octagon);
                let expected = if octagons { 1.0 } else { 0.5_f64.sqrt() };
                assert!((distance - expected).abs() < 1e-9);
            }
        }
        let middle = |of: fn(&(_, f64, f64)) -> f64| places.iter().map(of).sum::<f64>();
        assert!(middle(|(_, x, _)| *x).abs() < 1e-9 && middle(|(_, _, y)| *y).abs() < 1e-9);
    }
}

#[test]
fn every_seat_has_two_edges() {
    let position = start("-size=4");
    let edges: Vec<_> = position
        .layout()
        .edges
        .iter()
        .map(|edge| {
            let cells: Vec<_> =
                edge.cells.iter().map(|&cell| position.cell_name(cell).to_string()).collect();
            format!("{} {}: {}", position.letter(edge.seat), edge.name, cells.join(" "))
        })
        .collect();
    assert_eq!(
        edges,
        [
            "V bottom: a1 c1 e1 g1",
            "V top: a7 c7 e7 g7",
            "H left: a1 a3 a5 a7",
            "H right: g1 g3 g5 g7",
        ]
    );
}

#[test]
fn the_cells_that_are_needed_are_counted() {
    for size in [3, 8, 12] {
        let position = start(&format!("-size={size}"));
        assert_eq!(["V", "H"].map(|seat| position.progress(seat_of(seat))), [-size; 2]);
    }
    // V goes up the first column by a3 and a5, H along the top by a5 and e5.
    let position = arranged("-size=3", "a1:V c5:H", "H", LastMove::Other);
    assert_eq!(["V", "H"].map(|seat| position.progress(seat_of(seat))), [-2, -2]);
    // V lacks a5. H has to go round a3, by a square and another octagon.
    let position = arranged("-size=3", "a1:V a3:V c3:H e3:H", "V", LastMove::Other);
    assert_eq!(["V", "H"].map(|seat| position.progress(seat_of(seat))), [-1, -2]);
}

#[test]
fn a_seat_cut_off_has_less_progress_than_one_with_an_empty_board() {
    let position = arranged("-size=3", "a1:V a3:V a5:V", "H", LastMove::Other);
    assert_eq!(position.progress(seat_of("V")), 0);
    assert!(position.progress(seat_of("H")) < -13);
}

fn replay(text: &str) -> Vec<ReplayStep> {
    let record = TextRecord::parse(text).unwrap_or_else(|error| panic!("{error} in {text}"));
    record.replay(true).collect::<Result<_, _>>().unwrap()
}

#[test]
fn a_record_is_echoed_in_canonical_form_up_to_its_end() {
    let steps = replay(
        "stymie challenge -size=3 ann bob
        1. C3  # the middle
        2. E1
        3. d4,e5
        4. a1
        5. b2,c1,d2
        ",
    );
    let notations: Vec<_> = steps.iter().map(|step| step.notation.as_str()).collect();
    assert_eq!(notations, ["", "c3", "e1", "d4,e5", "a1", "b2,c1,d2"]);
    let last = steps.last().unwrap();
    assert_eq!(last.seat, Some(seat_of("V")));
    assert_eq!(last.to_move, None);
    let Some(Outcome::Ended { winners, places, reason }) = &last.outcome else {
        panic!("the game has ended")
    };
    assert_eq!((*winners, *reason), (SeatSet::only(seat_of("V")), EndReason::Connected));
    assert_eq!(places.iter().copied().collect::<Vec<_>>(), [1, 2]);
}

fn sample(position: &Stymie, max: usize, seed: u64) -> Vec<Move> {
    position.sample_moves(max, &mut picks(seed))
}

fn pieces(mv: &Move) -> usize {
    let notation = mv.to_string();
    if notation == "swap" { 0 } else { notation.split(',').count() }
}

#[test]
fn every_kind_has_its_share() {
    for seed in 0..20 {
        let position = arranged("", "c3:V e1:H", "V", LastMove::Single);
        let mut kinds: Vec<_> = sample(&position, 30, seed).iter().map(pieces).collect();
        kinds.sort_unstable();
        assert_eq!(kinds, [[1; 10], [2; 10], [3; 10]].concat());

        let position = arranged("-swap", "c3:V", "H", LastMove::Opening);
        let mut kinds: Vec<_> = sample(&position, 3, seed).iter().map(pieces).collect();
        kinds.sort_unstable();
        assert_eq!(kinds, [0, 1, 2]);
    }
}

#[test]
fn representatives_are_single_pieces_and_an_even_sample() {
    let position = arranged("-size=12", "c3:V e1:H", "V", LastMove::Single);
    let all = position.legal_moves(usize::MAX);
    let survey = position.representative_moves(512);
    assert_eq!((survey.len(), &survey), (512, &position.representative_moves(512)));
    assert!(survey.iter().all(|mv| all.contains(mv)));
    let count = |moves: &[Move], number| moves.iter().filter(|mv| pieces(mv) == number).count();
    assert_eq!(count(&survey, 1), count(&all, 1));
    assert!(count(&survey, 2) > 20 && count(&survey, 3) > 20);
    let middle = position.moves_after(None, Some(&all[700]), 100);
    assert_eq!(middle, all[701..801]);
    assert_eq!(position.representative_moves(usize::MAX), all);
}
