//! From a connection to its welcome; and several nodes on one database: moves between players on
//! different nodes, and `hello` after all connections are cut at once.

use std::{
    cell::{Cell, RefCell},
    ops::Range,
    time::Duration,
};

use anyhow::{Context as _, Result, ensure};
use futures::future::try_join_all;
use memchr::memmem::Finder;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use super::{
    Bench, measured,
    memory::live_rooms,
    moves::{
        MOVES_MIN, PLIES, SETUP_AT_ONCE, Times, closed_loop, micros_since, play_paced, reseat_all,
        seat_all,
    },
};
use crate::{
    peer::{Pair, Peer, guest, hello, longest, pair, scripts},
    report::{Latency, histogram},
    target::{self, Host as _, Launch, NodeCluster, Placement, Program, Target},
    workload_names,
};

/// Connections made at the same time.
const AT_ONCE: usize = 32;

/// One new guest for this many connections, because each is stored before the welcome.
const CONNECTIONS_PER_GUEST: usize = 4;

/// Connects this often: on a baseline the bare handshake, on the real server also as a new guest
/// and with a token.
pub(crate) async fn accept(
    bench: &mut Bench<'_>,
    program: Program,
    connections: usize,
) -> Result<()> {
    let target = Target::start(program, bench.launch)?;
    let address = target.address();
    let bare = repeat(connections, AT_ONCE, |number| async move {
        Peer::connect(address, number).await.map(drop)
    });
    let (phase, ()) = measured(&target, bare).await?;
    bench.add_cpu(workload_names::CONNECT, program, &phase, connections as u64, None);
    if program != Program::Adamant {
        return Ok(());
    }
    let mut first = Peer::connect(address, 0).await?;
    let welcome = hello(&mut first, &json!({"guest":"first"})).await?;
    let token = welcome["token"].as_str().context("a guest gets a token")?.to_owned();
    let guests = connections / CONNECTIONS_PER_GUEST;
    let as_guests = repeat(guests, AT_ONCE, |number| async move {
        let mut peer = Peer::connect(address, number).await?;
        hello(&mut peer, &json!({"guest": format!("n{number}")})).await.map(drop)
    });
    let (phase, ()) = measured(&target, as_guests).await?;
    bench.add_cpu(workload_names::CONNECT_NEW, program, &phase, guests as u64, None);
    let auth: &Value = &json!({ "token": token });
    let with_token = repeat(connections, AT_ONCE, |number| async move {
        let mut peer = Peer::connect(address, number).await?;
        hello(&mut peer, auth).await.map(drop)
    });
    let (phase, ()) = measured(&target, with_token).await?;
    bench.add_cpu(workload_names::CONNECT_TOKEN, program, &phase, connections as u64, None);
    Ok(())
}

/// Runs `one` this often, a few at a time.
pub(crate) async fn repeat<F>(times: usize, at_once: usize, one: impl Fn(usize) -> F) -> Result<()>
where
    F: Future<Output = Result<()>>,
{
    let lanes = (0..at_once).map(|lane| {
        let one = &one;
        async move {
            for number in (lane..times).step_by(at_once) {
                one(number).await?;
            }
            anyhow::Ok(())
        }
    });
    try_join_all(lanes).await.map(drop)
}

/// Kills and restarts the real server with this many live games in its journal.
pub(crate) async fn recovery(bench: &mut Bench<'_>, games: usize) -> Result<()> {
    let target = Target::start(Program::Adamant, bench.launch)?;
    let players = live_rooms(&target, games, 0, None).await?;
    let (again, took) = target.crash_and_restart(bench.launch)?;
    let found = again.recovered();
    ensure!(found.live == games, "{games} games were live before the crash, then {found:?}");
    drop((players, again));
    let name = workload_names::recovery(games);
    bench.add(&name, Program::Adamant, took.as_secs_f64(), "s");
    Ok(())
}

/// How often each request is sent.
const TIMES: usize = 2_000;

