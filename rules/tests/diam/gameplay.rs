//! Gameplay: the options, the start, mirroring, the end and skipped seats.

use std::collections::BTreeSet;

use adamant_rules::{
    Cell, Consequence, EndReason, Kind, Options, Seat, SeatSet,
    game::{Game, Mark},
    games::diam::{Diam, PositionError},
    options::{OptionError, OptionValue},
};

use super::positions::{A, X, all_options, arranged, play, refused, start, written};

fn aligned(winner: Seat) -> Consequence {
    Consequence::End { winners: SeatSet::only(winner), reason: EndReason::Aligned }
}

#[test]
fn options_are_completed_in_one_order() {
    for (given, complete) in [
        ("", "-board=8x4 -pieces=2x4"),
        ("-nomirror", "-board=8x4 -pieces=2x4 -nomirror"),
        ("-pieces=4X6 -BOARD=12X6", "-board=12x6 -pieces=4x6"),
        ("-nomirror -board=10x3", "-board=10x3 -pieces=2x4 -nomirror"),
    ] {
        let options = Options::parse(given, Diam::OPTIONS).unwrap();
        let options = Kind::Diam.complete(&options, 2).unwrap();
        assert_eq!(options.to_string(), complete, "{given}");
        assert_eq!(
            options.iter().map(|(name, _)| name).collect::<Vec<_>>(),
            ["board", "pieces", "nomirror"]
        );
        assert_eq!(Kind::Diam.complete(&options, 2).as_ref(), Ok(&options));
    }
    for options in all_options() {
        let given = Options::parse(&options, Diam::OPTIONS).unwrap();
        assert_eq!(Kind::Diam.complete(&given, 2).unwrap().to_string(), options);
    }
}

#[test]
fn options_that_cannot_be_played_are_refused() {
    for (name, values) in [
        (
            "board",
            [
                "", "8", "8x", "x4", "8x2", "8x7", "9x4", "6x4", "14x4", "08x4", "8x04", "+8x4",
                "8x+4", "8*4", "8x4x", " 8x4", "8x4 ", "8xx4", "4x8", "8×4", "８x4", "8x10",
            ]
            .as_slice(),
        ),
        (
            "pieces",
            &[
                "",
                "2",
                "2x",
                "x4",
                "1x4",
                "5x4",
                "2x2",
                "2x7",
                "02x4",
                "2x04",
                "2x10",
                "-2x4",
                "2x4x4",
                "99999999999x4",
            ],
        ),
    ] {
        for &value in values {
            let mut options = Options::new();
            options.set(name, OptionValue::Text(value.into()));
            let error = Diam::complete(&options, 2).unwrap_err();
            let OptionError::Unreadable { name: named, why } = &error else {
                panic!("{value:?}: {error}")
            };
            assert!(*named == name && why.contains("as in"), "{value:?}: {error}");
        }
    }
    for (name, value) in
        [("board", OptionValue::Number(8)), ("nomirror", OptionValue::Text("yes".into()))]
    {
        let mut options = Options::new();
        options.set(name, value);
        let error = Diam::complete(&options, 2).unwrap_err();
        assert!(matches!(error, OptionError::WrongKind { .. }), "{error}");
    }
    for players in [1, 3] {
        let error = Kind::Diam.complete(&Options::new(), players).unwrap_err();
        assert!(matches!(error, OptionError::Players { min: 2, max: 2, .. }), "{error}");
    }
}

#[test]
fn everything_starts_in_reserve() {
    for (options, reserve) in [
        ("", "A4 B4 X4 Y4"),
        ("-pieces=3x5", "A5 B5 C5 X5 Y5 Z5"),
        ("-pieces=4x3", "A3 B3 C3 D3 W3 X3 Y3 Z3"),
    ] {
        let position = start(options);
        assert_eq!(written(&position), "");
        assert_eq!((position.to_move(), position.pending()), (A, None));
        let letters = ('A'..='Z').filter(|&letter| position.reserve(letter) > 0);
        let found: Vec<_> =
            letters.map(|letter| format!("{letter}{}", position.reserve(letter))).collect();
        assert_eq!(found.join(" "), reserve);
        assert_eq!([position.letter(A), position.letter(X)], ['A', 'X']);
    }
}

#[test]
fn the_turn_alternates_and_reserves_run_out() {
    let mut position = start("-pieces=2x3");
    for notation in ["A1", "X2", "A3", "X4", "A5", "Y2"] {
        play(&mut position, notation).unwrap();
    }
    assert_eq!(written(&position), "1:A 2:XY 3:A 4:X 5:A");
    assert_eq!((position.reserve('A'), position.reserve('b'), position.reserve('Y')), (0, 3, 2));
    assert_eq!(refused(&position, "A7"), "you have no A left to place");
}

