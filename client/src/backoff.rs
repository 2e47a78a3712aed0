//! The wait before the next attempt to connect.

use std::time::Duration;

use rand::{Rng, RngExt as _};
use tokio::time::Instant;

/// The longest first wait. It is short because most drops end quickly.
pub(crate) const FIRST_WAIT_MAX: Duration = Duration::from_millis(250);

/// The longest wait in the time after a loss that is [`EAGER_FOR`]. Clocks of a few seconds a move
/// run again once the server is back.
pub(crate) const EAGER_WAIT_MAX: Duration = Duration::from_secs(3);

/// How long after a loss the waits stay short: most restarts end within it.
pub(crate) const EAGER_FOR: Duration = Duration::from_mins(1);

/// The longest wait later. A person does not wait much longer for a server.
pub(crate) const WAIT_MAX: Duration = Duration::from_secs(15);

/// The lifetime after which a connection counts as good and resets the waits.
pub(crate) const STEADY_AFTER: Duration = Duration::from_secs(15);

/// The number of doublings that reach the longest wait.
const DOUBLINGS_MAX: u32 = 6;

/// Exponential back-off with full jitter: a random wait below a limit that doubles. Clients that
/// lost the same server come back spread over the whole range.
#[derive(Debug, Default)]
pub(crate) struct Backoff {
    failures: u32,
    /// When the last good connection was lost.
    lost_at: Option<Instant>,
}

impl Backoff {
    /// Returns the wait before the next attempt.
    pub(crate) fn next(&mut self, now: Instant, rng: &mut impl Rng) -> Duration {
        let lost_at = *self.lost_at.get_or_insert(now);
        let is_eager = now.duration_since(lost_at) < EAGER_FOR;
        let longest = if is_eager { EAGER_WAIT_MAX } else { WAIT_MAX };
        let limit = FIRST_WAIT_MAX.saturating_mul(1 << self.failures.min(DOUBLINGS_MAX));
        self.failures = self.failures.saturating_add(1);
        rng.random_range(Duration::ZERO..=limit.min(longest))
    }

    /// Returns the number of attempts since the last good connection.
    pub(crate) fn failures(&self) -> u32 {
        self.failures
    }

    /// Resets the waits after a good connection.
    pub(crate) fn reset(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rand::{SeedableRng as _, rngs::StdRng};

    use super::*;

    proptest! {
        #[test]
        fn every_wait_is_within_its_doubling_limit(seed: u64, attempts in 1_u32..80) {
            let mut rng = StdRng::seed_from_u64(seed);
            let mut backoff = Backoff::default();
            let lost_at = Instant::now();
            let mut now = lost_at;
            for attempt in 0..attempts {
                let longest = if now - lost_at < EAGER_FOR { EAGER_WAIT_MAX } else { WAIT_MAX };
                let limit = Duration::from_millis(250 * (1 << attempt.min(20))).min(longest);
                let wait = backoff.next(now, &mut rng);
                prop_assert!(wait <= limit);
                now += wait;
            }
        }

        #[test]
        fn clients_that_lost_the_same_server_spread_out(seed: u64) {
            let mut rng = StdRng::seed_from_u64(seed);
            let lost_at = Instant::now();
            let waits: Vec<Duration> = (0..200)
                .map(|_| {
                    let mut backoff = Backoff { failures: 10, lost_at: Some(lost_at) };
                    backoff.next(lost_at + EAGER_FOR, &mut rng)
                })
                .collect();
            // Of 200 uniform waits the odds against an empty quarter are 10^24 to 1.
            for quarter in 0..4 {
                let range = WAIT_MAX * quarter / 4..WAIT_MAX * (quarter + 1) / 4;
                prop_assert!(waits.iter().any(|wait| range.contains(wait)), "{range:?}");
            }
        }
    }

    #[test]
    fn a_good_connection_resets_the_waits() {
        let mut rng = StdRng::seed_from_u64(7);
        let mut backoff = Backoff { failures: 30, lost_at: None };
        backoff.reset();
        assert!(backoff.next(Instant::now(), &mut rng) <= FIRST_WAIT_MAX);
        assert_eq!(backoff.failures(), 1);
    }
}
