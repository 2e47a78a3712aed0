//! From a connection to its welcome.

use anyhow::{Context as _, Result, ensure};
use futures::future::try_join_all;
use memchr::memmem::Finder;
use serde_json::{Value, json};

use super::{Bench, measured, memory::live_rooms};
use crate::{
    peer::{Peer, guest, hello, longest, pair},
    target::{Program, Target},
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
