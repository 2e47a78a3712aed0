//! The power goes. `kill -9` cannot show what a sync is for: what was written stays in the
//! operating system's hands and reaches the disk all the same. So a server is watched while it is
//! busy, every call of it that writes or syncs is written down, and what a disk may hold if the
//! power had gone at some moment is put together from that: all that was synced, and of what was
//! not whatever chance leaves, torn pieces included. On each such disk the product is started, and
//! must have every record that had left the watched server by that moment.
//!
//! The control is the same run as it would have been with `synchronous=NORMAL`. That setting leaves
//! out the sync at the end of each commit and nothing else, so leaving those out of what was written
//! down gives the disks of such a run without a server that could be set so.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use adamant_protocol::{EventFrame, ids::Chain};
use adamant_record::chain_after;
use adamant_server::{
    app::App,
    config::Config,
    maintenance::{self, RatingsTask},
    runtime::shutdown::NoSignals,
};
use rand::{RngExt as _, SeedableRng as _, rngs::SmallRng};
use tokio::{
    sync::{oneshot, watch},
    time::timeout,
};

use super::disk::{Disk, Files, Synchronous};
use super::sent::{Games, Told, What};
use super::trace::{Call, Moment};
use super::{disk, sent, trace};
use crate::durability::crash::{
    checker::Witness,
    player::World,
    random_kills::{PLAYERS, reach},
};
use crate::harness::{PATIENCE, Server, http};

/// Moments at which the power goes.
const CUTS: usize = 200;

/// How often the watched server's log is copied into its database and begun anew, at the least:
/// that is where most can go wrong.
const CHECKPOINTS: usize = 2;

/// After how many acknowledgements it is looked whether that has happened.
const ACKS_BETWEEN_LOOKS: u64 = 100;

/// The most acknowledgements: four times what it takes as a rule.
const ACKS_MAX: u64 = 10_000;

