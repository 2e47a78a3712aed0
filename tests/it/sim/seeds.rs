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

/// The number of seeds to run by default.
const SEEDS: u64 = 200;

/// The number of seeds with several nodes to run by default.
const CLUSTER_SEEDS: u64 = 60;

/// The variable that chooses seeds: a number, or a range such as `7..8`.
const SEEDS_VARIABLE: &str = "ADAMANT_SIM_SEEDS";

/// Seeds among which a faulty server must be caught.
const FAULTY_SEEDS: u64 = 20;

#[expect(clippy::disallowed_methods, reason = "the environment chooses the seeds")]
fn chosen_seeds(by_default: u64) -> (u64, u64) {
    let Ok(chosen_seeds) = std::env::var(SEEDS_VARIABLE) else { return (0, by_default) };
    let number = |text: &str| text.parse().expect("a number of seeds, or a range such as 7..8");
    match chosen_seeds.split_once("..") {
        Some((from, to)) => (number(from), number(to)),
        None => (0, number(&chosen_seeds)),
    }
}

/// Runs the chosen seeds, or the first ones. Returns the sum, unless fewer seeds were chosen.
fn run_seeds(by_default: u64, run: fn(u64) -> Result<Stats, String>) -> Option<Stats> {
    let (from, to) = chosen_seeds(by_default);
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
        eprintln!("--- seed {seed}\n{why}");
        eprintln!(
            "repeat it: {SEEDS_VARIABLE}={seed}..{} cargo test -p adamant-tests --test it sim::",
            seed + 1
        );
    }
    assert!(failed.is_empty(), "{} seeds failed", failed.len());
    (to - from >= by_default).then_some(sum)
}

#[test]
fn acknowledged_records_survive_and_only_durable_records_are_sent() {
    if let Some(sum) = run_seeds(SEEDS, |seed| runner::run(seed, Fault::None)) {
        sum.check_variety();
    }
}

#[test]
fn several_nodes_decide_as_one_server() {
    if let Some(sum) = run_seeds(CLUSTER_SEEDS, cluster::run) {
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
