//! The current time, and dates. No other module reads the operating system's clock.

use std::{
    fmt,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering},
    },
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use humantime_serde::re::humantime::{
    format_rfc3339_millis, format_rfc3339_seconds, parse_rfc3339,
};
use parking_lot::{Mutex, RwLock};
use tokio::time::{Instant, sleep, sleep_until};

use crate::limits::{MACHINE_CLOCK_EVERY, MACHINE_CLOCK_JUMP_MS, PULSE_EVERY, STALL_MIN_MS};

/// Converts a duration to milliseconds.
pub(crate) fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// The machine's clock in epoch milliseconds; 0 before the epoch.
fn machine_ms() -> u64 {
    #[expect(clippy::disallowed_methods, reason = "this is the one place")]
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    milliseconds(since_epoch)
}

/// Milliseconds in which an adjusted clock gains or loses one: 5 ms a second.
const SLEW_MS: i64 = 200;

/// Epoch milliseconds that never decrease while the server runs. Cheap to clone; the clones are one
/// clock.
///
/// A clock is read at the start; from then on the monotonic clock counts. Setting the machine's
/// clock during a game therefore changes no player's time. A server with a store of its own starts
/// at the machine's time and follows it, and the nodes of a cluster do so with the time of their
/// store: slowly, but for a jump of the machine's clock ahead, which is a stall.
#[derive(Debug, Clone)]
pub(crate) struct TimeSource {
    started_ms: u64,
    started: Instant,
    slew: Arc<Slew>,
    pulse: Arc<Pulse>,
    /// Whether it stands for the machine's clock, and not for that of a simulation.
    is_real: bool,
}

/// A time in which the process did not run, in epoch milliseconds. The machine slept or stood
/// still, or other processes had its cores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stall {
    pub from: u64,
    pub until: u64,
}

/// Beats while the process runs. Whoever asks for the time and finds that beats are missing reports
/// the stall before anything is decided by that time.
#[derive(Default)]
struct Pulse {
    /// The last beat, in epoch milliseconds; 0 before the first.
    last_ms: AtomicU64,
    /// By how much jumps of the machine's clock have set the time ahead, in milliseconds.
    jumped_ms: AtomicI64,
    listener: OnceLock<Box<dyn Fn(Stall) + Send + Sync>>,
    /// Held while a stall is reported: nobody goes on with the time before the listener knows.
    reporting: Mutex<()>,
}

impl fmt::Debug for Pulse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pulse").field("last_ms", &self.last_ms).finish_non_exhaustive()
    }
}

impl Pulse {
    /// Reports a stall if beats are missing.
    fn look(&self, now_ms: u64) {
        if self.stall_until(now_ms).is_none() {
            return;
        }
        let _reporting = self.reporting.lock();
        let Some(stall) = self.stall_until(now_ms) else { return };
        if let Some(listener) = self.listener.get() {
            listener(stall);
        }
        self.last_ms.fetch_max(now_ms, Ordering::AcqRel);
    }

    /// The time without a beat until now, if it is a stall.
    fn stall_until(&self, now_ms: u64) -> Option<Stall> {
        let from = self.last_ms.load(Ordering::Acquire);
        let is_stall = from > 0 && now_ms.saturating_sub(from) >= STALL_MIN_MS;
        is_stall.then_some(Stall { from, until: now_ms })
    }
}

/// How a clock follows another.
#[derive(Debug, Default)]
struct Slew {
    is_used: AtomicBool,
    offset: RwLock<Offset>,
}

/// The difference to the monotonic clock, which approaches a target, in milliseconds.
#[derive(Debug, Clone, Copy, Default)]
struct Offset {
    /// The offset at `since`.
    from: i64,
    target: i64,
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
    pub(crate) fn from_system() -> Self {
        Self { is_real: true, ..Self::starting_at(machine_ms()) }
    }

    /// Starts at the time that a store of several nodes had at a moment, whatever the machine's
    /// clock says.
    pub(crate) fn from_store(epoch_ms: u64, read: Instant) -> Self {
        let now_ms = epoch_ms.saturating_add(milliseconds(read.elapsed()));
        Self { is_real: true, ..Self::starting_at(now_ms) }
    }

