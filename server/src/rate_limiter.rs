//! Rate limits by key, as token buckets: a burst, and a steady rate.
//!
//! The arithmetic is GCRA. Beyond it, a cost can be refunded, some costs are charged after the
//! fact, and the number of keys is bounded, because clients choose the keys.

use std::{
    collections::HashMap,
    fmt,
    hash::Hash,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::Duration,
};

use parking_lot::{Mutex, MutexGuard};

/// A burst, refilled evenly over the period.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Rate {
    count: u64,
    period_us: u64,
}

impl Rate {
    /// Returns a rate of `count` per `period`.
    pub(crate) const fn new(count: u32, period: Duration) -> Self {
        Self::of(count as u64, period)
    }

    /// Returns a rate for counts beyond 32 bits, such as bytes.
    pub(crate) const fn of(count: u64, period: Duration) -> Self {
        let seconds_us = period.as_secs().saturating_mul(1_000_000);
        Self::of_us(count, seconds_us.saturating_add(period.subsec_micros() as u64))
    }

    const fn of_us(count: u64, period_us: u64) -> Self {
        Self { count: if count == 0 { 1 } else { count }, period_us }
    }

    /// Returns a rate with a burst of `burst` and a steady rate of `per_s` per second.
    pub(crate) const fn burst(burst: u32, per_s: u32) -> Self {
        let per_s = if per_s == 0 { 1 } else { per_s };
        Self::of_us(burst as u64, burst as u64 * 1_000_000 / per_s as u64)
    }

    /// Returns the time in microseconds in which this cost is refilled.
    fn refill_us(self, cost: u64) -> u64 {
        if let Some(us) = self.period_us.checked_mul(cost) {
            return us / self.count;
        }
        let us = u128::from(self.period_us) * u128::from(cost) / u128::from(self.count);
        u64::try_from(us).unwrap_or(u64::MAX)
    }
}

/// The time after which a retry succeeds, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RetryAfter(pub u64);

/// The state of one key: when the bucket is full again, in microseconds. Callers that count often
/// keep the bucket, so that counting is one atomic operation.
#[derive(Debug, Default)]
pub(crate) struct Bucket {
    full_at_us: AtomicU64,
}

impl AsRef<Self> for Bucket {
    fn as_ref(&self) -> &Self {
        self
    }
}

impl Bucket {
    /// Takes the cost, or returns the time to wait and takes nothing. A cost above the burst is
    /// taken once the bucket is full.
    pub(crate) fn take(&self, rate: Rate, cost: u64, now_ms: u64) -> Result<(), RetryAfter> {
        self.take_ahead(rate, cost, now_ms, 0).map(drop)
    }

    /// The same, and takes the cost in advance if it is due within `ahead_ms`. Returns the
    /// milliseconds until it is due.
    pub(crate) fn take_ahead(
        &self,
        rate: Rate,
        cost: u64,
        now_ms: u64,
        ahead_ms: u64,
    ) -> Result<u64, RetryAfter> {
        let now = now_ms.saturating_mul(1000);
        let cost_us = rate.refill_us(cost.min(rate.count));
        let full = now.saturating_add(rate.period_us);
        let latest = full.saturating_add(ahead_ms.saturating_mul(1000));
        let after = |full_at: u64| full_at.max(now).saturating_add(cost_us);
        let due_ms = |full_at| after(full_at).saturating_sub(full).div_ceil(1000);
        let taken = self.full_at_us.fetch_update(Relaxed, Relaxed, |full_at| {
            Some(after(full_at)).filter(|after| *after <= latest)
        });
        match taken {
            Ok(full_at) => Ok(due_ms(full_at)),
            Err(full_at) => Err(RetryAfter(due_ms(full_at).max(1))),
        }
    }

