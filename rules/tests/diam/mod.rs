//! Diam, tested from outside: what its positions say and do.

mod reference_rules;
mod vectors;

use std::{collections::BTreeSet, fmt::Write as _};

use adamant_rules::{
    Cell, Consequence, EndReason, IllegalMove, Kind, Options, Seat, SeatSet,
    game::{CellShape, Game, Mark, MoveCount},
    games::diam::{Diam, PositionError},
    options::{OptionError, OptionValue},
    record::TextRecord,
    table::Outcome,
};
use insta::assert_snapshot;

use crate::games::{cells, listed, opening, picks, play, refused, shown, written};

/// The player who opens, and the other one.
const A: Seat = Seat::FIRST;
const X: Seat = Seat::new(1).unwrap();

/// The opening position of a challenge such as `-board=10x5`.
fn start(options: &str) -> Diam {
    opening(options, 2)
}

/// A position in the middle of a game, written `1:AX 5:B`.
fn arranged(options: &str, stacks: &str, to_move: Seat) -> Diam {
    let options = Options::parse(options, Diam::OPTIONS).unwrap();
    Diam::from_setup(&options, &cells(stacks), to_move).unwrap()
}

/// Every option set that a challenge can have, apart from `-nomirror`.
fn all_options() -> Vec<String> {
    let boards = [8, 10, 12].into_iter().flat_map(|n| (3..=6).map(move |m| format!("{n}x{m}")));
    let sets = (2..=4).flat_map(|o| (3..=6).map(move |p| format!("{o}x{p}")));
    boards
        .flat_map(|board| {
            sets.clone().map(move |pieces| format!("-board={board} -pieces={pieces}"))
        })
        .collect()
}

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
    assert!(position.sample_moves(10, &mut picks(1)).is_empty());
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
fn cells_are_numbered_from_one() {
    let position = start("-board=12x3");
    for (number, at) in (1..).zip(position.layout().cells) {
        assert_eq!(position.cell_name(at.cell).to_string(), format!("{number}"));
    }
    assert_eq!(start("").cell("9"), None);
    assert_eq!(start("-board=10x3").cell("11"), None);
}

