//! Server actions, no-shows and lag.

use adamant_rules::{
    Act, BySeat, EndReason, Event, EventKind, Events, LeaveReason, Refusal, Seat, TimeControl,
    clock::{LAG_PER_GAME_MS_MAX, LAG_PER_MOVE_MS_MAX, NO_SHOW_MS},
    event::{AbortReason, AdjustReason, OfferKind},
    table::{ApplyError, Outcome, Ruling, ServerAction},
};

use super::{NOON, O, Script, X, Y, follow, names, set};

const FISCHER: TimeControl = TimeControl::Fischer { base_ms: 600_000, inc_ms: 0 };
const PER_MOVE: TimeControl = TimeControl::PerMove { move_ms: 100_000 };
const BYOYOMI: TimeControl =
    TimeControl::Byoyomi { base_ms: 60_000, periods: 3, period_ms: 30_000 };

fn left(script: &Script) -> Vec<u64> {
    script.table.clock().left_ms().expect("there are clocks").iter().copied().collect()
}

/// A game that both have come to.
fn under_way(control: TimeControl) -> Script {
    Script::new(2, "", control).after(&["c1-c2", "c5-c4"])
}

const fn outage(from: u64) -> ServerAction {
    ServerAction::outage(from)
}

fn rated(before: &[u16], after: &[u16]) -> ServerAction {
    let by_seat = |numbers: &[u16]| {
        BySeat::try_from_iter(numbers.iter().copied()).expect("a table has three seats")
    };
    ServerAction::Rated { before: by_seat(before), after: by_seat(after) }
}

#[test]
fn byoyomi_gives_back_the_period_that_a_move_was_made_in() {
    // Time used by each move of the one player, and what is left after it: 60 s and 3 x 30 s.
    let cases: [&[(u64, u64)]; 6] = [
        &[(59_999, 90_001), (1, 90_000), (29_999, 90_000)],
        &[(60_000, 90_000)],
        &[(60_001, 90_000), (30_000, 60_000), (30_000, 30_000), (29_999, 30_000)],
        &[(89_999, 90_000), (1, 90_000)],
        &[(90_000, 60_000), (59_999, 30_000)],
        &[(149_999, 30_000), (29_999, 30_000), (0, 30_000)],
    ];
    for moves in cases {
        let mut script = under_way(BYOYOMI);
        script.table = script.table.without_repetition();
        for (index, (used, expected)) in moves.iter().enumerate() {
            script.wait(*used);
            assert_eq!(script.table.overdue(script.now), None, "{moves:?}");
            script.play(["c2-c1", "c1-c2"][index % 2]);
            assert_eq!(left(&script)[0], *expected, "{moves:?}");
            script.play(["c4-c5", "c5-c4"][index % 2]);
        }
        script.wait(left(&script)[0] - 1);
        assert_eq!(script.table.overdue(script.now), None);
        script.wait(1);
        assert_eq!(names(&script.overdue()), ["ended TimedOut seat 0"]);
    }
}

#[test]
fn a_byoyomi_clock_shows_its_periods() {
    let cases = [
        (150_000, (60_000, 3)),
        (90_001, (1, 3)),
        (90_000, (30_000, 2)),
        (60_001, (1, 2)),
        (60_000, (30_000, 1)),
        (30_000, (30_000, 0)),
        (1, (1, 0)),
        (0, (0, 0)),
    ];
    for (left_ms, expected) in cases {
        assert_eq!(BYOYOMI.shown(left_ms), expected, "{left_ms}");
    }
    assert_eq!(FISCHER.shown(150_000), (150_000, 0));
}

#[test]
fn a_clock_of_days_is_full_again_after_every_move() {
    let day = 86_400_000;
    let mut script = Script::new(2, "", TimeControl::Days { per_move_days: 3 });
    for notation in ["c1-c2", "c5-c4"] {
        script.wait(3 * day - 1).play(notation);
        assert_eq!(left(&script), [3 * day; 2]);
        assert_eq!(script.table.next_deadline(), Some(script.now + 3 * day));
    }
    script.wait(3 * day);
    assert_eq!(names(&script.overdue()), ["ended TimedOut seat 0"]);
}

