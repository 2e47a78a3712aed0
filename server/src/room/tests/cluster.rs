//! A room whose game other nodes play as well: other writers of its journal, and records that come
//! with their announcement.

use std::sync::Arc;

use adamant_protocol::{RequestId, to_client::ResumeDecision};
use adamant_record::Head;
use adamant_rules::{Events, Table, table::ServerAction};
use bytes::Bytes;
use futures::FutureExt as _;

use crate::cluster::{AppendedRecords, fixture::PublishedEvents};
use crate::limits::{APPEND_CONFLICTS_MAX, FLAG_GRACE, RATED_GRACE};
use crate::occasions::{Occasion, Occasions};
use crate::outbound::frame::Frame;
use crate::room::{Input, LoadedGame, Output, RoomContext, snapshot, tests::*};
use crate::runtime::metrics::FollowedFrom;
use crate::store::{Append, ArchivedState, Journal as _, Summary};

/// Returns the context of rooms in a cluster.
pub(super) fn in_cluster() -> RoomContext {
    RoomContext { cluster: PublishedEvents::node("here").1, ..context(PARK_AFTER) }
}

pub(super) fn begin(clock: TimeControl) -> Script {
    Script::begin_with(setup(&["ann", "bob"], clock), in_cluster())
}

pub(super) fn begin_rated() -> Script {
    let mut setup = setup(&["ann", "bob"], TimeControl::None);
    setup.rated = true;
    for seat in Seat::all(2) {
        setup.seats[seat].guest = false;
    }
    let mut script = Script::begin_with(setup, in_cluster());
    both_move(&mut script);
    script
}

pub(super) const BOB: Seat = Seat::new(1).unwrap();
const ANN_MOVES: Act<'_> = Act::Move { seat: Seat::FIRST, turn: 0, notation: "c1-c2", lag_ms: 0 };

#[test]
fn announced_records_are_published_and_no_later_ones() {
    let mut script = begin(TimeControl::None);
    let mut ann = Client::joined(1, "ann", &mut script);
    let mut eve = Client::joined(3, "eve", &mut script);
    script.append_elsewhere(&ANN_MOVES, "m");
    script.append_elsewhere(&BOB_OFFERS, "o");
    script.announce(3, 0);
    assert!(matches!(script.question, Some(Output::ReadAnnounced { from: 3, until: 3 })));
    script.settle();
    for client in [&mut ann, &mut eve] {
        assert_eq!(event_kinds(&client.messages()), ["created", "started", "moved"]);
    }
    // A late announcement asks nothing.
    script.announce(3, 0);
    assert!(script.question.is_none());
    script.announce(4, 0);
    script.settle();
    assert_eq!(event_kinds(&eve.messages()), ["offered"]);
}

#[test]
fn announcements_while_the_room_waits_are_followed_at_once_and_together() {
    let mut script = begin(TimeControl::None);
    let mut ann = Client::joined(1, "ann", &mut script);
    ann.start_act(&mut script, "m", move_to(0, "c1-c2"));
    let append = script.question.take();
    for (act, req) in [(BOB_OFFERS, "o"), (Act::Resign { seat: BOB }, "r")] {
        script.append_elsewhere(&act, req);
        let last = script.records().len() as u64;
        script.announce(last, 0);
    }
    script.question = append;
    script.answer();
    // The conflict is followed up to now.
    script.settle();
    let messages = ann.messages();
    assert_eq!(event_kinds(&messages), ["created", "started", "offered", "ended"]);
    let refused = messages.iter().any(
        |message| matches!(message, ToClient::Error(failed) if failed.code == ErrorCode::GameOver),
    );
    assert!(refused, "{messages:?}");
}

#[test]
fn request_that_is_ahead_of_the_room_is_decided_by_later_records() {
    let mut script = begin(TimeControl::None);
    let mut ann = Client::joined(1, "ann", &mut script);
    script.append_elsewhere(&BOB_OFFERS, "o");
    let offer = adamant_protocol::OfferId(1);
    let answer = PlayerAction::Answer { offer, accept: false };
    assert!(matches!(ann.act(&mut script, "a", answer), ToClient::Ok(_)));
    // With all records read it is refused.
    let unknown = PlayerAction::Answer { offer: adamant_protocol::OfferId(9), accept: false };
    let reply = ann.act(&mut script, "b", unknown);
    assert!(matches!(&reply, ToClient::Error(failed) if failed.code == ErrorCode::NoSuchOffer));
    let mut bob = Client::new(2, "bob");
    script.append_elsewhere(&ANN_MOVES, "m");
    let reply = bob.act(&mut script, "m", move_to(1, "c5-c4"));
    assert!(matches!(reply, ToClient::Ok(_)), "{reply:?}");
}

