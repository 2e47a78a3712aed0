//! What time it is. The only module that reads the operating system's clock.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tokio::time::{Instant, sleep_until};

/// A duration in milliseconds.
pub(crate) fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// Epoch milliseconds that never go back while the server runs.
///
/// The wall clock is read once, at the start; from then on the monotonic clock counts. A wall
/// clock that is set back or forward during a game therefore costs nobody any time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TimeSource {
    started_ms: u64,
    started: Instant,
}

impl TimeSource {
    /// Begins with the machine's time.
    pub(crate) fn from_system() -> Self {
        #[expect(clippy::disallowed_methods, reason = "this is the one place")]
        let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self::starting_at(u64::try_from(since_epoch.as_millis()).unwrap_or(u64::MAX))
    }

    /// Begins at the given time.
    pub(crate) fn starting_at(epoch_ms: u64) -> Self {
        Self { started_ms: epoch_ms, started: Instant::now() }
    }

    /// Epoch milliseconds now.
    pub(crate) fn now_ms(&self) -> u64 {
        let elapsed = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.started_ms.saturating_add(elapsed)
    }

    /// Waits until it is so late; for ever if no time is given.
    pub(crate) async fn reaches(&self, epoch_ms: Option<u64>) {
        match epoch_ms {
            Some(epoch_ms) => sleep_until(self.instant_at(epoch_ms)).await,
            None => std::future::pending().await,
        }
    }

    /// The moment at which it will be so late, for sleeping until then.
    fn instant_at(&self, epoch_ms: u64) -> Instant {
        self.started + Duration::from_millis(epoch_ms.saturating_sub(self.started_ms))
    }
}
