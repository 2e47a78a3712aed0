//! Moves from the request to the audience, requests that are sent again, sessions that resume by a
//! cursor, failures of the store, and ratings.

use adamant_protocol::{Retry, event::EndReason, from_client::Cursor, to_client::ResumeDecision};
use adamant_record::Replay;
use futures::FutureExt as _;
use tokio::sync::oneshot;

use crate::error::Denial;
use crate::limits::{APPEND_RETRIES_MAX, ROOM_COMMANDS_WAITING_MAX, WAKE_AGAIN};
use crate::room::tests::{cluster::BOB_OFFERS, *};
use crate::room::{PlanRequest, ResumePlan, Room, snapshot::awaits_rating};
use crate::store::{ArchivedState, Journal as _};

#[test]
fn mover_gets_the_response_first_and_all_clients_get_the_same_bytes() {
    let mut script = Script::begin(TimeControl::None);
    let (mut ann, mut bob, mut eve) =
        (Client::new(1, "ann"), Client::new(2, "bob"), Client::new(3, "eve"));
    for client in [&eve, &ann, &bob] {
        client.join(&mut script);
    }
    script.send(ann.acts("m1", move_to(0, "c1-c2"), script.now));
    for client in [&mut ann, &mut bob, &mut eve] {
        assert!(matches!(client.next_message(), ToClient::Event(_)));
        assert!(matches!(client.next_message(), ToClient::Event(_)));
    }
    assert!(matches!(ann.next_message(), ToClient::YourTurn(turn) if turn.turn == 0));
    assert!(matches!(ann.next_message(), ToClient::Ok(done) if done.seq == Some(3) && !done.dup));
    let frames = [&mut ann, &mut bob, &mut eve].map(|client| client.frame().unwrap());
    let record = &script.records()[2];
    assert!(frames.iter().all(|frame| frame.payload() == record.as_ref()));
    assert!(matches!(bob.next_message(), ToClient::YourTurn(turn) if turn.turn == 1));
}

#[test]
fn move_is_published_once_it_is_stored_and_to_players_first() {
    let mut script = Script::begin(TimeControl::None);
    let (mut ann, mut bob, mut eve) =
        (Client::new(1, "ann"), Client::new(2, "bob"), Client::new(3, "eve"));
    for client in [&eve, &ann, &bob] {
        client.join(&mut script);
    }
    for client in [&mut ann, &mut bob, &mut eve] {
        client.messages();
    }
    ann.start_act(&mut script, "m1", move_to(0, "c1-c2"));
    for client in [&mut ann, &mut bob, &mut eve] {
        assert_eq!(client.messages(), []);
    }
    script.answer_all();
    assert_eq!(event_kinds(&ann.messages()), ["moved"]);
    assert_eq!(event_kinds(&bob.messages()), ["moved"]);
    assert_eq!(eve.messages(), [], "spectators wait for their turn");
    script.fan_out();
    assert_eq!(event_kinds(&eve.messages()), ["moved"]);
}

#[test]
fn flag_falls_without_a_request() {
    let mut script = Script::begin(TimeControl::PerMove { move_ms: 60_000 });
    let mut eve = Client::joined(3, "eve", &mut script);
    script.advance_ms(59_999);
    assert_eq!(event_kinds(&eve.messages()), ["created", "started"]);
    script.advance_ms(1);
    let EventBody::Ended(ended) = eve.next_event() else { panic!("the flag stands") };
    assert_eq!((ended.reason, ended.winners), (EndReason::TimedOut, vec![1]));
}

#[test]
fn move_counts_by_its_arrival() {
    for (late_ms, in_time) in [(60_000, false), (59_999, true)] {
        let mut script = Script::begin(TimeControl::PerMove { move_ms: 60_000 });
        let mut ann = Client::joined(1, "ann", &mut script);
        let received_at = script.now + late_ms;
        let reply = ann.act_at(&mut script, "m1", move_to(0, "c1-c2"), received_at);
        if in_time {
            assert!(matches!(reply, ToClient::Ok(_)), "{reply:?}");
        } else {
            let ToClient::Error(failed) = reply else { panic!("{reply:?}") };
            assert_eq!(failed.code, ErrorCode::GameOver);
        }
    }
}

