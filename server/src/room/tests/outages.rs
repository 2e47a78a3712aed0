//! Outages and stalls of the store, which are credited to the clocks.

use adamant_protocol::event::{AbortReason, AdjustReason, ClockAdjusted, EndReason};

use crate::limits::{FLAG_CHECK_EVERY, FLAG_GRACE};
use crate::room::tests::{cluster::in_cluster, *};
use crate::store::Outage;

/// The time for a move.
const MOVE_MS: u64 = 60_000;

/// Returns a game in which ann is to move since now.
fn ann_to_move() -> Script {
    let mut script = Script::begin(TimeControl::PerMove { move_ms: MOVE_MS });
    both_move(&mut script);
    // The process is killed.
    script.room = None;
    script
}

impl Script {
    fn outage(&self, from: u64, until: u64) {
        self.context.outages.extend([Outage { from, until }]);
    }

    /// The events after the fourth, in which both had moved.
    fn later_events(&self) -> Vec<(u64, EventBody)> {
        let records = self.records();
        let frames = records[4..].iter().map(|record| EventFrame::from_bytes(record).unwrap());
        frames.map(|frame| (frame.at, frame.body)).collect()
    }

    /// Joins ann, and returns the deadline of her move.
    fn deadline_of_ann(&mut self) -> Option<u64> {
        let mut ann = Client::new(1, "ann");
        ann.join(self);
        let mut turns = ann.messages().into_iter().filter_map(|message| {
            if let ToClient::YourTurn(turn) = message { Some(turn.deadline) } else { None }
        });
        turns.next_back().unwrap()
    }

    /// The store has answered a heartbeat.
    fn heartbeat(&self, sent: u64, answered: u64) {
        self.context.outages.note_heartbeat(sent, answered, EVERY);
    }

    fn advance_to(&mut self, time: u64) {
        self.advance_ms(time - self.now);
    }
}

fn adjusted(at: u64, by_ms: u64) -> (u64, EventBody) {
    let adjusted = ClockAdjusted { seat: 0, by_ms, reason: AdjustReason::Outage };
    (at, EventBody::ClockAdjusted(adjusted))
}

#[test]
fn outage_is_credited_first_and_only_once() {
    let mut script = ann_to_move();
    let since = script.now;
    script.advance_ms(MOVE_MS / 2);
    script.outage(since + 20_000, since + 30_000);
    script.reopen();
    assert_eq!(script.deadline_of_ann(), Some(since + MOVE_MS + 10_000));
    assert_eq!(script.later_events(), [adjusted(since + 30_000, 10_000)]);

    // A crash before another game was dealt with: the next start knows of both outages, and this
    // game has had the first.
    script.room = None;
    script.advance_ms(5_000);
    script.outage(since + 31_000, since + 35_000);
    for _ in 0..2 {
        script.reopen();
        assert_eq!(script.deadline_of_ann(), Some(since + MOVE_MS + 14_000));
    }
    let both = [adjusted(since + 30_000, 10_000), adjusted(since + 35_000, 4_000)];
    assert_eq!(script.later_events(), both);
}

#[test]
fn several_outages_are_credited_when_a_parked_game_opens() {
    let mut script = ann_to_move();
    let since = script.now;
    script.outage(since - 500, since - 100);
    script.outage(since + 10_000, since + 11_000);
    script.outage(since + 12_000, since + 15_000);
    script.advance_ms(MOVE_MS + 4_000 - 1);
    script.reopen();
    let reply = Client::new(1, "ann").act(&mut script, "m", move_to(2, "c2-c1"));
    assert!(matches!(reply, ToClient::Ok(_)), "in time by a millisecond");
    let events = script.later_events();
    assert_eq!(events[..2], [adjusted(since + 11_000, 1_000), adjusted(since + 15_000, 3_000)]);
}

#[test]
fn outage_that_is_added_while_the_room_is_open_is_credited_before_the_next_decision() {
    for wakes_by_itself in [false, true] {
        let mut script = ann_to_move();
        let since = script.now;
        script.reopen();
        script.advance_ms(MOVE_MS / 2);
        script.outage(since + 10_000, since + 25_000);
        assert_eq!(script.later_events(), [], "it waits for the next decision");
        if wakes_by_itself {
            script.advance_ms(MOVE_MS / 2);
            assert_eq!(script.later_events(), [adjusted(since + 25_000, 15_000)]);
        }
        let (mut ann, arrival) = (Client::new(1, "ann"), since + MOVE_MS + 15_000 - 1);
        script.now = script.now.max(arrival);
        let reply = ann.act_at(&mut script, "m", move_to(2, "c2-c1"), arrival);
        assert!(matches!(reply, ToClient::Ok(_)), "in time by a millisecond: {reply:?}");
        let events = script.later_events();
        assert_eq!(events[0], adjusted(since + 25_000, 15_000));
        assert!(matches!(events[1..], [(_, EventBody::Moved(_))]), "{events:?}");
    }
}

