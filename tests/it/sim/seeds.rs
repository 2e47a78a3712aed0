//! The simulation: many clients and a server in one thread, in simulated time that advances only
//! when nothing is left to do. A seed decides what the clients do, when the server crashes, how
//! slow its disk is and how far away its clients are. The oracle compares each received frame with
//! what the disk holds at that moment.
//!
//! Sockets, TLS and HTTP are not simulated: clients begin at WebSocket frames. Everything else is a
//! function of the seed, so a failing seed fails again (see `repeats`).

use std::{
    sync::{
        Mutex,
        atomic::{AtomicU64, Ordering},
    },
    thread,
};

use super::{cluster, fault::Fault, runner, stats::Stats};
use crate::harness::form;

/// How many seeds run: in the short form at each commit others, in the long form always the same.
struct Seeds {
    short: u64,
    long: u64,
}

/// With one server.
const ONE_SERVER: Seeds = Seeds { short: 40, long: 1_000 };

/// With several nodes.
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
        Err(_) if form::is_long() => (0, seeds.long),
        Err(_) => (form::commit() * seeds.short, (form::commit() + 1) * seeds.short),
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