    /// Charges a cost even if the bucket is empty.
    pub(crate) fn charge(&self, rate: Rate, cost: u64, now_ms: u64) {
        let now = now_ms.saturating_mul(1000);
        // A small cost is at least one microsecond.
        let cost_us = rate.refill_us(cost).saturating_add(1);
        self.full_at_us
            .update(Relaxed, Relaxed, |full_at| full_at.max(now).saturating_add(cost_us));
    }

    /// Checks whether any cost could be taken. Takes nothing.
    pub(crate) fn check(&self, rate: Rate, now_ms: u64) -> Result<(), RetryAfter> {
        let latest = now_ms.saturating_mul(1000).saturating_add(rate.period_us);
        match self.full_at_us.load(Relaxed).saturating_add(rate.refill_us(1)) {
            after if after <= latest => Ok(()),
            after => Err(RetryAfter((after - latest).div_ceil(1000))),
        }
    }

    /// Refunds a cost that was taken.
    pub(crate) fn refund(&self, rate: Rate, cost: u64) {
        let cost_us = rate.refill_us(cost.min(rate.count));
        self.full_at_us.update(Relaxed, Relaxed, |full_at| full_at.saturating_sub(cost_us));
    }
}

/// A rate that is fixed, or one that changes while the server runs.
#[derive(Clone)]
pub(crate) enum RateSource {
    Fixed(Rate),
    InForce(Arc<dyn Fn() -> Rate + Send + Sync>),
}

impl fmt::Debug for RateSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.rate().fmt(f)
    }
}

impl From<Rate> for RateSource {
    fn from(rate: Rate) -> Self {
        Self::Fixed(rate)
    }
}

impl RateSource {
    fn rate(&self) -> Rate {
        match self {
            Self::Fixed(rate) => *rate,
            Self::InForce(rate) => rate(),
        }
    }
}

/// Limits the rate of each key. The lock is held for moments and never across an await.
#[derive(Debug)]
pub(crate) struct RateLimiter<K> {
    rate: RateSource,
    buckets: Buckets<K>,
}

impl<K: Eq + Hash + Clone> RateLimiter<K> {
    /// Creates a limiter that remembers at most `keys_max` keys.
    pub(crate) fn new(rate: impl Into<RateSource>, keys_max: usize) -> Self {
        Self { rate: rate.into(), buckets: Buckets::new(keys_max) }
    }

    /// Takes one unit for the key, or returns the time to wait.
    pub(crate) fn take(&self, key: &K, now_ms: u64) -> Result<(), RetryAfter> {
        self.buckets.bucket(key, now_ms).take(self.rate.rate(), 1, now_ms)
    }

    /// Charges more units, even beyond the rate.
    pub(crate) fn charge(&self, key: &K, cost: u64, now_ms: u64) {
        self.buckets.bucket(key, now_ms).charge(self.rate.rate(), cost, now_ms);
    }

    /// Refunds one unit.
    pub(crate) fn refund(&self, key: &K) {
        if let Some(bucket) = self.buckets.lock().get(key) {
            bucket.refund(self.rate.rate(), 1);
        }
    }
}

/// The buckets of keys that clients choose. A full bucket is equivalent to none.
#[derive(Debug)]
pub(crate) struct Buckets<K> {
    keys_max: usize,
    buckets: Mutex<HashMap<K, Arc<Bucket>>>,
}

