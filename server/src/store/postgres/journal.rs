//! The journal of all nodes.

use std::{iter::once, sync::Arc};

use adamant_protocol::{
    GameId,
    ids::Chain,
    to_client::GameEntry,
    values::{RatingChange, SeatUser},
};
use bytes::Bytes;
use futures::{
    FutureExt as _, StreamExt as _,
    future::{BoxFuture, Either},
    stream::FuturesUnordered,
};
use tokio::time::Instant;

use super::{
    appender::{
        AppendRow, INSERT_CONTESTED, InsertRows, LOOK, LookAtGames, RowRefusal, join_records,
    },
    clock::NOW_MS,
    connection::Transaction,
    errors::Failure,
    journal_tasks::{moved_on, records},
    postgres::Postgres,
};
use crate::{
    cluster::AppendedRecords,
    limits::POSTGRES_UNFINISHED_MS,
    ratings::RatedResult,
    store::{
        Append, AppendError, AppendOutcome, AppendOutcomes, ArchiveError, ArchivedGame, Begin,
        BeginError, Journal, RecordRange, StoreError, StoreFuture, games, ratings,
        sql::{Sql, SqlError, SqlResult, params},
    },
};

#[derive(Debug)]
pub(super) struct EndingAppend {
    row: AppendRow,
    reseated: Option<Vec<SeatUser>>,
    result: Option<RatedResult>,
    ends: bool,
}

impl EndingAppend {
    /// Whether an append changes more than the journal: ends, results, and swaps of seats.
    fn is_needed(append: &Append) -> bool {
        append.summary.to_move.is_none() || append.reseated.is_some() || append.result.is_some()
    }

    pub(super) fn new(append: Append) -> Self {
        let (row, ends) = (AppendRow::new(&append), append.summary.to_move.is_none());
        Self { row, reseated: append.reseated, result: append.result, ends }
    }

    pub(super) async fn store(&self, transaction: &Transaction) -> Result<AppendOutcome, Failure> {
        let game = &self.row.game;
        let insert = InsertRows::new(once(&self.row));
        let rows = transaction.query(INSERT_CONTESTED, &insert.parameters()).await?;
        if InsertRows::read(&rows)?.games.is_empty() {
            return self.refused(transaction).await;
        }
        if let Some(seats) = &self.reseated {
            reseat(transaction, game, seats).await?;
        }
        if self.ends {
            // The room archives the game. Another node does it if this one ends before.
            let wake = format!("UPDATE games SET wake_at = {NOW_MS} + $2 WHERE game = $1");
            transaction.execute(&wake, &[&game.as_str(), &POSTGRES_UNFINISHED_MS]).await?;
        }
        match &self.result {
            Some(result) => Ok(Ok(Some(ratings::rate(transaction, game, result).await?))),
            None => Ok(Ok(None)),
        }
    }

    async fn refused(&self, transaction: &Transaction) -> Result<AppendOutcome, Failure> {
        let look = LookAtGames::new(once((&self.row, false)));
        let found = transaction.query(LOOK, &look.parameters()).await?;
        match look.read(&found)?.first() {
            Some(RowRefusal::Conflict(last_seq)) => {
                Ok(Err(AppendError::Conflict { last_seq: *last_seq }))
            }
            Some(RowRefusal::Unsealed) => {
                let error = "an append does not continue what the journal has".into();
                Ok(Err(StoreError::Failed(error).into()))
            }
            Some(RowRefusal::Ours | RowRefusal::Passed) | None => Err(Failure::Contested),
        }
    }
}

async fn reseat(transaction: &Transaction, game: &GameId, seats: &[SeatUser]) -> SqlResult<()> {
    let select = "SELECT entry FROM games WHERE game = $1 FOR NO KEY UPDATE";
    let missing = || SqlError::Unreadable(format!("no game {game}"));
    let mut row = transaction.first(select, params![game.as_str()]).await?.ok_or_else(missing)?;
    let entry = games::reseated(row.json(0)?, seats);
    let (update, entry) =
        ("UPDATE games SET entry = $2 WHERE game = $1", games::entry_text(&entry));
    transaction.execute(update, &[&game.as_str(), &entry]).await?;
    games::list_for(transaction, game, seats).await
}