#[test]
fn the_start() {
    assert_snapshot!(start("").draw(&[]), @r"
     4     .     .     .     .
     3     .     .     .     .
     2     .     .     .     .
     1     .     .     .     .
       .__ 1 ___ 2 ___ 3 ___ 4 __.
       |                         |
     4 |   .     .     .     .   |
     3 |   .     .     .     .   |
     2 |   .     .     .     .   |
     1 |   .     .     .     .   |
       |__ 8 ___ 7 ___ 6 ___ 5 __|

     A has AAAA BBBB to place
     X has XXXX YYYY to place
    ");
}

#[test]
fn in_the_middle_of_a_game() {
    assert_snapshot!(arranged("", "3:BXAY 4:AX 5:Y 8:B 6:XYBX", A).draw(&[]), @r"
     4     .     .     Y     .
     3     .     .     A     .
     2     .     .     X     X
     1     .     .     B     A
       .__ 1 ___ 2 ___ 3 ___ 4 __.
       |                         |
     4 |   .     .     X     .   |
     3 |   .     .     B     .   |
     2 |   .     .     Y     .   |
     1 |   B     .     X     Y   |
       |__ 8 ___ 7 ___ 6 ___ 5 __|

     A has AA B to place
     X has Y to place
    ");
}

#[test]
fn the_largest_board_at_its_fullest() {
    let stacks = "1:ABCDWX 2:XWDCBA 3:ABCDWX 4:XWDCBA 5:ZYZYZY 7:WXABCD 12:YZYZYZ";
    let drawing = arranged("-board=12x6 -pieces=4x6", stacks, X).draw(&[]);
    assert_snapshot!(drawing, @r"
     6     X     A     X     A     Y     .
     5     W     B     W     B     Z     .
     4     D     C     D     C     Y     .
     3     C     D     C     D     Z     .
     2     B     W     B     W     Y     .
     1     A     X     A     X     Z     .
       .__ 1 ___ 2 ___ 3 ___ 4 ___ 5 ___ 6 __.
       |                                     |
     6 |   Z     .     .     .     .     D   |
     5 |   Y     .     .     .     .     C   |
     4 |   Z     .     .     .     .     B   |
     3 |   Y     .     .     .     .     A   |
     2 |   Z     .     .     .     .     X   |
     1 |   Y     .     .     .     .     W   |
       |__ 12 __ 11 __ 10 __ 9 ___ 8 ___ 7 __|

     A has A B C D to place
     X has W X to place
    ");
}

#[test]
fn every_board_fits_a_terminal() {
    for options in all_options() {
        let text = start(&options).draw(&[]).to_string();
        assert!(text.lines().count() <= 24, "{options}");
        assert!(text.lines().all(|line| line.len() <= 80 && line.is_ascii()), "{options}");
    }
}

#[test]
fn marks_are_seen_without_colours() {
    let position = arranged("-board=12x3", "1:A 2:AX 11:X", A);
    let cell = |name| position.cell(name).unwrap();
    let marks = [
        (cell("1"), Mark::From),
        (cell("2"), Mark::To),
        (cell("11"), Mark::From),
        (cell("12"), Mark::To),
        (cell("7"), Mark::Captured),
        (cell("5"), Mark::Cursor),
        (cell("5"), Mark::Target),
        (cell("4"), Mark::Chosen),
        (cell("10"), Mark::Target),
    ];
    assert_snapshot!(position.draw(&marks), @r"
     3     .     .     .     .     .     .
     2     .     X     .     .     .     .
     1     A     A     .     .     .     .
       .__-1 ___+2 ___ 3 ___=4 ___>5 ___ 6 __.
       |                                     |
     3 |   .     .     .     .     .     .   |
     2 |   .     .     .     .     .     .   |
     1 |   .     X     .     .     .     .   |
       |__+12 __-11 __:10 __ 9 ___ 8 ___*7 __|

     A has AA BBBB to place
     X has XX YYYY to place
    ");
}

#[test]
fn spans_know_what_they_show() {
    let position = arranged("", "3:BX 6:Y", A);
    let drawing = position.draw(&[(position.cell("3").unwrap(), Mark::Chosen)]);
    let three = [(".", None), (".", None), ("X", Some(1)), ("B", Some(0)), ("=3", None)];
    let three = three.map(|(text, seat)| (text, seat, Some(Mark::Chosen)));
    assert_eq!(shown(&position, &drawing, "3"), three);
    let dots = (".", None, None);
    let six = [dots, dots, dots, ("Y", Some(1), None), ("6", None, None)];
    assert_eq!(shown(&position, &drawing, "6"), six);
    let reserve: Vec<_> = drawing
        .lines
        .iter()
        .flatten()
        .filter(|span| span.cell.is_none() && span.seat.is_some())
        .map(|span| (span.text.trim(), span.seat))
        .collect();
    let expected = [("AAAA", Some(A)), ("BBB", Some(A)), ("XXX", Some(X)), ("YYY", Some(X))];
    assert_eq!(reserve, expected);
    for at in position.layout().cells {
        assert_eq!(shown(&position, &drawing, position.cell_name(at.cell).as_str()).len(), 5);
    }
}

#[test]
fn an_empty_reserve_is_drawn() {
    let text = arranged("-pieces=2x3", "1:ABA 2:BAB 5:XYX 6:XYY", A).draw(&[]).to_string();
    assert!(text.ends_with(" A has nothing to place\n X has nothing to place\n"), "{text}");
}

#[test]
fn neighbours_are_one_apart_and_numbers_go_clockwise() {
    for options in all_options() {
        let position = start(&options);
        let layout = position.layout();
        let places: Vec<_> = layout.cells.iter().map(|at| (at.x, at.y)).collect();
        let half = places.len() / 2;
        for (index, &(x, y)) in places.iter().enumerate() {
            let (next_x, next_y) = places[(index + 1) % places.len()];
            assert!(((x - next_x).hypot(y - next_y) - 1.0).abs() < 1e-9);
            // With y downwards, a positive product is a turn to the right.
            assert!(x * next_y - y * next_x > 0.0);
            let (across_x, across_y) = places[(index + half) % places.len()];
            assert!((x + across_x).hypot(y + across_y) < 1e-9);
            assert_eq!(y < 0.0, index < half, "the first half is above");
        }
        assert!(places[0].0 < 0.0, "it begins at the left");
        assert!(layout.edges.is_empty());
        assert!(layout.cells.iter().all(|at| at.shape == CellShape::Sector));
    }
}

fn of(stacks: &str, to_move: Seat) -> [i32; 2] {
    let position = arranged("", stacks, to_move);
    [A, X].map(|seat| position.progress(seat))
}

#[test]
fn both_begin_with_nothing() {
    assert_eq!([A, X].map(|seat| start("").progress(seat)), [0, 0]);
}

#[test]
fn pieces_that_a_like_one_can_oppose_are_counted() {
    let [none, _] = of("1:XA 5:XY", A);
    let [one, _] = of("1:XA", A);
    let [two, other] = of("1:XA 3:YB", A);
    assert_eq!(other, 0);
    assert!(none < one && one < two, "{none}, {one}, {two}");
    // Nothing can come to be opposite of a piece on the first level, or of a covered opposite.
    assert_eq!(of("1:A 2:B", A), [0, 0]);
}

#[test]
fn winning_moves_count_most_for_the_seat_to_move() {
    let [prepared, _] = of("1:XA 3:YB", X);
    // Placing A on 5, on the only piece there, would win.
    let [threat, _] = of("1:XA 5:Y", X);
    let [win, _] = of("1:XA 5:Y", A);
    assert!(prepared < threat && threat < win, "{prepared}, {threat}, {win}");
    // So would moving it there from beside.
    let [two_ways, _] = of("1:XA 5:Y 6:A", X);
    assert!(threat < two_ways && two_ways < win, "{threat}, {two_ways}");
}

/// The last step of a record: what was moved, the stacks, whose turn it is, and the outcome.
fn last(text: &str) -> (String, String, Option<Seat>, Option<(SeatSet, EndReason)>) {
    let record = TextRecord::parse(text).unwrap();
    assert_eq!(record.setup.kind, Kind::Diam);
    let step = record.replay(true).last().unwrap().unwrap_or_else(|bad| panic!("{bad}"));
    let stacks: Vec<_> = step
        .position
        .stacks()
        .into_iter()
        .map(|(cell, pieces)| format!("{}:{pieces}", step.position.cell_name(cell)))
        .collect();
    let outcome = step.outcome.map(|outcome| match outcome {
        Outcome::Ended { winners, reason, .. } => (winners, reason),
        Outcome::Aborted { .. } => panic!("a record is not aborted"),
    });
    (step.notation, stacks.join(" "), step.to_move, outcome)
}

#[test]
fn options_stand_before_or_after_the_names() {
    for text in [
        "diam challenge -board=10x5 -pieces=3x4 -nomirror ann bob",
        "diam challenge ann bob -board=10x5 -pieces=3x4 -nomirror",
        "Diam CHALLENGE ann -PIECES=3X4 bob --nomirror -board=10X5",
    ] {
        let record = TextRecord::parse(text).unwrap();
        assert_eq!(record.setup.options.to_string(), "-board=10x5 -pieces=3x4 -nomirror");
        let names: Vec<_> = record.setup.seats.iter().map(|player| &*player.user).collect();
        assert_eq!(names, ["ann", "bob"]);
    }
    let plain = TextRecord::parse("diam challenge ann bob").unwrap();
    assert_eq!(plain.setup.options.to_string(), "-board=8x4 -pieces=2x4");
    for (words, error) in [
        ("ann bob -board=9x4", "write 8, 10 or 12 sectors and a height from 3 to 6, as in 8x4"),
        ("-pieces=2 ann bob", "write 2 to 4 colours and 3 to 6 pieces of each, as in 2x4"),
        ("-board ann bob", "-board needs a value, as in -board=VALUE"),
        (
            "-nomirror=1 ann bob",
            "-nomirror takes no value but on, which it means without one, or off",
        ),
        ("ann bob cy", "diam is for 2 to 2 players, not 3"),
    ] {
        let said = TextRecord::parse(&format!("diam challenge {words}")).unwrap_err().to_string();
        assert!(said.starts_with("line 1, ") && said.ends_with(error), "{said}");
    }
}

#[test]
fn a_game_is_played_to_its_end() {
    let game = "diam challenge ann bob\n1. a1\n2. x5 # under it\n3. B5\n4. Y1\n5. B2\n6. y3\n2-\n";
    assert_eq!(last(game), ("2-".into(), "1:AYB 3:Y 5:XB".into(), Some(X), None));
    let (_, stacks, to_move, outcome) = last(&format!("{game}x4\n9. b5\n"));
    assert_eq!((stacks.as_str(), to_move), ("1:AYB 3:Y 4:X 5:XBB", None));
    assert_eq!(outcome, Some((SeatSet::only(A), EndReason::Aligned)));
    let over = TextRecord::parse(&format!("{game}x4\nb5\ny8\n")).unwrap();
    let bad = over.replay(true).last().unwrap().unwrap_err();
    assert_eq!((bad.ply, bad.why.as_str()), (10, "the game is over"));
}

#[test]
fn a_move_may_win_for_the_opponent() {
    let game = "diam challenge ann bob\nA5\nY5\nB5\nX2\nB2\nY1\nA7\n2-\n";
    let (_, stacks, _, outcome) = last(game);
    assert_eq!(stacks, "1:YXB 5:AYB 7:A");
    assert_eq!(outcome, Some((SeatSet::only(A), EndReason::Aligned)));
}

#[test]
fn a_seat_without_moves_passes() {
    let game = "diam challenge -board=8x3 -pieces=2x3 ann bob\n\
                A2\nX1\nB2\nY1\nA2\nX1\nB3\nY4\nA3\nX4\nB3\nY4\n";
    let (notation, _, to_move, outcome) = last(game);
    assert_eq!((notation.as_str(), to_move, outcome), ("pass", Some(X), None));
    for pass in ["", "pass\n", "13. pass\n"] {
        let (_, stacks, to_move, _) = last(&format!("{game}{pass}14. 1,3-\n"));
        assert_eq!((stacks.as_str(), to_move), ("1:XY 2:ABA 3:BAB 4:YXY 8:X", Some(A)));
    }
}

#[test]
fn a_full_board_is_a_draw() {
    let mut game = "diam challenge -board=8x3 -pieces=2x6 ann bob\n".to_owned();
    for (sector, [first, second]) in
        (1..).zip([["ABA", "XYX"], ["BAB", "YXY"], ["ABA", "XYX"], ["BAB", "YXY"]])
    {
        for (a, x) in first.chars().zip(second.chars()) {
            write!(game, "{a}{sector}\n{x}{}\n", sector + 4).unwrap();
        }
    }
    let (notation, _, to_move, outcome) = last(&game);
    assert_eq!((notation.as_str(), to_move), ("Y8", None));
    assert_eq!(outcome, Some((SeatSet::all(2), EndReason::Stuck)));
}

#[test]
fn the_seats_are_called_a_and_x() {
    let game = "diam challenge -pieces=4x3 ann bob\nD1\n";
    for (line, winner) in [("X resign", A), ("a RESIGN", X), ("resign", A)] {
        let (_, _, _, outcome) = last(&format!("{game}{line}\n"));
        assert_eq!(outcome, Some((SeatSet::only(winner), EndReason::Resigned)), "{line}");
    }
    let error = TextRecord::parse(&format!("{game}W resign")).unwrap_err();
    assert!(error.to_string().contains('W'), "{error}");
}

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
    let expected = [
        "A1", "A2", "A3", "A4", "A5", "A6", "A7", "A8", "B1", "B2", "B3", "B4", "B5", "B6", "B7",
        "B8", "1-", "1,3+", "1,3-", "4+", "4-", "4,2+", "4,2-",
    ];
    assert_eq!(listed(&position), expected);
    assert_eq!(count(&position), 23);
    assert_eq!(position.legal_moves(0), []);
    assert_eq!(position.legal_moves(17), position.legal_moves(100)[..17]);
}

#[test]
fn only_movements_are_left_without_a_reserve() {
    let position = arranged("-pieces=2x3", "1:AAB 3:ABB 5:XXX", A);
    let expected =
        ["1+", "1-", "1,2+", "1,2-", "1,3+", "1,3-", "3+", "3-", "3,2+", "3,2-", "3,3+", "3,3-"];
    assert_eq!(listed(&position), expected);
    assert_eq!(count(&arranged("-pieces=2x3", "1:AAB 3:ABB 5:XXX", X)), 8 + 6);
}
