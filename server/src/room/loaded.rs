//! A game read from its records, before a room owns it.

use adamant_protocol::{to_client::GameEntry, values::RatingChange};
use adamant_record::{Head, RecordError, Replay};
use adamant_rules::{Event, EventKind, Seat, Table};
use bytes::Bytes;

use super::{delayed_view::DelayedView, idempotency::AcceptedRequests, outcome, snapshot};
use crate::store::PlayerAtGame;

/// A game loaded from its records.
#[derive(Debug)]
pub(crate) struct LoadedGame {
    pub(super) table: Table,
    pub(super) head: Head,
    pub(super) requests: AcceptedRequests,
    pub(super) started_at: u64,
    pub(super) ratings: Option<RatingChange>,
    pub(super) delayed: Option<Box<DelayedView>>,
    /// The players of whom the presence that all nodes share knows anything.
    pub(super) present: Vec<PlayerAtGame>,
    /// Whose clock was last adjusted, and when.
    pub(super) adjusted: Option<(Seat, u64)>,
}

/// Returns whose clock an event has adjusted, and when.
pub(super) fn adjusted(event: &Event) -> Option<(Seat, u64)> {
    if let EventKind::ClockAdjusted { seat, .. } = event.kind {
        Some((seat, event.at))
    } else {
        None
    }
}

/// Loads a game from its records, one by one.
#[derive(Debug, Default)]
pub(crate) struct GameLoader {
    replay: Replay,
    requests: AcceptedRequests,
    started_at: u64,
    ratings: Option<RatingChange>,
    delayed: Option<Box<DelayedView>>,
    adjusted: Option<(Seat, u64)>,
}

impl GameLoader {
    /// Applies the next record.
    pub(crate) fn push(&mut self, record: &Bytes) -> Result<(), RecordError> {
        let (frame, event) = self.replay.push_frame(record)?;
        if let (1, Some(table)) = (frame.seq, self.replay.table()) {
            self.started_at = frame.at;
            let head = Head { game: frame.game.clone(), seq: 1, chain: frame.chain };
            self.delayed = DelayedView::new(table, &head).map(Box::new);
        } else if let Some(delayed) = &mut self.delayed {
            // A copy, so that the record does not keep the whole page in memory.
            delayed.push(Bytes::copy_from_slice(record), event.clone());
            let to_error = |error| RecordError::Apply { seq: frame.seq, error };
            delayed.release().map_err(to_error)?;
        }
        self.ratings = self.ratings.take().or_else(|| outcome::rating_change(&event));
        self.adjusted = adjusted(&event).or(self.adjusted);
        if let (Some(req), Some(table)) = (&frame.req, self.replay.table()) {
            self.requests.record(req, frame.seq, &event, table);
        }
        Ok(())
    }

    /// Returns the loaded game; `None` if there were no records.
    pub(crate) fn finish(self) -> Option<LoadedGame> {
        let Self { replay, requests, started_at, ratings, delayed, adjusted } = self;
        replay.into_parts().map(|(table, head)| {
            let delayed = delayed.filter(|_| table.outcome().is_none());
            let present = Vec::new();
            LoadedGame { table, head, requests, started_at, ratings, delayed, present, adjusted }
        })
    }
}

impl LoadedGame {
    /// Loads a game; `None` if there are no records.
    #[cfg(test)]
    pub(crate) fn replay(records: &[Bytes]) -> Result<Option<Self>, RecordError> {
        let mut loader = GameLoader::default();
        records.iter().try_for_each(|record| loader.push(record))?;
        Ok(loader.finish())
    }

    /// Returns the game's list entry, as spectators may see it.
    pub(crate) fn entry(&self) -> GameEntry {
        let (table, head) = match &self.delayed {
            Some(delayed) => (delayed.table(), delayed.head()),
            None => (&self.table, &self.head),
        };
        snapshot::entry(table, head, self.started_at, self.ratings.as_ref())
    }

    /// Returns the table as spectators may see it.
    pub(crate) fn into_visible_table(self) -> Table {
        self.delayed.map_or(self.table, |delayed| delayed.into_table())
    }

    /// Time of the last event, in epoch milliseconds.
    pub(crate) fn last_at(&self) -> u64 {
        self.table.last_at()
    }

    /// The time at which a clock runs out, in epoch milliseconds; `None` if none runs.
    pub(crate) fn deadline(&self) -> Option<u64> {
        self.table.next_deadline()
    }

    /// Whether a clock runs.
    pub(crate) fn is_timed(&self) -> bool {
        self.table.next_deadline().is_some()
    }

    /// Whether the game is over.
    pub(crate) fn is_over(&self) -> bool {
        self.table.outcome().is_some()
    }
}
