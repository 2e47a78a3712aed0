//! Presence, claims that a player has abandoned the game, and parked games with and without an
//! audience.

use std::sync::Arc;

use adamant_protocol::event::{AbortReason, EndReason, LeaveReason};
use adamant_protocol::to_client::{Failed, Presence, Said, SeatPresence, Snapshot};
use adamant_protocol::{UserName, values::TalkRoom};

use crate::limits::{FINISHED_ROOM_IDLE_MAX, PRESENCE_CONFLATE, PRESENCE_GRACE};
use crate::outbound::{SendOutcome, frame::Frame};
use crate::{room::tests::*, store::ArchivedState};

const MS: Duration = Duration::from_millis(1);

fn here(seat: u8) -> SeatPresence {
    SeatPresence { seat, online: true, since: None, claim_at: None }
}

fn away(seat: u8, since: u64) -> SeatPresence {
    SeatPresence { seat, online: false, since: Some(since), claim_at: None }
}

/// Returns the presence of an absent seat that is to move.
fn missed(seat: u8, since: u64, waits_since: u64, after: Duration) -> SeatPresence {
    SeatPresence { claim_at: Some(waits_since + milliseconds(after)), ..away(seat, since) }
}

impl Client {
    /// Returns the presence messages that have arrived.
    fn presences(&mut self) -> Vec<Presence> {
        let messages = self.messages().into_iter();
        messages
            .filter_map(|message| {
                if let ToClient::Presence(presence) = message { Some(presence) } else { None }
            })
            .collect()
    }

    /// Returns the only presence message that arrives after exactly this time.
    fn presence_after(&mut self, script: &mut Script, after: Duration) -> Presence {
        script.advance(after.saturating_sub(MS));
        assert_eq!(self.presences(), []);
        script.advance(MS);
        let presences = self.presences();
        <[Presence; 1]>::try_from(presences).unwrap().into_iter().next().unwrap()
    }

    fn snapshot(&mut self, script: &mut Script) -> Box<Snapshot> {
        script.send(self.joins_from(None, JoinFrom::Snapshot(None)));
        loop {
            if let ToClient::Snapshot(snapshot) = self.next_message() {
                return snapshot;
            }
        }
    }

    /// Claims under a new id.
    fn claims(&mut self, script: &mut Script, seat: Option<u8>) -> ToClient {
        let id = format!("claim {} {seat:?}", script.now);
        self.act(script, &id, claim(seat))
    }

    fn is_refused(&mut self, script: &mut Script, seat: Option<u8>) -> Failed {
        let reply = self.claims(script, seat);
        let ToClient::Error(failed) = reply else { panic!("{reply:?}") };
        failed
    }
}

#[test]
fn absence_is_published_after_the_grace_period() {
    let mut script = Script::begin(TimeControl::PerMove { move_ms: 3_600_000 });
    let mut ann = Client::joined(1, "ann", &mut script);
    let bob = Client::joined(2, "bob", &mut script);
    let presence = ann.presence_after(&mut script, PRESENCE_CONFLATE);
    assert_eq!((presence.seats, presence.spectators), (vec![here(0), here(1)], 0));

    let since = script.now;
    drop(bob);
    let presence = ann.presence_after(&mut script, PRESENCE_GRACE + PRESENCE_CONFLATE);
    assert_eq!(presence.seats, [here(0), away(1, since)]);

    // The game waits for bob while it is his turn, and for no player once he has moved.
    let turn = script.now;
    assert!(matches!(ann.act(&mut script, "m", move_to(0, "c1-c2")), ToClient::Ok(_)));
    let presence = ann.presence_after(&mut script, PRESENCE_CONFLATE);
    assert_eq!(presence.seats, [here(0), missed(1, since, turn, CLAIM_AFTER.timed)]);
    let mut elsewhere = Client::new(4, "bob");
    assert!(matches!(elsewhere.act(&mut script, "m", move_to(1, "c5-c4")), ToClient::Ok(_)));
    let presence = ann.presence_after(&mut script, PRESENCE_CONFLATE);
    assert_eq!(presence.seats, [here(0), away(1, since)]);

    let _back = Client::joined(3, "bob", &mut script);
    let presence = ann.presence_after(&mut script, PRESENCE_CONFLATE);
    assert_eq!(presence.seats, [here(0), here(1)]);
}

