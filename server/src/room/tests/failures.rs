//! Appends that fail, or whose outcome is unknown, and reads that fail.

use adamant_protocol::{Retry, from_client::Cursor, to_client::ResumeDecision};

use super::*;
use crate::limits::{APPEND_RETRIES_MAX, WAKE_AGAIN};

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
