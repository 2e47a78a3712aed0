//! Offers, the two sides of aborting and resigning, and how games end.

use adamant_rules::{
    Act, EndReason, Event, EventKind, Events, LeaveReason, Refusal, Seat, SeatSet, Table,
    TimeControl,
    event::{AbortReason, OfferId, OfferKind, OfferOutcome},
    table::{OpenOffer, Outcome, SetupError, TAKEBACKS_PER_SEAT_MAX},
};

use super::{NOON, O, Script, X, Y, follow, names, set, setup};

const DRAW: OfferKind = OfferKind::Draw;

const fn offer(seat: Seat) -> Act<'static> {
    Act::Offer { seat, what: DRAW }
}

const fn answer(seat: Seat, id: u32, accept: bool) -> Act<'static> {
    Act::Answer { seat, offer: OfferId(id), accept }
}

const fn withdraw(seat: Seat, id: u32) -> Act<'static> {
    Act::Withdraw { seat, offer: OfferId(id) }
}

#[test]
fn an_accepted_offer_ends_a_game_of_two() {
    let mut script = Script::without_clock(2, "");
    let kinds = script.act(&offer(X));
    let needs = SeatSet::only(O);
    assert_eq!(kinds, [EventKind::Offered { offer: OfferId(1), what: DRAW, by: X, needs }]);
    let open = OpenOffer { offer: OfferId(1), what: DRAW, by: X, needs };
    assert_eq!(script.table.offers(), [open]);

    let kinds = script.act(&answer(O, 1, true));
    assert_eq!(names(&kinds), ["closed Accepted seat 0", "ended Agreement"]);
    assert_eq!(script.result(), (set(&[O, X]), vec![1, 1], EndReason::Agreement));
    assert!(script.table.offers().is_empty());
}

#[test]
fn three_players_all_have_to_agree() {
    let mut script = Script::without_clock(3, "");
    script.act(&offer(X));
    let kinds = script.act(&answer(Y, 1, true));
    assert_eq!(kinds, [EventKind::Agreed { offer: OfferId(1), seat: Y, needs: SeatSet::only(O) }]);
    assert_eq!(script.table.offers()[0].needs, SeatSet::only(O));
    let again = script.refusal(&answer(Y, 1, false));
    assert_eq!(again, Refusal::NotYourOffer { what: "answer" });
    let kinds = script.act(&answer(O, 1, true));
    assert_eq!(names(&kinds), ["closed Accepted seat 0", "ended Agreement"]);
    assert_eq!(script.result(), (set(&[O, X, Y]), vec![1, 1, 1], EndReason::Agreement));
}

#[test]
fn one_seat_can_decline_for_all() {
    let mut script = Script::without_clock(3, "");
    script.act(&offer(X));
    script.act(&answer(Y, 1, true));
    let kinds = script.act(&answer(O, 1, false));
    let outcome = OfferOutcome::Declined;
    assert_eq!(kinds, [EventKind::OfferClosed { offer: OfferId(1), outcome, by: O }]);
    assert_eq!(script.refusal(&answer(O, 1, true)), Refusal::NoSuchOffer);
    assert_eq!(script.table.to_move(), Some(O));
}

#[test]
fn only_its_seat_withdraws_an_offer() {
    let mut script = Script::without_clock(2, "");
    script.act(&offer(X));
    assert_eq!(script.refusal(&withdraw(O, 1)), Refusal::NotYourOffer { what: "withdraw" });
    assert_eq!(script.refusal(&withdraw(X, 2)), Refusal::NoSuchOffer);
    assert_eq!(script.refusal(&answer(X, 1, true)), Refusal::NotYourOffer { what: "answer" });
    let kinds = script.act(&withdraw(X, 1));
    assert_eq!(names(&kinds), ["closed Withdrawn seat 1"]);
}

#[test]
fn one_draw_offer_is_open_at_a_time_and_numbers_do_not_come_again() {
    let mut script = Script::without_clock(2, "");
    script.act(&offer(X));
    assert_eq!(script.refusal(&offer(X)), Refusal::OfferStands);
    assert_eq!(script.refusal(&offer(O)), Refusal::OfferStands);
    script.act(&withdraw(X, 1));
    script.act(&offer(O));
    assert_eq!(script.table.offers()[0].offer, OfferId(2));
    assert_eq!(script.refusal(&answer(X, 1, true)), Refusal::NoSuchOffer);
}

