//! One room and its spectators; every event goes to all of them.

use std::{
    cell::RefCell,
    io,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use anyhow::Result;
use futures::future::{join_all, try_join_all};
use hdrhistogram::Histogram;
use memchr::memmem::Finder;
use serde_json::json;
use tokio::{
    sync::{Notify, oneshot},
    task::{JoinSet, LocalSet},
    time::{Instant, sleep},
};

use super::{
    Bench, Phase, measured,
    memory::count,
    moves::{PLIES, SETUP_AT_ONCE, micros_since},
};
use crate::{
    machine,
    peer::{Pair, Peer, greeted, guest, longest, pair, scripts},
    report::{Latency, histogram},
    target::{Program, Target},
    workload_names,
};

/// The fewest deliveries of one measurement.
const DELIVERIES_MIN: usize = 150_000;

/// The number of the first spectator; each room has others.
const SPECTATORS_FROM: usize = 100_000;

/// Measures one room with this many spectators.
pub(crate) async fn fan_out(
    bench: &mut Bench<'_>,
    program: Program,
    spectators: usize,
) -> Result<()> {
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
pub(crate) struct Arrived {
    spectators: usize,
    count: AtomicUsize,
    complete: Notify,
}

impl Arrived {
    pub(crate) fn new(spectators: usize) -> Self {
        Self { spectators, count: AtomicUsize::new(0), complete: Notify::new() }
    }

    fn one_more(&self) {
        if self.count.fetch_add(1, Ordering::AcqRel) + 1 == self.spectators {
            self.complete.notify_one();
        }
    }

    /// Waits until all of them have received it, and starts the count again.
    pub(crate) async fn all(&self) {
        if self.spectators > 0 {
            self.complete.notified().await;
            self.count.store(0, Ordering::Release);
        }
    }
}

/// Connects sockets that watch the pair's room.
pub(crate) async fn watchers(
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
pub(crate) async fn watch(mut watcher: Peer, pair: &Pair, room: usize) -> Result<Peer> {
    if pair.game.is_empty() {
        watcher.send(&format!("room {room}")).await?;
        watcher.text().await?;
    } else {
        watcher.ask(&json!({"type":"watch","id":"w","game":pair.game})).await?;
    }
    Ok(watcher)
}

/// Reads until the socket closes.
pub(crate) async fn listen(mut watcher: Peer, program: Program, arrived: Arc<Arrived>) {
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
pub(crate) async fn play(
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

/// Moves of each game: enough for a 99th percentile.
const STALLED_PLIES: usize = 300;

/// How often each stalled spectator requests a whole earlier game: together more than the socket
/// buffers on one machine hold, which is some megabytes.
const UNREAD_GAMES: usize = 50;

/// The number of the first stalled spectator.
const STALLED_FROM: usize = 120_000;

/// How long after the last move a stalled spectator may stay connected. A stalled write may take
/// ten seconds, and the server counts its end some seconds later.
const CLOSED_WITHIN: Duration = Duration::from_secs(20);

/// How often to check whether the server has closed them.
const CHECK_EVERY: Duration = Duration::from_millis(500);

/// How soon after that their connections end once they read.
const GOODBYE_WITHIN: Duration = Duration::from_secs(10);

/// Plays a game with this many spectators, of whom some never read, and the same game without
/// spectators.
pub(crate) async fn stalled_readers(
    bench: &mut Bench<'_>,
    spectators: usize,
    never_read: usize,
) -> Result<()> {
    let program = Program::Adamant;
    let target = Target::start(program, bench.launch)?;
    let before = closed_by(&target).await?;
    let script = longest(STALLED_PLIES);
    let mut earlier = pair(&target, 0, &script).await?;
    let no_spectators = Arrived::new(0);
    play(&mut earlier, &no_spectators, &RefCell::new(histogram()), Duration::ZERO).await?;

    let mut watched = pair(&target, 1, &script).await?;
    let mut stalled_spectators =
        stalled_spectators(&target, &watched, &earlier, never_read).await?;
    let reading = spectators - never_read;
    let took = game(bench, &target, &mut watched, workload_names::WATCHED, reading, Duration::ZERO)
        .await?;
    // At the same rate, because a disk and a processor in use respond sooner.
    let rest = took / u32::try_from(STALLED_PLIES)?;
    let mut alone = pair(&target, 2, &script).await?;
    // The spectators that read have left, and the server closes thousands of connections.
    target.settle().await?;
    game(bench, &target, &mut alone, workload_names::UNWATCHED, 0, rest).await?;

    // Checking a connection means reading from it, which revives its session. So the check waits
    // until the server reports the closes or has had the time for them.
    let deadline = Instant::now() + CLOSED_WITHIN;
    while Instant::now() < deadline {
        let ended = closed_by(&target).await?.unwrap_or(0.0) - before.unwrap_or(0.0);
        if ended >= count(never_read) {
            break;
        }
        sleep(CHECK_EVERY).await;
    }
    let closing = stalled_spectators.iter_mut().map(|peer| peer.closes_within(GOODBYE_WITHIN));
    let closed = join_all(closing).await.into_iter().filter(|is_closed| *is_closed).count();
    bench.add(workload_names::NOT_CLOSED, program, count(never_read - closed), "sockets");
    let Some(counted) = closed_by(&target).await? else {
        bench
            .report
            .note("stalled readers: the server does not count at /metrics why sessions ended.");
        return Ok(());
    };
    let counted = counted - before.unwrap_or(0.0);
    bench.add(workload_names::NOT_COUNTED, program, (count(closed) - counted).max(0.0), "sockets");
    Ok(())
}

/// Plays a game with reading spectators and adds the latency to the other player. Returns the
/// duration of the game.
async fn game(
    bench: &mut Bench<'_>,
    target: &Target,
    pair: &mut Pair,
    name: &str,
    spectators: usize,
    rest: Duration,
) -> Result<Duration> {
    let arrived = Arc::new(Arrived::new(spectators));
    let watchers = watchers(target, pair, 0, spectators).await?;
    let _listening = listen_apart(watchers, target.program, Arc::clone(&arrived))?;
    let latencies = RefCell::new(histogram());
    let (phase, ()) = measured(target, play(pair, &arrived, &latencies, rest)).await?;
    let latency = Latency::from(&*latencies.borrow());
    bench.add_cpu(name, target.program, &phase, pair.frames.len() as u64, Some(latency));
    Ok(phase.took)
}

/// Reads for all spectators on a thread with a lower priority than the players' thread on the same
/// core, so that a move does not wait behind thousands of events there. Reads until the returned
/// sender is dropped.
fn listen_apart(
    watchers: Vec<Peer>,
    program: Program,
    arrived: Arc<Arrived>,
) -> Result<oneshot::Sender<()>> {
    let watchers = watchers.into_iter().map(Peer::detach).collect::<io::Result<Vec<_>>>()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let (go_on, stop) = oneshot::channel();
    thread::spawn(move || {
        machine::give_way();
        LocalSet::new().block_on(&runtime, async {
            let mut listening = JoinSet::new();
            for watcher in watchers {
                let watcher = watcher.attach().expect("it was in a runtime before");
                listening.spawn_local(listen(watcher, program, Arc::clone(&arrived)));
            }
            // Ends when the sender is dropped; no message is sent.
            drop(stop.await);
        });
    });
    Ok(go_on)
}

/// Connects spectators with small receive buffers that request another whole game again and again
/// and read nothing.
async fn stalled_spectators(
    target: &Target,
    watched: &Pair,
    earlier: &Pair,
    count: usize,
) -> Result<Vec<Peer>> {
    let request = json!({"type":"watch","id":"s","game":earlier.game,"from":1}).to_string();
    let request = &request;
    let joining = (0..count).map(|number| async move {
        let number = STALLED_FROM + number;
        let peer = Peer::connect_narrow(target.address(), number).await?;
        let mut peer = watch(greeted(target, peer, number).await?, watched, 0).await?;
        for _ in 0..UNREAD_GAMES {
            peer.send(request).await?;
        }
        anyhow::Ok(peer)
    });
    try_join_all(joining).await
}

/// Returns how many sessions the server has closed as slow consumers; `None` if it does not count
/// them.
async fn closed_by(target: &Target) -> Result<Option<f64>> {
    let name = "adamant_sessions_ended_total";
    machine::counter(target.address(), name, r#"cause="slow consumer""#).await
}
