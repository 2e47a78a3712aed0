//! Other writers of the same journal.

use adamant_protocol::RequestId;
use adamant_record::Head;
use adamant_rules::{Events, Table};
use bytes::Bytes;
use futures::FutureExt as _;

use super::*;
use crate::{
    cluster::AppendedRecords,
    limits::APPEND_CONFLICTS_MAX,
    room::outcome,
    store::{Append, Journal as _, Summary},
};

impl Script {
    /// Appends an act as another node does.
    pub(super) fn append_elsewhere(&self, act: &Act<'_>, req: &str) {
        let req = req.parse().unwrap();
        self.append_decided(Some(&req), |table| table.decide(act, table.last_at()).unwrap());
    }

    /// Announces the records up to this seq, and the text of as many of the last.
    pub(super) fn announce(&mut self, until: u64, count: usize) {
        let appended = self.announced(until, count);
        self.hand(Input::Announced(appended));
    }

    /// Returns an announcement of the records up to this seq, with the text of as many of the last.
    pub(super) fn announced(&self, until: u64, count: usize) -> AppendedRecords {
        let mut records = self.records();
        records.truncate(usize::try_from(until).unwrap());
        let records = records.split_off(records.len() - count);
        AppendedRecords { game: game(), until, records }
    }

    /// Appends what another node decides.
    pub(super) fn append_decided(
        &self,
        req: Option<&RequestId>,
        decide: impl FnOnce(&Table) -> Events,
    ) {
        let loaded = self.load();
        let (table, mut head): (Table, Head) = (loaded.table, loaded.head);
        let (expected_seq, prev) = (head.seq, head.chain);
        let events = decide(&table);
        let result = outcome::result_after(&table, &events);
        let records = events
            .iter()
            .map(|event| Bytes::from(head.append(event, table.position(), req)))
            .collect();
        let append = Append {
            game: game(),
            expected_seq,
            prev,
            records,
            chain: head.chain,
            summary: Summary { ply: 0, to_move: None, last_at: 0 },
            deadline: None,
            reseated: None,
            result,
        };
        let mut outcomes = self.journal.append(vec![append]).now_or_never().unwrap();
        outcomes.pop().unwrap().unwrap();
    }
}

const BOB: Seat = Seat::new(1).unwrap();

pub(super) const BOB_OFFERS: Act<'_> = Act::Offer { seat: BOB, what: OfferKind::Draw };

#[test]
fn events_of_another_writer_are_published_and_the_action_is_decided_again() {
    let mut script = Script::begin(TimeControl::None);
    let (mut ann, mut eve) = (Client::new(1, "ann"), Client::new(3, "eve"));
    ann.join(&mut script);
    eve.join(&mut script);
    script.append_elsewhere(&BOB_OFFERS, "o1");

    script.send(ann.acts("m1", move_to(0, "c1-c2"), script.now));
    for client in [&mut ann, &mut eve] {
        let messages = client.messages();
        let kinds = event_kinds(&messages);
        assert_eq!(kinds, ["created", "started", "offered", "moved", "offer_closed"]);
    }
}

#[test]
fn move_repeated_through_another_node_is_a_duplicate() {
    let mut script = Script::begin(TimeControl::None);
    let mut ann = Client::new(1, "ann");
    ann.join(&mut script);
    let elsewhere = Act::Move { seat: Seat::FIRST, turn: 0, notation: "c1-c2", lag_ms: 0 };
    script.append_elsewhere(&elsewhere, "m1");

    let reply = ann.act(&mut script, "m1", move_to(0, "c1-c2"));
    assert!(matches!(&reply, ToClient::Ok(done) if done.dup && done.seq == Some(3)), "{reply:?}");
    assert_eq!(script.records().len(), 3);
}

#[test]
fn end_by_another_writer_ends_the_game_here() {
    let mut script = Script::begin(TimeControl::None);
    let (mut ann, mut eve) = (Client::new(1, "ann"), Client::new(3, "eve"));
    ann.join(&mut script);
    eve.join(&mut script);
    script.append_elsewhere(&Act::Resign { seat: BOB }, "r");
    let reply = ann.act(&mut script, "m1", move_to(0, "c1-c2"));
    assert!(matches!(&reply, ToClient::Error(failed) if failed.code == ErrorCode::GameOver));
    assert_eq!(event_kinds(&eve.messages()), ["created", "started", "ended"]);
    assert_eq!(script.archived, [crate::store::ArchivedState::Finished]);
}

#[test]
fn request_that_meets_too_many_conflicts_is_busy_and_the_room_goes_on() {
    let mut script = Script::begin(TimeControl::None);
    let mut ann = Client::new(1, "ann");
    for (conflicts, is_busy) in [
        (APPEND_CONFLICTS_MAX - 1, false),
        (APPEND_CONFLICTS_MAX, true),
        (APPEND_CONFLICTS_MAX - 1, false),
    ] {
        let turn = u32::try_from(script.records().len() - 2).unwrap();
        if turn == 1 {
            let reply = Client::new(2, "bob").act(&mut script, "b", move_to(1, "c5-c4"));
            assert!(matches!(reply, ToClient::Ok(_)));
        }
        script.fates.extend(vec![Fate::Conflict; conflicts.into()]);
        let (turn, notation) = if turn == 0 { (0, "c1-c2") } else { (2, "c2-c1") };
        let reply = ann.act(&mut script, &format!("m{turn}"), move_to(turn, notation));
        assert!(script.fates.is_empty(), "every append was tried");
        if is_busy {
            let ToClient::Error(failed) = reply else { panic!("{reply:?}") };
            assert_eq!(failed.code, ErrorCode::Busy);
        } else {
            assert!(matches!(&reply, ToClient::Ok(done) if !done.dup), "{reply:?}");
        }
    }
    assert_eq!(script.kinds(2), ["moved", "moved", "moved"]);
}
