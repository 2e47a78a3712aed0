//! The course of a game: the start, the opening rule, who leaves when, and how it ends.

use adamant_rules::{
    Capture, Consequence, EndReason, Kind, LeaveReason, Options,
    game::{Game, Target},
    games::adamas::{Adamas, PositionError},
    options::{OptionError, OptionValue},
};

use super::positions::{arranged, play, refused, seat_of, start, written};

fn end(winners: &str, reason: EndReason) -> Consequence {
    Consequence::End { winners: winners.split(',').map(seat_of).collect(), reason }
}

fn out(seat: &str, reason: LeaveReason) -> Consequence {
    Consequence::Remove(seat_of(seat), reason)
}

#[test]
fn defaults_depend_on_players_and_size() {
    for (given, players, complete) in [
        ("", 2, "-size=3 -pieces=8"),
        ("", 3, "-size=4 -pieces=12"),
        ("-size=5", 2, "-size=5 -pieces=16"),
        ("-pieces=99 -prog_cap", 3, "-size=4 -pieces=99 -prog_cap"),
        ("-prog_cap -pieces=2 -size=2", 2, "-size=2 -pieces=2 -prog_cap"),
    ] {
        let options = Options::parse(given, Adamas::OPTIONS).unwrap();
        let options = Kind::Adamas.complete(&options, players).unwrap();
        assert_eq!(options.to_string(), complete, "{given}");
        assert_eq!(options.len(), 3);
        assert_eq!(Kind::Adamas.complete(&options, players).as_ref(), Ok(&options));
    }
    for (name, value) in [("size", 1), ("size", 9), ("pieces", 1), ("pieces", 100)] {
        let mut options = Options::new();
        options.set(name, OptionValue::Number(value));
        let error = Adamas::complete(&options, 2).unwrap_err();
        assert!(matches!(error, OptionError::OutOfBounds { .. }), "{name}={value}: {error}");
    }
}

#[test]
fn every_seat_starts_in_a_corner() {
    assert_eq!(written(&start("", 2)), "c1:OOOOOOOO c5:XXXXXXXX");
    assert_eq!(written(&start("-size=2 -pieces=2", 2)), "b1:OO b3:XX");
    assert_eq!(written(&start("", 3)), "a4:YYYYYYYYYYYY d1:OOOOOOOOOOOO g4:XXXXXXXXXXXX");
    assert_eq!(written(&start("-size=8 -pieces=2", 3)), "a8:YY h1:OO o8:XX");
}

#[test]
fn only_the_first_move_may_not_capture() {
    let mut position = start("", 2);
    let [from, enemy] = ["c1", "c5"].map(|name| position.cell(name).unwrap());
    assert!(!position.targets(from).iter().any(|target| target.cell == enemy));
    assert!(refused(&position, "8xc1-c5").contains("opening"));
    play(&mut position, "c1-e1").unwrap();
    // X sees 7 now; back to 8, and X may capture at once.
    let mut position = start("", 2);
    play(&mut position, "8xc1-c2").unwrap();
    let capture = Capture { cell: position.cell("c2").unwrap(), seat: seat_of("O"), pieces: 8 };
    assert!(position.targets(enemy).contains(&Target { cell: capture.cell, capture: true }));
    assert_eq!(play(&mut position, "c5-c2").unwrap().as_slice(), [capture]);
    assert_eq!(position.pending(), Some(out("O", LeaveReason::NoPieces)));
    position.remove(seat_of("O"));
    assert_eq!(position.pending(), Some(end("X", EndReason::LastPlayer)));
    assert_eq!(position.to_move(), seat_of("X"));
}

#[test]
fn the_opening_rule_goes_with_the_opening_player() {
    let options = Options::parse("-size=3", Adamas::OPTIONS).unwrap();
    let stacks = [("c1", "OO"), ("e1", "X"), ("e3", "Y")];
    let opening = || Adamas::from_setup(&options, 3, &stacks, seat_of("O"), true).unwrap();

    let mut position = opening();
    position.remove(seat_of("O"));
    assert_eq!(position.to_move(), seat_of("X"));
    assert!(play(&mut position, "e1-e3").is_ok());

    let mut position = opening();
    position.remove(seat_of("Y"));
    assert_eq!(position.to_move(), seat_of("O"));
    assert!(refused(&position, "c1-e1").contains("opening"));
}

