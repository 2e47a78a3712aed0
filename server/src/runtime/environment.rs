//! What a server takes from its surroundings and a simulation replaces: time, randomness, threads.

use super::{entropy::Entropy, time::TimeSource, work_pool::WorkPool};

/// The surroundings of a server. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Environment {
    pub time: TimeSource,
    pub entropy: Entropy,
    pub work: WorkPool,
}

impl Environment {
    pub(crate) fn system() -> Self {
        Self::with_time(TimeSource::from_system())
    }

    /// The machine's, but for the time.
    pub(crate) const fn with_time(time: TimeSource) -> Self {
        Self { time, entropy: Entropy::System, work: WorkPool::Threads }
    }

    /// That of a simulation, from a time in epoch milliseconds and a seed.
    pub(crate) fn simulated(epoch_ms: u64, seed: u64) -> Self {
        let (time, entropy) = (TimeSource::starting_at(epoch_ms), Entropy::seeded(seed));
        Self { time, work: WorkPool::Simulated(entropy.clone()), entropy }
    }
}
