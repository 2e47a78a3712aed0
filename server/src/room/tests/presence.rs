//! Presence: grace period, merged messages, and parked games.

use std::sync::Arc;

use adamant_protocol::to_client::{Presence, SeatPresence, Snapshot};

use super::*;
use crate::{
    limits::{PRESENCE_CONFLATE, PRESENCE_GRACE},
    outbound::{SendOutcome, frame::Frame},
};

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
}

#[test]
fn absence_is_published_after_the_grace_period() {
    let mut script = Script::begin(TimeControl::PerMove { move_ms: 3_600_000 });
    let (mut ann, bob) = (Client::new(1, "ann"), Client::new(2, "bob"));
    ann.join(&mut script);
    bob.join(&mut script);
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

    let back = Client::new(3, "bob");
    back.join(&mut script);
    let presence = ann.presence_after(&mut script, PRESENCE_CONFLATE);
    assert_eq!(presence.seats, [here(0), here(1)]);
}

#[test]
fn reconnect_within_grace_is_silent() {
    let mut script = Script::begin(TimeControl::None);
    let (mut ann, bob) = (Client::new(1, "ann"), Client::new(2, "bob"));
    ann.join(&mut script);
    bob.join(&mut script);
    ann.presence_after(&mut script, PRESENCE_CONFLATE);
    drop(bob);
    script.advance(PRESENCE_GRACE.saturating_sub(MS));
    let mut bob = Client::new(3, "bob");
    bob.join(&mut script);
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
    let (mut ann, bob) = (Client::new(1, "ann"), Client::new(2, "bob"));
    ann.join(&mut script);
    bob.join(&mut script);
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
    let mut ann = Client::new(1, "ann");
    ann.join(&mut script);
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
    let bob = Client::new(2, "bob");
    bob.join(&mut script);
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
    let mut eve = Client::new(3, "eve");
    eve.join(&mut script);
    script.advance(PRESENCE_CONFLATE);
    while eve.handle.outbox.try_send(&Frame::text(b"x")) == SendOutcome::Queued {}
    let ann = Client::new(1, "ann");
    ann.join(&mut script);
    // Bob is shown away.
    script.advance(PRESENCE_GRACE + PRESENCE_CONFLATE);
    assert_eq!(eve.received.drain_lagged(), [game()]);
    while eve.frame().is_some() {}
    script.send(Command::CatchUp { client: Arc::clone(&eve.handle) });
    let ToClient::Snapshot(snapshot) = eve.next_message() else { panic!("no snapshot") };
    assert!(snapshot.presence[0].online);
    assert_eq!(eve.closed(), None);
}