#[test]
fn outages_that_other_writers_have_credited_are_not_credited_again() {
    let mut script = ann_to_move();
    let since = script.now;
    script.reopen();
    script.advance_ms(30_000);
    let other = std::mem::take(&mut script.room);
    script.outage(since + 10_000, since + 25_000);
    script.reopen();
    script.room = other;
    let reply = Client::new(1, "ann").act(&mut script, "m", move_to(2, "c2-c1"));
    assert!(matches!(reply, ToClient::Ok(_)), "{reply:?}");
    let events = script.later_events();
    assert_eq!(events[0], adjusted(since + 25_000, 15_000));
    assert!(matches!(events[1..], [(_, EventBody::Moved(_))]), "{events:?}");
}

#[test]
fn after_a_start_the_clock_stands_until_the_player_on_the_move_is_back() {
    // When ann comes back, and until when she is credited.
    for (back_after, credited_ms) in [(0, 0), (7_000, 7_000), (60_000, 20_000)] {
        let mut script = ann_to_move();
        let since = script.now;
        script.outage(since + 10_000, since + 25_000);
        script.context.outages.note_start();
        script.advance_ms(25_000);
        script.reopen();
        // What the opponent does meanwhile does not end the wait.
        let mut bob = Client::joined(2, "bob", &mut script);
        let offer = PlayerAction::Offer(adamant_protocol::event::OfferKind::Draw);
        assert!(matches!(bob.act(&mut script, "o", offer), ToClient::Ok(_)));
        script.advance_ms(back_after);
        let deadline = since + MOVE_MS + 15_000 + credited_ms;
        assert_eq!(script.deadline_of_ann(), Some(deadline), "{back_after}");
        let events = script.later_events();
        assert_eq!(events[0], adjusted(since + 25_000, 15_000));
        assert!(matches!(events[1], (_, EventBody::Offered(_))), "{events:?}");
        let returned =
            (credited_ms > 0).then(|| adjusted(since + 25_000 + credited_ms, credited_ms));
        assert_eq!(events[2..], Vec::from_iter(returned));
    }
}

#[test]
fn a_game_that_opens_later_after_a_start_gets_one_credit() {
    let mut script = ann_to_move();
    let since = script.now;
    for from in [5_000, 10_000] {
        script.outage(since + from, since + from + 1_000);
    }
    script.context.outages.note_start();
    script.advance_ms(50_000);
    script.reopen();
    // The first wait ends with the second outage.
    let (first, second) = (5_000, 1_000 + 20_000);
    assert_eq!(script.deadline_of_ann(), Some(since + MOVE_MS + first + second));
    let expected = [adjusted(since + 10_000, first), adjusted(since + 31_000, second)];
    assert_eq!(script.later_events(), expected);
}

#[test]
fn a_stall_while_a_player_is_awaited_is_a_part_of_the_wait() {
    let mut script = ann_to_move();
    let since = script.now;
    // A second is left.
    script.outage(since + MOVE_MS - 1_000, since + MOVE_MS + 4_000);
    script.context.outages.note_start();
    script.advance_ms(MOVE_MS + 4_000);
    script.reopen();
    let _bob = Client::joined(2, "bob", &mut script);
    script.now += 9_000;
    script.outage(since + MOVE_MS + 6_000, script.now);
    script.advance_ms(19_000);
    let deadline = since + MOVE_MS + 5_000 + 28_000;
    assert_eq!(script.deadline_of_ann(), Some(deadline));
    let back_at = since + MOVE_MS + 32_000;
    assert_eq!(script.later_events()[1..], [adjusted(back_at, 28_000)]);
}

#[test]
fn a_server_that_ends_while_a_player_is_awaited_costs_no_time() {
    // Whether the first start has credited the outage before it.
    for has_credited in [true, false] {
        let mut script = ann_to_move();
        let since = script.now;
        let until = since + MOVE_MS + 4_000;
        script.outage(since + MOVE_MS - 1_000, until);
        script.context.outages.note_start();
        script.now = until;
        if has_credited {
            script.reopen();
            script.advance_ms(3_000);
            script.room = None;
        }
        script.outage(until + 3_000, until + 10_000);
        script.context.outages.note_start();
        script.now = until + 10_000;
        script.reopen();
        assert_eq!(script.deadline_of_ann(), Some(until + 10_000 + 1_000), "{has_credited}");
    }
}