#[test]
fn lag_is_not_charged() {
    let mut script = Script::begin(TimeControl::Fischer { base_ms: 60_000, inc_ms: 0 });
    let mut ann = Client::joined(1, "ann", &mut script);
    let mut command = ann.acts("m1", move_to(0, "c1-c2"), script.now + 300);
    let Command::Act(request) = &mut command else { panic!("{command:?}") };
    request.lag_ms = 120;
    ann.messages();
    script.send(command);
    let EventBody::Moved(moved) = ann.next_event() else { panic!("no move") };
    assert_eq!((moved.spent_ms, moved.lag_ms), (300, 120));
    assert_eq!(moved.left_ms, Some(vec![60_000 - 180, 60_000]));
}

/// A move is made, taken back and replaced. Its requests are then sent again, to the same room and
/// to a loaded one.
#[test]
fn repeated_move_after_a_takeback_gets_its_own_response() {
    let mut script = Script::begin(TimeControl::None);
    let (mut ann, mut bob) = (Client::new(1, "ann"), Client::new(2, "bob"));
    let accept = PlayerAction::Answer { offer: "o_1".parse().unwrap(), accept: true };
    let takeback = PlayerAction::Offer(adamant_protocol::event::OfferKind::Takeback);
    let asked = [
        ("m1", true, move_to(0, "c1-c2")),
        ("o1", true, takeback),
        ("a1", false, accept),
        ("m2", true, move_to(2, "c1-e1")),
    ];
    let mut first = Vec::new();
    for again in [false, true, true] {
        for (index, (id, is_ann, action)) in asked.iter().enumerate() {
            let who = if *is_ann { &mut ann } else { &mut bob };
            let ToClient::Ok(mut done) = who.act(&mut script, id, action.clone()) else {
                panic!("{id} is refused")
            };
            assert_eq!(done.dup, again, "{id}");
            done.dup = false;
            if again {
                assert_eq!(done, first[index]);
            } else {
                first.push(done);
            }
        }
        for (id, other) in [("m1", move_to(0, "c1-e1")), ("m2", move_to(2, "c1-c2"))] {
            let reply = ann.act(&mut script, id, other);
            let ToClient::Error(failed) = reply else { panic!("{reply:?}") };
            assert_eq!(failed.code, ErrorCode::IdReuse);
        }
        script.reopen();
    }
    let expected = ["moved", "offered", "offer_closed", "taken_back", "moved"];
    assert_eq!(script.kinds(2), expected);
}

#[test]
fn loaded_room_knows_its_requests() {
    let mut script = Script::begin(TimeControl::None);
    let mut ann = Client::joined(1, "ann", &mut script);
    assert!(matches!(ann.act(&mut script, "m1", move_to(0, "c1-c2")), ToClient::Ok(_)));

    script.reopen();
    let again = ann.act(&mut script, "m1", move_to(0, "C1-c2"));
    assert!(matches!(again, ToClient::Ok(done) if done.dup && done.turn == Some(1)));
    let other = ann.act(&mut script, "m1", PlayerAction::Resign);
    assert!(matches!(&other, ToClient::Error(failed) if failed.code == ErrorCode::IdReuse));
}

impl Script {
    pub(super) fn plan(&mut self, cursor: Cursor) -> Result<ResumePlan, Denial> {
        let (reply, mut plan) = oneshot::channel();
        let cursor = Some(cursor);
        let request = PlanRequest {
            user: None,
            reason: crate::room::ReadFor::Client(None),
            cursor,
            reply,
            anew: None,
            followed: false,
        };
        self.send(Command::PlanResume(Box::new(request)));
        plan.try_recv().unwrap()
    }

    /// Returns the cursor after the record with this seq.
    pub(super) fn cursor(&self, seq: usize) -> Cursor {
        let mut replay = Replay::new();
        for record in &self.records()[..seq] {
            replay.push(record).unwrap();
        }
        Cursor { seq: seq as u64, chain: Some(replay.chain()) }
    }
}