#[test]
fn room_that_cannot_follow_refuses_and_goes_on() {
    let mut script = begin(TimeControl::None);
    let mut ann = Client::joined(1, "ann", &mut script);
    script.reads_fail = true;
    script.fates.push_back(Fate::Conflict);
    let reply = ann.act(&mut script, "m", move_to(0, "c1-c2"));
    assert!(matches!(&reply, ToClient::Error(failed) if failed.code == ErrorCode::Busy));
    script.append_elsewhere(&BOB_OFFERS, "o");
    script.announce(3, 0);
    script.settle();
    assert!(script.is_open() && ann.closed().is_none());
    script.reads_fail = false;
    script.announce(3, 0);
    script.settle();
    assert_eq!(event_kinds(&ann.messages()), ["offered"]);
}

/// A rated game at which eve watches. It has ended on another node, and is not rated yet.
fn ended_elsewhere() -> (Script, Client) {
    let mut script = begin_rated();
    let mut eve = Client::joined(3, "eve", &mut script);
    eve.messages();
    script.append_elsewhere(&Act::Resign { seat: BOB }, "r");
    script.announce(5, 0);
    script.settle();
    (script, eve)
}

#[test]
fn rating_change_is_left_to_the_node_of_the_end_for_a_moment() {
    let (mut script, mut eve) = ended_elsewhere();
    assert_eq!(eve.messages(), [], "the end is not rated yet");
    let wait = script.room.as_ref().and_then(super::super::Room::deadline);
    assert_eq!(wait, Some(script.now + milliseconds(RATED_GRACE)));
    script.rate_elsewhere();
    script.announce(6, 0);
    script.settle();
    assert_eq!(event_kinds(&eve.messages()), ["ended", "rated"]);
    assert_eq!(script.kinds(4), ["ended", "rated"]);
    assert_eq!(script.archived, [ArchivedState::Finished]);
}

#[test]
fn rating_change_that_the_node_of_the_end_does_not_record_is_recorded_here() {
    let (mut script, mut eve) = ended_elsewhere();
    script.advance(RATED_GRACE);
    assert_eq!(event_kinds(&eve.messages()), ["ended", "rated"]);
    assert_eq!(script.kinds(4), ["ended", "rated"]);
}

#[test]
fn flag_is_left_to_the_node_of_the_player_on_the_move_for_a_moment() {
    const MOVE_MS: u64 = 60_000;
    let clock = TimeControl::PerMove { move_ms: MOVE_MS };
    let mut here = begin(clock);
    both_move(&mut here);
    let ann = Client::new(1, "ann");
    ann.join(&mut here);
    here.advance_ms(MOVE_MS);
    assert_eq!(here.kinds(4), ["ended"], "the player on the move is here");

    let mut elsewhere = begin(clock);
    both_move(&mut elsewhere);
    let mut bob = Client::new(2, "bob");
    bob.join(&mut elsewhere);
    bob.messages();
    elsewhere.advance_ms(MOVE_MS);
    assert_eq!(elsewhere.kinds(4), [] as [&str; 0]);
    // What comes later waits for the flag.
    bob.start_act(&mut elsewhere, "r", PlayerAction::Resign);
    assert!(elsewhere.question.is_none());
    assert!(bob.messages().iter().all(|message| message.re().is_none()));
    elsewhere.advance(FLAG_GRACE);
    assert_eq!(elsewhere.kinds(4), ["ended"]);
    let reply = bob.next_reply();
    assert!(matches!(&reply, ToClient::Error(failed) if failed.code == ErrorCode::GameOver));

    let mut in_time = begin(clock);
    both_move(&mut in_time);
    bob.join(&mut in_time);
    in_time.advance_ms(MOVE_MS);
    bob.start_act(&mut in_time, "o", PlayerAction::Offer(adamant_protocol::event::OfferKind::Draw));
    let again = Act::Move { seat: Seat::FIRST, turn: 2, notation: "c2-c1", lag_ms: 0 };
    in_time.append_decided(None, |table| table.decide(&again, BEGINNING + MOVE_MS - 1).unwrap());
    in_time.announce(5, 0);
    in_time.settle();
    assert_eq!(in_time.kinds(4), ["moved", "offered"]);
}