#[test]
fn an_offer_of_each_kind_is_made_once_a_turn_however_it_ended() {
    let mut script = Script::without_clock(2, "").after(&["c1-c2", "c5-c4"]);
    for (id, what) in (1..).zip([DRAW, OfferKind::Abort, OfferKind::Takeback]) {
        script.act(&Act::Offer { seat: X, what });
        script.act(&if id == 1 { withdraw(X, id) } else { answer(O, id, false) });
        assert_eq!(script.refusal(&Act::Offer { seat: X, what }), Refusal::OfferedThisTurn);
    }
    // It is bound to the seat, and ends with the turn.
    script.act(&offer(O));
    script.act(&answer(X, 4, false));
    script.play("c2-c3");
    script.act(&offer(X));
    script.act(&withdraw(X, 5));
    assert_eq!(script.refusal(&offer(X)), Refusal::OfferedThisTurn);
    script.play("c4-c5");
    script.act(&offer(X));
}

#[test]
fn takebacks_of_a_seat_are_limited() {
    let mut script = Script::without_clock(2, "");
    let takeback = |seat| Act::Offer { seat, what: OfferKind::Takeback };
    for _ in 0..TAKEBACKS_PER_SEAT_MAX {
        script.play("c1-c2");
        script.agree(O, OfferKind::Takeback);
    }
    script.play("c1-c2");
    let max = TAKEBACKS_PER_SEAT_MAX;
    assert_eq!(script.refusal(&takeback(O)), Refusal::TakebacksSpent { max });
    script.play("c5-c4");
    script.act(&takeback(X));
    script.act(&offer(O));
}

/// There are records from before offers were bounded.
#[test]
fn a_record_with_more_offers_than_can_be_made_now_is_replayed() {
    let mut script = Script::without_clock(2, "").after(&["c1-c2"]);
    let needs = SeatSet::only(X);
    for id in 1..=300 {
        let offer = OfferId(id);
        let kind = EventKind::Offered { offer, what: OfferKind::Takeback, by: O, needs };
        let event = Event { at: script.now, kind, hash: script.table.hash() };
        script.happen(Events::from_iter([event]));
        script.act(&withdraw(O, id));
    }
    assert_eq!(follow(&script.events), script.table);
    let again = script.refusal(&Act::Offer { seat: O, what: OfferKind::Takeback });
    assert_eq!(again, Refusal::OfferedThisTurn);
}

#[test]
fn a_move_by_any_seat_closes_open_offers() {
    for by in [O, X, Y] {
        let mut script = Script::without_clock(3, "-size=2 -pieces=4");
        script.act(&offer(by));
        let kinds = script.play("b1-a1,b2,b3,c1");
        let expected = [
            "moved seat 0",
            "closed Moved seat 0",
            "removed seat 1 NoMove",
            "removed seat 2 NoMove",
            "ended LastPlayer",
        ];
        assert_eq!(names(&kinds), expected);
        assert!(script.table.offers().is_empty());
    }
}

#[test]
fn an_offer_does_not_outlive_a_departure_and_a_new_one_needs_all_who_are_left() {
    let mut script = Script::without_clock(3, "");
    script.act(&offer(O));
    let kinds = script.act(&Act::Resign { seat: Y });
    assert_eq!(names(&kinds), ["removed seat 2 Resigned", "closed Moved seat 2"]);
    assert_eq!(script.refusal(&offer(Y)), Refusal::LeftTheGame);
    script.act(&offer(O));
    assert_eq!(script.table.offers()[0].needs, SeatSet::only(X));
}

#[test]
fn the_end_of_a_game_leaves_no_offer_open() {
    let mut script = Script::without_clock(2, "");
    script.act(&offer(O));
    let kinds = script.act(&Act::Resign { seat: X });
    assert_eq!(names(&kinds), ["ended Resigned seat 1"]);
    assert!(script.table.offers().is_empty());
    assert_eq!(script.refusal(&answer(X, 1, true)), Refusal::GameOver);
    assert_eq!(script.refusal(&withdraw(O, 1)), Refusal::GameOver);
    assert_eq!(script.refusal(&offer(O)), Refusal::GameOver);
}

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
    assert_eq!(script.table.last_move(), Some(&*mv.to_string()));
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

const fn resign(seat: Seat) -> Act<'static> {
    Act::Resign { seat }
}

#[test]
fn resigning_ends_a_game_of_two_at_once_and_the_pieces_stand() {
    for (loser, winner, places) in [(O, X, vec![2, 1]), (X, O, vec![1, 2])] {
        let mut script = Script::without_clock(2, "").after(&["c1-c2"]);
        let standing = script.table.position().stacks();
        let turn = script.table.turn();
        let kinds = script.act(&resign(loser));
        assert_eq!(names(&kinds), [format!("ended Resigned {loser:?}")]);
        assert_eq!(script.result(), (set(&[winner]), places, EndReason::Resigned));
        assert_eq!(script.table.position().stacks(), standing);
        assert_eq!(script.table.turn(), turn);
        assert_eq!(script.table.to_move(), None);
    }
}

