//! Presence: grace period, merged messages, and parked games.

use adamant_protocol::to_client::{Presence, SeatPresence, Snapshot};

use super::*;
use crate::limits::{PRESENCE_CONFLATE, PRESENCE_GRACE};

fn ms(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap()
}

fn here(seat: u8) -> SeatPresence {
    SeatPresence { seat, online: true, since: None, claim_at: None }
}

fn away(seat: u8, since: u64) -> SeatPresence {
    SeatPresence { seat, online: false, since: Some(since), claim_at: None }
}

/// Returns the presence of an absent seat that is to move.
fn missed(seat: u8, since: u64, waits_since: u64, after: Duration) -> SeatPresence {
    SeatPresence { claim_at: Some(waits_since + ms(after)), ..away(seat, since) }
}

impl Guest {
    /// Returns the next presence message.
    async fn next_presence(&mut self) -> Presence {
        loop {
            if let ToClient::Presence(presence) = self.next_message().await {
                return presence;
            }
        }
    }

    async fn next_snapshot(&mut self) -> Box<Snapshot> {
        loop {
            if let ToClient::Snapshot(snapshot) = self.next_message().await {
                return snapshot;
            }
        }
    }

    async fn ask_for_snapshot(&self, room: &RoomHandle) {
        let (client, from) = (Arc::clone(&self.client), JoinFrom::Snapshot(None));
        room.send(Command::Join { client, re: None, from, named: false }).await.unwrap();
    }

    /// Returns the presence messages that have arrived.
    fn presences(&mut self) -> Vec<Presence> {
        std::iter::from_fn(|| self.queue.pop())
            .filter_map(|frame| ToClient::from_bytes(frame.payload()).unwrap())
            .filter_map(|message| {
                if let ToClient::Presence(presence) = message { Some(presence) } else { None }
            })
            .collect()
    }
}

#[tokio::test(start_paused = true)]
async fn absence_is_published_after_the_grace_period() {
    let bench = Bench::new(Memory::default());
    let room = bench.start(TimeControl::PerMove { move_ms: 3_600_000 }).await;
    let (mut ann, bob) = (Guest::new(1, "ann"), Guest::new(2, "bob"));
    ann.join(&room).await;
    bob.join(&room).await;
    let begun = Instant::now();
    let presence = ann.next_presence().await;
    assert_eq!((presence.seats, presence.spectators), (vec![here(0), here(1)], 0));
    assert_eq!(begun.elapsed(), PRESENCE_CONFLATE);

    let since = bench.now();
    let gone = Instant::now();
    drop(bob);
    let presence = ann.next_presence().await;
    assert_eq!(presence.seats, [here(0), away(1, since)]);
    assert_eq!(gone.elapsed(), PRESENCE_GRACE + PRESENCE_CONFLATE);

    // The game waits for bob while it is his turn, and for no player once he has moved.
    let turn = bench.now();
    ann.act(&room, "m", move_to(0, "c1-c2"), turn).await;
    let presence = ann.next_presence().await;
    assert_eq!(presence.seats, [here(0), missed(1, since, turn, CLAIM_AFTER.timed)]);
    let mut elsewhere = Guest::new(4, "bob");
    elsewhere.act(&room, "m", move_to(1, "c5-c4"), bench.now()).await;
    elsewhere.next_reply().await;
    assert_eq!(ann.next_presence().await.seats, [here(0), away(1, since)]);

    let back = Guest::new(3, "bob");
    back.join(&room).await;
    assert_eq!(ann.next_presence().await.seats, [here(0), here(1)]);
}

#[tokio::test(start_paused = true)]
async fn reconnect_within_grace_is_silent() {
    let bench = Bench::new(Memory::default());
    let room = bench.start(TimeControl::None).await;
    let (mut ann, bob) = (Guest::new(1, "ann"), Guest::new(2, "bob"));
    ann.join(&room).await;
    bob.join(&room).await;
    ann.next_presence().await;
    drop(bob);
    tokio::time::sleep(PRESENCE_GRACE.saturating_sub(Duration::from_millis(1))).await;
    let mut bob = Guest::new(3, "bob");
    bob.join(&room).await;
    // A newcomer gets the presence.
    assert_eq!(bob.next_presence().await.seats, [here(0), here(1)]);
    tokio::time::sleep(3 * PRESENCE_GRACE).await;
    assert_eq!(ann.presences(), []);
}

