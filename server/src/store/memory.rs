//! A journal that forgets with the process: for tests of rooms under a paused clock.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use adamant_protocol::GameId;
use bytes::Bytes;
use futures::{FutureExt as _, future::BoxFuture};

use super::{Append, AppendError, Fold, Journal, StoreError};

/// Records by game. The lock is never held across an await.
#[derive(Debug, Default)]
pub(crate) struct Memory(Mutex<HashMap<GameId, Vec<Bytes>>>);

impl Memory {
    fn append_now(&self, append: Append) -> Result<(), AppendError> {
        let mut games = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let records = games.entry(append.game).or_default();
        let last_seq = records.len() as u64;
        if last_seq != append.expected_seq {
            return Err(AppendError::Conflict { last_seq });
        }
        records.extend(append.records);
        Ok(())
    }

    fn read_now(&self, game: &GameId, from: u64, max: usize) -> Vec<Bytes> {
        let games = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let skip = usize::try_from(from.saturating_sub(1)).unwrap_or(usize::MAX);
        games
            .get(game)
            .map(|records| records.iter().skip(skip).take(max).cloned().collect())
            .unwrap_or_default()
    }
}

impl Journal for Memory {
    fn append(&self, append: Append) -> BoxFuture<'_, Result<(), AppendError>> {
        std::future::ready(self.append_now(append)).boxed()
    }

    fn fold(&self, _fold: Fold) -> BoxFuture<'_, Result<(), StoreError>> {
        std::future::ready(Ok(())).boxed()
    }

    fn read(
        &self,
        game: GameId,
        from: u64,
        max: usize,
    ) -> BoxFuture<'_, Result<Vec<Bytes>, StoreError>> {
        std::future::ready(Ok(self.read_now(&game, from, max))).boxed()
    }
}