    pub(crate) fn starting_at(epoch_ms: u64) -> Self {
        Self {
            started_ms: epoch_ms,
            started: Instant::now(),
            slew: Arc::default(),
            pulse: Arc::default(),
            is_real: false,
        }
    }

    /// Returns the current time in epoch milliseconds.
    pub(crate) fn now_ms(&self) -> u64 {
        let elapsed_ms = milliseconds(self.started.elapsed());
        let now = self.started_ms.saturating_add(elapsed_ms);
        let now = now.saturating_add_signed(self.offset_ms(elapsed_ms));
        self.pulse.look(now);
        now
    }

    /// Whether it stands for the machine's clock.
    pub(crate) const fn is_real(&self) -> bool {
        self.is_real
    }

    /// Returns the machine's time, for what other machines read: it may be set back.
    pub(crate) fn machine_ms(&self) -> u64 {
        if self.is_real { machine_ms() } else { self.now_ms() }
    }

    fn offset_ms(&self, elapsed_ms: u64) -> i64 {
        let jumped_ms = self.pulse.jumped_ms.load(Ordering::Relaxed);
        if !self.slew.is_used.load(Ordering::Relaxed) {
            return jumped_ms;
        }
        let offset = self.slew.offset.read();
        jumped_ms + offset.at(elapsed_ms)
    }

    /// Tells a listener of each stall from now on. Only the first listener counts.
    pub(crate) fn on_stall(&self, listener: impl Fn(Stall) + Send + Sync + 'static) {
        drop(self.pulse.listener.set(Box::new(listener)));
    }

    /// Beats, and with `follows` follows the machine's clock, until dropped.
    pub(crate) async fn beat(&self, follows: bool) {
        let mut compared = Instant::now();
        loop {
            let now = self.now_ms();
            self.pulse.last_ms.fetch_max(now, Ordering::AcqRel);
            if follows && compared.elapsed() >= MACHINE_CLOCK_EVERY {
                compared = Instant::now();
                self.follow_machine(now);
            }
            sleep(PULSE_EVERY).await;
        }
    }

    /// Approaches the machine's clock. If it has jumped ahead, so does the time.
    fn follow_machine(&self, now: u64) {
        let ahead_ms = self.machine_ms().checked_signed_diff(now).unwrap_or(i64::MAX);
        if ahead_ms < MACHINE_CLOCK_JUMP_MS {
            return self.adjust(ahead_ms);
        }
        // operator: somebody set the machine's clock, or the machine slept. The server follows it,
        // and running clocks get the time back
        tracing::warn!(
            ahead_ms,
            "the machine's clock has jumped ahead: games are credited the time"
        );
        self.pulse.jumped_ms.fetch_add(ahead_ms, Ordering::AcqRel);
        // The next reading of the time finds that beats are missing.
        self.now_ms();
    }

    /// Approaches a clock that is this many milliseconds ahead, by at most 5 ms a second. The time
    /// never goes back.
    pub(crate) fn adjust(&self, ahead_ms: i64) {
        let elapsed_ms = milliseconds(self.started.elapsed());
        let mut offset = self.slew.offset.write();
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

    /// Returns when this time comes.
    pub(crate) fn instant_at(&self, epoch_ms: u64) -> Instant {
        let offset = self.offset_ms(milliseconds(self.started.elapsed()));
        let since_start = epoch_ms.saturating_sub(self.started_ms);
        self.started + Duration::from_millis(since_start.saturating_add_signed(-offset))
    }
}

/// The last time of the year 9999, beyond which times are not written.
const CALENDAR_ENDS_MS: u64 = 253_402_300_799_999;

/// Returns the date of a time in epoch milliseconds, such as `2026-03-01`, in UTC.
pub(crate) fn date(epoch_ms: u64) -> String {
    let mut date = timestamp(epoch_ms);
    date.truncate("2026-03-01".len());
    date
}

/// Returns a time in epoch milliseconds in the form of RFC 3339, to the second.
pub(crate) fn timestamp(epoch_ms: u64) -> String {
    let time = UNIX_EPOCH + Duration::from_millis(epoch_ms.min(CALENDAR_ENDS_MS));
    format_rfc3339_seconds(time).to_string()
}

/// Returns a time in epoch milliseconds in the form of RFC 3339, to the millisecond.
pub(crate) fn timestamp_ms(epoch_ms: u64) -> String {
    let time = UNIX_EPOCH + Duration::from_millis(epoch_ms.min(CALENDAR_ENDS_MS));
    format_rfc3339_millis(time).to_string()
}

/// Reads a time in UTC in the form of RFC 3339, as epoch milliseconds.
pub(crate) fn parse_timestamp(text: &str) -> Option<u64> {
    let since_epoch = parse_rfc3339(text).ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some(milliseconds(since_epoch))
}

#[cfg(test)]
mod tests {
    use std::pin::pin;

