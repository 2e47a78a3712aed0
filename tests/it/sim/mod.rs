//! The simulation: seeded clients and a server in one thread, with simulated time and disk.

mod accounts; // sign-ups, log-ins and tokens
mod clients; // the state of the clients
mod cluster; // one run of a seed with several nodes
mod disk; // the disk, its failures and its other writer
mod history; // all that happens in a run, as lines
mod invites; // the invites that clients know
mod journal; // what the disk holds, and its invariants
mod network; // the network between nodes
mod oracle; // compares what clients receive with the disk
mod runner; // one run of a seed
mod stats; // what happened in the runs, in numbers
mod workload; // what the clients do

use std::{
    fs,
    process::Command,
    sync::{
        Mutex,
        atomic::{AtomicU64, Ordering},
    },
    thread,
};

use history::{Fault, first_difference};
use oracle::Oracle;
use stats::Stats;

use crate::harness;

// The simulation: many clients and a server in one thread, in simulated time that advances only
// when nothing is left to do. A seed decides what the clients do, when the server crashes, how
// slow its disk is and how far away its clients are. The oracle compares each received frame with
// what the disk holds at that moment.
//
// Sockets, TLS and HTTP are not simulated: clients begin at WebSocket frames. Everything else is a
// function of the seed, so a failing seed fails again (see `repeats`).

/// How many seeds run: in the short form at each commit others, in the long form always the same.
struct Seeds {
    short: u64,
    long: u64,
}

const ONE_SERVER: Seeds = Seeds { short: 40, long: 1_000 };

const SEVERAL_NODES: Seeds = Seeds { short: 12, long: 300 };

/// The variable that chooses other seeds: a number, or a range such as `7..8`.
const SEEDS_VARIABLE: &str = "ADAMANT_SIM_SEEDS";

/// Seeds among which a faulty server must be caught.
const FAULTY_SEEDS: u64 = 20;

#[expect(clippy::disallowed_methods, reason = "the environment chooses the seeds")]
fn chosen_seeds(seeds: &Seeds) -> (u64, u64) {
    let number = |text: &str| text.parse().expect("a number of seeds, or a range such as 7..8");
    match std::env::var(SEEDS_VARIABLE) {
        Ok(chosen) => match chosen.split_once("..") {
            Some((from, to)) => (number(from), number(to)),
            None => (0, number(&chosen)),
        },
        Err(_) if harness::is_long() => (0, seeds.long),
        Err(_) => (harness::commit() * seeds.short, (harness::commit() + 1) * seeds.short),
    }
}

/// Runs the chosen seeds. Returns the sum if they are so many that everything must have happened.
fn run_seeds(seeds: &Seeds, run: fn(u64) -> Result<Stats, String>) -> Option<Stats> {
    let (from, to) = chosen_seeds(seeds);
    let (next, failed) = (AtomicU64::new(from), Mutex::new(Vec::new()));
    let sum = Mutex::new(Stats::default());
    let threads = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= to || failed.lock().unwrap().len() > 2 {
                        return;
                    }
                    match run(seed) {
                        Ok(stats) => sum.lock().unwrap().add(&stats),
                        Err(why) => failed.lock().unwrap().push((seed, why)),
                    }
                }
            });
        }
    });
    let sum = sum.into_inner().unwrap();
    println!("{from}..{to}: {sum:?}");
    let failed = failed.into_inner().unwrap();
    for (seed, why) in &failed {
        eprintln!("--- seed {seed}\n{why}\nrepeat it: cargo xtask sim {seed}..{}", seed + 1);
    }
    assert!(failed.is_empty(), "{} seeds failed", failed.len());
    (to - from >= seeds.long).then_some(sum)
}

#[test]
fn acknowledged_records_survive_and_only_durable_records_are_sent() {
    if let Some(sum) = run_seeds(&ONE_SERVER, |seed| runner::run(seed, Fault::None)) {
        sum.check_variety();
    }
}