#[test]
fn the_first_turn_begins_when_its_player_is_there() {
    // When ann comes, and what is credited.
    for (after, credited_ms) in [(900, 0), (4_000, 4_000), (50_000, 30_000)] {
        let mut script = Script::begin(TimeControl::PerMove { move_ms: MOVE_MS });
        let since = script.now;
        script.room.as_mut().unwrap().await_first_player();
        Client::new(2, "bob").join(&mut script);
        script.advance_ms(after);
        assert_eq!(script.deadline_of_ann(), Some(since + MOVE_MS + credited_ms), "{after}");
        let kinds = script.kinds(2);
        assert_eq!(kinds.len(), usize::from(credited_ms > 0), "{kinds:?}");
        if credited_ms > 0 {
            let last = EventFrame::from_bytes(script.records().last().unwrap()).unwrap();
            let reason = AdjustReason::Arrival;
            let body = ClockAdjusted { seat: 0, by_ms: credited_ms, reason };
            let expected = (since + credited_ms, EventBody::ClockAdjusted(body));
            assert_eq!((last.at, last.body), expected);
        }
    }
}

#[test]
fn a_turn_begins_when_the_move_before_is_durable() {
    // How long the store takes for bob's move, and what ann gets back before she moves, and before
    // her flag falls.
    for (took_ms, at_once, at_last) in [(60, 0, 0), (400, 0, 400), (4_000, 4_000, 4_000)] {
        for moves_in_time in [true, false] {
            let mut script = ann_to_move();
            script.reopen();
            let mut ann = Client::joined(1, "ann", &mut script);
            assert!(matches!(ann.act(&mut script, "a", move_to(2, "c2-c1")), ToClient::Ok(_)));
            let bob = Client::new(2, "bob");
            bob.start_act(&mut script, "b", move_to(3, "c4-c5"));
            let moved_at = script.now;
            script.now += took_ms;
            script.settle();
            let credited = if moves_in_time { at_once } else { at_last };
            script.advance_ms(MOVE_MS + credited - took_ms - 1);
            if moves_in_time {
                let reply = ann.act(&mut script, "c", move_to(4, "c1-c2"));
                assert!(matches!(reply, ToClient::Ok(_)), "{took_ms}: {reply:?}");
            } else {
                script.advance_ms(1);
            }
            let last = EventFrame::from_bytes(script.records().last().unwrap()).unwrap();
            assert_eq!(last.at, moved_at + MOVE_MS + credited - u64::from(moves_in_time));
            let kinds = script.kinds(6);
            assert_eq!(kinds.len(), 1 + usize::from(credited > 0), "{took_ms}: {kinds:?}");
        }
    }
}

#[test]
fn time_in_which_the_store_took_no_move_is_credited_after_the_room_has_ended() {
    let mut script = ann_to_move();
    let since = script.now;
    script.reopen();
    let ann = Client::joined(1, "ann", &mut script);
    script.fates.extend([Fate::LostUnknown; 3]);
    script.advance_ms(MOVE_MS - 1_000);
    ann.start_act(&mut script, "m", move_to(2, "c2-c1"));
    while script.is_open() {
        script.now += 2_000;
        script.answer();
    }
    let ended = script.now;
    assert!(ended > since + MOVE_MS, "her flag is down meanwhile");
    script.reopen();
    script.advance_ms(3_000);
    let reply = Client::new(3, "ann").act(&mut script, "m", move_to(2, "c2-c1"));
    assert!(matches!(reply, ToClient::Ok(_)), "{reply:?}");
    let events = script.later_events();
    let stood_ms = ended + 3_000 - (since + MOVE_MS - 1_000);
    assert_eq!(events[0], adjusted(ended + 3_000, stood_ms));
    assert!(matches!(events[1..], [(_, EventBody::Moved(_))]), "{events:?}");
}

#[test]
fn flag_that_fell_before_the_outage_stands() {
    let mut script = ann_to_move();
    let since = script.now;
    script.advance_ms(2 * MOVE_MS);
    script.outage(since + MOVE_MS, since + MOVE_MS + 1_000);
    script.reopen();
    script.advance_ms(0);
    let events = script.later_events();
    let [(_, EventBody::Ended(ended))] = &events[..] else { panic!("{events:?}") };
    assert_eq!((ended.reason, ended.by), (EndReason::TimedOut, Some(0)));
}