/// Inserts a row with records of a game, after which it has this entry.
pub(super) async fn insert_row(
    sql: &impl Sql,
    entry: &GameEntry,
    deadline: Option<u64>,
    seq: u64,
    chain: &Chain,
    records: &[Bytes],
) -> SqlResult<()> {
    let insert = "INSERT INTO journal
             (game, seq, events, chain, ply, to_move, last_at, deadline, records)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
    let (game, chain, joined) = (
        entry.game.as_str(),
        chain.0.as_slice(),
        join_records(records.iter().map(|record| &record[..])),
    );
    let GameEntry { ply, to_move, last_at, .. } = *entry;
    let events = records.len();
    let params = params![game, seq, events, chain, ply, to_move, last_at, deadline, &joined[..]];
    sql.execute(insert, params).await.map(drop)
}

async fn begin(sql: &impl Sql, game: &Begin) -> SqlResult<Result<(), BeginError>> {
    let begun = games::begin(sql, game).await?;
    if begun.is_ok() {
        let Begin { entry, chain, deadline, records, .. } = game;
        insert_row(sql, entry, *deadline, 1, chain, records).await?;
    }
    Ok(begun)
}

/// Archives a game, unless it has moved on. Its records stay where they are.
async fn archive(sql: &impl Sql, game: &ArchivedGame) -> SqlResult<Result<(), ArchiveError>> {
    let lock = "SELECT 1 FROM games WHERE game = $1 FOR NO KEY UPDATE";
    if !sql.exists(lock, params![game.game.as_str()]).await? {
        return Ok(Err(ArchiveError::Conflict { last_seq: 0 }));
    }
    let last_seq = games::last_seq(sql, &game.game).await?;
    if last_seq != game.seq {
        return Ok(Err(ArchiveError::Conflict { last_seq }));
    }
    ratings::archive(sql, game).await?;
    Ok(Ok(()))
}

impl Postgres {
    fn append_one(&self, append: Append) -> impl Future<Output = AppendOutcome> + use<> {
        if EndingAppend::is_needed(&append) {
            Either::Left(self.clone().end(append).boxed())
        } else {
            Either::Right(self.journal().send(&append))
        }
    }

    async fn end(self, append: Append) -> AppendOutcome {
        let ending = Arc::new(EndingAppend::new(append));
        let stored = self
            .pool()
            .transact(Arc::clone(&ending), |transaction, ending| ending.store(transaction).boxed());
        let change = stored.await.map_err(Into::into).flatten()?;
        let row = &ending.row;
        self.pool().metrics().records.inc_by(row.record_count());
        self.events().publish_appended(once(row.appended()));
        Ok(change)
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
        let (postgres, game) = (self.clone(), Arc::new(game));
        async move {
            let begin =
                postgres.pool().transact(Arc::clone(&game), |sql, game| begin(sql, game).boxed());
            begin.await??;
            let last_seq = game.records.len() as u64;
            postgres.pool().metrics().records.inc_by(last_seq);
            // No other node has a room of the game yet.
            let named = AppendedRecords::up_to(game.entry.game.clone(), last_seq);
            postgres.events().publish_appended(once(named));
            Ok(())
        }
        .boxed()
    }

    fn archive(&self, game: ArchivedGame) -> BoxFuture<'static, Result<(), ArchiveError>> {
        let pool = self.pool().clone();
        async move { pool.transact(game, |sql, game| archive(sql, game).boxed()).await? }.boxed()
    }

    fn rating_change(&self, game: GameId) -> StoreFuture<Option<RatingChange>> {
        let pool = self.pool().clone();
        async move { pool.read_confirmed(game, |sql, game| ratings::change_of(sql, game).boxed()).await }
            .boxed()
    }

    fn read(&self, game: GameId, from: u64, max: usize) -> StoreFuture<Vec<Bytes>> {
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
            let read = pool.read_unconfirmed(ranges, |sql, ranges| records(sql, ranges).boxed());
            match read.await {
                Ok(records) => records.into_iter().map(Ok).collect(),
                Err(error) => vec![Err(error); count],
            }
        }
        .boxed()
    }

    /// The writer of what is found may have ended before it told so, so that this node does.
    fn moved_on(&self, known: Vec<(GameId, u64)>) -> StoreFuture<Vec<(GameId, u64)>> {
        let postgres = self.clone();
        async move {
            let read =
                postgres.pool().read_confirmed(known, |sql, known| moved_on(sql, known).boxed());
            let found = read.await?;
            let named =
                |(game, until): &(GameId, u64)| AppendedRecords::up_to(game.clone(), *until);
            postgres.events().publish_appended(found.iter().map(named));
            Ok(found)
        }
        .boxed()
    }
}
