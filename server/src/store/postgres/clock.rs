//! The time of the nodes on a database: the database's clock and an offset, which is stored.
//!
//! After a promotion the clock is another machine's, and any machine's clock can be set. The time
//! goes on all the same: the first node that sends a heartbeat and knows how much time has passed
//! since its last one changes the offset. Later the offset approaches zero again, so slowly that
//! the clocks of all nodes follow.

use std::{collections::VecDeque, time::Duration};

use tokio::time::Instant;

use super::{connection::Transaction, errors::Failure};
use crate::limits::{
    POSTGRES_CLOCK_BACK_MAX_MS, POSTGRES_CLOCK_RETURN_MS, POSTGRES_CLOCK_SAMPLES,
    POSTGRES_CLOCK_STEP_MS, POSTGRES_CLOCK_UNSURE_PART, POSTGRES_NODE_GONE_MS, POSTGRES_STALL_MS,
};

/// The latest samples. The one with the shortest round trip is off by at most half of it.
///
/// Samples compare the database's clock with the time since the first one, and not with this node's
/// clock: that one is adjusted by what the samples say.
#[derive(Debug, Default)]
pub(super) struct ClockSamples {
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

const DATABASE_MS: &str = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint";

/// The time of the nodes, in epoch milliseconds.
pub(super) const NOW_MS: &str = "((extract(epoch FROM clock_timestamp()) * 1000)::bigint
    + (SELECT clock_offset FROM cluster))";

/// One node joins after the other: "nodes" in ASCII.
pub(super) const JOIN_LOCK: &str = "SELECT pg_advisory_xact_lock(474148270451)";

/// The statement that finds a node which has beaten in the last `$1` milliseconds.
pub(super) fn living() -> String {
    format!("SELECT node FROM nodes WHERE beat_at > {NOW_MS} - $1 LIMIT 1")
}

/// What a node has read of the time, and when, by its monotonic clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ReadTime {
    /// The time of the nodes, in epoch milliseconds.
    pub(super) ms: i64,
    pub(super) asked: Instant,
    pub(super) answered: Instant,
}

/// Reads the time, and stores the offset if it has changed. The caller's transaction holds the row
/// of the cluster until its end. `last` is what the node has read with its last heartbeat, or when
/// it joined. Also returns when a node could last commit; 0 before the first time.
pub(super) async fn count_time(
    transaction: &Transaction,
    last: Option<ReadTime>,
) -> Result<(i64, ReadTime), Failure> {
    let select = "SELECT alive_at, clock_offset FROM cluster FOR UPDATE";
    let row = transaction.query_one(select, &[]).await?;
    let (alive_at, offset): (i64, i64) = (row.try_get(0)?, row.try_get(1)?);
    let asked = Instant::now();
    let select = format!("SELECT {DATABASE_MS}");
    let database: i64 = transaction.query_one(&select, &[]).await?.try_get(0)?;
    let read = ReadTime { ms: database.saturating_add(offset), asked, answered: Instant::now() };
    let read = ReadTime { ms: returned(alive_at, offset, read.ms), ..read };
    let now = corrected(alive_at, read, last);
    let jumped_ms = read.ms.saturating_sub(now);
    if jumped_ms.saturating_abs() > POSTGRES_CLOCK_STEP_MS {
        // operator: the clock of the primary's machine was set, or a standby with another clock was
        // promoted. Check its time service
        tracing::warn!(
            jumped_ms,
            "the database's clock has jumped: the time of the nodes goes on without it"
        );
    }
    let changed = now.saturating_sub(database);
    if changed != offset {
        transaction.execute("UPDATE cluster SET clock_offset = $1", &[&changed]).await?;
    }
    Ok((alive_at, ReadTime { ms: now, ..read }))
}

/// Returns the time, given what the database's clock makes of it.
fn corrected(alive_at: i64, read: ReadTime, last: Option<ReadTime>) -> i64 {
    // A node whose machine slept has missed the heartbeats of others, and cannot tell. Neither can
    // one that has joined by a clock that had jumped.
    let knows =
        |last: &ReadTime| alive_at.saturating_sub(last.ms).saturating_abs() < POSTGRES_STALL_MS;
    let expected = last.filter(knows).map(|last| {
        let earliest = read.asked.saturating_duration_since(last.answered);
        let latest = read.answered.saturating_duration_since(last.asked);
        let unsure =
            POSTGRES_CLOCK_STEP_MS.saturating_add(whole_ms(latest) / POSTGRES_CLOCK_UNSURE_PART);
        (
            last.ms.saturating_add(whole_ms(earliest)),
            last.ms.saturating_add(whole_ms(latest)),
            unsure,
        )
    });
    let counted = match expected {
        Some((earliest, _, unsure)) if read.ms < earliest.saturating_sub(unsure) => earliest,
        Some((_, latest, unsure)) if read.ms > latest.saturating_add(unsure) => latest,
        Some(_) | None => read.ms,
    };
    // The time never goes back, even if no node has lived to tell.
    let back = alive_at.saturating_sub(counted);
    if (0..=POSTGRES_CLOCK_BACK_MAX_MS).contains(&back) { alive_at } else { counted }
}