impl<K: Eq + Hash + Clone> Buckets<K> {
    /// Creates an empty set of at most `keys_max` buckets.
    pub(crate) fn new(keys_max: usize) -> Self {
        Self { keys_max, buckets: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<K, Arc<Bucket>>> {
        self.buckets.lock()
    }

    pub(crate) fn bucket(&self, key: &K, now_ms: u64) -> Arc<Bucket> {
        let mut buckets = self.lock();
        if let Some(bucket) = buckets.get(key) {
            return Arc::clone(bucket);
        }
        if buckets.len() >= self.keys_max {
            evict(&mut buckets, now_ms.saturating_mul(1000), self.keys_max);
        }
        Arc::clone(buckets.entry(key.clone()).or_default())
    }
}

/// Evicts keys with full buckets that are not in use. If more than half of the keys remain, it
/// also evicts those that would be full soonest. The most active keys stay longest. As half of the
/// capacity is free afterwards, the next eviction is far off.
fn evict<K: Eq + Hash + Clone>(
    buckets: &mut HashMap<K, Arc<Bucket>>,
    now_us: u64,
    keys_max: usize,
) {
    let full_at =
        |bucket: &Arc<Bucket>| (Arc::strong_count(bucket) > 1, bucket.full_at_us.load(Relaxed));
    buckets.retain(|_, bucket| full_at(bucket) > (false, now_us));
    let surplus = buckets.len().saturating_sub(keys_max / 2);
    if surplus == 0 {
        return;
    }
    let mut keys: Vec<((bool, u64), K)> =
        buckets.iter().map(|(key, bucket)| (full_at(bucket), key.clone())).collect();
    keys.select_nth_unstable_by_key(surplus - 1, |(full_at, _)| *full_at);
    for (_, key) in &keys[..surplus] {
        buckets.remove(key);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const MINUTE: Duration = Duration::from_mins(1);

    #[test]
    fn allows_a_burst_then_the_steady_rate() {
        let limiter = RateLimiter::new(Rate::new(3, MINUTE), 10);
        for _ in 0..3 {
            assert_eq!(limiter.take(&"ann", 1_000), Ok(()));
        }
        assert_eq!(limiter.take(&"ann", 1_000), Err(RetryAfter(20_000)));
        assert_eq!(limiter.take(&"bob", 1_000), Ok(()), "others are not concerned");
        assert_eq!(limiter.take(&"ann", 20_999), Err(RetryAfter(1)));
        assert_eq!(limiter.take(&"ann", 21_000), Ok(()), "the wait that was told is enough");
        assert_eq!(limiter.take(&"ann", 21_000), Err(RetryAfter(20_000)));
    }

    #[test]
    fn what_is_given_back_was_never_done() {
        let limiter = RateLimiter::new(Rate::new(1, MINUTE), 10);
        for now_ms in 0..100 {
            assert_eq!(limiter.take(&"ann", now_ms), Ok(()));
            limiter.refund(&"ann");
        }
        limiter.refund(&"bob");
        assert_eq!(limiter.take(&"ann", 100), Ok(()));
        assert!(limiter.take(&"ann", 100).is_err());
    }

    #[test]
    fn a_full_table_evicts_the_least_used_keys() {
        let limiter = RateLimiter::new(Rate::new(5, MINUTE), 100);
        while limiter.take(&0_u32, 0).is_ok() {}
        for stranger in 1..1_000 {
            assert_eq!(limiter.take(&stranger, 0), Ok(()));
        }
        assert!(limiter.take(&0, 0).is_err());
    }

    #[test]
    fn what_is_charged_in_any_case_has_to_be_waited_for() {
        const BYTES: Rate = Rate::of(16 << 30, Duration::from_hours(24));
        let bucket = Bucket::default();
        assert_eq!(bucket.check(BYTES, 5_000), Ok(()));
        for _ in 0..16 {
            bucket.charge(BYTES, 1 << 30, 5_000);
        }
        let Err(RetryAfter(a_byte_ms)) = bucket.check(BYTES, 5_000) else { panic!("it is spent") };
        assert_eq!(a_byte_ms, 1);
        bucket.charge(BYTES, 1 << 33, 5_000);
        let Err(RetryAfter(wait_ms)) = bucket.check(BYTES, 5_000) else {
            panic!("it is overdrawn")
        };
        assert!((43_200_000..43_200_100).contains(&wait_ms), "{wait_ms}");
        assert!(bucket.check(BYTES, 5_000 + wait_ms - 1).is_err());
        assert_eq!(bucket.check(BYTES, 5_000 + wait_ms), Ok(()), "the wait is exact");
    }

    #[test]
    fn what_costs_much_is_done_less_often() {
        const RATE: Rate = Rate::new(10, Duration::from_secs(10));
        let bucket = Bucket::default();
        assert_eq!(bucket.take(RATE, 8, 0), Ok(()));
        assert_eq!(bucket.take(RATE, 4, 0), Err(RetryAfter(2_000)));
        assert_eq!(bucket.take(RATE, 2, 0), Ok(()));
        assert_eq!(
            bucket.take(RATE, 100, 0),
            Err(RetryAfter(10_000)),
            "more than may be done at once"
        );
        assert_eq!(bucket.take(RATE, 100, 10_000), Ok(()));
        bucket.refund(RATE, 100);
        assert_eq!(bucket.take(RATE, 10, 10_000), Ok(()));
    }

    #[test]
    fn what_is_taken_in_advance_says_when_it_is_due() {
        const RATE: Rate = Rate::new(2, Duration::from_secs(1));
        let bucket = Bucket::default();
        assert_eq!(bucket.take_ahead(RATE, 1, 0, 1_000), Ok(0));
        assert_eq!(bucket.take_ahead(RATE, 1, 0, 1_000), Ok(0));
        assert_eq!(bucket.take_ahead(RATE, 1, 0, 1_000), Ok(500));
        assert_eq!(bucket.take_ahead(RATE, 1, 100, 1_000), Ok(900));
        assert_eq!(bucket.take_ahead(RATE, 1, 100, 1_000), Err(RetryAfter(1_400)));
        assert_eq!(bucket.take(RATE, 1, 1_499), Err(RetryAfter(1)));
        assert_eq!(bucket.take(RATE, 1, 1_500), Ok(()), "the long run has the same rate");
    }

    #[test]
    fn a_bucket_that_is_in_use_is_not_forgotten() {
        let buckets = Buckets::new(100);
        let held = buckets.bucket(&0_u32, 0);
        for stranger in 1..1_000 {
            let stranger = buckets.bucket(&stranger, 0);
            stranger.charge(Rate::new(1, MINUTE), 5, 0);
        }
        assert!(Arc::ptr_eq(&held, &buckets.bucket(&0, 0)));
    }

    proptest! {
        /// Memory is bounded for every sequence of keys.
        #[test]
        fn memory_is_bounded(
            keys_max in 1_usize..40,
            count in 1_u32..6,
            steps in prop::collection::vec((0_u16..200, 0_u64..5_000), 1..400),
        ) {
            let limiter = RateLimiter::new(Rate::new(count, MINUTE), keys_max);
            let mut now_ms = 0;
            for (key, passed_ms) in steps {
                now_ms += passed_ms;
                if let Err(RetryAfter(wait_ms)) = limiter.take(&key, now_ms) {
                    prop_assert!((1..=60_000).contains(&wait_ms));
                }
                prop_assert!(limiter.buckets.lock().len() <= keys_max);
            }
        }

        /// Within any period at most a burst and its refill are taken, and the wait returned is
        /// exact.
        #[test]
        fn no_key_exceeds_the_rate(
            count in 1_u32..6,
            passed in prop::collection::vec(0_u64..30_000, 1..200),
        ) {
            let limiter = RateLimiter::new(Rate::new(count, MINUTE), 10);
            let mut now_ms = 0;
            let mut done: Vec<u64> = Vec::new();
            for passed_ms in passed {
                now_ms += passed_ms;
                match limiter.take(&(), now_ms) {
                    Ok(()) => done.push(now_ms),
                    Err(RetryAfter(wait_ms)) => {
                        prop_assert!(limiter.take(&(), now_ms + wait_ms - 1).is_err());
                        now_ms += wait_ms;
                        prop_assert_eq!(limiter.take(&(), now_ms), Ok(()));
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
