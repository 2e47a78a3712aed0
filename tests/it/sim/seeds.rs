//! The simulation: many clients and a server in one thread, one after the other, in time that only
//! passes when nothing is left to do. A seed decides who does what, when the server crashes, how
//! fast its disk is and how far away its clients are. Each thing that a client hears is held
//! against what the disk holds at that moment.
//!
//! Not simulated are sockets, TLS and HTTP: clients begin where WebSocket frames do. What a seed
//! does not decide are ids, lots and the order in which the runtime looks at things that are ready
//! at the same time; so a seed that fails for such an order may have to be run more than once.

use std::{
    sync::{
        Mutex,
        atomic::{AtomicU64, Ordering},
    },
    thread,
};

use super::runner::{self, Flaw, Story};

/// Seeds that are run unless others are asked for.
const SEEDS: u64 = 200;

/// The variable that asks for others: how many, or from which to before which.
const ASK: &str = "ADAMANT_SIM_SEEDS";

/// Seeds that a server with a flaw may survive.
const FLAWED_SEEDS: u64 = 20;

/// A request's id without what a flaw has added to it.
pub(super) fn logical(id: &str) -> &str {
    id.split('~').next().unwrap_or(id)
}

#[expect(clippy::disallowed_methods, reason = "whoever runs the test says so")]
fn asked() -> (u64, u64) {
    let Ok(asked) = std::env::var(ASK) else { return (0, SEEDS) };
    let number = |text: &str| text.parse().expect("a number of seeds, or a range such as 7..8");
    match asked.split_once("..") {
        Some((from, to)) => (number(from), number(to)),
        None => (0, number(&asked)),
    }
}

#[test]
fn nothing_acknowledged_is_lost_and_nobody_hears_of_what_could_be() {
    let (from, to) = asked();
    let (next, failed) = (AtomicU64::new(from), Mutex::new(Vec::new()));
    let sum = Mutex::new(Story::default());
    let threads = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= to || failed.lock().unwrap().len() > 2 {
                        return;
                    }
                    match runner::run(seed, Flaw::None) {
                        Ok(story) => sum.lock().unwrap().add(&story),
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
            "repeat it: {ASK}={seed}..{} cargo test -p adamant-tests --test it sim::",
            seed + 1
        );
    }
    assert!(failed.is_empty(), "{} seeds failed", failed.len());
    if to - from >= SEEDS {
        sum.check_variety();
    }
}

/// Without this the simulation might see nothing.
fn is_caught(flaw: Flaw, words: &[&str]) {
    let caught = (0..FLAWED_SEEDS).find_map(|seed| runner::run(seed, flaw).err());
    let why = caught.unwrap_or_else(|| panic!("{flaw:?} goes unnoticed"));
    assert!(words.iter().any(|word| why.contains(word)), "{flaw:?} is noticed as {why}");
}

#[test]
fn a_server_that_tells_before_it_stores_is_caught() {
    is_caught(Flaw::ToldEarly, &["before it is durable"]);
}

#[test]
fn a_disk_that_forgets_is_caught() {
    is_caught(Flaw::DiskForgets, &["is said to be", "unauthorized", "was expected"]);
}

#[test]
fn a_server_that_forgets_which_requests_it_carried_out_is_caught() {
    is_caught(
        Flaw::RequestsForgotten,
        &["refused after it was acknowledged", "become two records"],
    );
}
