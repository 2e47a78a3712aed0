//! Text records of Diam, replayed at a table.

use std::fmt::Write as _;

use adamant_rules::{EndReason, Kind, Seat, SeatSet, record::TextRecord, table::Outcome};

use super::positions::{A, X};

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

#[test]
fn the_third_time_is_a_draw() {
    let round = "1+\n5+\n2-\n6-\n";
    let game = format!("diam challenge ann bob\nA1\nX5\n{round}{round}");
    let (_, _, to_move, outcome) = last(&game);
    assert_eq!(to_move, None);
    assert_eq!(outcome, Some((SeatSet::all(2), EndReason::Repetition)));
}

#[test]
fn a_record_says_where_it_cannot_be_played() {
    let record = TextRecord::parse("diam challenge -nomirror ann bob\nA1\nX5\n").unwrap();
    let bad = record.replay(true).last().unwrap().unwrap_err();
    assert_eq!((bad.ply, bad.notation.as_str()), (2, "X5"));
    assert!(bad.why.contains("-nomirror"), "{bad}");
}