#[test]
fn reconnect_within_grace_is_silent() {
    let mut script = Script::begin(TimeControl::None);
    let mut ann = Client::joined(1, "ann", &mut script);
    let bob = Client::joined(2, "bob", &mut script);
    ann.presence_after(&mut script, PRESENCE_CONFLATE);
    drop(bob);
    script.advance(PRESENCE_GRACE.saturating_sub(MS));
    let mut bob = Client::joined(3, "bob", &mut script);
    // A newcomer gets the presence.
    script.advance(PRESENCE_CONFLATE);
    let presences = bob.presences();
    assert_eq!(presences.len(), 1);
    assert_eq!(presences[0].seats, [here(0), here(1)]);
    script.advance(3 * PRESENCE_GRACE);
    assert_eq!(ann.presences(), []);
}

#[test]
fn presence_changes_are_published_together() {
    let mut script = Script::begin(TimeControl::None);
    let mut ann = Client::joined(1, "ann", &mut script);
    let _bob = Client::joined(2, "bob", &mut script);
    ann.presence_after(&mut script, PRESENCE_CONFLATE);
    let crowd: Vec<Client> =
        (10..40).map(|number| Client::new(number, &format!("eve{number}"))).collect();
    for client in &crowd {
        client.join(&mut script);
    }
    assert_eq!(ann.presence_after(&mut script, PRESENCE_CONFLATE).spectators, 30);
    drop(crowd);
    assert_eq!(ann.presence_after(&mut script, PRESENCE_CONFLATE).spectators, 0);
    script.advance(3 * PRESENCE_GRACE);
    assert_eq!(ann.presences(), []);
}

#[test]
fn snapshot_has_presence_and_claim_times() {
    let mut script = Script::begin(TimeControl::None);
    let mut ann = Client::joined(1, "ann", &mut script);
    script.advance(PRESENCE_GRACE);
    // Bob has never come: he is away since the game began, and his turn begins with ann's move.
    assert_eq!(ann.snapshot(&mut script).presence, [here(0), away(1, BEGINNING)]);
    let turn = script.now;
    assert!(matches!(ann.act(&mut script, "m", move_to(0, "c1-c2")), ToClient::Ok(_)));
    let snapshot = ann.snapshot(&mut script);
    assert_eq!(snapshot.presence, [here(0), missed(1, BEGINNING, turn, CLAIM_AFTER.untimed)]);

    // A finished game allows no claim.
    assert!(matches!(ann.act(&mut script, "r", PlayerAction::Resign), ToClient::Ok(_)));
    assert_eq!(ann.snapshot(&mut script).presence, [here(0), away(1, BEGINNING)]);
}

#[test]
fn absence_continues_while_parked_and_starts_with_the_process() {
    let mut script = Script::begin(TimeControl::None);
    let bob = Client::joined(2, "bob", &mut script);
    let mut ann = Client::new(1, "ann");
    assert!(matches!(ann.act(&mut script, "m", move_to(0, "c1-c2")), ToClient::Ok(_)));
    script.advance(Duration::from_mins(1));
    let since = script.now;
    drop(bob);
    script.advance(2 * PARK_AFTER);
    assert!(!script.is_open());

    script.reopen();
    let mut ann = Client::new(1, "ann");
    let snapshot = ann.snapshot(&mut script);
    assert_eq!(snapshot.presence, [here(0), missed(1, since, since, CLAIM_AFTER.untimed)]);

    // In another process, which began before now, nothing is known of earlier absences.
    script.absent_since = script.now - 60_000;
    script.reopen();
    let snapshot = ann.snapshot(&mut script);
    let since = script.absent_since;
    assert_eq!(snapshot.presence, [here(0), missed(1, since, since, CLAIM_AFTER.untimed)]);
}

