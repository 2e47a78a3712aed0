//! How often something may be done by each of many: so much at once, and so much in the long run.
//!
//! The arithmetic is that of a leaky bucket (GCRA), as the limiter of a connection's messages has
//! it. Two things are needed here besides: what turned out to be no offence is given back, and
//! strangers decide how many keys there are, so their number is bounded.

use std::{
    collections::HashMap,
    hash::Hash,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

/// So many at once, and in the long run as many in each period.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Rate {
    count: u32,
    period: Duration,
}

impl Rate {
    /// `count` in each `period`.
    pub(crate) const fn new(count: u32, period: Duration) -> Self {
        Self { count, period }
    }

    /// How long one of them takes to be forgotten, in microseconds.
    fn each_us(self) -> u64 {
        microseconds(self.period) / u64::from(self.count.max(1))
    }
}

fn microseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}

/// When it may be done again: so many milliseconds from now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Wait(pub u64);

/// Counts what each key has done. The lock is held for moments and never across an await.
#[derive(Debug)]
pub(crate) struct Rates<K> {
    rate: Rate,
    keys_max: usize,
    /// When all that a key has done will be forgotten, in microseconds. A key whose time has come
    /// is the same as one that is not here.
    clean_at_us: Mutex<HashMap<K, u64>>,
}

impl<K: Eq + Hash + Clone> Rates<K> {
    /// Nobody has done anything yet. At most so many keys are remembered.
    pub(crate) fn new(rate: Rate, keys_max: usize) -> Self {
        Self { rate, keys_max, clean_at_us: Mutex::default() }
    }

    fn clean_at_us(&self) -> MutexGuard<'_, HashMap<K, u64>> {
        self.clean_at_us.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does it once, unless it has been done too often; then nothing is counted.
    pub(crate) fn take(&self, key: &K, now_ms: u64) -> Result<(), Wait> {
        let now = now_ms.saturating_mul(1000);
        let mut clean_at_us = self.clean_at_us();
        let clean = clean_at_us.get(key).copied().unwrap_or(0).max(now);
        let after = clean.saturating_add(self.rate.each_us());
        let latest = now.saturating_add(microseconds(self.rate.period));
        if after > latest {
            return Err(Wait((after - latest).div_ceil(1000)));
        }
        if clean_at_us.len() >= self.keys_max && !clean_at_us.contains_key(key) {
            make_room(&mut clean_at_us, now, self.keys_max);
        }
        clean_at_us.insert(key.clone(), after);
        Ok(())
    }

    /// Forgets what was taken once.
    pub(crate) fn give_back(&self, key: &K) {
        if let Some(clean) = self.clean_at_us().get_mut(key) {
            *clean = clean.saturating_sub(self.rate.each_us());
        }
    }
}

/// Forgets the keys that are clean; if those are not half of all, then also those that would be
/// clean soonest. Who has done the most is remembered the longest, and as half are left, the next
/// search is far off.
fn make_room<K: Eq + Hash + Clone>(
    clean_at_us: &mut HashMap<K, u64>,
    now_us: u64,
    keys_max: usize,
) {
    clean_at_us.retain(|_, clean| *clean > now_us);
    let surplus = clean_at_us.len().saturating_sub(keys_max / 2);
    if surplus == 0 {
        return;
    }
    let mut keys: Vec<(u64, K)> =
        clean_at_us.iter().map(|(key, clean)| (*clean, key.clone())).collect();
    keys.select_nth_unstable_by_key(surplus - 1, |(clean, _)| *clean);
    for (_, key) in &keys[..surplus] {
        clean_at_us.remove(key);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const MINUTE: Duration = Duration::from_mins(1);

    #[test]
    fn so_many_at_once_and_then_as_many_in_a_period() {
        let rates = Rates::new(Rate::new(3, MINUTE), 10);
        for _ in 0..3 {
            assert_eq!(rates.take(&"ann", 1_000), Ok(()));
        }
        assert_eq!(rates.take(&"ann", 1_000), Err(Wait(20_000)));
        assert_eq!(rates.take(&"bob", 1_000), Ok(()), "others are not concerned");
        assert_eq!(rates.take(&"ann", 20_999), Err(Wait(1)));
        assert_eq!(rates.take(&"ann", 21_000), Ok(()), "the wait that was told is enough");
        assert_eq!(rates.take(&"ann", 21_000), Err(Wait(20_000)));
    }

    #[test]
    fn what_is_given_back_was_never_done() {
        let rates = Rates::new(Rate::new(1, MINUTE), 10);
        for now_ms in 0..100 {
            assert_eq!(rates.take(&"ann", now_ms), Ok(()));
            rates.give_back(&"ann");
        }
        rates.give_back(&"bob");
        assert_eq!(rates.take(&"ann", 100), Ok(()));
        assert!(rates.take(&"ann", 100).is_err());
    }

    #[test]
    fn who_has_done_the_most_is_remembered_when_there_is_no_room() {
        let rates = Rates::new(Rate::new(5, MINUTE), 100);
        while rates.take(&0_u32, 0).is_ok() {}
        for stranger in 1..1_000 {
            assert_eq!(rates.take(&stranger, 0), Ok(()));
        }
        assert!(rates.take(&0, 0).is_err());
    }

    proptest! {
        /// Whoever comes, however often and whenever: memory is bounded.
        #[test]
        fn memory_is_bounded(
            keys_max in 1_usize..40,
            count in 1_u32..6,
            steps in prop::collection::vec((0_u16..200, 0_u64..5_000), 1..400),
        ) {
            let rates = Rates::new(Rate::new(count, MINUTE), keys_max);
            let mut now_ms = 0;
            for (key, passed_ms) in steps {
                now_ms += passed_ms;
                if let Err(Wait(wait_ms)) = rates.take(&key, now_ms) {
                    prop_assert!((1..=60_000).contains(&wait_ms));
                }
                prop_assert!(rates.clean_at_us().len() <= keys_max);
            }
        }

        /// Within any period nobody does more than a burst and what is refilled meanwhile; and the
        /// wait that is told is exact.
        #[test]
        fn nobody_does_more_than_the_rate(
            count in 1_u32..6,
            passed in prop::collection::vec(0_u64..30_000, 1..200),
        ) {
            let rates = Rates::new(Rate::new(count, MINUTE), 10);
            let mut now_ms = 0;
            let mut done: Vec<u64> = Vec::new();
            for passed_ms in passed {
                now_ms += passed_ms;
                match rates.take(&(), now_ms) {
                    Ok(()) => done.push(now_ms),
                    Err(Wait(wait_ms)) => {
                        prop_assert!(rates.take(&(), now_ms + wait_ms - 1).is_err());
                        now_ms += wait_ms;
                        prop_assert_eq!(rates.take(&(), now_ms), Ok(()));
                        done.push(now_ms);
                    }
                }
            }
            for window in done.windows(2 * count as usize + 1) {
                prop_assert!(window[window.len() - 1] - window[0] >= 60_000);
            }
        }
    }
}