/// Requests the snapshot of a game with this many plies, and all its events.
pub(crate) async fn reading(bench: &mut Bench<'_>, plies: usize) -> Result<()> {
    let target = Target::start(Program::Adamant, bench.launch)?;
    let script = longest(plies);
    let mut pair = pair(&target, 0, &script).await?;
    for (mover, frame) in &pair.frames {
        pair.peers[*mover].send_frame(frame).await?;
        pair.peers[*mover].text_with(&Finder::new(r#""type":"ok""#)).await?;
    }
    let mut watcher = guest(&target, 10).await?;
    let snapshots = async {
        for _ in 0..TIMES {
            watcher.ask(&json!({"type":"watch","id":"w","game":pair.game})).await?;
        }
        Ok(())
    };
    let (phase, ()) = measured(&target, snapshots).await?;
    let name = script.kind.name();
    let workload = format!("reading: snapshot, {plies} plies of {name}");
    bench.add_cpu(&workload, Program::Adamant, &phase, TIMES as u64, None);
    let last = format!(r#""turn":{plies},"#);
    let tails = async {
        for _ in 0..TIMES / 10 {
            watcher.ask(&json!({"type":"watch","id":"w","game":pair.game,"from":1})).await?;
            watcher.text_with(&Finder::new(&last)).await?;
        }
        Ok(())
    };
    let (phase, ()) = measured(&target, tails).await?;
    let workload = format!("reading: replay, {plies} plies of {name}");
    bench.add_cpu(&workload, Program::Adamant, &phase, (TIMES / 10) as u64, None);
    Ok(())
}

/// Clients that dial at the same time after a cut: 500 for each node, which is half of the
/// handshakes that it takes at once.
const DIALS_AT_ONCE: usize = 1_500;

/// The pause before a client that was refused dials again.
const DIAL_AGAIN: Duration = Duration::from_millis(100);

/// How often a client dials.
const DIALS_MAX: u32 = 100;

/// The sizes of a measurement of several nodes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ClusterSizes {
    /// Rooms of the closed loop.
    pub(crate) rooms: usize,
    /// The fewest moves of the closed loop.
    moves: usize,
    /// Rooms and moves a second of each fixed rate. Each room plays one game.
    paced: [(usize, u32); 2],
    /// Sockets that are cut and come back.
    sockets: usize,
    /// The same through HAProxy, which needs two descriptors for each.
    balanced: usize,
}

impl ClusterSizes {
    pub(crate) const USUAL: Self = Self {
        rooms: 1_000,
        moves: MOVES_MIN,
        paced: [(100, 200), (400, 1_000)],
        sockets: 10_000,
        balanced: 5_000,
    };

    /// Shows in less than a minute that everything works.
    pub(crate) const QUICK: Self = Self {
        rooms: 200,
        moves: 6_000,
        paced: [(20, 200), (100, 1_000)],
        sockets: 1_000,
        balanced: 500,
    };
}

/// Measures a closed loop of moves on one core, as of the embedded server and the relay.
pub(crate) async fn cluster_moves(
    bench: &mut Bench<'_>,
    sizes: ClusterSizes,
    placement: Placement,
) -> Result<()> {
    let cluster = NodeCluster::start(bench.launch, placement).await?;
    let scripts = scripts(PLIES);
    let pairs = seat_all(&cluster, sizes.rooms, &scripts).await?;
    let (phase, count, times) = closed_loop(&cluster, pairs, &scripts, sizes.moves).await?;
    let name = workload_names::cluster_moves_on(sizes.rooms, placement);
    let latency = Latency::from(&times.ack);
    bench.add_cpu(&name, Program::Adamant, &phase, count, Some(latency));
    bench.add_parts(&name, Program::Adamant, &phase, count);
    Ok(())
}

/// Measures nodes that share all cores with the load client: the highest rate of moves, moves at
/// fixed rates, and `hello` after a cut of all connections, also through HAProxy.
pub(crate) async fn cluster_service(bench: &mut Bench<'_>, sizes: ClusterSizes) -> Result<()> {
    let cores = bench.launch.cores.map(|cores| cores.shared(true)).transpose()?;
    let launch = Launch { cores, ..bench.launch.clone() };
    let mut cluster = NodeCluster::start(&launch, Placement::APART).await?;
    let flush_launch = Launch { directory: cluster.folder().to_owned(), ..launch.clone() };
    bench.add_disk(
        workload_names::CLUSTER_FLUSH,
        target::flush_times(&flush_launch, false)?.median_us,
    );
    let scripts = scripts(PLIES);
    let mut pairs = seat_all(&cluster, sizes.rooms, &scripts).await?;
    for (rooms, per_s) in sizes.paced {
        let played = pace(bench, &cluster, pairs.drain(..rooms).collect(), per_s).await?;
        pairs.extend(reseat_all(&cluster, played, &scripts).await?);
    }
    let (phase, count, times) = closed_loop(&cluster, pairs, &scripts, sizes.moves).await?;
    let name = workload_names::cluster_all_cores(sizes.rooms);
    bench.add_cpu(&name, Program::Adamant, &phase, count, Some(Latency::from(&times.ack)));
    let direct = workload_names::cluster_hello(sizes.sockets);
    reconnect(bench, &cluster, &direct, 0..sizes.sockets).await?;
    cluster.balance(&launch)?;
    let balanced = workload_names::cluster_hello_balanced(sizes.balanced);
    let numbers = sizes.sockets..sizes.sockets + sizes.balanced;
    reconnect(bench, &cluster, &balanced, numbers).await
}

/// Plays a game in each room at a rate, and adds its cost and latencies.
async fn pace(
    bench: &mut Bench<'_>,
    cluster: &NodeCluster,
    pairs: Vec<Pair>,
    per_s: u32,
) -> Result<Vec<Pair>> {
    let times = Times::new();
    let (phase, pairs) = measured(cluster, play_paced(pairs, PLIES, per_s, &times)).await?;
    let (count, times) = (pairs.len() as u64 * PLIES as u64, times.into_inner());
    for (name, times) in [
        (workload_names::cluster_paced(per_s), &times.ack),
        (workload_names::cluster_event(per_s), &times.event),
    ] {
        bench.add_cpu(&name, Program::Adamant, &phase, count, Some(Latency::from(times)));
    }
    Ok(pairs)
}

/// Connects new guests of these numbers, and cuts all of them off at once. Measures until each has
/// its welcome again.
async fn reconnect(
    bench: &mut Bench<'_>,
    cluster: &NodeCluster,
    name: &str,
    numbers: Range<usize>,
) -> Result<()> {
    let (first, sockets) = (numbers.start, numbers.len());
    let (tokens, before) = (RefCell::new(vec![Value::Null; sockets]), peers(sockets));
    let arriving = repeat(sockets, SETUP_AT_ONCE, |number| {
        let (tokens, before) = (&tokens, &before);
        async move {
            let mut peer = Peer::connect(cluster.address_of(number), number).await?;
            let name = format!("r{}", first + number);
            let welcome = hello(&mut peer, &json!({ "guest": name })).await?;
            tokens.borrow_mut()[number] = json!({"token": welcome["token"]});
            before.borrow_mut().push(peer);
            Ok(())
        }
    });
    arriving.await?;
    let (tokens, before) = (tokens.into_inner(), before.into_inner());
    let (times, failed, back) = (RefCell::new(histogram()), Cell::new(0_u32), peers(sockets));
    let returning = async {
        let cut = Instant::now();
        drop(before);
        let one = |number: usize| {
            let (auth, times, failed, back) = (&tokens[number], &times, &failed, &back);
            async move {
                let peer = dial_until_welcome(cluster, number, auth, failed).await?;
                times.borrow_mut().saturating_record(micros_since(cut));
                back.borrow_mut().push(peer);
                Ok(())
            }
        };
        repeat(sockets, DIALS_AT_ONCE, one).await
    };
    let (phase, ()) = measured(cluster, returning).await?;
    let (latency, count) = (Latency::from(&*times.borrow()), sockets as u64);
    bench.add_cpu(name, Program::Adamant, &phase, count, Some(latency));
    bench.add_parts(name, Program::Adamant, &phase, count);
    let (all_back, failures) = (workload_names::all_back(name), workload_names::failed(name));
    bench.add(&all_back, Program::Adamant, phase.took.as_secs_f64(), "s");
    bench.add(&failures, Program::Adamant, failed.get().into(), "dials");
    Ok(())
}

fn peers(sockets: usize) -> RefCell<Vec<Peer>> {
    RefCell::new(Vec::with_capacity(sockets))
}

/// Dials until the client has its welcome. Counts the dials that failed.
async fn dial_until_welcome(
    cluster: &NodeCluster,
    number: usize,
    auth: &Value,
    failed: &Cell<u32>,
) -> Result<Peer> {
    let dial = async || {
        let mut peer = Peer::connect(cluster.address_of(number), number).await?;
        hello(&mut peer, auth).await?;
        anyhow::Ok(peer)
    };
    for _ in 1..DIALS_MAX {
        if let Ok(peer) = dial().await {
            return Ok(peer);
        }
        failed.set(failed.get() + 1);
        sleep(DIAL_AGAIN).await;
    }
    dial().await.with_context(|| format!("client {number} was refused {DIALS_MAX} times"))
}