#[test]
fn cursor_is_a_tail_if_its_chain_is_the_record() {
    let mut script = Script::begin(TimeControl::None);
    let mut ann = Client::new(1, "ann");
    assert!(matches!(ann.act(&mut script, "m1", move_to(0, "c1-c2")), ToClient::Ok(_)));
    let first = script.cursor(1).chain;
    for _ in 0..2 {
        for (cursor, resume, from) in [
            (Cursor { seq: 1, chain: first }, ResumeDecision::Tail, Some(2)),
            (script.cursor(3), ResumeDecision::Tail, Some(4)),
            (Cursor { seq: 2, chain: None }, ResumeDecision::Tail, Some(3)),
            (Cursor { seq: 2, chain: first }, ResumeDecision::Fork, None),
            (Cursor { seq: 3, chain: first }, ResumeDecision::Fork, None),
            (Cursor { seq: 9, chain: None }, ResumeDecision::Fork, None),
        ] {
            let plan = script.plan(cursor).unwrap();
            assert_eq!((plan.resume, plan.from, plan.seq), (resume, from, 3));
        }
        script.reopen();
    }
}

#[test]
fn cursor_ahead_of_the_room_makes_it_read_the_journal_first() {
    let mut script = Script::begin(TimeControl::None);
    let mut eve = Client::joined(3, "eve", &mut script);
    eve.messages();
    assert_eq!(script.plan(Cursor { seq: 3, chain: None }).unwrap().resume, ResumeDecision::Fork);
    script.append_elsewhere(&BOB_OFFERS, "o1");
    let cursor = script.cursor(3);
    let plan = script.plan(cursor.clone()).unwrap();
    assert_eq!((plan.resume, plan.from), (ResumeDecision::Tail, Some(4)));
    assert_eq!((plan.seq, Some(plan.chain)), (3, cursor.chain));
    // The room has followed for everybody.
    assert_eq!(event_kinds(&eve.messages()), ["offered"]);
    assert_eq!(script.plan(Cursor { seq: 4, chain: None }).unwrap().resume, ResumeDecision::Fork);
}

#[test]
fn session_ahead_of_the_room_joins_without_a_gap_or_a_repetition() {
    let mut script = Script::begin(TimeControl::None);
    script.append_elsewhere(&BOB_OFFERS, "o1");
    let (mut ann, mut eve) = (Client::new(1, "ann"), Client::new(3, "eve"));
    // Eve has read the offer from the store.
    script.send(eve.joins_from(None, JoinFrom::Seq(4)));
    assert_eq!(event_kinds(&eve.messages()), Vec::<&str>::new());
    assert!(matches!(ann.act(&mut script, "m1", move_to(0, "c1-c2")), ToClient::Ok(_)));
    assert_eq!(event_kinds(&eve.messages()), ["moved", "offer_closed"]);
}

#[test]
fn session_that_joins_misses_no_event_that_is_decided_meanwhile() {
    let mut script = Script::begin(TimeControl::None);
    let (ann, mut eve) = (Client::new(1, "ann"), Client::new(3, "eve"));
    script.hand(Input::Command(eve.joins()));
    assert!(matches!(script.question, Some(Output::ReadDurable { from: 1, until: 2 })));
    ann.start_act(&mut script, "m1", move_to(0, "c1-c2"));
    script.settle();
    assert_eq!(event_kinds(&eve.messages()), ["created", "started", "moved"]);
}

#[test]
fn cursor_that_the_store_cannot_check_is_refused_and_the_room_goes_on() {
    let mut script = Script::begin(TimeControl::None);
    script.reads_fail = true;
    let first = script.cursor(1);
    for cursor in [first, Cursor { seq: 9, chain: None }] {
        assert!(matches!(script.plan(cursor), Err(Denial::Busy { .. })));
    }
    assert!(script.is_open());
}

#[test]
fn commands_wait_in_order_while_an_append_is_under_way() {
    let mut script = Script::begin(TimeControl::None);
    let (mut ann, mut bob) = (Client::new(1, "ann"), Client::new(2, "bob"));
    ann.start_act(&mut script, "m1", move_to(0, "c1-c2"));
    // Each needs the one before it.
    bob.start_act(&mut script, "m2", move_to(1, "c5-c4"));
    ann.start_act(&mut script, "m3", move_to(2, "c2-c1"));
    bob.start_act(&mut script, "r", PlayerAction::Resign);
    ann.start_act(&mut script, "late", PlayerAction::Resign);
    assert_eq!((ann.messages(), bob.messages()), (vec![], vec![]));
    assert_eq!(script.room.as_ref().unwrap().deadline(), None, "a deadline waits, too");
    script.settle();
    assert_eq!(script.kinds(2), ["moved", "moved", "moved", "ended"]);
    for (client, ids) in [(&mut ann, ["m1", "m3"]), (&mut bob, ["m2", "r"])] {
        for id in ids {
            let reply = client.next_reply();
            assert!(matches!(&reply, ToClient::Ok(done) if done.re.as_str() == id), "{reply:?}");
        }
    }
    assert_eq!(ann.next_refusal().code, ErrorCode::GameOver);
}

