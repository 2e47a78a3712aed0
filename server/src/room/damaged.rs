//! The games whose records are damaged.

use std::{
    collections::BTreeSet,
    sync::{PoisonError, RwLock},
};

use adamant_protocol::GameId;
use adamant_record::RecordError;

/// Games whose records are damaged. The lock is held briefly.
#[derive(Debug, Default)]
pub(super) struct DamagedGames(RwLock<BTreeSet<GameId>>);

impl DamagedGames {
    pub(super) fn contains(&self, game: &GameId) -> bool {
        self.0.read().unwrap_or_else(PoisonError::into_inner).contains(game)
    }

    pub(super) fn count(&self) -> usize {
        self.0.read().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// Records a game, and logs it the first time.
    pub(super) fn record(&self, game: &GameId, error: &RecordError) {
        if self.0.write().unwrap_or_else(PoisonError::into_inner).insert(game.clone()) {
            // operator: the game cannot be replayed and is not served. Restore it from a backup
            tracing::error!(%game, record = error.seq(), %error, "game records are damaged");
        }
    }
}
