//! The time in records of games with clocks.

use tokio::time::Instant;

/// A clock that never goes back: the time of day at its start, and what has passed since.
#[derive(Clone, Copy, Debug)]
pub struct GameTime {
    start_ms: u64,
    started: Instant,
}

impl GameTime {
    /// Starts at this time, in milliseconds of the Unix epoch.
    pub fn starting_at(start_ms: u64) -> Self {
        Self { start_ms, started: Instant::now() }
    }

    /// The time in milliseconds of the Unix epoch.
    pub(crate) fn now_ms(&self) -> u64 {
        let passed = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.start_ms.saturating_add(passed)
    }
}