#[test]
fn only_the_second_players_first_placement_may_not_mirror() {
    for (sectors, first, across) in [(8, "B7", "3"), (10, "A2", "7"), (12, "A6", "12")] {
        let mut position = start(&format!("-board={sectors}x4 -nomirror"));
        play(&mut position, first).unwrap();
        let cell = position.cell(across).unwrap();
        assert!(!position.sources().contains(&cell));
        for letter in ["X", "Y"] {
            assert!(refused(&position, &format!("{letter}{across}")).contains("-nomirror"));
        }
        // On top of the piece is not opposite it.
        let mut on_top = position.clone();
        play(&mut on_top, &format!("Y{}", &first[1..])).unwrap();
        // Nor is any later placement, wherever that first piece stands by then.
        let mut later = position.clone();
        let away = if first == "A2" { 1 } else { 2 };
        play(&mut later, &format!("X{away}")).unwrap();
        play(&mut later, &format!("{}+", &first[1..])).unwrap();
        let beyond: usize = across.parse().unwrap();
        for opposite in [beyond % sectors + 1, away + sectors / 2] {
            play(&mut later.clone(), &format!("X{opposite}")).unwrap();
        }
        play(&mut position, "X1").unwrap();
        play(&mut position, &format!("A{across}")).unwrap();
        assert_eq!(position.pending(), None);
        play(&mut position, &format!("X{across}")).unwrap();
    }
}

#[test]
fn nomirror_binds_only_the_second_player() {
    for stacks in ["1:X", "1:A"] {
        assert!(play(&mut arranged("-nomirror", stacks, A), "A5").is_ok());
    }
    // Where both of these came from cannot be told, so neither binds the second.
    for notation in ["X5", "X6"] {
        assert!(play(&mut arranged("-nomirror", "1:A 2:A", X), notation).is_ok());
    }
}

#[test]
fn a_win_needs_two_like_pieces_opposite_each_other_above_the_first_level() {
    for (board, stacks, winner) in [
        ("8x4", "1:XA 5:YA", Some(A)),
        ("8x4", "4:AY 8:BY", Some(X)),
        ("10x4", "1:XA 5:YA", None),
        ("10x4", "5:XA 10:YA", Some(A)),
        ("12x4", "6:XYA 12:YXA", Some(A)),
        ("12x4", "6:XYA 11:YXA", None),
        ("8x4", "1:A 5:A", None),
        ("8x4", "1:AX 5:AY", None),
        ("8x4", "1:XA 5:YXA", None),
        ("8x4", "1:XA 5:YB", None),
        ("8x6", "1:ABABXX 5:BABAYX", Some(X)),
        // The highest level decides, whichever pair it is in.
        ("8x4", "1:XA 5:YA 2:ABX 6:BAX", Some(X)),
        ("8x4", "1:XBA 5:YYA 2:AX 6:BX", Some(A)),
    ] {
        let options = format!("-board={board}");
        for to_move in [A, X] {
            let position = arranged(&options, stacks, to_move);
            assert_eq!(position.pending(), winner.map(aligned), "{board}: {stacks}");
        }
    }
}

#[test]
fn a_win_comes_before_being_stuck() {
    let full = "1:ABA 2:YAB 3:ABA 4:BAB 5:XBX 6:YXY 7:XYX 8:YXY";
    assert_eq!(arranged("-board=8x3 -pieces=2x6", full, X).pending(), Some(aligned(A)));
}

#[test]
fn a_player_who_cannot_move_is_passed_over() {
    let mut position = arranged("", "1:XYXY 2:ABAB 3:BABA 4:YXYX", A);
    assert!(!position.can_move());
    assert!(position.sources().is_empty());
    assert_eq!(position.pending(), Some(Consequence::Skip(A)));
    position.skip();
    assert_eq!((position.to_move(), position.pending()), (X, None));
    play(&mut position, "1,4-").unwrap();
    assert_eq!((position.to_move(), position.pending()), (A, None), "A has room on 1 again");
    play(&mut position, "2,4-").unwrap();
}

#[test]
fn a_skipped_seat_moves_again_when_it_can() {
    let mut position = arranged("", "1:XYXY 2:ABAB 3:BABA 4:YXYX", X);
    // X uses the other side of the ring, A stays shut in.
    play(&mut position, "4+").unwrap();
    assert_eq!(position.pending(), None, "A goes where the stack was");
    let mut position = arranged("-pieces=2x4", "1:XYYX 2:ABAB 3:BABA 4:XYX 5:Y", X);
    assert_eq!(position.pending(), None);
    play(&mut position, "5-").unwrap();
    assert_eq!(position.pending(), Some(Consequence::Skip(A)));
    position.skip();
    play(&mut position, "1,4-").unwrap();
    assert_eq!((position.to_move(), position.pending()), (A, None));
}

#[test]
fn no_seat_can_move_on_a_full_board() {
    let draw = Consequence::End { winners: SeatSet::all(2), reason: EndReason::Stuck };
    let full = "1:ABA 2:BAB 3:ABA 4:BAB 5:XYX 6:YXY 7:XYX 8:YXY";
    // With and without pieces in reserve, for which there is no room.
    for pieces in ["2x6", "3x6"] {
        for to_move in [A, X] {
            let position = arranged(&format!("-board=8x3 -pieces={pieces}"), full, to_move);
            assert_eq!(position.pending(), Some(draw));
        }
    }
}