    use futures::FutureExt as _;
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
    async fn missing_beats_are_a_stall_that_is_reported_before_the_time_is_known() {
        let time = TimeSource::starting_at(1_000_000);
        let stalls = Arc::new(Mutex::new(Vec::new()));
        let heard = Arc::clone(&stalls);
        time.on_stall(move |stall| heard.lock().push(stall));
        let mut beating = pin!(time.beat(false));
        for _ in 0..40 {
            advance(PULSE_EVERY).await;
            assert!((&mut beating).now_or_never().is_none());
        }
        assert_eq!(*stalls.lock(), []);
        let from = time.now_ms();
        advance(Duration::from_secs(6)).await;
        assert_eq!(time.now_ms(), from + 6_000);
        assert_eq!(*stalls.lock(), [Stall { from, until: from + 6_000 }]);
        assert_eq!((time.now_ms(), stalls.lock().len()), (from + 6_000, 1));
    }

    #[tokio::test(start_paused = true)]
    async fn a_machine_that_is_set_right_takes_the_time_along_ahead_and_pulls_it_back_slowly() {
        const HALF_A_DAY_MS: u64 = 13 * 3_600 * 1_000;
        let started_at =
            |epoch_ms| TimeSource { is_real: true, ..TimeSource::starting_at(epoch_ms) };
        let one_look = async |time: &TimeSource| {
            let mut beating = pin!(time.beat(true));
            for _ in 0..=MACHINE_CLOCK_EVERY.as_millis() / PULSE_EVERY.as_millis() {
                assert!((&mut beating).now_or_never().is_none());
                advance(PULSE_EVERY).await;
            }
        };
        let behind = started_at(machine_ms() - HALF_A_DAY_MS);
        let credited_ms = Arc::new(AtomicU64::new(0));
        let credit = Arc::clone(&credited_ms);
        behind.on_stall(move |stall| {
            credit.fetch_add(stall.until - stall.from, Ordering::Relaxed);
        });
        one_look(&behind).await;
        // The monotonic clock of the test runs ahead of the machine's by what it was advanced.
        assert!(behind.now_ms().abs_diff(machine_ms()) < 60_000, "it follows");
        assert!(credited_ms.load(Ordering::Relaxed) > HALF_A_DAY_MS - 60_000, "nobody loses time");

        let ahead = started_at(machine_ms() + HALF_A_DAY_MS);
        let before = ahead.now_ms();
        one_look(&ahead).await;
        assert!(ahead.now_ms() > before, "no clock of a game goes back");
        assert!(ahead.machine_ms() + HALF_A_DAY_MS / 2 < before, "what others read is right");
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

    #[test]
    fn times_are_written_to_the_second() {
        assert_eq!(
            (timestamp(0).as_str(), date(0).as_str()),
            ("1970-01-01T00:00:00Z", "1970-01-01")
        );
        assert_eq!(timestamp(951_868_799_999), "2000-02-29T23:59:59Z");
        assert_eq!(date(u64::MAX), "9999-12-31");
    }
}
