//! Requests that wait for their replies, and when the next may be sent. Each one is answered, sent
//! again or failed.

use std::{
    fmt,
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use adamant_protocol::{
    error::Retry,
    from_client::FromClient,
    ids::RequestId,
    to_client::{Failed, Limits, ToClient},
};
use rand::{Rng, RngExt as _};
use tokio::{sync::oneshot, time::Instant};

use crate::error::{DisconnectReason, RequestError};

/// The most pending requests. A server answers within milliseconds, so a busy program has far fewer
/// under way.
pub(crate) const PENDING_MAX: usize = 256;

/// The sender of a reply to the caller.
pub(crate) type ReplyTo = oneshot::Sender<Result<ToClient, RequestError>>;

/// An encoded request that waits for its reply.
pub(crate) struct Request {
    /// The id, which the reply carries as `re`.
    pub(crate) id: RequestId,
    /// The frame. A new connection sends it again unchanged.
    pub(crate) text: String,
    /// Whether the request changes a game. The server recognises an act by its id, so it may be
    /// sent again.
    pub(crate) is_act: bool,
    pub(crate) reply_to: ReplyTo,
}

impl fmt::Debug for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Its text may have a password.
        f.debug_struct("Request").field("id", &self.id).finish_non_exhaustive()
    }
}

/// Returns whether a request changes a game.
pub(crate) const fn is_act(message: &FromClient) -> bool {
    matches!(
        message,
        FromClient::Move(_)
            | FromClient::Resign(_)
            | FromClient::Abort(_)
            | FromClient::Offer(_)
            | FromClient::Answer(_)
            | FromClient::Withdraw(_)
            | FromClient::Say(_)
            | FromClient::Unsay(_)
            | FromClient::Claim(_)
            // A game has one rematch, however often it is requested.
            | FromClient::Rematch(_)
    )
}

/// Returns whether a request may be sent twice: acts, and what changes nothing.
pub(crate) const fn is_repeatable(message: &FromClient) -> bool {
    is_act(message)
        || matches!(
            message,
            FromClient::Analyse(_)
                | FromClient::Games(_)
                | FromClient::Catalogue(_)
                | FromClient::Challenges(_)
                | FromClient::Directory(_)
                | FromClient::Explore(_)
                | FromClient::Hints(_)
                | FromClient::History(_)
                | FromClient::InviteInfo(_)
                | FromClient::Layout(_)
                | FromClient::Live(_)
                | FromClient::Lobby(_)
                | FromClient::Moves(_)
                | FromClient::NoticeSeen(_)
                | FromClient::Ping(_)
                | FromClient::Positions(_)
                | FromClient::Report(_)
                | FromClient::Signature(_)
                | FromClient::Standings(_)
                | FromClient::Stats(_)
                | FromClient::Talk(_)
                | FromClient::Try(_)
                | FromClient::Tv(_)
                | FromClient::Unwatch(_)
                | FromClient::User(_)
                | FromClient::Watch(_)
        )
}

/// The pending requests, oldest first.
#[derive(Debug, Default)]
pub(crate) struct Pending(Vec<Request>);

impl Pending {
    /// Adds a request. Returns `false`, and fails the request, if too many are pending.
    pub(crate) fn add(&mut self, request: Request) -> bool {
        if self.0.len() >= PENDING_MAX {
            // The callers of these have stopped waiting.
            self.0.retain(|request| request.is_act || !request.reply_to.is_closed());
        }
        if self.0.len() >= PENDING_MAX {
            fail(request, RequestError::TooManyPending);
            return false;
        }
        self.0.push(request);
        true
    }

    /// Removes and returns the request with this id.
    pub(crate) fn remove(&mut self, id: &RequestId) -> Option<Request> {
        let index = self.0.iter().position(|request| request.id == *id)?;
        Some(self.0.remove(index))
    }

    /// Fails all requests that cannot be sent again. Acts stay.
    pub(crate) fn connection_lost(&mut self) {
        for request in self.0.extract_if(.., |request| !request.is_act) {
            fail(request, RequestError::ConnectionLost);
        }
    }

    /// Returns the frames to send on a new connection, oldest first.
    pub(crate) fn frames(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|request| request.text.as_str())
    }

    /// Fails all requests when there will be no further connection.
    pub(crate) fn close(&mut self, reason: &DisconnectReason) {
        for request in self.0.drain(..) {
            fail(request, RequestError::Closed(reason.clone()));
        }
    }
}