#[test]
fn lag_is_granted_within_bounds_and_never_beyond_what_was_spent() {
    let most = LAG_PER_MOVE_MS_MAX;
    // Time spent, lag measured, lag granted.
    let cases = [
        (2_000, 0, 0),
        (2_000, 120, 120),
        (2_000, most, most),
        (2_000, most + 1, most),
        (2_000, u64::MAX, most),
        (70, 120, 70),
        (0, 120, 0),
    ];
    for (spent, measured, granted) in cases {
        let mut script = under_way(FISCHER);
        script.wait(spent);
        let kinds = script.act(&script.lagging_move("c2-c3", measured));
        let EventKind::Moved { spent_ms, lag_ms, .. } = &kinds[0] else { panic!("{kinds:?}") };
        assert_eq!((*spent_ms, *lag_ms), (spent, granted));
        assert_eq!(left(&script), [600_000 - spent + granted, 600_000]);
    }
    let mut script = Script::without_clock(2, "");
    script.wait(1_000);
    let kinds = script.act(&script.lagging_move("c1-c2", 100));
    assert!(matches!(kinds[0], EventKind::Moved { spent_ms: 1_000, lag_ms: 0, .. }), "{kinds:?}");
}

#[test]
fn more_lag_than_may_be_granted_is_not_recorded() {
    let mut script = under_way(PER_MOVE);
    script.wait(100);
    let events = script.decide(&script.lagging_move("c2-c3", 100)).unwrap();
    for (lag, allowed) in [(0, true), (50, true), (100, true), (101, false)] {
        let mut event = events[0].clone();
        let EventKind::Moved { lag_ms, .. } = &mut event.kind else { panic!("{event:?}") };
        *lag_ms = lag;
        assert_eq!(script.table.clone().apply(&event).is_ok(), allowed, "{lag}");
    }
}

#[test]
fn a_no_show_aborts_the_game() {
    for control in [FISCHER, PER_MOVE, BYOYOMI] {
        let mut script = Script::new(2, "", control);
        assert_eq!(script.table.next_deadline(), Some(NOON + NO_SHOW_MS));
        script.wait(NO_SHOW_MS - 1);
        assert_eq!(script.table.overdue(script.now), None);
        script.play("c1-c2");
        assert_eq!(script.table.next_deadline(), Some(script.now + NO_SHOW_MS));
        script.wait(NO_SHOW_MS);
        let late = script.move_act("c5-c4");
        assert_eq!(script.refusal(&late), Refusal::NotReady);
        assert_eq!(names(&script.overdue()), ["aborted NoShow seat 1"]);
        let aborted = Outcome::Aborted { by: X, reason: AbortReason::NoShow };
        assert_eq!(script.table.outcome(), Some(&aborted));
    }
}

#[test]
fn a_flag_that_falls_before_the_side_is_missed_is_a_flag() {
    let mut script = Script::new(2, "", TimeControl::PerMove { move_ms: NO_SHOW_MS - 1 });
    script.wait(NO_SHOW_MS * 2);
    assert_eq!(names(&script.overdue()), ["ended TimedOut seat 0"]);
    let mut script = Script::new(2, "", TimeControl::PerMove { move_ms: NO_SHOW_MS });
    script.wait(NO_SHOW_MS * 2);
    assert_eq!(names(&script.overdue()), ["aborted NoShow seat 0"]);
}

#[test]
fn no_shows_need_a_live_clock_and_a_missing_first_move() {
    let mut script = Script::without_clock(2, "");
    assert_eq!(script.wait(NO_SHOW_MS * 9).table.next_deadline(), None);
    let mut script = Script::new(2, "", TimeControl::Days { per_move_days: 1 });
    script.wait(86_400_000 - 1);
    assert_eq!(script.table.overdue(script.now), None);
    script.wait(1);
    assert_eq!(names(&script.overdue()), ["aborted NoShow seat 0"]);
    let script = under_way(FISCHER);
    assert_eq!(script.table.next_deadline(), Some(NOON + 600_000));
}

