//! A game before a room owns it: read from its records, or just begun.

use std::sync::Arc;

use adamant_protocol::{GameId, to_client::GameEntry, values::RatingChange};
use adamant_record::{Head, RecordError, Replay};
use adamant_rules::{Event, EventKind, Seat, Setup, Table, table::SetupError};
use bytes::Bytes;

use crate::error::Denial;
use crate::limits::{GAME_ROW_BYTES, RECORD_ROW_BYTES};
use crate::outbound::frame::Frame;
use crate::quotas::{GameDenied, StorageBudget};
use crate::room::{AcceptedRequests, DelayedView, snapshot};
use crate::store::{Begin, BeginError, Journal, OfferClaim, PlayerAtGame, StoreError, entry_of};

#[derive(Debug)]
pub(crate) struct LoadedGame {
    pub(super) table: Table,
    pub(super) head: Head,
    pub(super) requests: AcceptedRequests,
    pub(super) started_at: u64,
    pub(super) ratings: Option<Box<RatingChange>>,
    /// Whether an operator has annulled the result.
    pub(super) annulled: bool,
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
    ratings: Option<Box<RatingChange>>,
    delayed: Option<Box<DelayedView>>,
    adjusted: Option<(Seat, u64)>,
}

impl GameLoader {
    pub(crate) fn push(&mut self, record: &[u8]) -> Result<(), RecordError> {
        let (frame, event) = self.replay.push_frame(record)?;
        if let (1, Some(table)) = (frame.seq, self.replay.table()) {
            self.started_at = frame.at;
            let head = Head { game: frame.game.clone(), seq: 1, chain: frame.chain };
            self.delayed = DelayedView::new(table, &head).map(Box::new);
        } else if let Some(delayed) = &mut self.delayed {
            delayed.push(Frame::text(record), event.clone());
            let to_error = |error| RecordError::Apply { seq: frame.seq, error };
            delayed.release().map_err(to_error)?;
        }
        self.ratings = self.ratings.take().or_else(|| snapshot::rating_change(&event));
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
            LoadedGame {
                table,
                head,
                requests,
                started_at,
                ratings,
                annulled: false,
                delayed,
                present: Vec::new(),
                adjusted,
            }
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
        entry_of(table, head, self.started_at, self.ratings.as_deref())
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

    pub(crate) fn is_timed(&self) -> bool {
        self.table.next_deadline().is_some()
    }

    pub(crate) fn is_over(&self) -> bool {
        self.table.outcome().is_some()
    }

    /// Whether it has changed ratings, at its time.
    pub(super) const fn was_rated(&self) -> bool {
        self.ratings.is_some()
    }
}

/// A game that all its players have accepted.
#[derive(Debug, Clone)]
pub(crate) struct NewGame {
    pub game: GameId,
    pub setup: Setup,
    /// The storage budget of each seat.
    pub payers: Vec<Option<Arc<StorageBudget>>>,
    /// The offer that the game starts from.
    pub offer: Option<OfferClaim>,
    /// The game that this one is a rematch of.
    pub rematch_of: Option<GameId>,
}

/// Why a game could not be started.
#[derive(Debug, Clone, thiserror::Error)]
pub(crate) enum StartGameError {
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// A player or a network has stored or started too much.
    #[error(transparent)]
    Denied(#[from] GameDenied),
    /// The store has refused the game, or has failed.
    #[error(transparent)]
    Begin(#[from] BeginError),
}

impl From<StartGameError> for Denial {
    fn from(error: StartGameError) -> Self {
        match error {
            StartGameError::Setup(error) => error.into(),
            StartGameError::Denied(denied) => denied.into(),
            StartGameError::Begin(BeginError::OfferGone(offer)) => Self::OfferGone(offer),
            StartGameError::Begin(BeginError::OfferChanged(offer)) => Self::OfferChanged(offer),
            StartGameError::Begin(BeginError::RematchExists(game)) => Self::RematchExists(game),
            StartGameError::Begin(BeginError::Store(error)) => error.into(),
            StartGameError::Begin(error @ BeginError::IdTaken) => {
                Self::Store(StoreError::Failed(error.to_string().into()))
            }
        }
    }
}

/// Stores the first events of a game, and returns the game.
pub(crate) async fn begin(
    journal: &dyn Journal,
    new: NewGame,
    now: u64,
) -> Result<LoadedGame, StartGameError> {
    let events = Table::begin(new.setup, now)?;
    let (first, later) = events.split_first().ok_or(BeginError::Store(StoreError::Stopped))?;
    let mut table = Table::new(first).map_err(|_| BeginError::Store(StoreError::Stopped))?;
    let mut head = Head::new(new.game.clone());
    let mut records = vec![Bytes::from(head.append(first, table.position(), None))];
    let mut delayed = DelayedView::new(&table, &head).map(Box::new);
    for event in later {
        let record = Bytes::from(head.append(event, table.position(), None));
        table.apply(event).map_err(|_| BeginError::Store(StoreError::Stopped))?;
        if let Some(delayed) = &mut delayed {
            delayed.push(Frame::text(&record), event.clone());
            delayed.release().map_err(|_| BeginError::Store(StoreError::Stopped))?;
        }
        records.push(record);
    }
    let requests = AcceptedRequests::default();
    let loaded = LoadedGame {
        table,
        head,
        requests,
        started_at: now,
        ratings: None,
        annulled: false,
        delayed,
        present: Vec::new(),
        adjusted: None,
    };
    let begin = Begin {
        entry: Box::new(loaded.entry()),
        records,
        chain: loaded.head.chain,
        deadline: loaded.table.next_deadline(),
        offer: new.offer,
        rematch_of: new.rematch_of,
    };
    let bytes = begin.records.iter().map(|record| record.len() as u64 + RECORD_ROW_BYTES);
    let bytes = GAME_ROW_BYTES + bytes.sum::<u64>();
    journal.begin(begin).await?;
    for payer in new.payers.iter().flatten() {
        payer.charge(bytes, now);
    }
    Ok(loaded)
}