#[tokio::test(start_paused = true)]
async fn presence_changes_are_published_together() {
    let bench = Bench::new(Memory::default());
    let room = bench.start(TimeControl::None).await;
    let (mut ann, bob) = (Guest::new(1, "ann"), Guest::new(2, "bob"));
    ann.join(&room).await;
    bob.join(&room).await;
    ann.next_presence().await;
    let crowd: Vec<Guest> =
        (10..40).map(|number| Guest::new(number, &format!("eve{number}"))).collect();
    for guest in &crowd {
        guest.join(&room).await;
    }
    assert_eq!(ann.next_presence().await.spectators, 30);
    drop(crowd);
    assert_eq!(ann.next_presence().await.spectators, 0);
    assert_eq!(ann.presences(), []);
}

#[tokio::test(start_paused = true)]
async fn snapshot_has_presence_and_claim_times() {
    let bench = Bench::new(Memory::default());
    let begun = bench.now();
    let room = bench.start(TimeControl::None).await;
    let mut ann = Guest::new(1, "ann");
    ann.join(&room).await;
    tokio::time::sleep(PRESENCE_GRACE).await;
    // Bob has never come: he is away since the game began, and his turn begins with ann's move.
    ann.ask_for_snapshot(&room).await;
    assert_eq!(ann.next_snapshot().await.presence, [here(0), away(1, begun)]);
    let turn = bench.now();
    ann.act(&room, "m", move_to(0, "c1-c2"), turn).await;
    ann.ask_for_snapshot(&room).await;
    let snapshot = ann.next_snapshot().await;
    assert_eq!(snapshot.presence, [here(0), missed(1, begun, turn, CLAIM_AFTER.untimed)]);

    // A finished game allows no claim.
    ann.act(&room, "r", PlayerAction::Resign, bench.now()).await;
    ann.ask_for_snapshot(&room).await;
    let ended = ann.next_snapshot().await;
    assert_eq!(ended.presence, [here(0), away(1, begun)]);
}

#[tokio::test(start_paused = true)]
async fn absence_continues_while_parked_and_starts_with_the_process() {
    let bench = Bench::new(Memory::default());
    let room = bench.start(TimeControl::None).await;
    let bob = Guest::new(2, "bob");
    bob.join(&room).await;
    let mut ann = Guest::new(1, "ann");
    ann.act(&room, "m", move_to(0, "c1-c2"), bench.now()).await;
    ann.next_reply().await;
    tokio::time::sleep(Duration::from_mins(1)).await;
    let since = bench.now();
    drop(bob);
    room.ended().await;

    let room = bench.reopen().await;
    let mut ann = Guest::new(1, "ann");
    ann.ask_for_snapshot(&room).await;
    let snapshot = ann.next_snapshot().await;
    assert_eq!(snapshot.presence, [here(0), missed(1, since, since, CLAIM_AFTER.untimed)]);

    // As if by another process that began before now: nothing is known of earlier absences.
    let mut bench = bench;
    bench.context.opened_at = bench.now() - 60_000;
    let room = bench.reopen().await;
    ann.ask_for_snapshot(&room).await;
    let snapshot = ann.next_snapshot().await;
    let since = bench.context.opened_at;
    assert_eq!(snapshot.presence, [here(0), missed(1, since, since, CLAIM_AFTER.untimed)]);
}

#[tokio::test(start_paused = true)]
async fn slow_spectator_gets_presence_by_snapshot() {
    let bench = Bench::new(Memory::default());
    let room = bench.start(TimeControl::None).await;
    let mut eve = Guest::new(3, "eve");
    eve.join(&room).await;
    eve.next_presence().await;
    while eve.client.outbox.try_send(&Frame::text(b"x")) == SendOutcome::Queued {}
    let ann = Guest::new(1, "ann");
    ann.join(&room).await;
    let lagged = async {
        while eve.queue.drain_lagged().is_empty() {
            eve.queue.woken().await;
        }
    };
    lagged.await;
    while eve.queue.pop().is_some() {}
    room.send(Command::CatchUp { client: Arc::clone(&eve.client) }).await.unwrap();
    let snapshot = eve.next_snapshot().await;
    assert!(snapshot.presence[0].online);
}
