//! Where long and blocking work runs: on the runtime's threads for such work, or, in a simulation,
//! in its loop. No other module leaves the loop.

use std::{num::NonZero, thread::available_parallelism, time::Duration};

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

    /// Returns how much work can run at the same time.
    pub(crate) fn parallelism(&self) -> usize {
        match self {
            Self::Threads => available_parallelism().map_or(1, NonZero::get),
            Self::Simulated(_) => SIMULATED_PARALLELISM,
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