/// A server's busy life, written down.
struct Life {
    /// Its directory, and what lay there before and after.
    data: PathBuf,
    before: Files,
    after: Files,
    calls: Vec<Call>,
    end: Moment,
    /// What its players say that they were told.
    witness: Witness,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_power_cut_takes_nothing_that_was_told() {
    let seed: u64 = rand::rng().random();
    println!("seed {seed}");
    let mut rng = SmallRng::seed_from_u64(seed);
    let life = watch_a_life(&mut rng).await;
    let told = sent::read(&life.calls);
    println!("{} calls, {} games told of", life.calls.len(), told.len());
    is_all_that_players_were_told(&told, &life.witness);

    let disk = Disk::new(life.before.clone(), &life.data, &life.calls, Synchronous::Full);
    let is_left = disk.is_left_at(life.end, &life.after);
    assert!(is_left, "the disk is not what the calls have made of it");
    assert!(disk.checkpoints >= CHECKPOINTS, "only {} checkpoints", disk.checkpoints);
    for cut in 0..CUTS {
        let moment = rng.random_range(0..=life.end);
        let files = disk.cut(moment, &mut rng);
        if let Err(why) = examine(&files, &told, moment).await {
            panic!("seed {seed}, cut {cut} at {moment} of {}: {why}", life.end);
        }
    }

    let careless = Disk::new(life.before, &life.data, &life.calls, Synchronous::Normal);
    let mut lost = None;
    for _ in 0..CUTS {
        let moment = rng.random_range(0..=life.end);
        let files = careless.cut(moment, &mut rng);
        lost = lost.or(examine(&files, &told, moment).await.err());
        if lost.is_some() {
            break;
        }
    }
    println!("with synchronous=NORMAL: {}", lost.expect("commits that are not synced get lost"));
}

/// Has players keep a server busy while strace looks on.
async fn watch_a_life(rng: &mut SmallRng) -> Life {
    let mut server = Server::with(|setup| {
        setup.argument("--no-limits");
        setup.argument("--no-house");
        // Enough happens until it is copied twice.
        setup.set("store", "log_mib", 4);
    })
    .await;
    // What is on the disk from before is safe: nobody is interested in how it came there.
    server.stop().await;
    let data = fs::canonicalize(server.data()).expect("it is there");
    let before = disk::files(&data).expect("it can be read");

    let pipe = tempfile::tempdir().expect("the system has room for temporary files");
    let path = pipe.path().join("trace");
    let made = Command::new("mkfifo").arg(&path).status().expect("mkfifo can be run");
    assert!(made.success(), "no pipe for the trace");
    let trace = read_to_end(path.clone());
    let found = Command::new("strace").arg("-V").output();
    assert!(found.is_ok(), "strace is missing: cargo xtask setup installs it (Debian: strace)");
    // As a grandchild, strace leaves the server our own child, to be killed like any other.
    let calls = format!("trace={}", trace::CALLS);
    let text_max = trace::TEXT_MAX.to_string();
    let path = path.to_str().expect("a path that is text");
    let strace = ["strace", "-D", "-f", "-y", "--seccomp-bpf", "-s", &text_max, "-e", &calls];
    server.setup().run_by(&[&strace[..], &["-o", path]].concat());
    server.restart().await;

    let (_told, address) = watch::channel(server.address());
    let world = World::new(PLAYERS, address);
    let mut playing = world.play(rng).await;
    let written = || fs::metadata(data.join(disk::DATABASE)).and_then(|found| found.modified());
    let (mut last, mut target, mut checkpoints) = (written().expect("a file"), 0, 0);
    let mut under_way = false;
    while checkpoints < CHECKPOINTS {
        target += ACKS_BETWEEN_LOOKS;
        assert!(target <= ACKS_MAX, "the log is never copied into the database");
        assert!(reach(&world.acked, target, &mut playing).await, "the games stand still");
        // Nothing else writes to the database itself. One copy may be seen more than once while it
        // is made, and the log is begun anew only with what is written next.
        let now = written().expect("a file");
        let goes_on = now != last;
        checkpoints += usize::from(under_way && !goes_on);
        (last, under_way) = (now, goes_on);
    }
    world.stop.cancel();
    let mut witness = Witness::default();
    while let Some(player) = timeout(PATIENCE, playing.join_next()).await.expect("in time") {
        witness.absorb(player.expect("no player has found fault").witness);
    }
    server.kill9().await;
    let trace = timeout(PATIENCE, trace).await.expect("strace ends").expect("it was read");
    let (calls, end) = trace::read(&trace);
    let after = disk::files(&data).expect("it can be read");
    Life { data, before, after, calls, end, witness }
}

/// Reads a pipe in a thread of its own, which nobody waits for should the pipe never be opened.
fn read_to_end(path: PathBuf) -> oneshot::Receiver<Vec<u8>> {
    let (sender, receiver) = oneshot::channel();
    std::thread::spawn(move || {
        let trace = fs::read(path).expect("the pipe can be read");
        sender.send(trace).expect("it is waited for");
    });
    receiver
}

/// A trace that leaves out what players were told would show too little.
fn is_all_that_players_were_told(told: &Games, witness: &Witness) {
    let all = || told.values().flatten();
    let events: BTreeSet<&str> = all()
        .filter_map(|told| match &told.what {
            What::Event(record) => Some(record.as_str()),
            What::Carried(_) | What::Known => None,
        })
        .collect();
    for shown in &witness.shown {
        assert!(events.contains(&*shown.text), "{} was shown, and not seen leaving", shown.text);
    }
    let acks: BTreeSet<(&str, u64)> = all()
        .filter_map(|told| match &told.what {
            What::Carried(request) => Some((request.as_str(), told.seq)),
            What::Event(_) | What::Known => None,
        })
        .collect();
    assert!(!witness.acks.is_empty());
    for ack in &witness.acks {
        assert!(acks.contains(&(&*ack.req, ack.seq)), "{ack:?} was not seen leaving");
    }
}

/// Starts the product on such a disk and asks it for every game that anybody had been told of.
async fn examine(files: &Files, told: &Games, moment: Moment) -> Result<(), String> {
    let directory = tempfile::tempdir().expect("the system has room for temporary files");
    for (name, content) in files {
        fs::write(directory.path().join(name), content).expect("it can be written");
    }
    let mut config = Config::default();
    config.network.listen = ([127, 0, 0, 1], 0).into();
    config.store.data = directory.path().to_owned();
    config.limits.enforced = false;
    config.games.house = false;
    let app = App::start(&config).await.map_err(|error| error.to_string())?;
    // What was not synced is torn, and nothing of what was is damaged.
    let mut result = app.reads_only().map_or(Ok(()), Err);
    for (game, told) in told {
        let told = &told[..told.partition_point(|told| told.at < moment)];
        if told.is_empty() {
            continue;
        }
        let answer = http::ask_at(app.address, "GET", &format!("/v1/games/{game}/log")).await;
        let status = answer.status;
        let log = answer.text().await;
        let found = if status == 200 { has_all(&log, told) } else { Err(log) };
        result = result.and(found.map_err(|why| format!("{game}: {why}")));
    }
    app.lifecycle.soft.cancel();
    app.lifecycle.run(NoSignals).await;
    app.close_store().await;
    drop(app);
    result.and_then(|()| ratings_are_whole(directory.path()))
}

/// Whether a game's records are a whole chain with everything in it that was told of it. What they
/// mean is not looked at here.
fn has_all(log: &str, told: &[Told]) -> Result<(), String> {
    let records: Vec<&str> = log.lines().collect();
    let mut chain = Chain::default();
    for (record, seq) in records.iter().zip(1..) {
        let (unsealed, sealed) = EventFrame::unseal(record.as_bytes()).ok_or("no chain")?;
        chain = chain_after(chain, &unsealed);
        if chain != sealed || !record.contains(&format!("\"seq\":{seq},")) {
            return Err(format!("record {seq} does not continue the chain: {record}"));
        }
    }
    for Told { seq, what, .. } in told {
        let index = usize::try_from(*seq).expect("a small number") - 1;
        let record = *records.get(index).ok_or(format!("record {seq} is lost: {what:?}"))?;
        let is_there = match what {
            What::Event(told) => record == told,
            What::Carried(request) => record.contains(&format!("\"req\":\"{request}\"")),
            What::Known => true,
        };
        if !is_there {
            return Err(format!("{what:?} was told, but on record is {record}"));
        }
    }
    Ok(())
}

/// Games that count have ended together with what they made of the ratings, or not at all.
fn ratings_are_whole(data: &Path) -> Result<(), String> {
    let findings =
        maintenance::ratings(data, RatingsTask::Check).map_err(|error| error.to_string())?;
    if findings.is_well { Ok(()) } else { Err(findings.lines.join("\n")) }
}