#[test]
fn command_beyond_those_that_may_wait_is_refused_as_busy() {
    let mut script = Script::begin(TimeControl::None);
    let mut ann = Client::new(1, "ann");
    ann.start_act(&mut script, "m1", move_to(0, "c1-c2"));
    let mut ask = || {
        let (reply, answer) = oneshot::channel();
        script.hand(Input::Command(Command::ReadTable { as_seen: true, reply }));
        answer
    };
    let waiting: Vec<_> = (0..ROOM_COMMANDS_WAITING_MAX).map(|_| ask()).collect();
    let mut beyond = ask();
    assert!(matches!(beyond.try_recv().unwrap(), Err(Denial::Busy { .. })));
    let mut bob = Client::new(2, "bob");
    bob.start_act(&mut script, "m2", move_to(1, "c5-c4"));
    assert_eq!(bob.next_refusal().code, ErrorCode::Busy);

    script.settle();
    assert!(matches!(ann.next_reply(), ToClient::Ok(_)));
    for mut answer in waiting {
        let table = answer.try_recv().unwrap().unwrap();
        assert_eq!(table.turn(), 1, "it saw the move that it waited for");
    }
    let again = bob.act(&mut script, "m2", move_to(1, "c5-c4"));
    assert!(matches!(again, ToClient::Ok(done) if !done.dup));
}

/// A game with a player and a spectator, who have read what they were sent.
fn ann_and_eve() -> (Script, Client, Client) {
    let mut script = Script::begin(TimeControl::PerMove { move_ms: 60_000 });
    let (mut ann, mut eve) = (Client::new(1, "ann"), Client::new(3, "eve"));
    for client in [&mut ann, &mut eve] {
        client.join(&mut script);
        client.messages();
    }
    (script, ann, eve)
}

#[test]
fn records_that_a_failed_append_has_stored_are_found() {
    let (mut script, mut ann, mut eve) = ann_and_eve();
    script.fates.push_back(Fate::StoredUnknown);
    let reply = ann.act(&mut script, "m1", move_to(0, "c1-c2"));
    assert!(matches!(&reply, ToClient::Ok(done) if done.dup && done.seq == Some(3)), "{reply:?}");
    assert_eq!(event_kinds(&eve.messages()), ["moved"]);
    assert_eq!(script.kinds(2), ["moved"]);
    assert!(script.is_open() && ann.closed().is_none());
}

#[test]
fn records_that_a_failed_append_has_lost_are_decided_anew() {
    let (mut script, mut ann, mut eve) = ann_and_eve();
    script.fates.extend(vec![Fate::LostUnknown; APPEND_RETRIES_MAX.into()]);
    let reply = ann.act(&mut script, "m1", move_to(0, "c1-c2"));
    assert!(matches!(&reply, ToClient::Ok(done) if !done.dup && done.seq == Some(3)), "{reply:?}");
    assert_eq!(event_kinds(&eve.messages()), ["moved"]);
    assert_eq!(script.kinds(2), ["moved"]);
}

#[test]
fn appends_that_go_on_failing_end_the_room_before_the_move_is_published() {
    let (mut script, mut ann, mut eve) = ann_and_eve();
    // Bob's sessions are not in the audience.
    let (mut first, mut bob) = (Client::new(2, "bob"), Client::new(5, "bob"));
    script.fates.extend(vec![Fate::LostUnknown; usize::from(APPEND_RETRIES_MAX) + 1]);
    ann.start_act(&mut script, "m1", move_to(0, "c1-c2"));
    first.start_act(&mut script, "m1", move_to(1, "c5-c4"));
    bob.start_act(&mut script, "m2", move_to(1, "c5-c4"));
    script.settle();
    assert!(!script.is_open() && script.fates.is_empty());
    for client in [&mut ann, &mut eve] {
        assert_eq!(client.messages(), []);
        assert_eq!(client.closed(), Some(CloseCode::Restart));
    }
    // The room refuses the next command, and leaves the others to the next room.
    assert_eq!(first.next_refusal().retry, Retry::Same);
    assert_eq!((bob.messages(), bob.closed()), (vec![], None));
    assert!(matches!(script.returned.make_contiguous(), [Command::Act(_)]));
    script.reopen();
    let mut ann = Client::new(4, "ann");
    assert!(
        matches!(ann.act(&mut script, "m1", move_to(0, "c1-c2")), ToClient::Ok(done) if !done.dup)
    );
    let waiting = script.returned.pop_front().unwrap();
    script.send(waiting);
    assert!(matches!(bob.next_reply(), ToClient::Ok(_)));
}

