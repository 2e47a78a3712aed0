//! A journal in memory, for tests of rooms with a paused clock.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use adamant_protocol::{GameId, values::RatingChange};
use bytes::Bytes;
use futures::{FutureExt as _, future::BoxFuture};

use super::{Append, AppendError, ArchivedGame, Journal, StoreError};
use crate::ratings::{self, Rating};

/// Records by game. No lock is held across an await.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    records: Mutex<HashMap<GameId, Vec<Bytes>>>,
    /// Each player enters each game with the initial rating.
    changes: Mutex<HashMap<GameId, RatingChange>>,
}

impl Memory {
    fn append_now(&self, append: Append) -> Result<Option<RatingChange>, AppendError> {
        let mut games = self.records.lock().unwrap_or_else(PoisonError::into_inner);
        let records = games.entry(append.game.clone()).or_default();
        let last_seq = records.len() as u64;
        if last_seq != append.expected_seq {
            return Err(AppendError::Conflict { last_seq });
        }
        records.extend(append.records);
        Ok(append.result.map(|result| {
            let before = vec![Rating::START; result.users.len()];
            let change = ratings::change(&before, &ratings::rate(&before, &result.places));
            let mut changes = self.changes.lock().unwrap_or_else(PoisonError::into_inner);
            changes.insert(append.game, change.clone());
            change
        }))
    }

    fn read_now(&self, game: &GameId, from: u64, max: usize) -> Vec<Bytes> {
        let games = self.records.lock().unwrap_or_else(PoisonError::into_inner);
        let skip = usize::try_from(from.saturating_sub(1)).unwrap_or(usize::MAX);
        games
            .get(game)
            .map(|records| records.iter().skip(skip).take(max).cloned().collect())
            .unwrap_or_default()
    }
}

impl Journal for Memory {
    fn append(&self, append: Append) -> BoxFuture<'_, Result<Option<RatingChange>, AppendError>> {
        std::future::ready(self.append_now(append)).boxed()
    }

    fn rating_change(
        &self,
        game: GameId,
    ) -> BoxFuture<'_, Result<Option<RatingChange>, StoreError>> {
        let changes = self.changes.lock().unwrap_or_else(PoisonError::into_inner);
        std::future::ready(Ok(changes.get(&game).cloned())).boxed()
    }

    fn archive(&self, _game: ArchivedGame) -> BoxFuture<'_, Result<(), StoreError>> {
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
