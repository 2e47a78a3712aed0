//! W7: spectators of whom some never read, and what their players notice of it.

use std::{cell::RefCell, io, sync::Arc, thread, time::Duration};

use anyhow::Result;
use futures::future::{join_all, try_join_all};
use serde_json::json;
use tokio::{
    sync::oneshot,
    task::{JoinSet, LocalSet},
    time::{Instant, sleep},
};

use super::{
    Bench,
    fan_out::{Arrived, listen, play, watch, watchers},
    idle::count,
    measured,
};
use crate::load::{
    metrics,
    peer::Peer,
    report::{Latency, histogram},
    script::longest,
    seating::{Pair, greeted, pair},
    subject::{Program, Subject},
    workload,
};

/// Moves of each game: enough for a 99th percentile.
const PLIES: usize = 300;

/// How often each of those who do not read asks for all of an earlier game: together more than
/// the system buffers for a socket on its own machine, which is some megabytes.
const UNREAD_GAMES: usize = 50;

/// The number of the first of them.
const SILENT_FROM: usize = 120_000;

/// How far the spectators' thread gives way: as far as can be.
const GIVE_WAY: i32 = 19;

/// How long after the last move those who do not read may still have a session. A write that
/// stalls may take ten seconds, and its end be counted some seconds later.
const CUT_OFF_WITHIN: Duration = Duration::from_secs(20);

/// How often it is looked whether they have.
const LOOK_AGAIN: Duration = Duration::from_millis(500);

/// How soon after that their connections are closed, once they read what there is.
const GOODBYE_WITHIN: Duration = Duration::from_secs(10);

/// A game watched by so many, of whom some never read, and the same game without spectators.
pub async fn unread(bench: &mut Bench<'_>, spectators: usize, never_read: usize) -> Result<()> {
    let program = Program::Adamant;
    let subject = Subject::start(program, bench.launch)?;
    let before = cut_off_by(&subject).await?;
    let script = longest(PLIES);
    let mut earlier = pair(&subject, 0, &script).await?;
    let nobody = Arrived::new(0);
    play(&mut earlier, &nobody, &RefCell::new(histogram()), Duration::ZERO).await?;

    let mut watched = pair(&subject, 1, &script).await?;
    let mut silent = silent(&subject, &watched, &earlier, never_read).await?;
    let reading = spectators - never_read;
    let took =
        game(bench, &subject, &mut watched, workload::WATCHED, reading, Duration::ZERO).await?;
    // At the same pace: a disk and a processor that have just been used answer sooner.
    let rest = took / u32::try_from(PLIES)?;
    let mut alone = pair(&subject, 2, &script).await?;
    game(bench, &subject, &mut alone, workload::UNWATCHED, 0, rest).await?;

    // To look whether a connection is closed is to read, which gives a session back its life: so not
    // before the server says that it has ended them, or has had the time to.
    let deadline = Instant::now() + CUT_OFF_WITHIN;
    while Instant::now() < deadline {
        let ended = cut_off_by(&subject).await?.unwrap_or(0.0) - before.unwrap_or(0.0);
        if ended >= count(never_read) {
            break;
        }
        sleep(LOOK_AGAIN).await;
    }
    let closing = silent.iter_mut().map(|peer| peer.closes_within(GOODBYE_WITHIN));
    let cut_off = join_all(closing).await.into_iter().filter(|is_closed| *is_closed).count();
    bench.enter(workload::NOT_CUT_OFF, program, count(never_read - cut_off), "sockets");
    let Some(counted) = cut_off_by(&subject).await? else {
        bench.report.note("W7: the server does not count at /metrics why sessions ended.");
        return Ok(());
    };
    let counted = counted - before.unwrap_or(0.0);
    bench.enter(workload::NOT_COUNTED, program, (count(cut_off) - counted).max(0.0), "sockets");
    Ok(())
}

/// Plays a game while so many watch and read, and enters how long moves took to the other player.
/// Says how long the game took.
async fn game(
    bench: &mut Bench<'_>,
    subject: &Subject,
    pair: &mut Pair,
    name: &str,
    spectators: usize,
    rest: Duration,
) -> Result<Duration> {
    let arrived = Arc::new(Arrived::new(spectators));
    let watchers = watchers(subject, pair, 0, spectators).await?;
    let _listening = listen_apart(watchers, subject.program, Arc::clone(&arrived))?;
    let latencies = RefCell::new(histogram());
    let (phase, ()) = measured(subject, play(pair, &arrived, &latencies, rest)).await?;
    let latency = Latency::from(&*latencies.borrow());
    bench.enter_cpu(name, subject.program, &phase, pair.frames.len() as u64, Some(latency));
    Ok(phase.took)
}

/// Listens to all of them on a thread that gives way to the players', who share its core: a move
/// that waits there behind thousands of spectators' events says nothing of the server. It listens
/// until what is given back is dropped.
fn listen_apart(
    watchers: Vec<Peer>,
    program: Program,
    arrived: Arc<Arrived>,
) -> Result<oneshot::Sender<()>> {
    let watchers = watchers.into_iter().map(Peer::detach).collect::<io::Result<Vec<_>>>()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let (go_on, stop) = oneshot::channel();
    thread::spawn(move || {
        // Of this thread alone. If it cannot be, the figures are only worse.
        let _niceness = rustix::process::nice(GIVE_WAY);
        LocalSet::new().block_on(&runtime, async {
            let mut listening = JoinSet::new();
            for watcher in watchers {
                let watcher = watcher.attach().expect("it was in a runtime before");
                listening.spawn_local(listen(watcher, program, Arc::clone(&arrived)));
            }
            // Nothing is sent: it is over when the sender is dropped.
            let _over = stop.await;
        });
    });
    Ok(go_on)
}

/// Sockets that watch a game, take in little, ask for all of another game again and again, and
/// read nothing of it.
async fn silent(
    subject: &Subject,
    watched: &Pair,
    earlier: &Pair,
    count: usize,
) -> Result<Vec<Peer>> {
    let request = json!({"type":"watch","id":"s","game":earlier.game,"from":1}).to_string();
    let request = &request;
    let joining = (0..count).map(|number| async move {
        let number = SILENT_FROM + number;
        let peer = Peer::connect_narrow(subject.address(), number).await?;
        let mut peer = watch(greeted(subject, peer, number).await?, watched, 0).await?;
        for _ in 0..UNREAD_GAMES {
            peer.send(request).await?;
        }
        anyhow::Ok(peer)
    });
    try_join_all(joining).await
}

/// How many sessions the server says it has ended because they did not read; `None` if it does not
/// say.
async fn cut_off_by(subject: &Subject) -> Result<Option<f64>> {
    let name = "adamant_sessions_ended_total";
    metrics::counter(subject.address(), name, r#"cause="slow consumer""#).await
}
