//! The course of a game: the start, whose turn it is, the right to three pieces, the swap, and how
//! it ends.

use std::collections::BTreeSet;

use adamant_rules::{
    Consequence, EndReason, Kind, Options, Position, SeatSet,
    game::{Game, Mark, MoveCount},
    games::stymie::{LastMove, PositionError, Stymie},
    options::{OptionError, OptionValue},
};

use super::positions::{after, arranged, play, refused, seat_of, start, written};

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
fn swaps_are_distinguished_from_other_moves() {
    let mut options = Options::new();
    options.set("swap", OptionValue::Flag(true));
    let options = Kind::Stymie.complete(&options, 2).unwrap();
    let mut position = Kind::Stymie.start(&options, 2);
    let opening = position.parse_move("f6").unwrap();
    assert!(!position.swaps_seats(&opening));
    position.apply(&opening);
    let swap = position.parse_move("swap").unwrap();
    assert!(position.swaps_seats(&swap));

    let adamas = Kind::Adamas.complete(&Options::new(), 2).unwrap();
    let adamas = Kind::Adamas.start(&adamas, 2);
    assert!(!adamas.swaps_seats(&swap));
    assert!(adamas.validate(&swap).is_err());
    assert!(!adamas.swaps_seats(&adamas.parse_move("c1-c2").unwrap()));
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
fn the_same_position_has_the_same_hash_on_every_way_to_it() {
    let one = after("", &["c3", "f6,g5", "a1,b2", "k5,l4"]);
    let other = after("", &["a1", "l4,k5", "b2,c3", "f6,g5"]);
    assert_eq!(one, other);
    assert_eq!(one.hash(), other.hash());
    let arranged = arranged("", "c3:V f6:H g5:H a1:V b2:V k5:H l4:H", "V", LastMove::Other);
    assert_eq!((arranged.hash(), arranged), (one.hash(), one));
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
    let (v, third) = (seat_of("V"), adamant_rules::Seat::new(2).unwrap());
    let no_cell = PositionError::NoSuchCell { name: "b1".into() };
    assert_eq!(arrange("", &[("b1", 'V')], v), no_cell);
    let twice = PositionError::CellTwice { name: "C1".into() };
    assert_eq!(arrange("", &[("c1", 'V'), ("C1", 'H')], v), twice);
    let letter = PositionError::NoSuchLetter { letter: 'X' };
    assert_eq!(arrange("", &[("c1", 'X')], v), letter);
    assert_eq!(arrange("", &[], third), PositionError::NoSuchSeat);
    assert!(matches!(arrange("-size=13", &[], v), PositionError::Options(_)));
}