pub(crate) fn fail(request: Request, error: RequestError) {
    // The caller may have stopped waiting.
    request.reply_to.send(Err(error)).ok();
}

/// Makes ids that no other run of any client has made. The server stores them with its games.
#[derive(Debug)]
pub(crate) struct Ids {
    prefix: String,
    count: AtomicU64,
}

impl Ids {
    pub(crate) fn new() -> Self {
        Self { prefix: format!("{:010x}", rand::rng().random::<u64>() >> 24), count: 0.into() }
    }

    /// Returns an unused id.
    pub(crate) fn next(&self) -> RequestId {
        let count = self.count.fetch_add(1, Ordering::Relaxed) + 1;
        format!("{}-c{count}", self.prefix).parse().expect("it is short and printable")
    }
}

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

    /// Notes a new session. Its loss is another one, after which the waits are short for a time,
    /// even if it was too brief to reset them.
    pub(crate) fn opened(&mut self) {
        self.lost_at = None;
    }

    /// Resets the waits after a good connection.
    pub(crate) fn reset(&mut self) {
        *self = Self::default();
    }
}

/// The share of the server's message rate that one client uses. Other sessions may need the rest.
const RATE_SHARE: f64 = 0.8;

/// A token bucket that keeps the client within the server's message rate.
#[derive(Debug)]
pub(crate) struct Pacer {
    /// Messages a second; infinite without a limit.
    per_s: f64,
    burst: f64,
    tokens: f64,
    refilled_at: Instant,
}

impl Pacer {
    pub(crate) fn new(limits: &Limits, now: Instant) -> Self {
        let is_limited = limits.per_s > 0 && limits.burst > 0;
        let share =
            |limit: u32| if is_limited { f64::from(limit) * RATE_SHARE } else { f64::INFINITY };
        let burst = share(limits.burst).max(1.0);
        Self { per_s: share(limits.per_s), burst, tokens: burst, refilled_at: now }
    }

    /// Takes a token. Returns when there will be one if there is none.
    pub(crate) fn take(&mut self, now: Instant) -> Result<(), Instant> {
        if self.burst.is_infinite() {
            return Ok(());
        }
        let refill = now.duration_since(self.refilled_at).as_secs_f64() * self.per_s;
        (self.tokens, self.refilled_at) = ((self.tokens + refill).min(self.burst), now);
        if self.tokens < 1.0 {
            // Rounded up, so that the wait is long enough.
            let wait = (1.0 - self.tokens) / self.per_s;
            return Err(now + Duration::from_secs_f64(wait) + Duration::from_millis(1));
        }
        self.tokens -= 1.0;
        Ok(())
    }
}

/// The most times that one refused request is sent again.
const RETRIES_MAX: u32 = 8;

/// The shortest wait before a refused request is sent again. It doubles with each time.
const RETRY_WAIT_MIN: Duration = Duration::from_millis(25);

/// Returns how long to wait before a refused request is sent again, unchanged; `None` if it is not.
/// A server that has failed may be asked again only if that does no harm.
pub(crate) fn retry_wait(
    failed: &Failed,
    is_repeatable: bool,
    attempt: u32,
    longest: Duration,
) -> Option<Duration> {
    let named = match failed.retry {
        Retry::After => failed.retry_after_ms.map_or(Duration::from_secs(1), Duration::from_millis),
        Retry::Same if is_repeatable => Duration::ZERO,
        _ => return None,
    };
    let own = RETRY_WAIT_MIN.saturating_mul(1 << attempt.min(RETRIES_MAX));
    (attempt < RETRIES_MAX && named <= longest).then(|| named.max(own))
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
    fn brief_sessions_between_losses_keep_the_waits_short() {
        let mut rng = StdRng::seed_from_u64(1);
        let mut backoff = Backoff::default();
        let mut now = Instant::now();
        for _ in 0..200 {
            assert!(backoff.next(now, &mut rng) <= EAGER_WAIT_MAX);
            backoff.opened();
            now += EAGER_FOR;
        }
    }

    #[test]
    fn messages_keep_within_four_fifths_of_the_rate() {
        let text = r#"{"frame_bytes":65536,"burst":10,"per_s":5}"#;
        let start = Instant::now();
        let mut pacer = Pacer::new(&serde_json::from_str(text).unwrap(), start);
        let (mut now, mut sent) = (start, 0);
        while now < start + Duration::from_secs(10) {
            match pacer.take(now) {
                Ok(()) => sent += 1,
                Err(at) => now = at,
            }
        }
        assert!((47..=48).contains(&sent), "8 at once and 4 a second, not {sent}");
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