#[test]
fn only_the_node_that_has_appended_reports_to_players_who_are_away() {
    let metrics = Arc::default();
    let (occasions, mut reported) = Occasions::queue(true, &metrics);
    let context = RoomContext { occasions, ..in_cluster() };
    let mut script = Script::begin_with(setup(&["ann", "bob"], TimeControl::None), context);
    script.append_elsewhere(&ANN_MOVES, "m");
    script.announce(3, 0);
    script.settle();
    assert!(reported.try_recv().is_err(), "the other node reports the turn");
    let mut bob = Client::new(2, "bob");
    assert!(matches!(bob.act(&mut script, "b", move_to(1, "c5-c4")), ToClient::Ok(_)));
    let user = |occasion: Occasion| occasion.user.to_string();
    assert_eq!(reported.try_recv().map(user), Ok("ann".to_owned()));
    script.append_elsewhere(&Act::Resign { seat: BOB }, "r");
    script.announce(5, 0);
    script.settle();
    assert!(reported.try_recv().is_err(), "the other node reports the end");
}

#[test]
fn room_of_a_parked_audience_reads_what_others_have_appended_since() {
    let mut script = begin(TimeControl::None);
    let known = script.load();
    let mut eve = Client::joined(3, "eve", &mut script);
    eve.messages();
    script.append_elsewhere(&ANN_MOVES, "m");
    script.reopen_behind(known);
    eve.join(&mut script);
    assert_eq!(event_kinds(&eve.messages()), ["created", "started", "moved"]);
}

#[test]
fn cursor_of_a_spectator_ahead_of_the_delayed_view_is_no_fork() {
    let setup = adamant_rules::Setup { delay: 1, ..setup(&["ann", "bob"], TimeControl::None) };
    let mut script = Script::begin_with(setup, in_cluster());
    let mut ann = Client::new(1, "ann");
    assert!(matches!(ann.act(&mut script, "m1", move_to(0, "c1-c2")), ToClient::Ok(_)));
    let again = Act::Move { seat: BOB, turn: 1, notation: "c5-c4", lag_ms: 0 };
    // Another node shows the first move from now on. Here the view is still before it.
    script.append_elsewhere(&again, "m2");
    let plan = script.plan(script.cursor(3)).unwrap();
    assert_eq!((plan.resume, plan.seq), (ResumeDecision::Tail, 3));
}

impl Script {
    /// Records the rating change of the game as the node of its end does.
    fn rate_elsewhere(&self) {
        let change = self.journal.rating_change(game()).now_or_never().unwrap().unwrap().unwrap();
        let action: ServerAction = snapshot::rating_action(&change).unwrap();
        self.append_decided(None, |table| {
            table.decide_server_action(&action, table.last_at()).unwrap()
        });
    }

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
        let result = snapshot::result_after(&table, &events);
        let records = events
            .iter()
            .map(|event| Frame::text(&head.append(event, table.position(), req)))
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

    /// Hands in an announcement that the room must have applied without a question.
    fn announce_all(&mut self, until: u64, count: usize) {
        self.announce(until, count);
        assert!(self.question.is_none(), "{:?}", self.question);
        self.fan_out();
    }

    /// Asserts which records the room reads.
    fn assert_reads(&self, first: u64, last: u64) {
        let question = &self.question;
        let reads = matches!(
            question,
            Some(Output::ReadAnnounced { from, until }) if (*from, *until) == (first, last)
        );
        assert!(reads, "{question:?}");
    }

    /// Returns how many records of other nodes came with an announcement and from the journal.
    fn followed(&self) -> [u64; 2] {
        let from = [FollowedFrom::Announcement, FollowedFrom::Journal];
        from.map(|from| self.context.metrics.followed_records(from).get())
    }
}

pub(super) const BOB_OFFERS: Act<'_> = Act::Offer { seat: BOB, what: OfferKind::Draw };

#[test]
fn events_of_another_writer_are_published_and_the_action_is_decided_again() {
    let mut script = Script::begin(TimeControl::None);
    let mut ann = Client::joined(1, "ann", &mut script);
    let mut eve = Client::joined(3, "eve", &mut script);
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
    let mut ann = Client::joined(1, "ann", &mut script);
    let elsewhere = Act::Move { seat: Seat::FIRST, turn: 0, notation: "c1-c2", lag_ms: 0 };
    script.append_elsewhere(&elsewhere, "m1");

    let reply = ann.act(&mut script, "m1", move_to(0, "c1-c2"));
    assert!(matches!(&reply, ToClient::Ok(done) if done.dup && done.seq == Some(3)), "{reply:?}");
    assert_eq!(script.records().len(), 3);
}