/// Games from before there were such abortions have first moves that took longer, and flags that
/// fell later.
#[test]
fn a_record_in_which_a_side_came_late_is_still_one() {
    let script = Script::new(2, "", FISCHER);
    let mut events = script.decide(&script.move_act("c1-c2")).unwrap();
    let EventKind::Moved { spent_ms, left_ms, .. } = &mut events[0].kind else { panic!() };
    (*spent_ms, *left_ms) = (NO_SHOW_MS + 1, BySeat::try_from_iter([509_999, 600_000]));
    events[0].at = NOON + NO_SHOW_MS + 1;
    assert_eq!(script.table.clone().apply(&events[0]), Ok(()));

    let timed_out = EventKind::Ended {
        winners: set(&[X]),
        places: BySeat::try_from_iter([2, 1]).unwrap(),
        reason: EndReason::TimedOut,
        by: Some(O),
        claimed_by: None,
    };
    let event = Event { at: NOON + 600_000, kind: timed_out, hash: script.table.hash() };
    let mut table = script.table;
    assert_eq!(table.apply(&event), Ok(()));
}

#[test]
fn nothing_happens_under_a_flag_that_is_down() {
    let script = under_way(FISCHER);
    let mut late = script.decide(&Act::Offer { seat: X, what: OfferKind::Draw }).unwrap();
    late[0].at = script.now + 600_000;
    assert_eq!(script.table.clone().apply(&late[0]), Err(ApplyError::OutOfOrder));
    let mut script = script;
    script.wait(600_000);
    let lagging = script.lagging_move("c2-c3", LAG_PER_MOVE_MS_MAX);
    assert_eq!(script.refusal(&lagging), Refusal::NotReady);
    assert_eq!(names(&script.overdue()), ["ended TimedOut seat 0"]);
}

#[test]
fn an_outage_is_given_back_to_the_running_clock_alone() {
    for (from, by_ms) in [(2_000, 8_000), (0, 10_000)] {
        let mut script = under_way(FISCHER);
        let (deadline, now) = (script.table.next_deadline().unwrap(), script.now);
        script.wait(10_000);
        let kinds = script.decide_server_action(&outage(now + from));
        let (seat, reason) = (O, AdjustReason::Outage);
        assert_eq!(kinds, [EventKind::ClockAdjusted { seat, by_ms, reason }]);
        assert_eq!(script.table.next_deadline(), Some(deadline + by_ms));
        assert_eq!(script.table.clock().left_at(O, script.now), Some(590_000 + by_ms));
        assert_eq!(left(&script), [600_000, 600_000]);
        // The same outage once more has nothing left to give.
        let again = script.table.decide_server_action(&outage(script.now), script.now).unwrap();
        assert!(again.is_empty());
    }
}

/// From before the turn began only the turn itself can be given back.
#[test]
fn an_outage_from_before_the_turn_gives_back_the_turn() {
    let mut script = under_way(FISCHER);
    let now = script.now;
    script.wait(10_000);
    assert_eq!(
        names(&script.decide_server_action(&outage(now - 5_000))),
        ["adjusted seat 0 10000"]
    );
}

#[test]
fn a_flag_that_was_down_before_the_outage_falls() {
    let mut script = under_way(FISCHER);
    let deadline = script.table.next_deadline().unwrap();
    let mut spared = script.clone();
    script.wait(700_000);
    assert_eq!(names(&script.decide_server_action(&outage(deadline))), ["ended TimedOut seat 0"]);
    spared.wait(700_000);
    assert_eq!(
        names(&spared.decide_server_action(&outage(deadline - 1))),
        ["adjusted seat 0 100001"]
    );
    assert_eq!(spared.table.next_deadline(), Some(spared.now + 1));
}

#[test]
fn no_adjustment_on_record_revives_a_flag_or_gives_what_was_not_lost() {
    let script = under_way(FISCHER);
    let adjusted = |after: u64, by_ms: u64| {
        let (seat, reason) = (O, AdjustReason::Outage);
        let kind = EventKind::ClockAdjusted { seat, by_ms, reason };
        let event = Event { at: script.now + after, kind, hash: script.table.hash() };
        script.table.clone().apply(&event)
    };
    assert_eq!(adjusted(1_000, 1_000), Ok(()));
    assert_eq!(adjusted(1_000, 1_001), Err(ApplyError::Unexplained));
    assert_eq!(adjusted(700_000, 100_001), Ok(()));
    assert_eq!(adjusted(700_000, 100_000), Err(ApplyError::Unexplained));
}