#[test]
fn failed_read_back_ends_the_room() {
    let (mut script, mut ann, mut eve) = ann_and_eve();
    (script.fates, script.reads_fail) = ([Fate::StoredUnknown].into(), true);
    script.send(ann.acts("m1", move_to(0, "c1-c2"), script.now));
    assert!(!script.is_open());
    for client in [&mut ann, &mut eve] {
        assert_eq!(client.messages(), []);
        assert_eq!(client.closed(), Some(CloseCode::Restart));
    }
    script.reads_fail = false;
    script.reopen();
    let mut ann = Client::new(4, "ann");
    let again = ann.act(&mut script, "m1", move_to(0, "c1-c2"));
    assert!(matches!(&again, ToClient::Ok(done) if done.dup), "{again:?}");
}

#[test]
fn full_disk_refuses_the_request_and_changes_nothing() {
    let (mut script, mut ann, mut eve) = ann_and_eve();
    script.fates.extend([Fate::DiskFull; 3]);
    for _ in 0..3 {
        ann.start_act(&mut script, "m1", move_to(0, "c1-c2"));
        script.settle();
        assert_eq!(ann.next_refusal().code, ErrorCode::ReadOnly);
    }
    assert_eq!((ann.messages(), eve.messages()), (vec![], vec![]));
    assert!(script.is_open() && script.kinds(2).is_empty());
    assert!(
        matches!(ann.act(&mut script, "m1", move_to(0, "c1-c2")), ToClient::Ok(done) if !done.dup)
    );
}

#[test]
fn flag_that_cannot_be_stored_ends_the_room() {
    let (mut script, mut ann, _eve) = ann_and_eve();
    script.fates.push_back(Fate::DiskFull);
    script.advance_ms(60_000);
    assert!(!script.is_open());
    assert_eq!(event_kinds(&ann.messages()), Vec::<&str>::new());
    assert_eq!(ann.closed(), Some(CloseCode::Restart));
    // The loop tries again, but not at once.
    assert_eq!(script.parked.next_deadline(), Some(script.now + milliseconds(WAKE_AGAIN)));
    script.reopen();
    script.advance_ms(0);
    assert_eq!(script.kinds(2), ["ended"]);
}

#[test]
fn command_that_waits_for_a_flag_that_cannot_be_stored_is_refused() {
    let (mut script, _ann, _eve) = ann_and_eve();
    script.fates.push_back(Fate::DiskFull);
    script.now += 60_000;
    let mut bob = Client::new(2, "bob");
    bob.start_act(&mut script, "r", PlayerAction::Resign);
    script.settle();
    assert_eq!(bob.next_refusal().code, ErrorCode::ReadOnly);
    assert!(!script.is_open() && script.returned.is_empty());
}

#[test]
fn failed_read_for_a_session_that_joins_refuses_that_session_only() {
    let (mut script, mut ann, mut eve) = ann_and_eve();
    let (mut asks, joined) = (Client::new(4, "bob"), Client::new(5, "cy"));
    script.reads_fail = true;
    script.send(asks.joins_from(Some("j"), JoinFrom::Seq(1)));
    assert_eq!(asks.next_refusal().code, ErrorCode::Busy);
    assert_eq!(asks.closed(), None);
    // A session that the server joins resumes by itself.
    script.send(joined.joins());
    assert_eq!(joined.closed(), Some(CloseCode::Restart));

    // A cursor ahead of the room makes it read for this session, too.
    script.send(asks.joins_from(Some("k"), JoinFrom::Seq(9)));
    assert_eq!(asks.next_refusal().code, ErrorCode::Busy);
    assert!(script.is_open() && ann.closed().is_none() && eve.closed().is_none());
    script.reads_fail = false;
    assert!(matches!(ann.act(&mut script, "m1", move_to(0, "c1-c2")), ToClient::Ok(_)));
    assert_eq!(event_kinds(&eve.messages()), ["moved"]);
    assert_eq!(asks.messages(), [], "it has not joined");
}