#[test]
fn resigning_from_a_game_of_three_lets_the_others_play_on() {
    let mut script = Script::without_clock(3, "").after(&["d1-d2"]);
    let kinds = script.act(&resign(Y));
    let (reason, to_move) = (LeaveReason::Resigned, X);
    assert_eq!(kinds, [EventKind::Removed { seat: Y, turn: 2, reason, claimed_by: None, to_move }]);
    assert_eq!(script.table.ply(), 1);
    assert!(!script.table.seat_in(Y));
    assert_eq!(script.table.left_reason(Y), Some(LeaveReason::Resigned));
    assert_eq!(script.table.left_reason(X), None);
    assert!(script.table.position().stacks().iter().all(|(_, pieces)| !pieces.contains('Y')));
    assert_eq!(script.refusal(&resign(Y)), Refusal::LeftTheGame);

    script.play("g4-f4");
    assert_eq!(script.table.to_move(), Some(O));
    let kinds = script.act(&resign(O));
    assert_eq!(names(&kinds), ["removed seat 0 Resigned", "ended Resigned seat 0"]);
    assert_eq!(script.result(), (set(&[X]), vec![2, 1, 3], EndReason::Resigned));
}

#[test]
fn resigning_on_ones_turn_passes_it_on() {
    let mut script = Script::without_clock(3, "");
    script.act(&resign(O));
    assert_eq!(script.table.to_move(), Some(X));
    assert_eq!((script.table.turn(), script.table.ply()), (1, 0));
}

#[test]
fn those_who_leave_at_the_same_ply_share_a_place() {
    let mut script = Script::without_clock(3, "").after(&["d1-d2"]);
    script.act(&resign(X));
    script.act(&resign(Y));
    assert_eq!(script.result(), (set(&[O]), vec![1, 2, 2], EndReason::Resigned));
}

#[test]
fn capturing_the_last_pieces_of_two_at_once_ends_the_game() {
    let mut script = Script::without_clock(3, "-size=2 -pieces=2").after(&["2xb1-b3", "2xc2-c1"]);
    let kinds = script.play("a2-b3,c1");
    let expected =
        ["moved seat 2", "removed seat 0 NoPieces", "removed seat 1 NoPieces", "ended LastPlayer"];
    assert_eq!(names(&kinds), expected);
    assert_eq!(script.result(), (set(&[Y]), vec![2, 2, 1], EndReason::LastPlayer));
    assert_eq!(script.table.last_captures().len(), 2);
    assert_eq!((script.table.turn(), script.table.ply()), (5, 3));
}

#[test]
fn a_seat_that_cannot_move_on_its_turn_leaves_with_its_pieces() {
    let mut script = Script::without_clock(3, "-size=2 -pieces=4");
    let kinds = script.play("b1-b2,2xb3,c1");
    let EventKind::Moved { to_move, .. } = kinds[0] else { panic!("{kinds:?}") };
    assert_eq!(to_move, X);
    let reason = LeaveReason::NoMove;
    assert_eq!(
        kinds[1..],
        [EventKind::Removed { seat: X, turn: 2, reason, claimed_by: None, to_move: Y }]
    );
    assert_eq!(script.table.to_move(), Some(Y));
    assert!(script.table.position().stacks().iter().all(|(_, pieces)| !pieces.contains('X')));
}

/// The end names what ended the game, not the seat that left earlier.
#[test]
fn a_last_player_by_play_is_one_even_if_another_resigned_before() {
    let mut script = Script::without_clock(3, "-size=2 -pieces=4");
    script.act(&resign(X));
    let kinds = script.play("b1-2xa1,b2,b3");
    assert_eq!(names(&kinds), ["moved seat 0", "removed seat 2 NoMove", "ended LastPlayer"]);
    assert_eq!(script.result(), (set(&[O]), vec![1, 3, 2], EndReason::LastPlayer));

    let mut script = Script::without_clock(3, "-size=2 -pieces=3").after(&["b1-a1,b2,b3"]);
    let kinds = script.act(&resign(X));
    let expected = ["removed seat 1 Resigned", "removed seat 2 NoMove", "ended LastPlayer"];
    assert_eq!(names(&kinds), expected);
    assert_eq!(script.result(), (set(&[O]), vec![1, 2, 2], EndReason::LastPlayer));
}

