//! How long the way to a client takes, there and back, measured by pings.

use parking_lot::{Mutex, MutexGuard};
use tokio::time::Instant;

use crate::{limits::ROUND_TRIPS, runtime::time::milliseconds};

/// The way to one client, written by the session's two halves. The lock is held for moments.
#[derive(Debug, Default)]
pub(super) struct RoundTrip(Mutex<Measured>);

#[derive(Debug, Default)]
struct Measured {
    /// The number of the last ping, and when it was sent, until it is answered.
    number: u32,
    sent: Option<Instant>,
    /// The number of the last ping that was answered.
    answered: u32,
    /// The last measurements in milliseconds; how many there have been.
    recent: [u16; ROUND_TRIPS],
    count: u32,
}

impl RoundTrip {
    fn measured(&self) -> MutexGuard<'_, Measured> {
        self.0.lock()
    }

    /// A ping leaves now; gives back its number.
    pub(super) fn ping(&self) -> u32 {
        let mut measured = self.measured();
        measured.number = measured.number.wrapping_add(1);
        measured.sent = Some(Instant::now());
        measured.number
    }

    /// A pong has come; whether it answers a ping later than those answered before. Only the last
    /// ping measures: the session may have been too busy to read the answer to an earlier one.
    pub(super) fn pong(&self, payload: &[u8]) -> bool {
        let Ok(bytes) = payload.try_into() else { return false };
        let number = u32::from_be_bytes(bytes);
        let mut measured = self.measured();
        let unanswered = measured.number.wrapping_sub(measured.answered);
        if measured.number.wrapping_sub(number) >= unanswered {
            return false;
        }
        measured.answered = number;
        if number != measured.number {
            return true;
        }
        let Some(sent) = measured.sent.take() else { return true };
        let place = measured.count as usize % ROUND_TRIPS;
        // A longer way is as good as none.
        measured.recent[place] = u16::try_from(milliseconds(sent.elapsed())).unwrap_or(u16::MAX);
        measured.count = measured.count.saturating_add(1);
        true
    }

    /// The shortest way of late, there and back; nothing before the first measurement.
    pub(super) fn shortest_ms(&self) -> u64 {
        let measured = self.measured();
        let known = measured.recent.iter().take(measured.count as usize);
        known.min().map_or(0, |&shortest| shortest.into())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::advance;

    use super::*;

    async fn measure(way: &RoundTrip, ms: u64) {
        let ping = way.ping();
        advance(Duration::from_millis(ms)).await;
        assert!(way.pong(&ping.to_be_bytes()));
    }

    #[tokio::test(start_paused = true)]
    async fn the_shortest_of_the_last_few_ways_counts() {
        let way = RoundTrip::default();
        assert_eq!(way.shortest_ms(), 0);
        measure(&way, 80).await;
        assert_eq!(way.shortest_ms(), 80);
        measure(&way, 40).await;
        measure(&way, 3_000).await;
        assert_eq!(way.shortest_ms(), 40);
        for _ in 0..ROUND_TRIPS {
            measure(&way, 90).await;
        }
        assert_eq!(way.shortest_ms(), 90);
    }

    #[tokio::test(start_paused = true)]
    async fn only_the_answer_to_the_last_ping_counts_and_only_once() {
        let way = RoundTrip::default();
        assert!(!way.pong(b""));
        let old = way.ping();
        let new = way.ping();
        advance(Duration::from_millis(50)).await;
        assert!(way.pong(&old.to_be_bytes()), "it was asked for");
        assert!(!way.pong(&old.to_be_bytes()));
        assert!(!way.pong(b"something else"));
        assert!(way.pong(&new.to_be_bytes()));
        advance(Duration::from_millis(500)).await;
        assert!(!way.pong(&new.to_be_bytes()));
        assert_eq!(way.shortest_ms(), 50);
    }
}
