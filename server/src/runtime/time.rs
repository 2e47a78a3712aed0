//! The current time. No other module reads the operating system's clock.

use std::{
    sync::{
        Arc, PoisonError, RwLock,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use tokio::time::{Instant, sleep_until};

/// Converts a duration to milliseconds.
pub(crate) fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// Milliseconds in which an adjusted clock gains or loses one: 5 ms a second.
const SLEW_MS: i64 = 200;

/// Epoch milliseconds that never decrease while the server runs. Cheap to clone; the clones are one
/// clock.
///
/// The wall clock is read once, at the start; from then on the monotonic clock counts. Setting the
/// wall clock during a game therefore changes no player's time. The nodes of a cluster follow the
/// clock of their store, slowly.
#[derive(Debug, Clone)]
pub(crate) struct TimeSource {
    started_ms: u64,
    started: Instant,
    slew: Arc<Slew>,
}

/// How a clock follows another.
#[derive(Debug, Default)]
struct Slew {
    /// Whether it follows another at all.
    is_used: AtomicBool,
    offset: RwLock<Offset>,
}

/// The difference to the monotonic clock, which approaches a target, in milliseconds.
#[derive(Debug, Clone, Copy, Default)]
struct Offset {
    /// The offset at `since`.
    from: i64,
    target: i64,
    /// Milliseconds since the start.
    since: u64,
}

impl Offset {
    /// Returns the offset at a time since the start.
    fn at(self, elapsed_ms: u64) -> i64 {
        let passed = i64::try_from(elapsed_ms.saturating_sub(self.since)).unwrap_or(i64::MAX);
        let most = passed / SLEW_MS;
        self.from + (self.target - self.from).clamp(-most, most)
    }
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
        Self { started_ms: epoch_ms, started: Instant::now(), slew: Arc::default() }
    }

    /// Returns the current time in epoch milliseconds.
    pub(crate) fn now_ms(&self) -> u64 {
        let elapsed_ms = milliseconds(self.started.elapsed());
        let now = self.started_ms.saturating_add(elapsed_ms);
        now.saturating_add_signed(self.offset_ms(elapsed_ms))
    }

    fn offset_ms(&self, elapsed_ms: u64) -> i64 {
        if !self.slew.is_used.load(Ordering::Relaxed) {
            return 0;
        }
        self.slew.offset.read().unwrap_or_else(PoisonError::into_inner).at(elapsed_ms)
    }

    /// Approaches a clock that is this many milliseconds ahead, by at most 5 ms a second. The time
    /// never goes back.
    pub(crate) fn adjust(&self, ahead_ms: i64) {
        let elapsed_ms = milliseconds(self.started.elapsed());
        let mut offset = self.slew.offset.write().unwrap_or_else(PoisonError::into_inner);
        let from = offset.at(elapsed_ms);
        let target = from.saturating_add(ahead_ms);
        if offset.target != target {
            *offset = Offset { from, target, since: elapsed_ms };
        }
        self.slew.is_used.store(true, Ordering::Relaxed);
    }

    /// Waits until this time; forever if there is none. While the clock is being adjusted, the time
    /// may be some milliseconds earlier or later.
    pub(crate) async fn reaches(&self, epoch_ms: Option<u64>) {
        match epoch_ms {
            Some(epoch_ms) => sleep_until(self.instant_at(epoch_ms)).await,
            None => std::future::pending().await,
        }
    }

    /// Returns the instant of this time.
    fn instant_at(&self, epoch_ms: u64) -> Instant {
        let offset = self.offset_ms(milliseconds(self.started.elapsed()));
        let since_start = epoch_ms.saturating_sub(self.started_ms);
        self.started + Duration::from_millis(since_start.saturating_add_signed(-offset))
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[tokio::test(start_paused = true)]
    async fn an_adjusted_clock_approaches_the_other_and_never_goes_back() {
        for ahead in [40_i64, -40] {
            let time = TimeSource::starting_at(1_000_000);
            time.adjust(ahead);
            let mut before = time.now_ms();
            assert_eq!(before, 1_000_000, "it does not jump");
            for _ in 0..4_000 {
                advance(MS).await;
                let now = time.now_ms();
                assert!((before..=before + 2).contains(&now), "{before}, then {now}");
                before = now;
            }
            assert_eq!(before, 1_004_000_u64.saturating_add_signed(ahead / 2), "5 ms a second");
            // The rest is asked for again.
            time.adjust(ahead - ahead / 2);
            advance(Duration::from_mins(1)).await;
            assert_eq!(time.now_ms(), 1_064_000_u64.saturating_add_signed(ahead));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn clones_are_one_clock() {
        let time = TimeSource::starting_at(5_000);
        let other = time.clone();
        time.adjust(3);
        advance(Duration::from_secs(1)).await;
        assert_eq!((time.now_ms(), other.now_ms()), (6_003, 6_003));
        other.reaches(Some(7_003)).await;
        assert_eq!(time.now_ms(), 7_003);
    }
}
