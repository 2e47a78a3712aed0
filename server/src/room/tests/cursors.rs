//! Sessions that resume by a cursor.

use adamant_protocol::{from_client::Cursor, to_client::ResumeDecision};
use adamant_record::Replay;
use tokio::sync::oneshot;

use super::{conflicts::BOB_OFFERS, *};
use crate::{
    error::Denial,
    room::{ResumePlan, command::PlanRequest},
};

impl Script {
    pub(super) fn plan(&mut self, cursor: Cursor) -> Result<ResumePlan, Denial> {
        let (reply, mut plan) = oneshot::channel();
        let cursor = Some(cursor);
        let request = PlanRequest {
            user: None,
            reason: crate::room::ReadFor::Startup,
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
    let mut eve = Client::new(3, "eve");
    eve.join(&mut script);
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