#[test]
fn the_hash_covers_all_that_decides_legality() {
    let hashes: Vec<u64> = [
        ("", "1:AX 5:B", A),
        ("", "1:AX 5:B", X),
        ("", "1:XA 5:B", A),
        ("", "1:AX 5:A", A),
        ("", "1:AX 6:B", A),
        ("", "1:AXB", A),
        ("", "1:A 5:BX", A),
        ("-nomirror", "1:AX 5:B", A),
        ("-board=8x5", "1:AX 5:B", A),
        ("-board=10x4", "1:AX 5:B", A),
        ("-pieces=2x5", "1:AX 5:B", A),
        ("-pieces=3x4", "1:AX 5:B", A),
        ("", "", A),
        ("", "", X),
    ]
    .into_iter()
    .map(|(options, stacks, to_move)| arranged(options, stacks, to_move).hash())
    .collect();
    let different: BTreeSet<_> = hashes.iter().collect();
    assert_eq!(different.len(), hashes.len());
}

#[test]
fn the_same_position_has_the_same_hash_on_every_way_to_it() {
    let mut there_and_back = arranged("", "1:AX 5:XB", A);
    let before = there_and_back.clone();
    for notation in ["1+", "5+", "2-", "6-"] {
        assert_ne!(there_and_back.hash(), {
            play(&mut there_and_back, notation).unwrap();
            there_and_back.hash()
        });
    }
    assert_eq!(there_and_back, before);
    assert_eq!(there_and_back.hash(), before.hash());
}

#[test]
fn touched_cells_are_those_left_and_those_reached() {
    let position = start("");
    let affected = |notation: &str| {
        let marks = position.affected_cells(&position.parse_move(notation).unwrap());
        let name = |(cell, mark): (_, Mark)| format!("{} {mark:?}", position.cell_name(cell));
        marks.into_iter().map(name).collect::<Vec<_>>().join(", ")
    };
    assert_eq!(affected("A3"), "3 To");
    assert_eq!(affected("8,2+"), "8 From, 1 To");
    assert_eq!(affected("1-"), "1 From, 8 To");
}

#[test]
fn hints_are_the_neighbours_and_the_sector_itself() {
    let targets = |position: &Diam, from: &str| {
        let targets = position.targets(position.cell(from).unwrap());
        let names = targets.iter().map(|target| position.cell_name(target.cell).to_string());
        names.collect::<Vec<_>>().join(" ")
    };
    let position = arranged("-pieces=2x6", "1:AXBY 2:XBY 3:YXYX 6:XX", A);
    for (from, to) in [
        // It is full itself and finds room on 8 only.
        ("1", "8"),
        ("2", "2"),
        ("3", ""),
        ("6", "6"),
        ("8", "8"),
    ] {
        assert_eq!(targets(&position, from), to, "{from}");
    }
    // The whole stack is too high for 8, but its top piece is not.
    let position = arranged("", "1:AXB 8:YX", A);
    assert_eq!(targets(&position, "1"), "1 2 8");
    let position = arranged("-pieces=2x3", "1:ABA 4:BAB 8:X", A);
    assert_eq!(targets(&position, "1"), "2 8", "there is nothing to place");
    assert_eq!(targets(&position, "8"), "", "it is the opponent's");
    assert!(position.targets(Cell(12)).is_empty() && position.targets(Cell(u16::MAX)).is_empty());
    assert_eq!(position.cell_name(Cell(12)).as_str(), "?");
}

#[test]
fn stacks_that_cannot_stand_are_refused() {
    let arrange = |stacks: &[(&str, &str)], to_move| {
        Diam::from_setup(&Options::new(), stacks, to_move).unwrap_err()
    };
    let name = |name: &str| name.into();
    assert_eq!(arrange(&[("9", "A")], A), PositionError::NoSuchSector { name: name("9") });
    let twice = PositionError::SectorTwice { name: name("1") };
    assert_eq!(arrange(&[("1", "A"), ("1", "B")], A), twice);
    for pieces in ["", "AQ", "C", "W", "é", "A X"] {
        let none = PositionError::NotAStack { pieces: pieces.into() };
        assert_eq!(arrange(&[("1", pieces)], A), none);
    }
    let high = PositionError::TooHigh { pieces: name("ABXYA"), max: 4 };
    assert_eq!(arrange(&[("1", "ABXYA")], A), high);
    let many = PositionError::TooManyPieces { letter: 'Y', max: 4 };
    assert_eq!(arrange(&[("1", "YYY"), ("2", "yy")], A), many);
    assert_eq!(arrange(&[], Seat::new(2).unwrap()), PositionError::NoSuchSeat);
    let both = [("1", "XA"), ("5", "YA"), ("2", "AX"), ("6", "BX")];
    assert_eq!(arrange(&both, A), PositionError::BothAligned);
    let options = Options::parse("-board=9x4", Diam::OPTIONS).unwrap();
    let error = Diam::from_setup(&options, &[], A).unwrap_err();
    assert!(matches!(error, PositionError::Options(_)));
}