#[test]
fn slow_spectator_gets_presence_by_snapshot() {
    let mut script = Script::begin(TimeControl::None);
    let mut eve = Client::joined(3, "eve", &mut script);
    script.advance(PRESENCE_CONFLATE);
    while eve.handle.outbox.try_send(&Frame::text(b"x")) == SendOutcome::Queued {}
    let _ann = Client::joined(1, "ann", &mut script);
    // Bob is shown away.
    script.advance(PRESENCE_GRACE + PRESENCE_CONFLATE);
    assert_eq!(eve.received.drain_lagged(), [game()]);
    while eve.frame().is_some() {}
    script.send(Command::CatchUp { client: Arc::clone(&eve.handle) });
    let ToClient::Snapshot(snapshot) = eve.next_message() else { panic!("no snapshot") };
    assert!(snapshot.presence[0].online);
    assert_eq!(eve.closed(), None);
}

fn claim(seat: Option<u8>) -> PlayerAction {
    PlayerAction::Claim { seat }
}

#[test]
fn claim_is_possible_after_the_wait_and_only_once() {
    let mut script = Script::begin(TimeControl::PerMove { move_ms: 3_600_000 });
    both_move(&mut script);
    let mut ann = Client::joined(1, "ann", &mut script);
    let bob = Client::joined(2, "bob", &mut script);
    assert!(matches!(ann.act(&mut script, "second", move_to(2, "c2-c3")), ToClient::Ok(_)));
    let here = ann.is_refused(&mut script, Some(1));
    assert_eq!((here.code, &*here.message), (ErrorCode::Forbidden, "seat 1 is here"));
    assert_eq!(ann.is_refused(&mut script, None).code, ErrorCode::Forbidden);
    drop(bob);
    script.advance(CLAIM_AFTER.timed.saturating_sub(MS));
    let early = ann.is_refused(&mut script, None);
    assert_eq!((early.code, early.retry_after_ms), (ErrorCode::TooSoon, Some(1)));

    // It counts by its arrival.
    ann.messages();
    let received_at = script.now + 1;
    let reply = ann.act_at(&mut script, "c", claim(None), received_at);
    assert!(matches!(&reply, ToClient::Ok(done) if done.seq == Some(6)), "{reply:?}");
    let EventBody::Ended(ended) = ann.next_event() else { panic!("no end") };
    assert_eq!((ended.reason, ended.winners), (EndReason::Abandoned, vec![0]));
    assert_eq!((ended.by, ended.claimed_by), (Some(1), Some(0)));

    script.reopen();
    for seat in [None, Some(1)] {
        let again = ann.act(&mut script, "c", claim(seat));
        assert!(matches!(&again, ToClient::Ok(done) if done.dup && done.seq == Some(6)));
    }
    let other = ann.act(&mut script, "c", claim(Some(0)));
    assert!(matches!(other, ToClient::Error(failed) if failed.code == ErrorCode::IdReuse));
    assert_eq!(ann.is_refused(&mut script, None).code, ErrorCode::GameOver);
}

#[test]
fn player_who_returns_in_time_cannot_be_claimed() {
    let mut script = Script::begin(TimeControl::None);
    let mut ann = Client::joined(1, "ann", &mut script);
    let bob = Client::joined(2, "bob", &mut script);
    assert!(matches!(ann.act(&mut script, "m", move_to(0, "c1-c2")), ToClient::Ok(_)));
    drop(bob);
    script.advance(CLAIM_AFTER.untimed);
    let back = Client::joined(3, "bob", &mut script);
    assert_eq!(ann.is_refused(&mut script, None).code, ErrorCode::Forbidden);
    drop(back);
    let anew = ann.is_refused(&mut script, None);
    assert_eq!(anew.code, ErrorCode::Forbidden, "he has only just gone: {anew:?}");
    script.advance(PRESENCE_GRACE);
    assert_eq!(ann.is_refused(&mut script, None).code, ErrorCode::TooSoon);
}

