//! Text records as people type them: read, refused with the place of the fault, and replayed.

use adamant_rules::{
    EndReason, Seat, SeatSet,
    record::{
        LineKind, RECORD_BYTES_MAX, RECORD_LINES_MAX, ReplayError, ReplayStep, TextRecord,
        TextRecordError, TextRecordErrorKind,
    },
    table::Outcome,
};
use proptest::prelude::*;

const O: Seat = Seat::FIRST;
const X: Seat = Seat::new(1).expect("a table has three seats");
const Y: Seat = Seat::new(2).expect("a table has three seats");

/// There and back, for both, three times: the first position but one comes up for the third time
/// after nine plies.
const SHUTTLES: &str = "\
8xc1-b1\n8xc5-b4\n8xb1-c1\n8xb4-c5
8xc1-b1\n8xc5-b4\n8xb1-c1\n8xb4-c5
8xc1-b1\n8xc5-b4\n8xb1-c1\n8xb4-c5
";

fn read(text: &str) -> TextRecord {
    TextRecord::parse(text).unwrap_or_else(|error| panic!("{error} in {text:?}"))
}

/// All steps of a record, and the fault that ended it, if one did.
fn replay(text: &str) -> (Vec<ReplayStep>, Option<ReplayError>) {
    let (mut steps, mut fault) = (Vec::new(), None);
    for step in read(text).replay(true) {
        assert_eq!(fault, None, "nothing follows a fault");
        match step {
            Ok(step) => steps.push(step),
            Err(bad) => fault = Some(bad),
        }
    }
    (steps, fault)
}

#[test]
fn a_record_may_have_been_pasted_from_a_mail_or_a_phone() {
    let typed = read("adamas challenge -size=3 ann bob\n1 c1-c2\n2 c5-c4\n");
    for pasted in [
        "\u{feff}adamas challenge \u{2013}size=3 ann bob\r\n1 c1\u{2013}c2\r\n2 c5\u{2212}c4\r\n",
        "adamas challenge -size=3 ann bob\r1 c1\u{2011}c2\r2 c5-c4\u{200b}\r",
        "> adamas challenge -size=3 ann bob\n>> 1 c1-c2\n> 2 c5-c4\n",
        "adamas\u{a0}challenge -size=3 ann bob\u{2028}1\u{2003}c1-c2\u{2028}2 c5-c4",
    ] {
        let read = read(pasted);
        assert_eq!(read.setup, typed.setup, "{pasted:?}");
        let kinds = |record: &TextRecord| -> Vec<LineKind> {
            record.lines.iter().map(|line| line.kind.clone()).collect()
        };
        assert_eq!(kinds(&read), kinds(&typed), "{pasted:?}");
    }
    let error = TextRecord::parse("> adamas challenge ann bob\n> c1 c2\n").unwrap_err();
    assert_eq!((error.line, error.column), (2, 6));
}

fn last(text: &str) -> ReplayStep {
    let (mut steps, fault) = replay(text);
    assert_eq!(fault, None, "{text:?}");
    steps.pop().expect("a record has a start")
}

/// The position as records write it: `c1:O c3:OOOO`.
fn stacks(step: &ReplayStep) -> String {
    let stack = |(cell, pieces)| format!("{}:{pieces}", step.position.cell_name(cell));
    step.position.stacks().into_iter().map(stack).collect::<Vec<_>>().join(" ")
}

/// What ended the game: the winners, the places, the reason.
fn result(step: &ReplayStep) -> (SeatSet, Vec<u8>, EndReason) {
    match &step.outcome {
        Some(Outcome::Ended { winners, places, reason }) => {
            (*winners, places.iter().copied().collect(), *reason)
        }
        other => panic!("the game has not ended: {other:?}"),
    }
}

