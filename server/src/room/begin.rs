//! Begins a game: stores its first events.

use std::sync::Arc;

use adamant_protocol::GameId;
use adamant_record::Head;
use adamant_rules::{Setup, Table, table::SetupError};
use bytes::Bytes;

use super::{delayed_view::DelayedView, idempotency::AcceptedRequests, loaded::LoadedGame};
use crate::{
    error::Denial,
    limits::{GAME_ROW_BYTES, RECORD_ROW_BYTES},
    quotas::{GameDenied, StorageBudget},
    store::{Begin, BeginError, Journal, OfferClaim, StoreError},
};

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
    /// The setup is invalid.
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
            delayed.push(record.clone(), event.clone());
            delayed.release().map_err(|_| BeginError::Store(StoreError::Stopped))?;
        }
        records.push(record);
    }
    let requests = AcceptedRequests::default();
    let (started_at, ratings, present, adjusted) = (now, None, Vec::new(), None);
    let loaded =
        LoadedGame { table, head, requests, started_at, ratings, delayed, present, adjusted };
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