/// A player who has moved may leave: the game waits for the other seat.
#[test]
fn absent_player_who_is_not_to_move_cannot_be_claimed() {
    let mut script = Script::begin(TimeControl::None);
    let (mut ann, mut bob) = (Client::new(1, "ann"), Client::new(2, "bob"));
    ann.join(&mut script);
    // Bob never comes: ann has the first move, and thinks about it.
    script.advance(3 * CLAIM_AFTER.untimed);
    for seat in [None, Some(1)] {
        let refused = ann.is_refused(&mut script, seat);
        assert_eq!(refused.code, ErrorCode::Forbidden);
        let message = "you can claim only that the player whose turn it is has gone";
        assert_eq!(&*refused.message, message);
    }
    // His turn has begun only now, and the wait with it.
    assert!(matches!(ann.act(&mut script, "m", move_to(0, "c1-c2")), ToClient::Ok(_)));
    let early = ann.is_refused(&mut script, None);
    let wait = milliseconds(CLAIM_AFTER.untimed);
    assert_eq!((early.code, early.retry_after_ms), (ErrorCode::TooSoon, Some(wait)));
    script.advance(CLAIM_AFTER.untimed.saturating_sub(MS));
    assert_eq!(ann.is_refused(&mut script, None).retry_after_ms, Some(1));
    // He moves without staying, and has gone when his next turn begins: it counts again.
    assert!(matches!(bob.act(&mut script, "m", move_to(1, "c5-c4")), ToClient::Ok(_)));
    script.advance(CLAIM_AFTER.untimed);
    assert_eq!(ann.is_refused(&mut script, None).code, ErrorCode::Forbidden);
    assert!(matches!(ann.act(&mut script, "m2", move_to(2, "c2-c3")), ToClient::Ok(_)));
    // A room that is opened again goes on counting from where it was.
    script.advance(CLAIM_AFTER.untimed / 2);
    drop(ann);
    script.advance(2 * PARK_AFTER);
    assert!(!script.is_open());
    script.reopen();
    let mut ann = Client::joined(3, "ann", &mut script);
    let left = wait - wait / 2 - 2 * milliseconds(PARK_AFTER);
    assert_eq!(ann.is_refused(&mut script, None).retry_after_ms, Some(left));
    script.advance_ms(left);
    assert!(matches!(ann.claims(&mut script, None), ToClient::Ok(_)));
}

#[test]
fn correspondence_games_allow_no_claim() {
    let mut script = Script::begin(TimeControl::Days { per_move_days: 3 });
    let mut bob = Client::joined(2, "bob", &mut script);
    script.advance(2 * CLAIM_AFTER.untimed);
    assert_eq!(bob.is_refused(&mut script, Some(0)).code, ErrorCode::Forbidden);
}

#[test]
fn claim_among_three_removes_the_seat_to_move() {
    let mut script = Script::begin_game(setup(&["ann", "bob", "cy"], TimeControl::None));
    for ((user, notation), turn) in
        [("ann", "d1-d2"), ("bob", "g4-f4"), ("cy", "a4-b4")].into_iter().zip(0..)
    {
        let reply = Client::new(91, user).act(&mut script, "first", move_to(turn, notation));
        assert!(matches!(reply, ToClient::Ok(_)), "{reply:?}");
    }
    let mut cy = Client::new(3, "cy");
    // Ann is to move; bob has been away for longer, for he never came.
    let ann = Client::new(1, "ann");
    cy.join(&mut script);
    ann.join(&mut script);
    script.advance(Duration::from_mins(1));
    drop(ann);
    script.advance(CLAIM_AFTER.untimed.saturating_sub(Duration::from_mins(1)));
    assert_eq!(cy.is_refused(&mut script, None).code, ErrorCode::TooSoon);
    assert_eq!(cy.is_refused(&mut script, Some(7)).code, ErrorCode::BadMessage);
    for seat in [1, 2] {
        assert_eq!(cy.is_refused(&mut script, Some(seat)).code, ErrorCode::Forbidden);
    }

    script.advance(Duration::from_mins(1));
    cy.messages();
    assert!(matches!(cy.claims(&mut script, None), ToClient::Ok(_)));
    let EventBody::Removed(removed) = cy.next_event() else { panic!("no player is removed") };
    assert_eq!((removed.seat, removed.reason), (0, LeaveReason::Abandoned));
    assert_eq!((removed.claimed_by, removed.to_move), (Some(2), Some(1)));
    assert_eq!(cy.is_refused(&mut script, Some(0)).code, ErrorCode::Forbidden);
    // Bob has been away for long enough; his turn has only just begun.
    let early = cy.act(&mut script, "early", claim(None));
    assert!(matches!(early, ToClient::Error(failed) if failed.code == ErrorCode::TooSoon));
    let mut ann = Client::joined(4, "ann", &mut script);
    assert_eq!(ann.is_refused(&mut script, None).code, ErrorCode::Forbidden);
    script.advance(CLAIM_AFTER.untimed);
    cy.messages();
    assert!(matches!(cy.claims(&mut script, None), ToClient::Ok(_)));
    assert!(matches!(cy.next_event(), EventBody::Removed(removed) if removed.seat == 1));
    assert!(matches!(cy.next_event(), EventBody::Ended(ended) if ended.winners == [2]));
}

