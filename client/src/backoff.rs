//! The wait before the next attempt to connect.

use std::time::Duration;

use rand::{Rng, RngExt as _};

/// The longest first wait. It is short because most drops end quickly.
pub(crate) const FIRST_WAIT_MAX: Duration = Duration::from_millis(250);

/// The longest wait. A person does not wait much longer for a server.
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
}

impl Backoff {
    /// Returns the wait before the next attempt.
    pub(crate) fn next(&mut self, rng: &mut impl Rng) -> Duration {
        let limit = FIRST_WAIT_MAX.saturating_mul(1 << self.failures.min(DOUBLINGS_MAX));
        self.failures = self.failures.saturating_add(1);
        rng.random_range(Duration::ZERO..=limit.min(WAIT_MAX))
    }

    /// Returns the number of attempts since the last good connection.
    pub(crate) fn failures(&self) -> u32 {
        self.failures
    }

    /// Resets the waits after a good connection.
    pub(crate) fn reset(&mut self) {
        self.failures = 0;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rand::{SeedableRng as _, rngs::StdRng};

    use super::*;

    proptest! {
        #[test]
        fn every_wait_is_within_its_doubling_limit(seed: u64, attempts in 1_u32..40) {
            let mut rng = StdRng::seed_from_u64(seed);
            let mut backoff = Backoff::default();
            for attempt in 0..attempts {
                let limit = Duration::from_millis(250 * (1 << attempt.min(20))).min(WAIT_MAX);
                prop_assert!(backoff.next(&mut rng) <= limit);
            }
        }

        #[test]
        fn clients_that_lost_the_same_server_spread_out(seed: u64) {
            let mut rng = StdRng::seed_from_u64(seed);
            let waits: Vec<Duration> = (0..200)
                .map(|_| {
                    let mut backoff = Backoff { failures: 10 };
                    backoff.next(&mut rng)
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
        let mut backoff = Backoff { failures: 30 };
        backoff.reset();
        assert!(backoff.next(&mut rng) <= FIRST_WAIT_MAX);
        assert_eq!(backoff.failures(), 1);
    }
}
