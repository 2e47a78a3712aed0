//! Power cuts. `kill -9` cannot show what a sync is for: what was written stays in the page cache
//! and still reaches the disk. So strace records every write and sync of a busy server, and the
//! test builds from that what a disk may hold if the power fails at some moment: all that was
//! synced and, of the rest, a random part with torn pieces. The server starts on each such disk and
//! must have every record that had left the recorded server by that moment.
//!
//! The control is the same run with `synchronous=NORMAL`. That setting leaves out the sync at the
//! end of each commit and nothing else. Leaving these syncs out of the recording gives the disks of
//! such a run.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
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
use serde_json::Value;
use tokio::{
    sync::{oneshot, watch},
    time::timeout,
};

use super::disk::{self, Call, Disk, Files, Moment, Synchronous};
use crate::{
    durability::crash::{
        checker::History,
        player::SharedState,
        random_kills::{PLAYERS, wait_for_acks},
    },
    harness::{self, PATIENCE, Server, http},
};

/// Moments at which the power fails, in the short and in the long form.
const CUTS: usize = 20;
const CUTS_LONG: usize = 200;

/// The fewest checkpoints of the recorded server: most can go wrong there.
const CHECKPOINTS: usize = 2;

/// Acknowledgements between two looks for a checkpoint.
const ACKS_BETWEEN_CHECKS: u64 = 100;

/// The most acknowledgements: four times the usual number.
const ACKS_MAX: u64 = 10_000;

