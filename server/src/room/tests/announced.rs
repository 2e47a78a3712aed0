//! Records that come with their announcement.

use bytes::Bytes;

use super::{
    cluster::{ANN_MOVES, BOB, begin, begin_rated, in_cluster},
    *,
};
use crate::{
    cluster::AppendedRecords,
    limits::FLAG_GRACE,
    room::{
        LoadedGame,
        input::{Input, Output},
    },
    runtime::metrics::FollowedFrom,
};

const BOB_MOVES: Act<'_> = Act::Move { seat: BOB, turn: 1, notation: "c5-c4", lag_ms: 0 };
const ANN_MOVES_AGAIN: Act<'_> =
    Act::Move { seat: Seat::FIRST, turn: 2, notation: "c2-c1", lag_ms: 0 };

/// A game at which eve watches, and to which another node has appended three moves.
fn three_elsewhere() -> (Script, Client) {
    let mut script = begin(TimeControl::None);
    let mut eve = Client::new(3, "eve");
    eve.join(&mut script);
    eve.messages();
    for (act, req) in [(ANN_MOVES, "m1"), (BOB_MOVES, "m2"), (ANN_MOVES_AGAIN, "m3")] {
        script.append_elsewhere(&act, req);
    }
    assert_eq!(script.kinds(2), ["moved"; 3]);
    (script, eve)
}

impl Script {
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
    let mut ann = Client::new(1, "ann");
    ann.join(&mut script);
    ann.messages();
    ann.start_act(&mut script, "m", move_to(0, "c1-c2"));
    let append = script.question.take();
    script.append_elsewhere(&conflicts::BOB_OFFERS, "o");
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
    let mut eve = Client::new(3, "eve");
    eve.join(&mut script);
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
    let bob = Client::new(2, "bob");
    bob.join(&mut script);
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
    let (mut ann, mut eve) = (Client::new(1, "ann"), Client::new(3, "eve"));
    ann.join(&mut script);
    eve.join(&mut script);
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