/// Returns the time with an offset that has approached zero since the last heartbeat of any node.
fn returned(alive_at: i64, offset: i64, now: i64) -> i64 {
    if alive_at == 0 {
        return now.saturating_sub(offset);
    }
    let seconds = now.div_euclid(1000).saturating_sub(alive_at.div_euclid(1000)).max(0);
    let most = seconds.saturating_mul(POSTGRES_CLOCK_RETURN_MS);
    now.saturating_sub(offset.clamp(-most, most))
}

fn whole_ms(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}

/// Returns the condition that the node of a row of `nodes` lives, beside the row of `cluster`. The
/// time in which no node could commit does not count: a fail-over is no node's end.
pub(super) fn lives() -> String {
    format!(
        "CASE WHEN nodes.beat_at > cluster.stalled_at - {POSTGRES_NODE_GONE_MS}
              THEN greatest(nodes.beat_at, cluster.resumed_at)
              ELSE nodes.beat_at END > {NOW_MS} - {POSTGRES_NODE_GONE_MS}"
    )
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

    const MS: Duration = Duration::from_millis(1);

    /// A heartbeat every half second, from the time 1,000,000 on; each takes 4 ms.
    struct Beats {
        start: Instant,
        passed_ms: u32,
        last: Option<ReadTime>,
        alive_at: i64,
        offset: i64,
    }

    impl Beats {
        fn new() -> Self {
            Self { start: Instant::now(), passed_ms: 0, last: None, alive_at: 0, offset: 0 }
        }

        /// Beats after some time, while the database's clock is this far ahead.
        fn beat(&mut self, after_ms: u32, ahead_ms: i64) -> i64 {
            self.passed_ms += after_ms;
            let asked = self.start + MS * self.passed_ms;
            let database = 1_000_000 + i64::from(self.passed_ms) + 2 + ahead_ms;
            let ms = returned(self.alive_at, self.offset, database + self.offset);
            let read = ReadTime { ms, asked, answered: asked + MS * 4 };
            let now = corrected(self.alive_at, read, self.last);
            self.offset = now - database;
            self.alive_at = self.alive_at.max(now);
            self.last = Some(ReadTime { ms: now, ..read });
            now
        }

        fn right(&self) -> i64 {
            1_000_000 + i64::from(self.passed_ms) + 2
        }
    }

    #[test]
    fn the_time_goes_on_over_jumps_of_the_databases_clock() {
        for jump_ms in [-3_600_000, -20_000, -200, 200, 60_000, 3_600_000] {
            let mut beats = Beats::new();
            for _ in 0..4 {
                assert_eq!(beats.beat(500, 0), beats.right());
            }
            let now = beats.beat(900, jump_ms);
            assert!((now - beats.right()).abs() <= 10, "{jump_ms}: {now}");
        }
    }

    #[test]
    fn the_time_approaches_the_databases_clock_again() {
        let mut beats = Beats::new();
        beats.beat(500, 0);
        let (mut before, mut beaten) = (beats.beat(500, 2_000), 0);
        while beats.offset != 0 {
            let now = beats.beat(500, 2_000);
            assert!((498..=502).contains(&(now - before)), "{before}, then {now}");
            (before, beaten) = (now, beaten + 1);
        }
        assert!((1_900..2_200).contains(&beaten), "{beaten} heartbeats");
    }

    #[test]
    fn a_node_that_has_missed_heartbeats_of_others_cannot_tell() {
        let mut beats = Beats::new();
        beats.beat(500, 0);
        let last = beats.last;
        for _ in 0..8 {
            beats.beat(500, 0);
        }
        // Its monotonic clock stood still meanwhile.
        let last = last.map(|last| ReadTime { asked: beats.start, answered: beats.start, ..last });
        let read =
            ReadTime { ms: beats.alive_at + 300, asked: beats.start, answered: beats.start + MS };
        assert_eq!(corrected(beats.alive_at, read, last), beats.alive_at + 300);
    }

    #[test]
    fn a_node_that_has_joined_by_another_clock_cannot_tell() {
        let mut beats = Beats::new();
        beats.beat(500, 0);
        let asked = beats.start + MS * beats.passed_ms;
        let joined = ReadTime { ms: beats.alive_at + 60_000, asked, answered: asked };
        let read = ReadTime { ms: beats.alive_at + 300, asked: asked + MS * 300, answered: asked };
        assert_eq!(corrected(beats.alive_at, read, Some(joined)), read.ms);
    }

    #[test]
    fn without_a_node_that_can_tell_the_time_does_not_go_back() {
        let mut beats = Beats::new();
        let before = beats.beat(500, 0);
        beats.last = None;
        assert_eq!(beats.beat(500, -20_000), before);
        beats.last = None;
        let far = beats.beat(500, -2 * POSTGRES_CLOCK_BACK_MAX_MS);
        assert!(far < before, "such a time was wrong");
    }
}