#[test]
fn room_that_is_ahead_of_the_journal_ends_and_its_clients_hear_of_a_fork() {
    let (mut script, mut ann, mut eve) = ann_and_eve();
    both_move(&mut script);
    script.settle();
    ann.messages();
    eve.messages();
    // A standby without the second move was promoted.
    script.journal.lose_after(&game(), 3);
    script.send(ann.acts("m2", move_to(2, "c2-c3"), script.now));
    assert!(!script.is_open());
    for client in [&mut ann, &mut eve] {
        assert_eq!((client.messages(), client.closed()), (vec![], Some(CloseCode::Restart)));
    }
    assert_eq!(script.context.metrics.forks.get(), 1);
    script.reopen();
    let plan = script.plan(Cursor { seq: 4, chain: None }).unwrap();
    assert_eq!((plan.resume, plan.seq), (ResumeDecision::Fork, 3));
}

/// Begins a rated game of users with accounts.
fn begin_unplayed(users: &[&str]) -> Script {
    let mut setup = setup(users, TimeControl::None);
    setup.rated = true;
    for seat in Seat::all(users.len()) {
        setup.seats[seat].guest = false;
    }
    Script::begin_game(setup)
}

/// The same, after a move of each.
fn begin_rated(users: &[&str]) -> Script {
    let mut script = begin_unplayed(users);
    let moves: &[&str] =
        if users.len() == 2 { &["c1-c2", "c5-c4"] } else { &["d1-d2", "g4-f4", "a4-b4"] };
    for ((user, notation), turn) in users.iter().zip(moves).zip(0..) {
        let reply = Client::new(91, user).act(&mut script, "first", move_to(turn, notation));
        assert!(matches!(reply, ToClient::Ok(_)), "{reply:?}");
    }
    script
}

/// Returns the rating change among the messages of a client.
fn rated(client: &mut Client) -> (Vec<u16>, Vec<u16>) {
    loop {
        if let EventBody::Rated(rated) = client.next_event() {
            return (rated.before, rated.after);
        }
    }
}

#[test]
fn rated_game_ends_with_its_rating_change() {
    let mut script = begin_rated(&["ann", "bob"]);
    let mut ann = Client::joined(1, "ann", &mut script);
    let mut eve = Client::joined(3, "eve", &mut script);
    let reply = ann.act(&mut script, "r", PlayerAction::Resign);
    assert!(matches!(reply, ToClient::Ok(done) if !done.dup));
    assert_eq!(rated(&mut eve), (vec![1500, 1500], vec![1338, 1662]));
    assert_eq!(script.kinds(4), ["ended", "rated"]);
    // Asked again, it is the same request; and nothing more is to come.
    let again = ann.act(&mut script, "r", PlayerAction::Resign);
    assert!(matches!(again, ToClient::Ok(done) if done.dup));
    let late = ann.act(&mut script, "late", PlayerAction::Abort);
    assert!(matches!(&late, ToClient::Error(failed) if failed.code == ErrorCode::GameOver));
    assert_eq!(script.kinds(4).len(), 2);
    assert_eq!(script.archived, [ArchivedState::Finished]);
}

#[test]
fn end_is_answered_at_once_and_published_when_it_is_rated_and_archived() {
    let mut script = begin_rated(&["ann", "bob"]);
    let (mut ann, mut bob) = (Client::new(1, "ann"), Client::new(2, "bob"));
    for client in [&mut ann, &mut bob] {
        client.join(&mut script);
        client.messages();
    }
    ann.start_act(&mut script, "r", PlayerAction::Resign);
    script.answer();
    assert!(matches!(&ann.messages()[..], [ToClient::Ok(_)]));
    script.answer();
    assert!(matches!(script.question, Some(Output::Archive(_))));
    assert_eq!((ann.messages(), bob.messages()), (vec![], vec![]));
    script.settle();
    for client in [&mut ann, &mut bob] {
        assert_eq!(event_kinds(&client.messages()), ["ended", "rated"]);
    }
}

