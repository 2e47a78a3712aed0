//! Where long and blocking work runs: on threads, or, in a simulation, in its loop. No other module
//! leaves the loop, except for the store's writer.

use std::{
    num::NonZero,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::mpsc,
    thread::{self, available_parallelism},
    time::Duration,
};

use rand::RngExt as _;
use tokio::{task::JoinHandle, time::sleep};

use super::entropy::Entropy;

/// The most milliseconds after which a simulation does work. One piece of work in eight takes so
/// long; the others take a few milliseconds or none.
const DELAY_MS_MAX: u64 = 60;

/// The parallelism of a simulation, on every machine.
const SIMULATED_PARALLELISM: usize = 2;

/// Runs long and blocking work. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub(crate) enum WorkPool {
    /// The runtime's threads for blocking work.
    #[default]
    Threads,
    /// The simulating loop: the seed decides when work runs, and so in which order.
    Simulated(Entropy),
}

impl WorkPool {
    /// Starts a piece of work. It is done even if the caller stops waiting.
    pub(crate) fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> JoinHandle<T> {
        match self {
            Self::Threads => tokio::task::spawn_blocking(work),
            Self::Simulated(entropy) => {
                let delay = delay(&mut entropy.clone());
                #[expect(clippy::disallowed_methods, reason = "like a thread, it ends by itself")]
                tokio::spawn(async move {
                    sleep(delay).await;
                    work()
                })
            }
        }
    }

    /// Starts a thread for one piece of work after the other.
    pub(crate) fn thread(&self, name: &str) -> WorkThread {
        if let Self::Simulated(_) = self {
            return WorkThread::Simulated(self.clone());
        }
        let (pieces, waiting) = mpsc::channel::<Work>();
        let run = move || {
            for work in waiting {
                // Whoever waits for the work notices that it ends without a result.
                drop(catch_unwind(AssertUnwindSafe(work)));
            }
        };
        thread::Builder::new()
            .name(name.to_owned())
            .spawn(run)
            .expect("a thread can be spawned at the start");
        WorkThread::Thread(pieces)
    }

    /// Returns how much work can run at the same time.
    pub(crate) fn parallelism(&self) -> usize {
        match self {
            Self::Threads => available_parallelism().map_or(1, NonZero::get),
            Self::Simulated(_) => SIMULATED_PARALLELISM,
        }
    }
}

type Work = Box<dyn FnOnce() + Send>;

/// A thread that does one piece of work after the other. Cheap to clone; the thread ends with the
/// last handle.
///
/// glibc gives each thread memory of its own, and what is freed there stays with the thread. The
/// runtime takes its threads in turn, so that a little work at a time fills the memory of all.
/// Work that never ceases runs on few threads instead.
#[derive(Debug, Clone)]
pub(crate) enum WorkThread {
    Thread(mpsc::Sender<Work>),
    /// The simulating loop.
    Simulated(WorkPool),
}

impl WorkThread {
    /// Starts a piece of work once the earlier ones are done.
    pub(crate) fn run(&self, work: impl FnOnce() + Send + 'static) {
        match self {
            Self::Thread(pieces) => {
                let sent = pieces.send(Box::new(work));
                debug_assert!(sent.is_ok(), "the thread outlives its handles");
            }
            Self::Simulated(pool) => drop(pool.run(work)),
        }
    }
}

fn delay(entropy: &mut Entropy) -> Duration {
    Duration::from_millis(match entropy.random_range(0..8) {
        0 => entropy.random_range(0..=DELAY_MS_MAX),
        1..4 => entropy.random_range(0..4),
        _ => 0,
    })
}
