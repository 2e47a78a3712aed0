//! The database's clock, seen through round trips of different lengths.

use std::{collections::VecDeque, time::Duration};

use crate::limits::POSTGRES_CLOCK_SAMPLES;

/// The latest samples. The one with the shortest round trip is off by at most half of it.
#[derive(Debug, Default)]
pub(super) struct ClockSamples(VecDeque<(Duration, i64)>);

impl ClockSamples {
    /// Adds a sample: this node's clock when the question was sent, and the database's in the
    /// answer, in epoch milliseconds. Returns by how much the database's clock is ahead.
    pub(super) fn add(&mut self, sent_ms: u64, database_ms: i64, round_trip: Duration) -> i64 {
        let half = i64::try_from(round_trip.as_millis() / 2).unwrap_or(i64::MAX);
        let there = i64::try_from(sent_ms).unwrap_or(i64::MAX).saturating_add(half);
        if self.0.len() == POSTGRES_CLOCK_SAMPLES {
            self.0.pop_front();
        }
        self.0.push_back((round_trip, database_ms.saturating_sub(there)));
        self.0.iter().min().map_or(0, |(_, ahead)| *ahead)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shortest_round_trip_counts() {
        let mut samples = ClockSamples::default();
        let trip = Duration::from_millis;
        assert_eq!(samples.add(1000, 1090, trip(100)), 40);
        assert_eq!(samples.add(2000, 2036, trip(2)), 35);
        assert_eq!(samples.add(3000, 3200, trip(50)), 35);
        for n in 0..POSTGRES_CLOCK_SAMPLES as u64 {
            samples.add(4000 + n, 4000 + n.cast_signed() + 20, trip(20));
        }
        assert_eq!(samples.add(5000, 5020, trip(20)), 10, "the old samples do not count");
    }
}