#[test]
fn an_outage_extends_the_no_show_deadline() {
    let mut script = Script::new(2, "", FISCHER);
    script.wait(500_000);
    assert_eq!(
        names(&script.decide_server_action(&outage(NOON + 60_000))),
        ["adjusted seat 0 440000"]
    );
    assert_eq!(script.table.next_deadline(), Some(script.now + 30_000));

    let mut script = Script::new(2, "", FISCHER);
    script.wait(500_000);
    let kinds = script.decide_server_action(&outage(NOON + NO_SHOW_MS));
    assert_eq!(names(&kinds), ["aborted NoShow seat 0"]);
}

#[test]
fn an_outage_changes_nothing_where_it_cost_nothing() {
    let mut script = Script::without_clock(2, "");
    script.wait(1_000);
    assert!(script.table.decide_server_action(&outage(NOON), script.now).unwrap().is_empty());
    let mut script = under_way(FISCHER);
    assert!(
        script.table.decide_server_action(&outage(script.now + 5), script.now).unwrap().is_empty()
    );
    script.act(&Act::Resign { seat: O });
    assert!(script.wait(9).table.decide_server_action(&outage(NOON), NOON + 9).unwrap().is_empty());
}

#[test]
fn pending_events_come_before_the_credit_of_an_outage() {
    let mut script = under_way(FISCHER);
    script.act(&Act::Offer { seat: X, what: OfferKind::Draw });
    let events = script.decide(&script.move_act("c2-c3")).unwrap();
    script.table.apply(&events[0]).unwrap();
    let from = script.now;
    script.wait(1_000);
    let kinds = script.decide_server_action(&outage(from));
    assert_eq!(names(&kinds), ["closed Moved seat 0", "adjusted seat 1 1000"]);
}

#[test]
fn an_abandoned_seat_leaves_on_a_claim() {
    let claim = |seat, claimed_by| ServerAction::Abandoned { seat, claimed_by };
    let mut script = under_way(FISCHER);
    assert_eq!(
        script.table.decide_server_action(&claim(X, X), script.now),
        Err(Refusal::NothingToClaim)
    );
    assert_eq!(
        script.table.decide_server_action(&claim(Y, X), script.now),
        Err(Refusal::NothingToClaim)
    );
    let kinds = script.decide_server_action(&claim(O, X));
    assert_eq!(names(&kinds), ["ended Abandoned seat 0"]);
    let EventKind::Ended { claimed_by, .. } = &kinds[0] else { panic!("{kinds:?}") };
    assert_eq!(*claimed_by, Some(X));
    assert_eq!(script.result(), (set(&[X]), vec![2, 1], EndReason::Abandoned));
    assert_eq!(script.table.decide_server_action(&claim(O, X), script.now), Err(Refusal::GameOver));

    let mut script = Script::without_clock(3, "").after(&["d1-d2", "g4-f4", "a4-b4", "d2-d3"]);
    let kinds = script.decide_server_action(&claim(X, O));
    let reason = LeaveReason::Abandoned;
    let expected = EventKind::Removed { seat: X, turn: 5, reason, claimed_by: Some(O), to_move: Y };
    assert_eq!(kinds, [expected]);
    assert_eq!(
        script.table.decide_server_action(&claim(X, O), script.now),
        Err(Refusal::NothingToClaim)
    );
    assert_eq!(
        script.table.decide_server_action(&claim(O, X), script.now),
        Err(Refusal::LeftTheGame)
    );
    let kinds = script.decide_server_action(&claim(Y, O));
    assert_eq!(names(&kinds), ["removed seat 2 Abandoned", "ended Abandoned seat 2"]);
    assert_eq!(script.result(), (set(&[O]), vec![1, 2, 2], EndReason::Abandoned));
}

#[test]
fn a_claim_against_a_seat_that_never_moved_aborts_the_game() {
    for (players, moves) in [(2, vec!["c1-c2"]), (3, vec!["d1-d2"])] {
        let mut script = Script::without_clock(players, "").after(&moves);
        let kinds =
            script.decide_server_action(&ServerAction::Abandoned { seat: X, claimed_by: O });
        let reason = AbortReason::NoShow;
        assert_eq!(kinds, [EventKind::Aborted { by: X, reason, claimed_by: Some(O) }]);
        assert_eq!(follow(&script.events), script.table);
    }
}