#[test]
fn claim_against_a_player_who_never_moved_aborts_the_game_once() {
    let mut script = Script::begin(TimeControl::None);
    let mut ann = Client::joined(1, "ann", &mut script);
    assert!(matches!(ann.act(&mut script, "m", move_to(0, "c1-c2")), ToClient::Ok(_)));
    script.advance(CLAIM_AFTER.untimed);
    ann.messages();
    assert!(matches!(ann.act(&mut script, "c", claim(None)), ToClient::Ok(_)));
    let EventBody::Aborted(aborted) = ann.next_event() else { panic!("the game has a result") };
    assert_eq!((aborted.by, aborted.reason), (1, AbortReason::NoShow));
    assert_eq!(aborted.claimed_by, Some(0));
    let again = ann.act(&mut script, "c", claim(Some(1)));
    assert!(matches!(again, ToClient::Ok(done) if done.dup && done.seq == Some(4)));
}

#[test]
fn no_show_aborts_the_game() {
    let mut script = Script::begin(TimeControl::PerMove { move_ms: 3_600_000 });
    let mut bob = Client::joined(2, "bob", &mut script);
    script.advance_ms(adamant_rules::clock::NO_SHOW_MS - 1);
    bob.messages();
    script.advance_ms(1);
    let EventBody::Aborted(aborted) = bob.next_event() else { panic!("the game goes on") };
    assert_eq!(aborted.by, 0);
}

impl Script {
    fn say(&mut self, by: &str, room: TalkRoom) {
        let by: UserName = by.parse().unwrap();
        let said = Said { game: game(), room, n: 1, at: 1, by: by.clone(), text: "gg".into() };
        let frame = Frame::of(&ToClient::Said(said));
        let broadcast = TalkBroadcast { room, by: Some(by), frame };
        self.send(Command::BroadcastTalk(Box::new(broadcast)));
    }
}

fn is_said(message: &ToClient) -> bool {
    matches!(message, ToClient::Said(said) if &*said.text == "gg")
}

#[test]
fn finished_game_has_no_room_and_its_audience_receives_talk() {
    let mut script = Script::begin(TimeControl::None);
    let (mut ann, mut bob, mut eve) =
        (Client::new(1, "ann"), Client::new(2, "bob"), Client::new(3, "eve"));
    for client in [&ann, &bob, &eve] {
        client.join(&mut script);
    }
    assert!(matches!(ann.act(&mut script, "r", PlayerAction::Resign), ToClient::Ok(_)));
    script.advance(FINISHED_ROOM_IDLE_MAX.saturating_sub(Duration::from_millis(1)));
    assert!(script.is_open());
    script.advance_ms(1);
    assert!(!script.is_open());
    assert!(ann.messages().iter().any(|message| matches!(message, ToClient::Presence(_))));
    bob.messages();
    eve.messages();

    for _ in 0..2 {
        assert!(script.parked.has_listeners(&game()));
        script.reopen();
        assert!(!script.parked.has_listeners(&game()));
        script.say("ann", TalkRoom::Spectators);
        script.advance(FINISHED_ROOM_IDLE_MAX);
        assert!(!script.is_open());
        for client in [&mut ann, &mut bob, &mut eve] {
            let received = client.messages();
            assert!(matches!(&received[..], [message] if is_said(message)), "{received:?}");
        }
    }

    // A session that ends is missing from the presence of the others.
    drop(bob);
    script.reopen();
    script.say("ann", TalkRoom::Players);
    script.advance(FINISHED_ROOM_IDLE_MAX);
    let received = ann.messages();
    let [first, ToClient::Presence(presence)] = &received[..] else { panic!("{received:?}") };
    assert!(is_said(first));
    let online: Vec<bool> = presence.seats.iter().map(|seat| seat.online).collect();
    assert_eq!((online, presence.spectators), (vec![true, false], 1));
    assert!(eve.messages().iter().all(|message| matches!(message, ToClient::Presence(_))));
    assert!(script.parked.has_listeners(&game()));
    drop((ann, eve));
    script.pass_closed_sessions();
    assert!(!script.parked.has_listeners(&game()));
}

