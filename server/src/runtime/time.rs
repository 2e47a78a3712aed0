//! The current time. No other module reads the operating system's clock.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tokio::time::{Instant, sleep_until};

/// Converts a duration to milliseconds.
pub(crate) fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// Epoch milliseconds that never decrease while the server runs.
///
/// The wall clock is read once, at the start; from then on the monotonic clock counts. Setting the
/// wall clock during a game therefore changes no player's time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TimeSource {
    started_ms: u64,
    started: Instant,
}

impl TimeSource {
    /// Starts at the machine's time.
    pub(crate) fn from_system() -> Self {
        #[expect(clippy::disallowed_methods, reason = "this is the one place")]
        let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self::starting_at(u64::try_from(since_epoch.as_millis()).unwrap_or(u64::MAX))
    }

    /// Starts at the given time.
    pub(crate) fn starting_at(epoch_ms: u64) -> Self {
        Self { started_ms: epoch_ms, started: Instant::now() }
    }

    /// Returns the current time in epoch milliseconds.
    pub(crate) fn now_ms(&self) -> u64 {
        let elapsed = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.started_ms.saturating_add(elapsed)
    }

    /// Waits until this time; forever if there is none.
    pub(crate) async fn reaches(&self, epoch_ms: Option<u64>) {
        match epoch_ms {
            Some(epoch_ms) => sleep_until(self.instant_at(epoch_ms)).await,
            None => std::future::pending().await,
        }
    }

    /// Returns the instant of this time.
    fn instant_at(&self, epoch_ms: u64) -> Instant {
        self.started + Duration::from_millis(epoch_ms.saturating_sub(self.started_ms))
    }
}