/// A client of the new process may open the room before the store has the game due.
#[test]
fn end_that_a_kill_left_unarchived_is_archived_when_due_although_the_room_is_open() {
    let mut script = Script::begin(TimeControl::None);
    let mut ann = Client::joined(1, "ann", &mut script);
    ann.start_act(&mut script, "r", PlayerAction::Resign);
    script.answer();
    assert!(matches!(script.question, Some(Output::Archive(_))));
    script.reopen();
    ann.join(&mut script);
    ann.messages();
    assert_eq!(script.archived, []);
    script.hand(Input::Due);
    script.settle();
    assert_eq!(script.archived, [ArchivedState::Finished]);
    assert_eq!((script.is_open(), ann.messages()), (true, vec![]));
}

#[test]
fn unrated_and_aborted_games_have_no_rating_change() {
    let unrated = Script::begin(TimeControl::None);
    for (mut script, action, kind) in [
        (unrated, PlayerAction::Resign, "ended"),
        (begin_unplayed(&["ann", "bob"]), PlayerAction::Abort, "aborted"),
        (begin_unplayed(&["ann", "bob"]), PlayerAction::Resign, "ended"),
    ] {
        let mut ann = Client::joined(1, "ann", &mut script);
        assert!(matches!(ann.act(&mut script, "r", action), ToClient::Ok(_)));
        assert_eq!(script.kinds(2), [kind]);
    }
}

#[test]
fn three_players_are_rated_by_their_places() {
    let mut script = begin_rated(&["ann", "bob", "cy"]);
    let mut ann = Client::joined(1, "ann", &mut script);
    let mut cy = Client::joined(2, "cy", &mut script);
    assert!(matches!(cy.act(&mut script, "r", PlayerAction::Resign), ToClient::Ok(_)));
    assert!(matches!(ann.act(&mut script, "m", move_to(4, "d2-d3")), ToClient::Ok(_)));
    assert!(matches!(ann.act(&mut script, "r", PlayerAction::Resign), ToClient::Ok(_)));
    let (_, after) = rated(&mut cy);
    let [ann, bob, cy] = after[..] else { panic!("{after:?}") };
    assert!(bob > ann && ann > cy, "{after:?}");
}

#[test]
fn missing_rating_is_recorded_by_the_next_load() {
    let mut script = begin_rated(&["ann", "bob"]);
    let (ann, eve) = (Client::new(1, "ann"), Client::new(3, "eve"));
    eve.join(&mut script);
    ann.join(&mut script);
    script.fates.push_back(Fate::Decided);
    script.fates.extend(vec![Fate::LostUnknown; usize::from(APPEND_RETRIES_MAX) + 1]);
    script.send(ann.acts("r", PlayerAction::Resign, script.now));
    assert!(!script.is_open() && script.fates.is_empty());
    assert_eq!(script.kinds(4), ["ended"], "the end was acknowledged and lasts");
    assert_eq!(eve.closed(), Some(CloseCode::Restart));
    assert_eq!(script.archived, []);

    for recoveries in 1..=2 {
        script.recover();
        assert_eq!(script.kinds(4), ["ended", "rated"]);
        assert_eq!(script.archived, vec![ArchivedState::Finished; recoveries]);
    }
    let loaded = script.load();
    assert!(!awaits_rating(&loaded.table, loaded.ratings.as_deref()));
    let stored = script.journal.rating_change(game()).now_or_never().unwrap().unwrap();
    assert_eq!(loaded.entry().ratings, stored);
}

#[test]
fn rating_with_an_unknown_outcome_is_recorded_once() {
    for fate in [Fate::StoredUnknown, Fate::LostUnknown, Fate::Conflict] {
        let mut script = begin_rated(&["ann", "bob"]);
        let (mut ann, mut eve) = (Client::new(1, "ann"), Client::new(3, "eve"));
        eve.join(&mut script);
        script.fates.extend([Fate::Decided, fate]);
        assert!(matches!(ann.act(&mut script, "r", PlayerAction::Resign), ToClient::Ok(_)));
        assert_eq!(script.kinds(4), ["ended", "rated"], "{fate:?}");
        let messages = eve.messages();
        assert_eq!(
            event_kinds(&messages),
            ["created", "started", "moved", "moved", "ended", "rated"],
            "{fate:?}"
        );
        assert_eq!(script.archived, [ArchivedState::Finished]);
    }
}

/// Maximum size of a room, without the heap of its table.
const ROOM_BYTES_MAX: usize = 2032;

#[test]
fn idle_room_is_small() {
    let room = size_of::<Room>();
    assert!(room <= ROOM_BYTES_MAX, "{room} bytes");
}