/// The recording of a busy server.
struct Recording {
    /// The data directory, and its files before and after.
    data: PathBuf,
    before: Files,
    after: Files,
    calls: Vec<Call>,
    end: Moment,
    history: History,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_power_cut_loses_nothing_that_was_sent() {
    let seed: u64 = rand::rng().random();
    println!("seed {seed}");
    let mut rng = SmallRng::seed_from_u64(seed);
    let recording = record_a_run(&mut rng).await;
    let sent_frames = read(&recording.calls);
    println!("{} calls, {} games with sent frames", recording.calls.len(), sent_frames.len());
    assert_trace_is_complete(&sent_frames, &recording.history);

    let disk =
        Disk::new(recording.before.clone(), &recording.data, &recording.calls, Synchronous::Full);
    let wrong = disk.wrong_at(recording.end, &recording.after);
    assert_eq!(wrong, Vec::<String>::new(), "files that the traced calls do not lead to");
    assert!(disk.checkpoints >= CHECKPOINTS, "only {} checkpoints", disk.checkpoints);
    let cuts = if harness::is_long() { CUTS_LONG } else { CUTS };
    for cut in 0..cuts {
        let moment = rng.random_range(0..=recording.end);
        let files = disk.cut(moment, &mut rng);
        if let Err(why) = check_disk(&files, &sent_frames, moment).await {
            panic!("seed {seed}, cut {cut} at {moment} of {}: {why}", recording.end);
        }
    }

    let careless =
        Disk::new(recording.before, &recording.data, &recording.calls, Synchronous::Normal);
    let mut lost = None;
    for _ in 0..CUTS_LONG {
        let moment = rng.random_range(0..=recording.end);
        let files = careless.cut(moment, &mut rng);
        lost = lost.or(check_disk(&files, &sent_frames, moment).await.err());
        if lost.is_some() {
            break;
        }
    }
    println!("with synchronous=NORMAL: {}", lost.expect("commits that are not synced get lost"));
}

/// Lets players keep a server busy under strace.
async fn record_a_run(rng: &mut SmallRng) -> Recording {
    let mut server = Server::embedded(|setup| {
        setup.argument("--no-limits");
        setup.argument("--no-house");
        // Large enough to fill before two checkpoints.
        setup.set("store", "wal_mib", 4);
    })
    .await;
    // The files from before are safe and need no recording.
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
    // With `-D` strace is a grandchild, and the server stays this process's child, which can be
    // killed as usual.
    let calls = format!("trace={}", disk::CALLS);
    let text_max = disk::TEXT_MAX.to_string();
    let path = path.to_str().expect("a path that is text");
    let strace = ["strace", "-D", "-f", "-y", "--seccomp-bpf", "-s", &text_max, "-e", &calls];
    server.configure(|setup| setup.run_by(&[&strace[..], &["-o", path]].concat()));
    server.restart().await;

    let (_sender, address) = watch::channel(server.address());
    let shared = SharedState::new(PLAYERS, address);
    let mut playing = shared.play(rng).await;
    let written = || fs::metadata(data.join(disk::DATABASE)).and_then(|found| found.modified());
    let (mut last, mut target, mut checkpoints) = (written().expect("a file"), 0, 0);
    let mut under_way = false;
    while checkpoints < CHECKPOINTS {
        target += ACKS_BETWEEN_CHECKS;
        assert!(target <= ACKS_MAX, "the log is never copied into the database");
        assert!(wait_for_acks(&shared.acked, target, &mut playing).await, "the games stalled");
        // Only checkpoints write to the database file. One checkpoint may be seen more than once
        // while it runs, and the WAL restarts only with the next write.
        let now = written().expect("a file");
        let goes_on = now != last;
        checkpoints += usize::from(under_way && !goes_on);
        (last, under_way) = (now, goes_on);
    }
    shared.stop.cancel();
    let mut history = History::default();
    while let Some(player) = timeout(PATIENCE, playing.join_next()).await.expect("in time") {
        history.merge(player.expect("no player has failed").history);
    }
    server.kill().await;
    let trace = timeout(PATIENCE, trace).await.expect("strace ends").expect("it was read");
    let (calls, end) = disk::read(&trace);
    let after = disk::files(&data).expect("it can be read");
    Recording { data, before, after, calls, end, history }
}

/// Reads a pipe in its own thread, which is not joined in case the pipe never opens.
fn read_to_end(path: PathBuf) -> oneshot::Receiver<Vec<u8>> {
    let (sender, receiver) = oneshot::channel();
    std::thread::spawn(move || {
        let trace = fs::read(path).expect("the pipe can be read");
        sender.send(trace).expect("it is waited for");
    });
    receiver
}

/// Checks that the trace contains everything that players received.
fn assert_trace_is_complete(sent_frames: &SentByGame, history: &History) {
    let all = || sent_frames.values().flatten();
    let events: BTreeSet<&str> = all()
        .filter_map(|frame| match &frame.what {
            SentKind::Event(record) => Some(record.as_str()),
            SentKind::Acknowledged(_) | SentKind::Announced => None,
        })
        .collect();
    for event in &history.events {
        assert!(
            events.contains(&*event.text),
            "{} was received, but is not in the trace",
            event.text
        );
    }
    let acks: BTreeSet<(&str, u64)> = all()
        .filter_map(|frame| match &frame.what {
            SentKind::Acknowledged(request) => Some((request.as_str(), frame.seq)),
            SentKind::Event(_) | SentKind::Announced => None,
        })
        .collect();
    assert!(!history.acks.is_empty());
    for ack in &history.acks {
        assert!(acks.contains(&(&*ack.req, ack.seq)), "{ack:?} is not in the trace");
    }
}

/// Starts the server on such a disk and reads every game that had left the recorded server.
async fn check_disk(files: &Files, sent_frames: &SentByGame, moment: Moment) -> Result<(), String> {
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
    // Unsynced frames are torn, but synced ones are not damaged.
    let mut result = app.read_only().map_or(Ok(()), Err);
    for (game, frames) in sent_frames {
        let frames = &frames[..frames.partition_point(|frame| frame.at < moment)];
        if frames.is_empty() {
            continue;
        }
        let answer = http::ask_at(app.address, "GET", &format!("/v1/games/{game}/log")).await;
        let status = answer.status;
        let log = answer.text().await;
        let found = if status == 200 { check_records(&log, frames) } else { Err(log) };
        result = result.and(found.map_err(|why| format!("{game}: {why}")));
    }
    app.lifecycle.soft.cancel();
    app.lifecycle.run(NoSignals).await;
    app.close().await;
    drop(app);
    result.and_then(|()| check_ratings(directory.path()))
}

/// Checks that a game's records are a whole chain and contain everything that was sent. Their
/// meaning is not checked here.
fn check_records(log: &str, frames: &[Sent]) -> Result<(), String> {
    let records: Vec<&str> = log.lines().collect();
    let mut chain = Chain::default();
    for (record, seq) in records.iter().zip(1..) {
        let (unsealed, sealed) = EventFrame::unseal(record.as_bytes()).ok_or("no chain")?;
        chain = chain_after(chain, &unsealed);
        if chain != sealed || !record.contains(&format!("\"seq\":{seq},")) {
            return Err(format!("record {seq} does not continue the chain: {record}"));
        }
    }
    for Sent { seq, what, .. } in frames {
        let index = usize::try_from(*seq).expect("a small number") - 1;
        let record = *records.get(index).ok_or(format!("record {seq} is lost: {what:?}"))?;
        let is_there = match what {
            SentKind::Event(event) => record == event,
            SentKind::Acknowledged(request) => record.contains(&format!("\"req\":\"{request}\"")),
            SentKind::Announced => true,
        };
        if !is_there {
            return Err(format!("{what:?} was sent, but the record is {record}"));
        }
    }
    Ok(())
}

/// Checks that each rated game has ended together with its rating changes, or not at all.
fn check_ratings(data: &Path) -> Result<(), String> {
    let findings =
        maintenance::ratings(data, RatingsTask::Check).map_err(|error| error.to_string())?;
    if findings.is_ok() { Ok(()) } else { Err(findings.lines.join("\n")) }
}

/// Something that the server sent about a game.
#[derive(Debug)]
pub(super) struct Sent {
    /// The moment at which the call with its last byte began: from then on a client may know it.
    pub(super) at: Moment,
    /// The record that must be stored for it.
    seq: u64,
    pub(super) what: SentKind,
}

/// What was sent about a record.
#[derive(Debug)]
pub(super) enum SentKind {
    /// The record itself, as it was on the wire.
    Event(String),
    /// The acknowledgement of this request.
    Acknowledged(String),
    /// The number of the last record.
    Announced,
}

/// What was sent, by game and in order.
pub(super) type SentByGame = BTreeMap<String, Vec<Sent>>;

/// The bytes sent over one connection and not parsed as frames yet.
#[derive(Debug, Default)]
struct ByteStream {
    pending: Vec<u8>,
    /// Whether the answer to the upgrade has been parsed.
    upgraded: bool,
}

/// Parses every text frame of every WebSocket.
pub(super) fn read(calls: &[Call]) -> SentByGame {
    let mut streams: HashMap<&str, ByteStream> = HashMap::new();
    let mut sent = SentByGame::new();
    for call in calls.iter().filter(|call| call.target.starts_with("socket:")) {
        let Some(bytes) = call.sent() else { continue };
        let stream = streams.entry(&call.target).or_default();
        stream.pending.extend_from_slice(bytes);
        stream.read(call.begun, &mut sent);
    }
    sent
}

impl ByteStream {
    fn read(&mut self, at: Moment, sent: &mut SentByGame) {
        if !self.upgraded {
            let end = self.pending.windows(4).position(|four| four == b"\r\n\r\n");
            if !self.pending.starts_with(b"HTTP/1.1 101") {
                return;
            }
            let Some(end) = end else { return };
            self.pending.drain(..end + 4);
            self.upgraded = true;
        }
        while let Some((is_text, from, to)) = self.next_frame() {
            if is_text {
                let text = String::from_utf8(self.pending[from..to].to_vec()).expect("text");
                record(at, text, sent);
            }
            self.pending.drain(..to);
        }
    }