/// Where a record cannot be read and why.
fn fault(text: &str) -> String {
    match TextRecord::parse(text) {
        Ok(_) => panic!("{text:?} was read"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn the_game_of_the_help_text_is_replayed() {
    let text = "adamas challenge -size=3 ann bob\nc1-e1,c2,4xc3,a1\nc5-c4,3xa3\n3xc3,c2,e1-d2\n";
    let (steps, fault) = replay(text);
    assert_eq!(fault, None);
    let told: Vec<_> = steps
        .iter()
        .map(|step| (step.ply, step.seat, step.notation.as_str(), stacks(step), step.to_move))
        .collect();
    let expected = [
        (0, None, "", "c1:OOOOOOOO c5:XXXXXXXX", Some(O)),
        (1, Some(O), "c1-a1,c2,4xc3,e1", "a1:O c1:O c2:O c3:OOOO c5:XXXXXXXX e1:O", Some(X)),
        (2, Some(X), "c5-3xa3,c4", "a1:O a3:XXX c1:O c2:O c3:OOOO c4:X c5:XXXX e1:O", Some(O)),
        (3, Some(O), "c2,3xc3,e1-d2", "a1:O a3:XXX c1:O c3:O c4:X c5:XXXX d2:OOOOO", Some(X)),
    ];
    let expected = expected
        .map(|(ply, seat, text, stacks, to_move)| (ply, seat, text, stacks.to_owned(), to_move));
    assert_eq!(told, expected);
    assert!(steps.iter().all(|step| step.outcome.is_none() && step.removed.is_empty()));
}

#[test]
fn options_stand_anywhere_and_names_make_the_number_of_players() {
    for text in [
        "adamas challenge -size=4 -prog_cap ann bob cy",
        "Adamas CHALLENGE ann bob cy -prog_cap -size=4",
        "  ADAMAS\tchallenge ann --size=4 bob -PROG_CAP cy # a comment",
        "\u{feff}# first a comment\n\n   \nadamas challenge ann bob -size=4 cy -prog_cap\r\n",
    ] {
        let record = read(text);
        assert_eq!(record.setup.options.to_string(), "-size=4 -pieces=12 -prog_cap", "{text:?}");
        let names: Vec<_> = record.setup.seats.iter().map(|player| &*player.user).collect();
        assert_eq!(names, ["ann", "bob", "cy"]);
        assert!(record.lines.is_empty());
    }
    assert_eq!(read("adamas challenge ann bob").setup.options.to_string(), "-size=3 -pieces=8");
}

#[test]
fn lines_keep_their_places_and_words_their_meaning() {
    let text = "adamas challenge ann bob cy # late\r\n\
                \r\n\
                1. d1-d2 # good\r\n\
                # nothing\r\n\
                \u{20}2  D1-xyz\r\n\
                RESIGN\r\n\
                y resign\r\n\
                Pass\r\n\
                swap\r\n\
                Draw#ed";
    let lines: Vec<_> =
        read(text).lines.into_iter().map(|line| (line.line, line.column, line.kind)).collect();
    let expected = [
        (3, 4, LineKind::Move("d1-d2".into())),
        (5, 5, LineKind::Move("D1-xyz".into())),
        (6, 1, LineKind::Resign),
        (7, 1, LineKind::SeatResign(Y)),
        (8, 1, LineKind::Pass),
        (9, 1, LineKind::Swap),
        (10, 1, LineKind::Draw),
    ];
    assert_eq!(lines, expected);
}

#[test]
fn parse_errors_have_a_line_and_column() {
    let challenge = "GAME challenge [OPTIONS] NAME NAME [NAME]";
    let players = "adamas is for 2 to 3 players, not";
    let name = "is not a player's name: at most 32 of A-Z, a-z, 0-9, _ and -, the first of them a \
                letter or digit";
    let cases = [
        ("", format!("line 1, column 1: the record is empty; it begins with {challenge}")),
        (
            "\n# only\n",
            format!("line 1, column 1: the record is empty; it begins with {challenge}"),
        ),
        ("adamas", format!("line 1, column 1: a record begins with {challenge}")),
        ("\n c1-c2 c2", format!("line 2, column 8: a record begins with {challenge}")),
        ("chess challenge a b", "line 1, column 1: there is no game of the name chess".into()),
        ("adamas challenge", format!("line 1, column 1: {players} 0")),
        ("adamas challenge ann", format!("line 1, column 1: {players} 1")),
        ("adamas challenge a b c d", format!("line 1, column 1: {players} 4")),
        ("adamas challenge ann Ann", "line 1, column 1: Ann cannot play on two seats".into()),
        ("adamas challenge _a b", format!("line 1, column 18: _a {name}")),
        ("adamas challenge a b-ö", format!("line 1, column 20: b-ö {name}")),
        (
            "adamas challenge -width=3 ann bob",
            "line 1, column 18: there is no option -width in this game".into(),
        ),
        (
            "adamas challenge ann bob -size=99",
            "line 1, column 26: -size takes a whole number from 2 to 8".into(),
        ),
        (
            "adamas challenge ann bob\nc1-c2 c2-c3",
            "line 2, column 7: a line has one move, which is written without spaces".into(),
        ),
        (
            "adamas challenge ann bob\n1. c1 - c2",
            "line 2, column 7: a line has one move, which is written without spaces".into(),
        ),
        (
            "adamas challenge ann bob\n\u{a0}ö b1-b2",
            "line 2, column 4: a line has one move, which is written without spaces".into(),
        ),
        (
            "adamas challenge ann bob\n12.",
            "line 2, column 1: a move is missing after the ply number".into(),
        ),
        (
            "adamas challenge ann bob\n Y resign",
            "line 2, column 2: Y is not the letter of a seat in this game".into(),
        ),
        (
            "adamas challenge ann bob\nc1-c2\n\n 3 c5-c4",
            "line 4, column 2: the ply number here is 2, not 3".into(),
        ),
        (
            "adamas challenge ann bob\n99999999999999 c1-c2",
            "line 2, column 1: the ply number here is 1, not 4294967295".into(),
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(fault(text), expected, "{text:?}");
    }
}

#[test]
fn a_record_has_bounds() {
    let long = format!("adamas challenge ann bob\n#{}", " ".repeat(RECORD_BYTES_MAX));
    let too_long = TextRecordError { line: 1, column: 1, what: TextRecordErrorKind::TooLong };
    assert_eq!(TextRecord::parse(&long), Err(too_long));

    let mut text = "adamas challenge ann bob\n".to_owned();
    text.push_str(&"c1-c2\n".repeat(RECORD_LINES_MAX));
    assert_eq!(read(&text).lines.len(), RECORD_LINES_MAX);
    text.push_str("c1-c2\n");
    let error = TextRecord::parse(&text).unwrap_err();
    assert_eq!(error.what, TextRecordErrorKind::TooManyLines);
    assert_eq!(error.line, u32::try_from(RECORD_LINES_MAX + 2).unwrap());
}

#[test]
fn the_longest_word_is_quoted_in_part() {
    let text = format!("adamas challenge ann {}", "ö".repeat(1_000));
    let message = fault(&text);
    assert!(message.contains(&format!("{}...", "ö".repeat(40))), "{message}");
    assert!(!message.contains(&"ö".repeat(41)), "{message}");
}

#[test]
fn a_move_that_cannot_be_played_ends_the_replay() {
    let cases = [
        ("c1-c2\nc1-c3\nc2-c3", 2, "c1-c3"),
        ("c1-c2\nnonsense\nc2-c3", 2, "nonsense"),
        ("c1-c2\npass\nc2-c3", 2, "pass"),
        ("c1-c2\nSWAP\nc2-c3", 2, "swap"),
        ("c1-c2\nresign\nc2-c3", 2, "c2-c3"),
        ("c1-c2\ndraw\nresign", 2, "resign"),
        ("c1-c2\ndraw\nO resign", 2, "O resign"),
        ("resign\ndraw", 1, "draw"),
        ("resign\npass", 1, "pass"),
    ];
    for (moves, ply, notation) in cases {
        let (_, fault) = replay(&format!("adamas challenge ann bob\n{moves}"));
        let fault = fault.unwrap_or_else(|| panic!("{moves:?} was played"));
        assert_eq!((fault.ply, fault.notation.as_str()), (ply, notation), "{moves:?}");
    }
}

#[test]
fn a_refusal_is_the_sentence_of_the_rules() {
    let why = |moves: &str| {
        let (_, fault) = replay(&format!("adamas challenge ann bob\n{moves}"));
        fault.expect("it cannot be played").why
    };
    assert_eq!(why("c1-c9"), "there is no cell c9 on this board");
    assert_eq!(why("resign\nc1-c2"), "the game is over");
    assert!(why("swap").starts_with("this is not a move: "), "{}", why("swap"));
    assert_eq!(why("pass"), "a pass stands only where the rules skip a player");
}

#[test]
fn the_moves_before_an_error_are_replayed() {
    let (steps, fault) = replay("adamas challenge ann bob\nc1-c2\nc5-c4\nc1-c1");
    assert_eq!(steps.len(), 3);
    assert_eq!(fault.expect("the last move is wrong").ply, 3);
}

#[test]
fn resigning_from_a_game_of_two_removes_no_seat() {
    let step = last("adamas challenge ann bob\nc1-c2\nresign");
    assert_eq!((step.ply, step.seat, step.notation.as_str()), (1, Some(X), "resign"));
    assert_eq!(result(&step), (SeatSet::only(O), vec![1, 2], EndReason::Resigned));
    assert_eq!((step.removed, step.to_move), (vec![], None));

    let step = last("adamas challenge ann bob\n1 c1-c2\n2 o resign");
    assert_eq!((step.ply, step.seat), (1, Some(O)));
    assert_eq!(result(&step), (SeatSet::only(X), vec![2, 1], EndReason::Resigned));
}

#[test]
fn resigning_from_a_game_of_three_removes_the_pieces() {
    let (steps, fault) = replay("adamas challenge ann bob cy\nd1-d2\nY resign\n2. g4-f4\nresign");
    assert_eq!(fault, None);
    let told: Vec<_> =
        steps.iter().map(|step| (step.ply, step.seat, &*step.notation, step.to_move)).collect();
    let expected = [
        (0, None, "", Some(O)),
        (1, Some(O), "d1-d2", Some(X)),
        (1, Some(Y), "resign", Some(X)),
        (2, Some(X), "g4-f4", Some(O)),
        (2, Some(O), "resign", None),
    ];
    assert_eq!(told, expected);
    assert_eq!((&*steps[2].removed, &*steps[4].removed), (&[Y][..], &[O][..]));
    assert!(!stacks(&steps[2]).contains('Y'));
    assert_eq!(result(&steps[4]), (SeatSet::only(X), vec![2, 1, 3], EndReason::Resigned));
}

#[test]
fn captured_and_stuck_seats_leave_at_the_ply_of_the_move() {
    let step = last("adamas challenge -size=2 -pieces=4 ann bob cy\nb1-a1,b2,b3,c1");
    assert_eq!(step.removed, [X, Y]);
    assert_eq!(stacks(&step), "a1:O b2:O b3:O c1:O");
    assert_eq!(result(&step), (SeatSet::only(O), vec![1, 2, 2], EndReason::LastPlayer));

    let step = last("adamas challenge -size=2 -pieces=2 ann bob cy\n2xb1-c1\n2xc2-a1\na2-b3,c1");
    let captured: Vec<_> = step.captures.iter().map(|capture| capture.seat).collect();
    assert_eq!((captured, step.removed), (vec![O], vec![O]));
    assert_eq!((step.to_move, step.outcome), (Some(X), None));
}

#[test]
fn a_draw_is_agreed_by_all_who_are_left() {
    let step = last("adamas challenge ann bob\nc1-c2\n2. draw");
    assert_eq!((step.ply, step.seat, step.notation.as_str()), (1, None, "draw"));
    assert_eq!(result(&step), (SeatSet::all(2), vec![1, 1], EndReason::Agreement));
    assert_eq!(step.to_move, None);

    let step = last("adamas challenge ann bob cy\nd1-d2\nX resign\ndraw");
    let left = SeatSet::all(3).without(X);
    assert_eq!(result(&step), (left, vec![1, 3, 1], EndReason::Agreement));
}

#[test]
fn repetition_is_a_draw_unless_it_is_left_out() {
    let record = read(&format!("adamas challenge ann bob\n{SHUTTLES}"));
    let steps: Vec<_> = record.replay(true).collect();
    let [.., end, after] = &steps[..] else { panic!("{steps:?}") };
    let end = end.as_ref().expect("the repeating move is played");
    assert_eq!((end.ply, result(end).2), (9, EndReason::Repetition));
    assert_eq!(after.as_ref().map_err(|bad| bad.ply), Err(10));

    let steps: Result<Vec<_>, _> = record.replay(false).collect();
    assert_eq!(steps.expect("all moves are played").len(), 13);
}

/// Ply numbers are those of the game as it is played on, whether or not repetition would end it.
#[test]
fn ply_numbers_are_checked_as_far_as_the_moves_go() {
    let numbered: String = (1..)
        .zip(SHUTTLES.lines())
        .map(|(ply, line)| format!("{ply}. {line}\n"))
        .collect::<Vec<_>>()
        .concat();
    assert_eq!(read(&format!("adamas challenge ann bob\n{numbered}")).lines.len(), 12);
    let record = read("adamas challenge ann bob\n1 c1-c2\n2 nonsense\n7 c2-c1");
    assert_eq!(record.lines.len(), 3);
}

proptest! {
    #[test]
    fn any_text_parses_or_fails_cleanly(text in ".*") {
        let answer = TextRecord::parse(&text);
        if let Ok(record) = answer {
            record.replay(true).for_each(drop);
        }
    }

    /// Soup from the words that records are made of.
    #[test]
    fn any_words_parse_or_fail_cleanly(
        head in prop::sample::select(vec![
            "adamas challenge ann bob\n",
            "adamas challenge -size=2 ann bob cy\n",
            "",
        ]),
        words in prop::collection::vec(
            prop::sample::select(vec![
                "adamas", "challenge", "ann", "-size=3", "-", "--", "-=", "#", "\n", "\n", "\n",
                "1", "1.", "2.", ".", "b1-b2", "c1-c2", "2xb1-a1", "O", "resign", "pass", "swap",
                "draw", "\u{feff}", "\u{a0}", "\u{2028}", "ö", "\r", "x-", "99999999999x1",
            ]),
            0..40,
        ),
    ) {
        if let Ok(record) = TextRecord::parse(&format!("{head}{}", words.join(" "))) {
            record.replay(true).for_each(drop);
        }
    }
}
