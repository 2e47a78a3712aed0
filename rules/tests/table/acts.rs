//! Beginning, moving and calling off.

use adamant_rules::{
    Act, EventKind, Refusal, Seat, Table, TimeControl,
    event::AbortReason,
    table::{Outcome, SetupError},
};

use super::script::{NOON, O, Script, X, Y, names, setup};

#[test]
fn a_game_is_created_with_all_its_options_and_starts() {
    let script = Script::without_clock(3, "-prog_cap");
    let kinds: Vec<_> = script.events.iter().map(|event| event.kind.clone()).collect();
    assert_eq!(names(&kinds), ["created", "started"]);
    assert_eq!(kinds[1], EventKind::Started { to_move: O });
    assert_eq!(script.table.setup().options.to_string(), "-size=4 -pieces=12 -prog_cap");
    assert_eq!((script.table.turn(), script.table.ply()), (0, 0));
    assert_eq!(script.table.to_move(), Some(O));
    assert_eq!(script.table.last_at(), NOON);
}

#[test]
fn a_setup_that_cannot_be_played_is_refused() {
    let mut doubled = setup(3, "", TimeControl::None);
    doubled.seats[Y].user = "ANN".into();
    let refused = Table::begin(doubled, NOON);
    assert_eq!(refused, Err(SetupError::SameUser { user: "ANN".into() }));

    let lone = setup(1, "", TimeControl::None);
    assert!(matches!(Table::begin(lone, NOON), Err(SetupError::Options(_))));

    let hasty = setup(2, "", TimeControl::PerMove { move_ms: 999 });
    assert!(matches!(Table::begin(hasty, NOON), Err(SetupError::Clock(_))));
}

#[test]
fn a_step_has_all_consequences_of_its_move() {
    let mut script = Script::without_clock(2, "");
    let before = script.table.clone();
    let kinds = script.wait(1_500).play("C1-E1,c2,4xC3,a1");
    let EventKind::Moved { seat, turn, ply, mv, captures, to_move, spent_ms, lag_ms, left_ms } =
        &kinds[0]
    else {
        panic!("{kinds:?}")
    };
    assert_eq!(kinds.len(), 1);
    assert_eq!((*seat, *turn, *ply, *to_move), (O, 1, 1, X));
    assert_eq!(mv.to_string(), "c1-a1,c2,4xc3,e1");
    assert!(captures.is_empty());
    assert_eq!((*spent_ms, *lag_ms, left_ms), (1_500, 0, &None));
    assert_eq!(script.table.moves().collect::<Vec<_>>(), ["c1-a1,c2,4xc3,e1"]);
    assert_eq!(script.table.move_at(1), Some("c1-a1,c2,4xc3,e1"));
    assert_eq!(script.table.move_at(0), None);
    assert_eq!(script.table.move_at(2), None);
    assert_eq!(script.table.last_move(), Some(mv));
    assert_ne!(script.table.hash(), before.hash());
}

#[test]
fn a_preview_shows_what_the_move_would_do_and_does_not_do_it() {
    let script = Script::without_clock(2, "").after(&["c1-c2"]);
    let (events, table) = script.table.preview(X, 1, "c5-c4", NOON + 5).expect("the move is legal");
    assert_eq!(events[0].at, NOON + 5);
    assert_eq!(table.ply(), 2);
    assert_eq!(script.table.ply(), 1);
    assert_eq!(script.table.preview(O, 1, "c2-c3", NOON).map(drop), Err(Refusal::NotYourTurn));
}

#[test]
fn a_seat_is_found_by_the_name_of_its_user_in_any_case() {
    let script = Script::without_clock(2, "");
    assert_eq!(script.table.seat_of("BOB"), Some(X));
    assert_eq!(script.table.seat_of("cy"), None);
}

/// Each act below is wrong in as many ways as can be; what is said is what is checked first.
#[test]
fn a_move_is_refused_for_the_first_of_its_faults() {
    let wrong = |seat: Seat, turn: u32| Act::Move { seat, turn, notation: "nonsense", lag_ms: 0 };

    let mut script = Script::without_clock(3, "");
    script.act(&Act::Resign { seat: X });
    assert_eq!(script.refusal(&wrong(X, 77)), Refusal::LeftTheGame);
    assert_eq!(script.refusal(&wrong(Y, 77)), Refusal::StaleTurn { given: 77, turn: 1 });
    assert_eq!(script.refusal(&wrong(Y, 1)), Refusal::NotYourTurn);
    assert!(matches!(script.refusal(&wrong(O, 1)), Refusal::Illegal(_)));

    script.act(&Act::Resign { seat: Y });
    assert_eq!(script.refusal(&wrong(X, 77)), Refusal::GameOver);
    assert_eq!(script.refusal(&Act::Resign { seat: X }), Refusal::GameOver);
    assert_eq!(script.refusal(&Act::Abort { seat: X }), Refusal::GameOver);
}

#[test]
fn a_seat_that_is_not_at_the_table_is_not_in_the_game() {
    let script = Script::without_clock(2, "");
    assert_eq!(script.refusal(&Act::Resign { seat: Y }), Refusal::LeftTheGame);
    assert_eq!(script.refusal(&Act::Abort { seat: Y }), Refusal::LeftTheGame);
}

#[test]
fn no_seat_acts_before_the_game_has_started() {
    let events = Table::begin(setup(2, "", TimeControl::None), NOON).unwrap();
    let mut table = Table::new(&events[0]).unwrap();
    let act = Act::Move { seat: O, turn: 0, notation: "c1-c2", lag_ms: 0 };
    assert_eq!(table.decide(&act, NOON), Err(Refusal::NotReady));
    assert_eq!(table.next_deadline(), Some(NOON));
    assert_eq!(table.overdue(NOON).unwrap().as_slice(), &events[1..]);
    table.apply(&events[1]).unwrap();
    assert_eq!(table.overdue(NOON), None);
    assert!(table.decide(&act, NOON).is_ok());
}

#[test]
fn an_act_from_before_the_last_event_counts_as_at_that_event() {
    let mut script = Script::without_clock(2, "");
    script.wait(1_000).play("c1-c2");
    let events = script.table.decide(&script.move_act("c5-c4"), NOON + 400).unwrap();
    assert_eq!(events[0].at, NOON + 1_000);
    assert!(matches!(events[0].kind, EventKind::Moved { spent_ms: 0, .. }));
}

#[test]
fn a_game_can_be_aborted_until_each_side_has_moved() {
    let mut script = Script::without_clock(2, "").after(&["c1-c2"]);
    for seat in [O, X] {
        assert!(script.decide(&Act::Abort { seat }).is_ok());
    }
    let decided = script.clone().after(&["c5-c4"]);
    assert_eq!(decided.refusal(&Act::Abort { seat: O }), Refusal::TooLateToAbort);

    assert_eq!(names(&script.act(&Act::Abort { seat: O })), ["aborted ByPlayer seat 0"]);
    let aborted = Outcome::Aborted { by: O, reason: AbortReason::ByPlayer };
    assert_eq!(script.table.outcome(), Some(&aborted));
    assert_eq!(script.table.to_move(), None);
    assert_eq!(script.refusal(&Act::Abort { seat: X }), Refusal::GameOver);
}

#[test]
fn seats_that_left_do_not_keep_a_game_abortable() {
    let mut script = Script::without_clock(3, "").after(&["d1-d2", "g4-f4"]);
    assert!(script.decide(&Act::Abort { seat: O }).is_ok());
    script.act(&Act::Resign { seat: Y });
    assert_eq!(script.refusal(&Act::Abort { seat: O }), Refusal::TooLateToAbort);
}