#[test]
fn one_split_may_capture_several_stacks() {
    let mut position = arranged("", 2, "e2:XX c1:XX c2:XX a1:X a3:X c4:OOOO a2:OOOO", "X");
    let captures = play(&mut position, "c2-c4,a2").unwrap();
    let cells: Vec<_> = captures.iter().map(|c| position.cell_name(c.cell).to_string()).collect();
    assert_eq!(cells, ["a2", "c4"], "in canonical order");
}

#[test]
fn progressive_captures_come_in_the_written_order() {
    // In this order both are as high as what they see of c3: three pieces, then the one that stays.
    let mut position = arranged("-prog_cap", 2, "c3:OOO c5:XXX a1:X", "O");
    let captures = play(&mut position, "c3-c5,a1").unwrap();
    let cells: Vec<_> = captures.iter().map(|c| position.cell_name(c.cell).to_string()).collect();
    assert_eq!(cells, ["c5", "a1"]);

    let position = arranged("-prog_cap", 2, "c3:OOO c5:XXX a1:X", "O");
    assert_eq!(refused(&position, "c3-a1,c5"), "a1 is 1 high but sees 3 enemy pieces");
}

#[test]
fn a_merge_captures_by_the_position_before_it_even_with_progressive_captures() {
    for options in ["", "-prog_cap"] {
        let mut position = arranged(options, 2, "c1:OO e3:O c3:XXX a1:X", "O");
        let captures = play(&mut position, "2xc1,e3-c3").unwrap();
        assert_eq!(captures[0].pieces, 3);
        assert_eq!(written(&position), "a1:X c3:OOO");
    }
}

#[test]
fn a_colour_leaves_when_its_last_piece_is_captured() {
    let mut position = arranged("-size=4", 3, "d2:OO d4:XXXXX f4:YYY", "O");
    play(&mut position, "2xd2-d4").unwrap();
    assert_eq!(position.to_move(), seat_of("X"));
    assert_eq!(position.pending(), Some(out("X", LeaveReason::NoPieces)));
    position.remove(seat_of("X"));
    assert_eq!(position.to_move(), seat_of("Y"), "the turn passes on");
    assert_eq!(position.pending(), None);
    assert_eq!(position.seats_in(), [seat_of("O"), seat_of("Y")].into_iter().collect());
}

#[test]
fn two_colours_may_leave_at_once_and_the_mover_wins() {
    let mut position = arranged("-size=2", 3, "b2:OO b1:XX b3:YY", "O");
    play(&mut position, "b2-b1,b3").unwrap();
    assert_eq!(position.pending(), Some(out("X", LeaveReason::NoPieces)));
    position.remove(seat_of("X"));
    assert_eq!(position.pending(), Some(out("Y", LeaveReason::NoPieces)));
    position.remove(seat_of("Y"));
    assert_eq!(position.pending(), Some(end("O", EndReason::LastPlayer)));
}

#[test]
fn a_colour_that_cannot_move_leaves_with_its_pieces_when_its_turn_comes() {
    // O is shut in at a1 and threatens nothing.
    let shut_in = "a1:O a2:XX b1:XX b2:XX e3:Y e1:Y";
    let mut position = arranged("", 3, shut_in, "Y");
    assert_eq!(position.pending(), None, "it is not yet O's turn");
    play(&mut position, "e3-d4").unwrap();
    assert!(!position.can_move());
    assert!(position.sources().is_empty());
    assert_eq!(position.pending(), Some(out("O", LeaveReason::NoMove)));
    position.remove(seat_of("O"));
    assert_eq!(written(&position), "a2:XX b1:XX b2:XX d4:Y e1:Y");
    assert_eq!(position.to_move(), seat_of("X"));
    assert_eq!(position.pending(), None);
}

#[test]
fn capturing_is_a_way_out() {
    let position = arranged("", 2, "a1:O a2:XX b1:X b2:XX", "O");
    assert!(position.can_move());
    assert_eq!(position.pending(), None);
    let [from, to] = ["a1", "b1"].map(|name| position.cell(name).unwrap());
    assert_eq!(position.targets(from), [Target { cell: to, capture: true }]);
}

#[test]
fn two_single_pieces_out_of_sight_are_a_tie() {
    let mut position = arranged("", 2, "c1:O e3:X c2:X", "O");
    assert_eq!(play(&mut position, "c1-c2").unwrap().len(), 1);
    assert_eq!(position.pending(), Some(end("O,X", EndReason::TwoPieces)));

    let mut position = arranged("-size=3", 3, "c1:O e3:X c2:Y", "O");
    play(&mut position, "c1-c2").unwrap();
    assert_eq!(position.pending(), Some(out("Y", LeaveReason::NoPieces)), "removals come first");
    position.remove(seat_of("Y"));
    assert_eq!(position.pending(), Some(end("O,X", EndReason::TwoPieces)));
}

