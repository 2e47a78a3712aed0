//! A room whose game other nodes play as well.

use std::sync::Arc;

use adamant_protocol::to_client::ResumeDecision;
use adamant_rules::table::ServerAction;

use super::*;
use crate::{
    cluster::fixture::PublishedEvents,
    limits::{FLAG_GRACE, RATED_GRACE},
    occasions::{Occasion, Occasions},
    room::{RoomContext, outcome},
    store::{ArchivedState, Journal as _},
};
use futures::FutureExt as _;

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
pub(super) const ANN_MOVES: Act<'_> =
    Act::Move { seat: Seat::FIRST, turn: 0, notation: "c1-c2", lag_ms: 0 };

#[test]
fn announced_records_are_published_and_no_later_ones() {
    let mut script = begin(TimeControl::None);
    let (mut ann, mut eve) = (Client::new(1, "ann"), Client::new(3, "eve"));
    ann.join(&mut script);
    eve.join(&mut script);
    script.append_elsewhere(&ANN_MOVES, "m");
    script.append_elsewhere(&conflicts::BOB_OFFERS, "o");
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
    let mut ann = Client::new(1, "ann");
    ann.join(&mut script);
    ann.start_act(&mut script, "m", move_to(0, "c1-c2"));
    let append = script.question.take();
    for (act, req) in [(conflicts::BOB_OFFERS, "o"), (Act::Resign { seat: BOB }, "r")] {
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
    let mut ann = Client::new(1, "ann");
    ann.join(&mut script);
    script.append_elsewhere(&conflicts::BOB_OFFERS, "o");
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
    let mut ann = Client::new(1, "ann");
    ann.join(&mut script);
    script.reads_fail = true;
    script.fates.push_back(Fate::Conflict);
    let reply = ann.act(&mut script, "m", move_to(0, "c1-c2"));
    assert!(matches!(&reply, ToClient::Error(failed) if failed.code == ErrorCode::Busy));
    script.append_elsewhere(&conflicts::BOB_OFFERS, "o");
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
    let mut eve = Client::new(3, "eve");
    eve.join(&mut script);
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
    let mut eve = Client::new(3, "eve");
    eve.join(&mut script);
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
    pub(super) fn rate_elsewhere(&self) {
        let change = self.journal.rating_change(game()).now_or_never().unwrap().unwrap().unwrap();
        let action: ServerAction = outcome::rating_action(&change).unwrap();
        self.append_decided(None, |table| {
            table.decide_server_action(&action, table.last_at()).unwrap()
        });
    }
}