#[test]
fn a_tie_is_shared_by_those_still_in() {
    let mut script = Script::without_clock(2, "-size=2 -pieces=2")
        .after(&["b1-a1,b2", "b3-a2,c2", "b2-c2", "a2-a1"]);
    assert_eq!(names(&script.play("c2-b3")), ["moved seat 0", "ended TwoPieces"]);
    assert_eq!(script.result(), (set(&[O, X]), vec![1, 1], EndReason::TwoPieces));

    let moves = ["c1-a1,c4", "e3-c3,d3", "a3-a2,b3", "c4-d3", "c3-b3", "a2-a1"];
    let mut script = Script::without_clock(3, "-size=3 -pieces=2").after(&moves);
    let kinds = script.play("d3-a1");
    assert_eq!(names(&kinds), ["moved seat 0", "removed seat 2 NoPieces", "ended TwoPieces"]);
    assert_eq!(script.result(), (set(&[O, X]), vec![1, 1, 3], EndReason::TwoPieces));
}

#[test]
fn a_tie_that_a_departure_makes_is_still_a_tie() {
    let mut script = Script::without_clock(3, "-size=2 -pieces=4").after(&[
        "b1-2xb2,c1",
        "c2-b3",
        "a2-a1",
        "b2-a2,c2",
    ]);
    let kinds = script.act(&resign(O));
    assert_eq!(names(&kinds), ["removed seat 0 Resigned", "ended TwoPieces"]);
    assert_eq!(script.result(), (set(&[X, Y]), vec![3, 1, 1], EndReason::TwoPieces));
}

/// There and back, for both: every position comes again after four plies. The very first does
/// not, for in it the opening player may not capture.
const SHUTTLE: [&str; 4] = ["8xc1-b1", "8xc5-b4", "8xb1-c1", "8xb4-c5"];

#[test]
fn the_third_occurrence_of_a_position_is_a_draw() {
    let mut script = Script::without_clock(2, "").after(&SHUTTLE).after(&SHUTTLE);
    assert_eq!(script.table.outcome(), None);
    assert_eq!(names(&script.play(SHUTTLE[0])), ["moved seat 0", "ended Repetition"]);
    assert_eq!(script.result(), (set(&[O, X]), vec![1, 1], EndReason::Repetition));
}

#[test]
fn without_the_rule_of_repetition_the_game_goes_on() {
    let mut script = Script::without_clock(2, "");
    script.table = script.table.without_repetition();
    let mut script = script.after(&SHUTTLE).after(&SHUTTLE).after(&SHUTTLE);
    assert_eq!(names(&script.play(SHUTTLE[0])), ["moved seat 0"]);
}

#[test]
fn talk_about_a_draw_does_not_make_a_position_occur_again() {
    let mut script = Script::without_clock(2, "").after(&SHUTTLE);
    let offers = [(O, OfferKind::Draw, X), (O, OfferKind::Abort, X), (X, OfferKind::Abort, O)];
    for (id, (seat, what, other)) in (1..).zip(offers) {
        script.act(&Act::Offer { seat, what });
        script.act(&Act::Answer { seat: other, offer: OfferId(id), accept: false });
    }
    script.act(&Act::Offer { seat: X, what: OfferKind::Draw });
    let kinds = script.play(SHUTTLE[0]);
    assert_eq!(names(&kinds), ["moved seat 0", "closed Moved seat 0"]);
    let script = script.after(&SHUTTLE[1..]);
    assert_eq!(script.table.outcome(), None);
}

#[test]
fn an_offer_that_the_repeating_move_closes_is_closed_before_the_end() {
    let mut script = Script::without_clock(2, "").after(&SHUTTLE).after(&SHUTTLE);
    script.act(&Act::Offer { seat: X, what: OfferKind::Draw });
    let kinds = script.play(SHUTTLE[0]);
    assert_eq!(names(&kinds), ["moved seat 0", "closed Moved seat 0", "ended Repetition"]);
}

#[test]
fn a_position_with_other_seats_in_is_another_one() {
    let shuttle = ["12xd1-d2", "12xg4-f4", "12xd2-d1", "12xf4-g4"];
    let with_cy = ["12xd1-d2", "12xg4-f4", "12xa4-b4", "12xd2-d1", "12xf4-g4", "12xb4-a4"];
    let mut script = Script::without_clock(3, "").after(&with_cy).after(&with_cy);
    script.act(&resign(Y));
    // The position after the departure counts once, and then each time it is come back to.
    let script = script.after(&shuttle);
    assert_eq!(script.table.outcome(), None);
    let script = script.after(&shuttle);
    assert_eq!(script.result(), (set(&[O, X]), vec![1, 1, 3], EndReason::Repetition));
    assert_eq!(script.table.ply(), 20);
}
