//! The journal of all nodes.

use std::{iter::once, sync::Arc};

use adamant_protocol::{GameId, values::RatingChange};
use bytes::Bytes;
use futures::{
    FutureExt as _, StreamExt as _,
    future::{BoxFuture, Either},
    stream::FuturesUnordered,
};
use tokio::time::Instant;

use super::{
    beginnings::BeginningGame, ends::EndingAppend, postgres::Postgres, record_reads, results,
};
use crate::{
    cluster::AppendedRecords,
    store::{
        Append, AppendOutcome, AppendOutcomes, ArchiveError, ArchivedGame, Begin, BeginError,
        Journal, RecordRange, StoreError,
    },
};

impl Postgres {
    fn append_one(&self, append: Append) -> impl Future<Output = AppendOutcome> + use<> {
        if EndingAppend::is_needed(&append) {
            Either::Left(self.clone().end(append).boxed())
        } else {
            Either::Right(self.journal().send(&append))
        }
    }

    /// Appends what changes more than the journal.
    async fn end(self, append: Append) -> AppendOutcome {
        let ending = Arc::new(EndingAppend::new(append));
        let stored = self
            .pool()
            .transact(Arc::clone(&ending), |transaction, ending| ending.store(transaction).boxed());
        let change = stored.await.map_err(Into::into).flatten()?;
        let row = &ending.row;
        self.pool().metrics().stored(row.record_count());
        self.events().publish_appended(once(row.appended()));
        Ok(change)
    }

    async fn begin_game(self, begin: Begin) -> Result<(), BeginError> {
        let game = Arc::new(BeginningGame::new(begin));
        let stored = self
            .pool()
            .transact(Arc::clone(&game), |transaction, game| game.store(transaction).boxed());
        stored.await??;
        self.pool().metrics().stored(game.last_seq());
        let named = AppendedRecords::up_to(game.game().clone(), game.last_seq());
        // No other node has a room of the game yet.
        self.events().publish_appended(once(named));
        Ok(())
    }
}

impl Journal for Postgres {
    fn append(&self, batch: Vec<Append>) -> BoxFuture<'static, Vec<AppendOutcome>> {
        let outcomes = self.append_each(batch);
        async move {
            let mut outcomes = outcomes.concat().await;
            outcomes.sort_unstable_by_key(|(place, _)| *place);
            outcomes.into_iter().map(|(_, outcome)| outcome).collect()
        }
        .boxed()
    }

    /// A batch has no commit of its own: its appends share statements with those of other batches,
    /// and ends have transactions of their own.
    fn append_each(&self, batch: Vec<Append>) -> AppendOutcomes {
        let (began, most) = (Instant::now(), batch.len().max(1));
        let postgres = Arc::new(self.clone());
        let append = |(place, append)| {
            let (outcome, postgres) = (postgres.append_one(append), Arc::clone(&postgres));
            async move {
                let outcome = outcome.await;
                postgres.last_heartbeat().follow(began).await;
                (place, outcome)
            }
        };
        let outcomes: FuturesUnordered<_> = batch.into_iter().enumerate().map(append).collect();
        outcomes.ready_chunks(most).boxed()
    }

    fn begin(&self, game: Begin) -> BoxFuture<'static, Result<(), BeginError>> {
        self.clone().begin_game(game).boxed()
    }

    fn archive(&self, game: ArchivedGame) -> BoxFuture<'static, Result<(), ArchiveError>> {
        self.clone().archive_game(game).boxed()
    }

    fn rating_change(
        &self,
        game: GameId,
    ) -> BoxFuture<'static, Result<Option<RatingChange>, StoreError>> {
        let pool = self.pool().clone();
        async move {
            pool.read_confirmed(game, |transaction, game| {
                results::change_of(transaction, game).boxed()
            })
            .await
        }
        .boxed()
    }

    fn read(
        &self,
        game: GameId,
        from: u64,
        max: usize,
    ) -> BoxFuture<'static, Result<Vec<Bytes>, StoreError>> {
        let from = from.max(1);
        let max = u64::try_from(max).unwrap_or(u64::MAX);
        let Some(until) = from.saturating_add(max).checked_sub(1).filter(|_| max > 0) else {
            return std::future::ready(Ok(Vec::new())).boxed();
        };
        self.journal().clone().read(RecordRange { game, from, until }).boxed()
    }

    /// One question for all ranges, without waiting for a standby.
    fn read_durable(
        &self,
        ranges: Vec<RecordRange>,
    ) -> BoxFuture<'static, Vec<Result<Vec<Bytes>, StoreError>>> {
        let (pool, count) = (self.pool().clone(), ranges.len());
        async move {
            let read = pool
                .read(ranges, |transaction, ranges| {
                    record_reads::records(transaction, ranges).boxed()
                })
                .await;
            match read {
                Ok(records) => records.into_iter().map(Ok).collect(),
                Err(error) => vec![Err(error); count],
            }
        }
        .boxed()
    }

    /// The writer of what is found may have ended before it told so, so that this node does.
    fn moved_on(
        &self,
        known: Vec<(GameId, u64)>,
    ) -> BoxFuture<'static, Result<Vec<(GameId, u64)>, StoreError>> {
        let postgres = self.clone();
        async move {
            let found = postgres
                .pool()
                .read_confirmed(known, |transaction, known| {
                    record_reads::moved_on(transaction, known).boxed()
                })
                .await?;
            let named =
                |(game, until): &(GameId, u64)| AppendedRecords::up_to(game.clone(), *until);
            postgres.events().publish_appended(found.iter().map(named));
            Ok(found)
        }
        .boxed()
    }
}
