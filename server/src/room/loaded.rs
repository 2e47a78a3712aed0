//! A game read from its records, before a room owns it.

use adamant_protocol::{to_client::GameEntry, values::RatingChange};
use adamant_record::{Head, RecordError, Replay};
use adamant_rules::Table;
use bytes::Bytes;

use super::{delayed_view::DelayedView, idempotency::AcceptedRequests, outcome, snapshot};

/// A game read from its records.
#[derive(Debug)]
pub(crate) struct LoadedGame {
    pub(super) table: Table,
    pub(super) head: Head,
    pub(super) requests: AcceptedRequests,
    pub(super) started_at: u64,
    pub(super) ratings: Option<RatingChange>,
    pub(super) delayed: Option<Box<DelayedView>>,
}

/// A game that is being read from its records, one after the other.
#[derive(Debug, Default)]
pub(crate) struct GameLoader {
    replay: Replay,
    requests: AcceptedRequests,
    started_at: u64,
    ratings: Option<RatingChange>,
    delayed: Option<Box<DelayedView>>,
}

impl GameLoader {
    /// Takes in the next record.
    pub(crate) fn push(&mut self, record: &Bytes) -> Result<(), RecordError> {
        let (frame, event) = self.replay.push_frame(record)?;
        if let (1, Some(table)) = (frame.seq, self.replay.table()) {
            self.started_at = frame.at;
            let head = Head { game: frame.game.clone(), seq: 1, chain: frame.chain };
            self.delayed = DelayedView::new(table, &head).map(Box::new);
        } else if let Some(delayed) = &mut self.delayed {
            // A copy: what was read together with it is not kept for it.
            delayed.push(Bytes::copy_from_slice(record), event.clone());
            let unfit = |error| RecordError::Apply { seq: frame.seq, error };
            delayed.release().map_err(unfit)?;
        }
        self.ratings = self.ratings.take().or_else(|| outcome::rating_change(&event));
        if let (Some(req), Some(table)) = (&frame.req, self.replay.table()) {
            self.requests.remember(req, frame.seq, &event, table);
        }
        Ok(())
    }

    /// The game after the last record; `None` if there was none.
    pub(crate) fn finish(self) -> Option<LoadedGame> {
        let Self { replay, requests, started_at, ratings, delayed } = self;
        replay.into_parts().map(|(table, head)| {
            let delayed = delayed.filter(|_| table.outcome().is_none());
            LoadedGame { table, head, requests, started_at, ratings, delayed }
        })
    }
}

impl LoadedGame {
    /// Replays a game; `None` if there are no records of it.
    #[cfg(test)]
    pub(crate) fn replay(records: &[Bytes]) -> Result<Option<Self>, RecordError> {
        let mut loader = GameLoader::default();
        records.iter().try_for_each(|record| loader.push(record))?;
        Ok(loader.finish())
    }

    /// What lists say of it.
    pub(crate) fn entry(&self) -> GameEntry {
        let (table, head) = match &self.delayed {
            Some(delayed) => (delayed.table(), delayed.head()),
            None => (&self.table, &self.head),
        };
        snapshot::entry(table, head, self.started_at, self.ratings.as_ref())
    }

    /// The game as its spectators may see it.
    pub(crate) fn into_seen(self) -> Table {
        self.delayed.map_or(self.table, |delayed| delayed.into_table())
    }

    /// Whether it is over, but it has yet to be recorded what that is worth.
    pub(crate) fn awaits_rating(&self) -> bool {
        outcome::awaits_rating(&self.table, self.ratings.as_ref())
    }

    /// When its last event was.
    pub(crate) fn last_at(&self) -> u64 {
        self.table.last_at()
    }

    /// Whether a clock of it runs.
    pub(crate) fn is_timed(&self) -> bool {
        self.table.next_deadline().is_some()
    }

    /// Whether it is over.
    pub(crate) fn is_over(&self) -> bool {
        self.table.outcome().is_some()
    }
}