#[test]
fn only_the_seat_to_move_is_claimed_against() {
    let script = Script::without_clock(3, "").after(&["d1-d2"]);
    for (seat, claimed_by) in [(O, X), (O, Y), (Y, O), (Y, X)] {
        let claim = ServerAction::Abandoned { seat, claimed_by };
        assert_eq!(script.table.decide_server_action(&claim, script.now), Err(Refusal::NotAwaited));
    }
    let mut two = under_way(FISCHER);
    assert_eq!(two.table.to_move(), Some(O));
    let claim = ServerAction::Abandoned { seat: X, claimed_by: O };
    assert_eq!(two.table.decide_server_action(&claim, two.now), Err(Refusal::NotAwaited));
    // A record of such a claim, from when it was possible, is read for ever.
    let winners = set(&[O]);
    let places = BySeat::try_from_iter([1, 2]).unwrap();
    let reason = EndReason::Abandoned;
    let kind = EventKind::Ended { winners, places, reason, by: Some(X), claimed_by: Some(O) };
    let event = Event { at: two.now, kind, hash: two.table.hash() };
    two.happen(Events::from_iter([event]));
    assert_eq!(follow(&two.events), two.table);
}

#[test]
fn a_claim_under_a_flag_that_is_down_is_too_late() {
    let mut script = under_way(FISCHER);
    script.wait(600_000);
    let claim = ServerAction::Abandoned { seat: O, claimed_by: X };
    assert_eq!(script.table.decide_server_action(&claim, script.now), Err(Refusal::NotReady));
}

#[test]
fn the_end_of_a_rated_game_is_rated_once() {
    let numbers: [u16; 3] = [1_500, 1_400, 1_300];
    let action = rated(&numbers, &numbers);
    // The tests' games of three are rated, and those of two are not.
    let mut script = Script::without_clock(3, "").after(&["d1-d2", "g4-f4", "a4-b4"]);
    assert_eq!(script.table.decide_server_action(&action, script.now), Err(Refusal::NotToBeRated));
    for seat in [O, X] {
        script.act(&Act::Resign { seat });
    }
    let short = rated(&numbers[..2], &numbers[..2]);
    assert_eq!(script.table.decide_server_action(&short, script.now), Err(Refusal::NotToBeRated));
    let over = script.table.outcome().cloned();
    assert_eq!(names(&script.decide_server_action(&action)), ["rated"]);
    assert_eq!(script.table.outcome().cloned(), over);
    assert_eq!(script.table.next_deadline(), None);
    assert_eq!(script.table.overdue(u64::MAX), None);
    assert_eq!(script.table.decide_server_action(&action, script.now), Err(Refusal::NotToBeRated));
    assert_eq!(script.refusal(&Act::Resign { seat: Y }), Refusal::GameOver);

    let mut casual = Script::without_clock(2, "");
    casual.act(&Act::Resign { seat: O });
    assert_eq!(casual.table.decide_server_action(&short, casual.now), Err(Refusal::NotToBeRated));
    let mut aborted = Script::without_clock(3, "");
    aborted.act(&Act::Abort { seat: O });
    assert_eq!(
        aborted.table.decide_server_action(&action, aborted.now),
        Err(Refusal::NotToBeRated)
    );
}

#[test]
fn a_game_in_which_a_seat_has_not_moved_is_not_rated() {
    let numbers: [u16; 3] = [1_500, 1_400, 1_300];
    let moves = ["d1-d2", "g4-f4", "a4-b4"];
    // Who leaves, one after the other.
    for (made, leaving) in [(0, [O, X]), (1, [X, Y]), (2, [Y, O]), (2, [O, Y])] {
        let mut script = Script::without_clock(3, "").after(&moves[..made]);
        for seat in leaving {
            script.act(&Act::Resign { seat });
        }
        assert!(matches!(script.table.outcome(), Some(Outcome::Ended { .. })));
        let refused = script.table.decide_server_action(&rated(&numbers, &numbers), script.now);
        assert_eq!(refused, Err(Refusal::NotToBeRated), "{made} {leaving:?}");
    }
}