#[test]
fn spectators_have_all_frames_when_the_room_closes() {
    let mut script = Script::begin(TimeControl::None);
    let mut eve = Client::joined(3, "eve", &mut script);
    Client::new(1, "ann").start_act(&mut script, "r", PlayerAction::Resign);
    script.answer_all();
    script.now += milliseconds(FINISHED_ROOM_IDLE_MAX);
    while script.is_open() {
        script.hand(Input::Deadline);
        script.answer_all();
    }
    assert_eq!(event_kinds(&eve.messages()), ["created", "started", "ended"]);
}

#[test]
fn server_bot_alone_keeps_no_room_open_and_plays_on_later() {
    let mut script = Script::begin(TimeControl::None);
    let mut house = Client::house(1, "bob");
    house.join(&mut script);
    let ann = Client::joined(2, "ann", &mut script);
    drop(ann);
    script.advance(PARK_AFTER);
    assert!(!script.is_open());
    house.messages();
    assert!(script.parked.has_listeners(&game()));

    script.reopen();
    let mut ann = Client::new(3, "ann");
    assert!(matches!(ann.act(&mut script, "m1", move_to(0, "c1-c2")), ToClient::Ok(_)));
    assert!(matches!(house.next_event(), EventBody::Moved(_)));
    assert!(matches!(house.next_message(), ToClient::YourTurn(turn) if turn.turn == 1));
}

#[test]
fn room_parks_once_its_clients_have_left() {
    let mut script = Script::begin(TimeControl::None);
    let ann = Client::joined(1, "ann", &mut script);
    script.advance(3 * PARK_AFTER);
    assert!(script.is_open(), "a client is in the room");
    drop(ann);
    script.advance(PARK_AFTER);
    assert!(!script.is_open());
    assert_eq!(script.archived, [ArchivedState::Parked]);
}

#[test]
fn idle_time_counts_from_the_last_command() {
    let mut script = Script::begin(TimeControl::None);
    script.advance(PARK_AFTER.saturating_sub(Duration::from_millis(1)));
    let mut ann = Client::new(1, "ann");
    assert!(matches!(ann.act(&mut script, "m1", move_to(0, "c1-c2")), ToClient::Ok(_)));
    script.advance(PARK_AFTER.saturating_sub(Duration::from_millis(1)));
    assert!(script.is_open());
    script.advance_ms(1);
    assert!(!script.is_open());
}

#[test]
fn room_whose_clock_runs_out_soon_stays_open() {
    let park_after = milliseconds(PARK_AFTER);
    let mut script = Script::begin(TimeControl::PerMove { move_ms: 2 * park_after });
    both_move(&mut script);
    script.advance(PARK_AFTER + PARK_AFTER / 2);
    assert!(script.is_open());

    let mut script = Script::begin(TimeControl::PerMove { move_ms: 2 * park_after + 1 });
    both_move(&mut script);
    script.advance(PARK_AFTER);
    assert!(!script.is_open());
}

#[test]
fn parked_game_keeps_its_deadline() {
    let mut script = Script::begin(TimeControl::Days { per_move_days: 1 });
    script.advance(PARK_AFTER);
    assert!(!script.is_open());
    assert_eq!(script.parked.next_deadline(), Some(BEGINNING + 86_400_000));
}

#[test]
fn command_that_arrives_while_the_game_is_archived_is_left_to_the_next_room() {
    let mut script = Script::begin(TimeControl::None);
    script.now += milliseconds(PARK_AFTER);
    script.hand(Input::Deadline);
    assert!(matches!(script.question, Some(Output::Archive(_))));
    let mut ann = Client::new(1, "ann");
    ann.start_act(&mut script, "m1", move_to(0, "c1-c2"));
    script.settle();
    assert!(!script.is_open());
    script.reopen();
    let command = script.returned.pop_front().unwrap();
    script.send(command);
    assert!(matches!(ann.next_reply(), ToClient::Ok(_)));
}
