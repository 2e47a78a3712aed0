//! The games that the embedded store finds when it opens, for the rooms that continue them. No
//! other process has their records, so that they can be continued before a client asks.

use adamant_protocol::{GameId, to_client::GameEntry};
use bytes::Bytes;

use super::{
    database::Sqlite,
    recovered::{OpenGameRow, RecoveredState, TimedGame},
};
use crate::store::StoreError;

/// A live game with records that are not archived. It is listed once it is restored.
#[derive(Debug)]
pub(crate) struct RecoveredGame {
    store: Sqlite,
    row: OpenGameRow,
}

impl RecoveredGame {
    /// Returns the game's id.
    pub(crate) const fn game(&self) -> &GameId {
        &self.row.game
    }

    /// Reads at most `max` of the game's records, from a seq on.
    pub(crate) async fn read(&self, from: u64, max: usize) -> Result<Vec<Bytes>, StoreError> {
        self.store.read_recovered(&self.row, from, max).await
    }

    /// Lists the game as live, after its records have been replayed.
    pub(crate) fn restore(self, entry: GameEntry) {
        self.store.restore(self.row, entry);
    }
}

/// What the embedded store finds when it opens.
#[derive(Debug)]
pub(crate) struct Recovery {
    /// Games with records that are not archived.
    pub games: Vec<RecoveredGame>,
    /// The parked games with running clocks.
    pub timed: Vec<TimedGame>,
    /// Number of parked games.
    pub parked: usize,
    /// Whether the database has just been created.
    pub is_new: bool,
    /// The newest time in the store that is known without a replay, in epoch milliseconds.
    pub last_activity: Option<u64>,
}

impl Recovery {
    /// Returns what the store has found.
    pub(crate) fn new(store: &Sqlite, found: RecoveredState) -> Self {
        let last_activity = found.last_activity();
        let RecoveredState { open, parked, timed, is_new, last_heartbeat: _ } = found;
        let games = open.into_iter().map(|row| RecoveredGame { store: store.clone(), row });
        Self { games: games.collect(), timed, parked, is_new, last_activity }
    }
}
