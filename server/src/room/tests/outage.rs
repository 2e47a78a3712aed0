//! Outages, which are credited once, unless a flag fell before.

use adamant_protocol::{
    EventFrame,
    event::{AdjustReason, ClockAdjusted},
};

use super::*;
use crate::store::Outage;

/// The time for a move.
const MOVE_MS: u64 = 60_000;

/// A game in which ann is to move since `since`, and its server.
async fn ann_to_move() -> (Bench, u64) {
    let bench = Bench::new(Memory::default());
    let room = bench.start(TimeControl::PerMove { move_ms: MOVE_MS }).await;
    both_move(&bench, &room).await;
    // The task goes on as a process that was killed does not; it holds nothing.
    drop(room);
    let since = bench.now();
    (bench, since)
}

impl Bench {
    fn outage(&mut self, from: u64, until: u64) {
        let earlier = self.context.outages.iter().copied();
        self.context.outages = earlier.chain([Outage { from, until }]).collect();
    }

    /// The events after the fourth, in which both had moved.
    async fn later_events(&self) -> Vec<(u64, EventBody)> {
        let records = self.records().await;
        let frames = records[4..].iter().map(|record| EventFrame::from_bytes(record).unwrap());
        frames.map(|frame| (frame.at, frame.body)).collect()
    }
}

fn adjusted(at: u64, by_ms: u64) -> (u64, EventBody) {
    let adjusted = ClockAdjusted { seat: 0, by_ms, reason: AdjustReason::Outage };
    (at, EventBody::ClockAdjusted(adjusted))
}

async fn advance(ms: u64) {
    tokio::time::advance(Duration::from_millis(ms)).await;
}

#[tokio::test(start_paused = true)]
async fn outage_is_credited_first_and_only_once() {
    let (mut bench, since) = ann_to_move().await;
    advance(MOVE_MS / 2).await;
    bench.outage(since + 20_000, since + 30_000);
    let mut ann = Guest::new(1, "ann");
    ann.join(&bench.reopen().await).await;
    let turn = loop {
        if let ToClient::YourTurn(turn) = ann.next_message().await {
            break turn;
        }
    };
    assert_eq!(turn.deadline, Some(since + MOVE_MS + 10_000));
    assert_eq!(bench.later_events().await, [adjusted(since + 30_000, 10_000)]);

    // A crash before another game was dealt with: the next start knows of both outages, and this
    // game has had the first.
    advance(5_000).await;
    bench.outage(since + 31_000, since + 35_000);
    for session in 2..4 {
        let mut ann = Guest::new(session, "ann");
        ann.join(&bench.reopen().await).await;
        while !matches!(ann.next_message().await, ToClient::YourTurn(_)) {}
    }
    let both = [adjusted(since + 30_000, 10_000), adjusted(since + 35_000, 4_000)];
    assert_eq!(bench.later_events().await, both);
}

#[tokio::test(start_paused = true)]
async fn several_outages_are_credited_when_a_parked_game_opens() {
    let (mut bench, since) = ann_to_move().await;
    bench.outage(since - 500, since - 100);
    bench.outage(since + 10_000, since + 11_000);
    bench.outage(since + 12_000, since + 15_000);
    advance(MOVE_MS + 4_000 - 1).await;
    let room = bench.reopen().await;
    let mut ann = Guest::new(1, "ann");
    ann.act(&room, "m", move_to(2, "c2-c1"), bench.now()).await;
    assert!(matches!(ann.next_reply().await, ToClient::Ok(_)), "in time by a millisecond");
    let events = bench.later_events().await;
    assert_eq!(events[..2], [adjusted(since + 11_000, 1_000), adjusted(since + 15_000, 3_000)]);
}

#[tokio::test(start_paused = true)]
async fn flag_that_fell_before_the_outage_stands() {
    let (mut bench, since) = ann_to_move().await;
    advance(2 * MOVE_MS).await;
    bench.outage(since + MOVE_MS, since + MOVE_MS + 1_000);
    let mut eve = Guest::new(3, "eve");
    eve.join(&bench.reopen().await).await;
    let ended = loop {
        if let EventBody::Ended(ended) = eve.next_event().await {
            break ended;
        }
    };
    assert_eq!((ended.reason, ended.by), (EndReason::TimedOut, Some(0)));
    assert_eq!(bench.later_events().await.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn untimed_game_gets_no_credit() {
    let mut bench = Bench::new(Memory::default());
    let room = bench.start(TimeControl::None).await;
    both_move(&bench, &room).await;
    advance(60_000).await;
    bench.outage(bench.now() - 10_000, bench.now());
    let mut ann = Guest::new(1, "ann");
    ann.join(&bench.reopen().await).await;
    while !matches!(ann.next_message().await, ToClient::YourTurn(_)) {}
    assert_eq!(bench.later_events().await, []);
}

#[tokio::test(start_paused = true)]
async fn outage_extends_the_no_show_deadline() {
    let mut bench = Bench::new(Memory::default());
    let room = bench.start(TimeControl::PerMove { move_ms: 10 * MOVE_MS }).await;
    drop(room);
    let begun = bench.now();
    bench.outage(begun + 10_000, begun + 30_000);
    advance(30_000).await;
    let mut eve = Guest::new(3, "eve");
    let room = bench.reopen().await;
    eve.join(&room).await;
    let aborted = loop {
        if let EventBody::Aborted(aborted) = eve.next_event().await {
            break aborted;
        }
    };
    assert_eq!(aborted.reason, adamant_protocol::event::AbortReason::NoShow);
    assert_eq!(bench.now(), begun + 20_000 + adamant_rules::clock::NO_SHOW_MS);
}