#[test]
fn untimed_game_gets_no_credit() {
    let mut script = Script::begin(TimeControl::None);
    both_move(&mut script);
    script.advance_ms(60_000);
    script.outage(script.now - 10_000, script.now);
    script.reopen();
    assert_eq!(script.deadline_of_ann(), None);
    assert_eq!(script.later_events(), []);
}

#[test]
fn outage_extends_the_no_show_deadline() {
    let mut script = Script::begin(TimeControl::PerMove { move_ms: 10 * MOVE_MS });
    script.room = None;
    script.outage(BEGINNING + 10_000, BEGINNING + 30_000);
    script.advance_ms(30_000);
    script.reopen();
    let mut eve = Client::joined(3, "eve", &mut script);
    script.advance_ms(adamant_rules::clock::NO_SHOW_MS - 10_000 - 1);
    assert!(!script.kinds(2).contains(&"aborted".to_owned()));
    script.advance_ms(1);
    let EventBody::Aborted(aborted) = eve.last_event() else { panic!("the game goes on") };
    assert_eq!(aborted.reason, AbortReason::NoShow);
}

/// The time between two heartbeats.
const EVERY: Duration = Duration::from_millis(500);

/// A game in a cluster in which ann is to move, and the time at which her flag falls. The last
/// heartbeat is half a second before that.
fn ann_thinks() -> (Script, u64) {
    let clock = TimeControl::PerMove { move_ms: MOVE_MS };
    let mut script = Script::begin_with(setup(&["ann", "bob"], clock), in_cluster());
    both_move(&mut script);
    let deadline = script.now + MOVE_MS;
    script.heartbeat(deadline - 500, deadline - 500);
    script.advance_ms(MOVE_MS - 500);
    (script, deadline)
}

#[test]
fn flag_waits_until_a_later_heartbeat_says_that_there_was_no_outage() {
    let (mut script, deadline) = ann_thinks();
    let _ann = Client::joined(1, "ann", &mut script);
    script.advance_to(deadline + 400);
    assert_eq!(script.kinds(4), [] as [&str; 0], "the store may be away");
    script.heartbeat(deadline, deadline + 400);
    script.advance(FLAG_CHECK_EVERY);
    assert_eq!(script.kinds(4), ["ended"]);
}

#[test]
fn flag_that_falls_in_an_outage_is_credited_with_it() {
    let (mut script, deadline) = ann_thinks();
    let mut ann = Client::joined(1, "ann", &mut script);
    script.advance_to(deadline + 2_000);
    ann.start_act(&mut script, "m", move_to(2, "c2-c1"));
    script.advance_to(deadline + 3_000);
    assert_eq!(script.kinds(4), [] as [&str; 0]);
    let outage = Outage { from: deadline - 500, until: deadline + 3_000 };
    script.context.outages.extend([outage]);
    script.heartbeat(deadline - 100, deadline + 3_000);
    script.advance(FLAG_CHECK_EVERY);
    assert_eq!(script.kinds(4), ["clock_adjusted", "moved"]);
    assert!(matches!(ann.next_reply(), ToClient::Ok(_)));
}

#[test]
fn node_without_the_player_on_the_move_leaves_time_after_a_stall_as_well() {
    for move_arrived in [false, true] {
        let (mut script, deadline) = ann_thinks();
        let bob = Client::joined(2, "bob", &mut script);
        let ended = deadline + 1_400;
        script.advance_to(ended);
        assert_eq!(script.kinds(4), [] as [&str; 0]);
        script.heartbeat(deadline, ended);
        script.advance_ms(milliseconds(FLAG_GRACE) - 1);
        assert_eq!(script.kinds(4), [] as [&str; 0], "the move may be on its way");
        if move_arrived {
            let again = Act::Move { seat: Seat::FIRST, turn: 2, notation: "c2-c1", lag_ms: 0 };
            script.append_decided(None, |table| table.decide(&again, deadline - 1).unwrap());
            script.announce(5, 0);
            script.settle();
        }
        bob.start_act(&mut script, "o", PlayerAction::Resign);
        script.settle();
        script.advance(FLAG_CHECK_EVERY);
        // Bob hears late that it is his turn.
        let moved = ["moved", "clock_adjusted", "ended"];
        let expected: &[&str] = if move_arrived { &moved } else { &["ended"] };
        assert_eq!(script.kinds(4), expected);
    }
}