#[test]
fn no_tie_with_three_pieces_or_of_one_colour() {
    assert_eq!(arranged("", 3, "c1:O e3:X a2:Y", "O").pending(), None);
    assert_eq!(arranged("", 2, "c1:O c5:X", "O").pending(), None, "they see each other");
    assert_eq!(arranged("", 2, "c1:O e3:O", "O").pending(), Some(end("O", EndReason::LastPlayer)));
}

#[test]
fn the_hash_covers_all_that_decides_legality() {
    let base = || arranged("-size=3", 3, "c1:OO e1:X e3:Y", "O");
    let mut hashes = vec![
        base().hash(),
        arranged("-size=3 -prog_cap", 3, "c1:OO e1:X e3:Y", "O").hash(),
        arranged("-size=4", 3, "c1:OO e1:X e3:Y", "O").hash(),
        arranged("-size=3", 3, "c1:OO e1:X e3:Y", "X").hash(),
        arranged("-size=3", 3, "c1:O e1:X e3:Y", "O").hash(),
        arranged("-size=3", 3, "c1:OO e1:Y e3:X", "O").hash(),
        arranged("-size=3", 3, "c1:OO e1:X", "O").hash(),
        arranged("-size=3", 2, "c1:OO e1:X", "O").hash(),
    ];
    let options = Options::parse("-size=3", Adamas::OPTIONS).unwrap();
    let stacks = [("c1", "OO"), ("e1", "X"), ("e3", "Y")];
    hashes.push(Adamas::from_setup(&options, 3, &stacks, seat_of("O"), true).unwrap().hash());
    let different: std::collections::BTreeSet<_> = hashes.iter().collect();
    assert_eq!(different.len(), hashes.len());
}

#[test]
fn the_same_position_has_the_same_hash_on_every_way_to_it() {
    let mut there_and_back = arranged("", 2, "c1:OO c5:XX", "O");
    let before = there_and_back.clone();
    for notation in ["2xc1-b1", "c5-d4", "2xb1-c1", "d4-c5"] {
        play(&mut there_and_back, notation).unwrap();
    }
    assert_eq!(there_and_back, before);
    assert_eq!(there_and_back.hash(), before.hash());
}

#[test]
fn touched_cells_are_sources_and_destinations() {
    let position = start("-size=4", 2);
    let affected = |notation: &str| {
        let marks = position.affected_cells(&position.parse_move(notation).unwrap());
        let name = |(cell, mark)| format!("{:?} {mark:?}", position.cell_name(cell));
        marks.into_iter().map(name).collect::<Vec<_>>()
    };
    assert_eq!(affected("d1-e1,d3"), ["d1 From", "d3 To", "e1 To"]);
    assert_eq!(affected("d1,a4-d4"), ["d4 To", "a4 From", "d1 From"]);
}

#[test]
fn stacks_that_cannot_stand_are_refused() {
    let arrange = |stacks: &[(&str, &str)], players, to_move| {
        Adamas::from_setup(&Options::new(), players, stacks, seat_of(to_move), false).unwrap_err()
    };
    let no_cell = PositionError::NoSuchCell { name: "z1".into() };
    assert_eq!(arrange(&[("z1", "O")], 2, "O"), no_cell);
    let twice = PositionError::CellTwice { name: "C1".into() };
    assert_eq!(arrange(&[("c1", "O"), ("C1", "O")], 2, "O"), twice);
    for pieces in ["", "OX", "Y", "é"] {
        let none = PositionError::NotAStack { pieces: pieces.into() };
        assert_eq!(arrange(&[("c1", pieces)], 2, "O"), none);
    }
    let most = "O".repeat(99);
    let too_many = PositionError::TooManyPieces { max: 99 };
    assert_eq!(arrange(&[("c1", &most), ("c2", "O")], 2, "O"), too_many);
    assert_eq!(arrange(&[("c1", "O")], 2, "X"), PositionError::NothingToMove);
    assert_eq!(arrange(&[], 4, "O"), PositionError::Players { players: 4 });
    let options = Options::parse("-size=9", Adamas::OPTIONS).unwrap();
    let error = Adamas::from_setup(&options, 2, &[], seat_of("O"), true).unwrap_err();
    assert!(matches!(error, PositionError::Options(_)));
}