    /// Whether the next frame is text, and the range of its payload; `None` if it is incomplete.
    fn next_frame(&self) -> Option<(bool, usize, usize)> {
        let bytes = &self.pending;
        let is_text = *bytes.first()? == 0x81;
        let (length, from) = match *bytes.get(1)? {
            126 => (usize::from(u16::from_be_bytes(bytes.get(2..4)?.try_into().ok()?)), 4),
            127 => {
                (usize::try_from(u64::from_be_bytes(bytes.get(2..10)?.try_into().ok()?)).ok()?, 10)
            }
            short => (usize::from(short), 2),
        };
        (bytes.len() >= from + length).then_some((is_text, from, from + length))
    }
}

fn record(at: Moment, text: String, sent: &mut SentByGame) {
    let frame: Value = serde_json::from_str(&text).expect("every frame is JSON");
    let (Some(game), Some(seq)) = (frame["game"].as_str(), frame["seq"].as_u64()) else { return };
    // Ids of players' moves contain a colon; the ids of their other requests do not.
    let request = frame["re"].as_str().filter(|re| re.contains(':'));
    let what = match (frame["type"].as_str(), request) {
        (Some("event"), _) => SentKind::Event(text),
        (Some("ok"), Some(request)) => SentKind::Acknowledged(request.to_owned()),
        _ => SentKind::Announced,
    };
    sent.entry(game.to_owned()).or_default().push(Sent { at, seq, what });
}
