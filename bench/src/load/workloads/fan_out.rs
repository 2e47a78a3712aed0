//! One room and its spectators; every event goes to all of them.

use std::{
    cell::RefCell,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use anyhow::Result;
use futures::future::try_join_all;
use hdrhistogram::Histogram;
use memchr::memmem::Finder;
use serde_json::json;
use tokio::{
    sync::Notify,
    task::JoinSet,
    time::{Instant, sleep},
};

use super::{
    measurement::{Bench, Phase, measured},
    moves::{PLIES, SETUP_AT_ONCE, micros_since},
};
use crate::load::{
    peer::Peer,
    report::{Latency, histogram},
    script::scripts,
    setup::{Pair, guest, pair},
    target::{Program, Target},
    workload_names,
};

/// The fewest deliveries of one measurement.
const DELIVERIES_MIN: usize = 150_000;

/// The number of the first spectator; each room has others.
const SPECTATORS_FROM: usize = 100_000;

/// Measures one room with this many spectators.
pub async fn fan_out(bench: &mut Bench<'_>, program: Program, spectators: usize) -> Result<()> {
    let target = Target::start(program, bench.launch)?;
    let arrived = Arc::new(Arrived::new(spectators));
    let mut listening = JoinSet::new();
    let rooms = DELIVERIES_MIN.div_ceil(spectators * PLIES).max(1);
    let scripts = scripts(PLIES);
    let latencies = RefCell::new(histogram());
    let mut total = Phase::nothing();
    for room in 0..rooms {
        listening.shutdown().await;
        let mut pair = pair(&target, room, &scripts[room % scripts.len()]).await?;
        let mut watchers = watchers(&target, &pair, room, spectators).await?;
        if program == Program::Adamant {
            await_presence(&mut watchers).await?;
        }
        for watcher in watchers {
            listening.spawn_local(listen(watcher, program, Arc::clone(&arrived)));
        }
        let playing = play(&mut pair, &arrived, &latencies, Duration::ZERO);
        let (phase, ()) = measured(&target, playing).await?;
        total = total.and(&phase);
    }
    let deliveries = rooms * PLIES * spectators;
    let latency = Latency::from(&*latencies.borrow());
    let name = workload_names::fan_out(spectators);
    bench.add_cpu(&name, program, &total, deliveries as u64, Some(latency));
    Ok(())
}

/// Waits until all spectators have heard of all of them. The server says it some time after the
/// last one has joined, and a move at that moment would wait for thousands of reads here.
async fn await_presence(watchers: &mut [Peer]) -> Result<()> {
    let all = format!(r#""spectators":{}"#, watchers.len());
    let all = Finder::new(&all);
    for watcher in watchers {
        watcher.text_with(&all).await?;
    }
    Ok(())
}

/// Counts the spectators that have received an event.
#[derive(Debug)]
pub(super) struct Arrived {
    spectators: usize,
    count: AtomicUsize,
    complete: Notify,
}

impl Arrived {
    pub(super) fn new(spectators: usize) -> Self {
        Self { spectators, count: AtomicUsize::new(0), complete: Notify::new() }
    }

    fn one_more(&self) {
        if self.count.fetch_add(1, Ordering::AcqRel) + 1 == self.spectators {
            self.complete.notify_one();
        }
    }

    /// Waits until all of them have received it, and starts the count again.
    pub(super) async fn all(&self) {
        if self.spectators > 0 {
            self.complete.notified().await;
            self.count.store(0, Ordering::Release);
        }
    }
}

/// Connects sockets that watch the pair's room.
pub(super) async fn watchers(
    target: &Target,
    pair: &Pair,
    room: usize,
    count: usize,
) -> Result<Vec<Peer>> {
    let mut watchers = Vec::with_capacity(count);
    for chunk in (0..count).collect::<Vec<_>>().chunks(SETUP_AT_ONCE) {
        let joining = chunk.iter().map(|&number| async move {
            let watcher = guest(target, SPECTATORS_FROM + room * count + number).await?;
            watch(watcher, pair, room).await
        });
        watchers.extend(try_join_all(joining).await?);
    }
    Ok(watchers)
}

/// Lets a socket watch the pair's room.
pub(super) async fn watch(mut watcher: Peer, pair: &Pair, room: usize) -> Result<Peer> {
    if pair.game.is_empty() {
        watcher.send(&format!("room {room}")).await?;
        watcher.text().await?;
    } else {
        watcher.ask(&json!({"type":"watch","id":"w","game":pair.game})).await?;
    }
    Ok(watcher)
}

/// Reads until the socket closes.
pub(super) async fn listen(mut watcher: Peer, program: Program, arrived: Arc<Arrived>) {
    let moved = Finder::new(match program {
        Program::Adamant => r#""kind":"moved""#,
        Program::Relay | Program::Raw => "",
    });
    while watcher.text_with(&moved).await.is_ok() {
        arrived.one_more();
    }
}

/// Plays the game. Each move waits until all spectators have received the one before, and for
/// `rest`. Times each move until the other player receives it.
pub(super) async fn play(
    pair: &mut Pair,
    arrived: &Arrived,
    latencies: &RefCell<Histogram<u64>>,
    rest: Duration,
) -> Result<()> {
    let moved = Finder::new(if pair.game.is_empty() { "" } else { r#""kind":"moved""# });
    for (mover, frame) in &pair.frames {
        let sent = Instant::now();
        pair.peers[*mover].send_frame(frame).await?;
        pair.peers[1 - *mover].text_with(&moved).await?;
        latencies.borrow_mut().saturating_record(micros_since(sent));
        pair.peers[*mover].text_with(&moved).await?;
        arrived.all().await;
        if !rest.is_zero() {
            sleep(rest).await;
        }
    }
    Ok(())
}