#[test]
fn several_nodes_decide_as_one_server() {
    if let Some(sum) = run_seeds(&SEVERAL_NODES, cluster::run) {
        assert!(sum.crashes > 0 && sum.pauses > 0, "{sum:?}");
        for kind in ["moved", "agreed", "ended resigned", "ended timed_out", "rated"] {
            assert!(sum.kinds.contains_key(kind), "nothing was ever {kind}: {sum:?}");
        }
    }
}

/// Without these controls the simulation might detect nothing.
fn assert_caught(fault: Fault, words: &[&str]) {
    let caught = (0..FAULTY_SEEDS).find_map(|seed| runner::run(seed, fault).err());
    let why = caught.unwrap_or_else(|| panic!("{fault:?} is not detected"));
    assert!(words.iter().any(|word| why.contains(word)), "{fault:?} is detected as {why}");
}

#[test]
fn a_server_that_sends_before_it_stores_is_caught() {
    assert_caught(Fault::EarlySend, &["before it is durable"]);
}

#[test]
fn a_disk_that_loses_writes_is_caught() {
    assert_caught(Fault::DiskLosesWrites, &["is said to be", "unauthorized", "was expected"]);
}

#[test]
fn a_server_that_forgets_request_ids_is_caught() {
    assert_caught(
        Fault::ForgottenRequests,
        &["refused after it was acknowledged", "become two records"],
    );
}

/// The seeds that are repeated.
const SEEDS: std::ops::Range<u64> = 0..2;

/// The file to which a child process writes the histories.
const HISTORY_VARIABLE: &str = "ADAMANT_SIM_HISTORY";

/// The histories of the seeds, one after the other. A record ends with its line.
fn histories() -> Vec<String> {
    let lines = SEEDS.flat_map(|seed| runner::history(seed, Fault::None));
    lines.map(|line| line.replace('\n', " ")).collect()
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a child process learns what to do")]
fn a_seed_has_one_history_in_every_process() {
    if let Some(file) = std::env::var_os(HISTORY_VARIABLE) {
        fs::write(file, histories().join("\n")).unwrap();
        return;
    }
    let first = histories();
    assert!(first.len() > 1_000, "{} lines are no history", first.len());
    for kind in ["   log: ", "   disk: ", "   row of ", "<", ">"] {
        let has = first.iter().any(|line| line.contains(kind));
        assert!(has, "the history has no {kind:?}");
    }
    let again = histories();
    if let Some(difference) = first_difference(&first, &again) {
        panic!("the second run in this process differs:\n{difference}");
    }
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("history");
    let this = thread::current().name().expect("tests have names").to_owned();
    let child = Command::new(std::env::current_exe().unwrap())
        .args([&this, "--exact", "--test-threads=1"])
        .env(HISTORY_VARIABLE, &file)
        .output()
        .unwrap();
    assert!(child.status.success(), "{}", String::from_utf8_lossy(&child.stdout));
    let other = fs::read_to_string(file).unwrap();
    let other: Vec<String> = other.lines().map(str::to_owned).collect();
    if let Some(difference) = first_difference(&first, &other) {
        panic!("the run in another process differs:\n{difference}");
    }
}

impl Oracle {
    /// Counts the games, their records and what happened in them.
    fn count(&self, stats: &mut Stats) {
        for game in self.journal.games.values() {
            stats.games += 1;
            for frame in &game.frames {
                stats.records += 1;
                let kind = frame["kind"].as_str().unwrap_or_default();
                let kind = match frame["reason"].as_str() {
                    Some(reason) if kind == "ended" => format!("ended {reason}"),
                    _ => kind.to_owned(),
                };
                *stats.kinds.entry(kind).or_default() += 1;
                // The house names its moves by game and turn, and no other request has a colon.
                let by_house = frame["req"].as_str().is_some_and(|req| req.contains(':'));
                stats.house_moves += u64::from(by_house);
            }
        }
        self.users.iter().for_each(|user| user.account.count(stats));
        stats.over = stats.games - self.journal.live().len() as u64;
        stats.frames = self.frames;
        stats.overtaken = self.overtaken;
        stats.unknown = self.unknown;
        stats.refused = self.refused;
    }
}