#[test]
fn end_by_another_writer_ends_the_game_here() {
    let mut script = Script::begin(TimeControl::None);
    let mut ann = Client::joined(1, "ann", &mut script);
    let mut eve = Client::joined(3, "eve", &mut script);
    script.append_elsewhere(&Act::Resign { seat: BOB }, "r");
    let reply = ann.act(&mut script, "m1", move_to(0, "c1-c2"));
    assert!(matches!(&reply, ToClient::Error(failed) if failed.code == ErrorCode::GameOver));
    assert_eq!(event_kinds(&eve.messages()), ["created", "started", "ended"]);
    assert_eq!(script.archived, [ArchivedState::Finished]);
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

const BOB_MOVES: Act<'_> = Act::Move { seat: BOB, turn: 1, notation: "c5-c4", lag_ms: 0 };
const ANN_MOVES_AGAIN: Act<'_> =
    Act::Move { seat: Seat::FIRST, turn: 2, notation: "c2-c1", lag_ms: 0 };

/// A game at which eve watches, and to which another node has appended three moves.
fn three_elsewhere() -> (Script, Client) {
    let mut script = begin(TimeControl::None);
    let mut eve = Client::joined(3, "eve", &mut script);
    eve.messages();
    for (act, req) in [(ANN_MOVES, "m1"), (BOB_MOVES, "m2"), (ANN_MOVES_AGAIN, "m3")] {
        script.append_elsewhere(&act, req);
    }
    assert_eq!(script.kinds(2), ["moved"; 3]);
    (script, eve)
}

#[test]
fn records_of_an_announcement_are_published_without_a_read() {
    let (mut script, mut eve) = three_elsewhere();
    script.announce_all(3, 1);
    assert_eq!(event_kinds(&eve.messages()), ["moved"]);
    script.announce_all(5, 2);
    assert_eq!(event_kinds(&eve.messages()), ["moved", "moved"]);
    assert_eq!(script.followed(), [3, 0]);
    // What is sent again is answered as by the node that has appended it.
    let mut ann = Client::new(1, "ann");
    assert!(matches!(ann.act(&mut script, "m1", move_to(0, "c1-c2")), ToClient::Ok(_)));
    assert_eq!(script.records().len(), 5);
}

#[test]
fn doubled_and_late_announcements_publish_nothing_twice() {
    let (mut script, mut eve) = three_elsewhere();
    script.announce_all(4, 2);
    script.announce_all(4, 2);
    script.announce_all(3, 1);
    assert_eq!(event_kinds(&eve.messages()), ["moved"; 2]);
    // It begins before what is missing.
    script.announce_all(5, 3);
    assert_eq!(event_kinds(&eve.messages()), ["moved"]);
    assert_eq!(script.followed(), [3, 0]);
}

#[test]
fn records_after_a_hole_are_read_from_the_journal() {
    let (mut script, mut eve) = three_elsewhere();
    script.announce(5, 2);
    script.assert_reads(3, 5);
    script.settle();
    assert_eq!(event_kinds(&eve.messages()), ["moved"; 3]);
    assert_eq!(script.followed(), [0, 3]);
}

#[test]
fn room_that_is_told_of_later_records_reads_only_those() {
    let (mut script, mut eve) = three_elsewhere();
    // The announcement of the last record came first, and its text was lost.
    script.reads_fail = true;
    script.announce(5, 0);
    let read = script.question.take();
    script.announce(3, 1);
    assert!(script.question.is_none(), "a read is under way");
    script.question = read;
    script.settle();
    assert_eq!(eve.messages(), []);
    script.reads_fail = false;
    script.announce_all(3, 1);
    assert_eq!(event_kinds(&eve.messages()), ["moved"]);
    script.announce(5, 1);
    script.assert_reads(4, 5);
    script.settle();
    assert_eq!(event_kinds(&eve.messages()), ["moved", "moved"]);
}

/// Ways in which the last of some announced records is not that of the journal.
fn forgeries(script: &Script) -> Vec<Bytes> {
    let records = script.records();
    let (last, before) = (records[4].clone(), records[3].clone());
    let replaced = |from: &str, to: &str| {
        let text = std::str::from_utf8(&last).unwrap();
        assert!(text.contains(from), "{text}");
        Bytes::from(text.replacen(from, to, 1))
    };
    let mut damaged = last.to_vec();
    let end = damaged.len() - 5;
    damaged[end] ^= 1;
    // Its chain is right, but no rule allows it.
    let known = |count: usize| LoadedGame::replay(&records[..count]).unwrap().unwrap();
    let (earlier, mut latest) = (known(3).table, known(4));
    let again = earlier.decide(&BOB_MOVES, earlier.last_at()).unwrap();
    let illegal = latest.head.append(&again[0], latest.table.position(), None);
    vec![
        Bytes::new(),
        Bytes::from_static(b"{"),
        Bytes::from_static(b"\xff"),
        before,
        damaged.into(),
        replaced("\"g1\"", "\"g2\""),
        replaced("c2", "c3"),
        last.slice(..last.len() - 1),
        illegal.into(),
    ]
}

#[test]
fn forged_record_is_read_from_the_journal() {
    let count = forgeries(&three_elsewhere().0).len();
    for number in 0..count {
        let (mut script, mut eve) = three_elsewhere();
        let forged = forgeries(&script)[number].clone();
        let mut appended = script.announced(5, 3);
        appended.records[2] = forged.clone();
        script.hand(Input::Announced(appended));
        script.assert_reads(5, 5);
        assert_eq!(eve.messages(), [], "they are published together");
        script.settle();
        assert_eq!(event_kinds(&eve.messages()), ["moved"; 3], "{forged:?}");
        assert_eq!(script.followed(), [2, 1]);
        let mut bob = Client::new(2, "bob");
        let reply = bob.act(&mut script, "m4", move_to(3, "c4-c5"));
        assert!(matches!(reply, ToClient::Ok(_)), "the game goes on: {reply:?}");
    }
}

#[test]
fn announcement_of_records_that_the_journal_does_not_have_changes_nothing() {
    let (mut script, mut eve) = three_elsewhere();
    for until in [u64::MAX, 9] {
        let records = vec![Bytes::from_static(b"{}"); 2];
        let game = script.announced(3, 0).game;
        script.hand(Input::Announced(AppendedRecords { game, until, records }));
        assert!(matches!(script.question, Some(Output::ReadAnnounced { .. })));
        script.settle();
    }
    assert_eq!(event_kinds(&eve.messages()), ["moved"; 3]);
    assert!(script.is_open() && script.question.is_none());
}

#[test]
fn room_that_appends_reads_what_was_announced_meanwhile() {
    let mut script = begin(TimeControl::None);
    let mut ann = Client::joined(1, "ann", &mut script);
    ann.messages();
    ann.start_act(&mut script, "m", move_to(0, "c1-c2"));
    let append = script.question.take();
    script.append_elsewhere(&BOB_OFFERS, "o");
    script.announce(3, 1);
    assert!(script.question.is_none(), "its append is under way");
    script.question = append;
    script.settle();
    assert_eq!(event_kinds(&ann.messages()), ["offered", "moved", "offer_closed"]);
    assert_eq!(script.kinds(2), ["offered", "moved", "offer_closed"]);
}

#[test]
fn end_and_rating_change_need_no_read() {
    let mut script = begin_rated();
    let mut eve = Client::joined(3, "eve", &mut script);
    eve.messages();
    script.append_elsewhere(&Act::Resign { seat: BOB }, "r");
    script.announce_all(5, 1);
    assert_eq!(eve.messages(), [], "the end is not rated yet");
    script.rate_elsewhere();
    script.announce(6, 1);
    assert!(matches!(script.question, Some(Output::Archive(_))), "{:?}", script.question);
    script.settle();
    assert_eq!(event_kinds(&eve.messages()), ["ended", "rated"]);
}

#[test]
fn announced_move_in_time_comes_before_the_flag() {
    const MOVE_MS: u64 = 60_000;
    let mut script = begin(TimeControl::PerMove { move_ms: MOVE_MS });
    both_move(&mut script);
    let _bob = Client::joined(2, "bob", &mut script);
    script.advance_ms(MOVE_MS);
    let again = Act::Move { seat: Seat::FIRST, turn: 2, notation: "c2-c1", lag_ms: 0 };
    script.append_decided(None, |table| table.decide(&again, BEGINNING + MOVE_MS - 1).unwrap());
    script.announce_all(5, 1);
    script.advance(FLAG_GRACE);
    assert_eq!(script.kinds(4), ["moved"]);
}

#[test]
fn spectators_of_a_delayed_game_are_shown_no_announced_record_early() {
    let setup = adamant_rules::Setup { delay: 1, ..setup(&["ann", "bob"], TimeControl::None) };
    let mut script = Script::begin_with(setup, in_cluster());
    let mut ann = Client::joined(1, "ann", &mut script);
    let mut eve = Client::joined(3, "eve", &mut script);
    eve.messages();
    ann.messages();
    script.append_elsewhere(&ANN_MOVES, "m1");
    script.announce_all(3, 1);
    assert_eq!(event_kinds(&ann.messages()), ["moved"]);
    assert_eq!(event_kinds(&eve.messages()), [] as [&str; 0]);
    script.append_elsewhere(&BOB_MOVES, "m2");
    script.announce_all(4, 1);
    assert_eq!(event_kinds(&eve.messages()), ["moved"]);
}