#[test]
fn a_ruling_ends_a_game_at_any_time_and_its_record_replays() {
    let ended = |winners: &[Seat], places: &[u8]| Outcome::Ended {
        winners: winners.iter().copied().collect(),
        places: BySeat::try_from_iter(places.iter().copied()).expect("a table has seats"),
        reason: EndReason::Ruling,
    };
    let aborted = Outcome::Aborted { by: O, reason: AbortReason::Ruling };
    for (ruling, name, expected, text) in [
        (Ruling::Winner(O), "ended Ruling", ended(&[O], &[1, 2]), "# O won by a ruling\n"),
        (Ruling::Winner(X), "ended Ruling", ended(&[X], &[2, 1]), "# X won by a ruling\n"),
        (Ruling::Draw, "ended Ruling", ended(&[O, X], &[1, 1]), "# drawn by a ruling\n"),
        (Ruling::Abort, "aborted Ruling seat 0", aborted, "# called off by a ruling\n"),
    ] {
        for moves in [&[][..], &["c1-c2", "c5-c4"]] {
            let mut script = Script::new(2, "", FISCHER).after(moves);
            script.wait(1_000);
            // What happens is applied to a second table as well, as a replay does.
            assert_eq!(names(&script.decide_server_action(&ServerAction::Rule(ruling))), [name]);
            assert_eq!(script.table.outcome(), Some(&expected));
            let written = adamant_rules::record::write(&script.table);
            assert!(written.ends_with(text), "{written}");
            let again = script.table.decide_server_action(&ServerAction::Rule(ruling), script.now);
            assert_eq!(again, Err(Refusal::GameOver));
        }
    }
}

#[test]
fn a_ruling_names_a_winner_who_is_left_and_comes_after_what_is_overdue() {
    let winner = |seat| ServerAction::Rule(Ruling::Winner(seat));
    let mut script = Script::without_clock(3, "").after(&["d1-d2", "g4-f4", "a4-b4"]);
    script.act(&Act::Resign { seat: O });
    let left = script.table.decide_server_action(&winner(O), script.now);
    assert_eq!(left, Err(Refusal::LeftTheGame));
    assert_eq!(names(&script.decide_server_action(&winner(Y))), ["ended Ruling"]);
    let Some(Outcome::Ended { places, .. }) = script.table.outcome() else { panic!("it is over") };
    assert_eq!(places.iter().copied().collect::<Vec<_>>(), [3, 2, 1]);
    let mut late = under_way(PER_MOVE);
    late.wait(100_000);
    let refused = late.table.decide_server_action(&winner(O), late.now);
    assert_eq!(refused, Err(Refusal::NotReady));
    assert_eq!(names(&late.overdue()), ["ended TimedOut seat 0"]);
}

#[test]
fn all_seats_can_agree_to_abort_at_any_time() {
    let mut script = under_way(FISCHER);
    assert_eq!(script.refusal(&Act::Abort { seat: O }), Refusal::TooLateToAbort);
    let kinds = script.agree(X, OfferKind::Abort);
    assert_eq!(names(&kinds), ["closed Accepted seat 0", "aborted Agreed seat 1"]);
    let aborted = Outcome::Aborted { by: X, reason: AbortReason::Agreed };
    assert_eq!(script.table.outcome(), Some(&aborted));
    assert_eq!(script.table.clock().running(), None);
}

#[test]
fn the_lag_of_a_game_is_used_up() {
    let mut script = under_way(PER_MOVE);
    let mut granted = 0;
    script.table = script.table.without_repetition();
    for ply in 0..200 {
        let notation = ["c2-c1", "c4-c5", "c1-c2", "c5-c4"][ply % 4];
        script.wait(700);
        let kinds = script.act(&script.lagging_move(notation, 10_000));
        let EventKind::Moved { seat, spent_ms, lag_ms, .. } = &kinds[0] else {
            panic!("{kinds:?}")
        };
        assert_eq!(*spent_ms, 700);
        assert!(*lag_ms <= LAG_PER_MOVE_MS_MAX);
        if *seat == Seat::FIRST {
            granted += lag_ms;
        }
    }
    assert_eq!(granted, LAG_PER_GAME_MS_MAX);
}
