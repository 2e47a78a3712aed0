//! The database's clock, seen through round trips of different lengths.

use std::{collections::VecDeque, time::Duration};

use tokio::time::Instant;

use crate::limits::POSTGRES_CLOCK_SAMPLES;

/// The latest samples. The one with the shortest round trip is off by at most half of it.
///
/// Samples compare the database's clock with the time since the first one, and not with this node's
/// clock: that one is adjusted by what the samples say.
#[derive(Debug, Default)]
pub(super) struct ClockSamples {
    /// When the first sample was sent.
    first: Option<Instant>,
    /// Each round trip, with the database's clock less the time since the first sample.
    latest: VecDeque<(Duration, i64)>,
}

impl ClockSamples {
    /// Adds a sample: when the question was sent, this node's clock at that moment, and the
    /// database's clock in the answer, in epoch milliseconds. Returns by how much the database's
    /// clock is ahead.
    pub(super) fn add(
        &mut self,
        sent: Instant,
        sent_ms: u64,
        database_ms: i64,
        round_trip: Duration,
    ) -> i64 {
        let first = *self.first.get_or_insert(sent);
        let since_first = whole_ms(sent.saturating_duration_since(first));
        let sent_there_ms = database_ms.saturating_sub(whole_ms(round_trip / 2));
        if self.latest.len() == POSTGRES_CLOCK_SAMPLES {
            self.latest.pop_front();
        }
        self.latest.push_back((round_trip, sent_there_ms.saturating_sub(since_first)));
        let (_, at_first) = self.latest.iter().min().copied().unwrap_or_default();
        let here = i64::try_from(sent_ms).unwrap_or(i64::MAX);
        at_first.saturating_add(since_first).saturating_sub(here)
    }
}

fn whole_ms(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shortest_round_trip_counts() {
        let mut samples = ClockSamples::default();
        let (start, ms) = (Instant::now(), Duration::from_millis);
        assert_eq!(samples.add(start, 1000, 1090, ms(100)), 40);
        assert_eq!(samples.add(start + ms(1000), 2000, 2036, ms(2)), 35);
        assert_eq!(samples.add(start + ms(2000), 3000, 3200, ms(50)), 35);
        for n in 0..POSTGRES_CLOCK_SAMPLES as u64 {
            samples.add(start + ms(3000 + n), 4000 + n, 4000 + n.cast_signed() + 20, ms(20));
        }
        let ahead = samples.add(start + ms(4000), 5000, 5020, ms(20));
        assert_eq!(ahead, 10, "the old samples do not count");
    }

    #[test]
    fn what_the_node_has_corrected_is_not_corrected_again() {
        let mut samples = ClockSamples::default();
        let (start, ms) = (Instant::now(), Duration::from_millis);
        assert_eq!(samples.add(start, 1000, 1041, ms(2)), 40);
        // The node's clock now goes with the database's.
        assert_eq!(samples.add(start + ms(500), 1540, 1550, ms(20)), 0);
    }
}
