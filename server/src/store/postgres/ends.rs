//! Appends that change more than the journal: ends, with their results, and swaps of seats.

use std::sync::atomic::{AtomicBool, Ordering};

use adamant_protocol::{
    GameId,
    to_client::GameEntry,
    values::{RatingChange, SeatUser},
};

use super::{
    append_rows::{AppendRow, InsertRows, LookAtGames, RowRefusal},
    cluster_clock::NOW_MS,
    failure::Failure,
    results,
    transaction::Transaction,
};
use crate::{
    limits::POSTGRES_UNFINISHED_MS,
    ratings::RatedResult,
    store::{Append, AppendError, AppendOutcome, StoreError},
};

/// An append with its consequences, which become durable together.
#[derive(Debug)]
pub(super) struct EndingAppend {
    pub(super) row: AppendRow,
    reseated: Option<Vec<SeatUser>>,
    result: Option<RatedResult>,
    ends: bool,
    /// Whether an earlier try may have been committed.
    tried: AtomicBool,
}

impl EndingAppend {
    /// Whether an append changes more than the journal.
    pub(super) fn is_needed(append: &Append) -> bool {
        append.summary.to_move.is_none() || append.reseated.is_some() || append.result.is_some()
    }

    /// Returns an append with its consequences.
    pub(super) fn new(append: Append) -> Self {
        Self {
            row: AppendRow::new(&append),
            ends: append.summary.to_move.is_none(),
            reseated: append.reseated,
            result: append.result,
            tried: AtomicBool::new(false),
        }
    }

    /// Stores the append in an open transaction.
    pub(super) async fn store(&self, transaction: &Transaction) -> Result<AppendOutcome, Failure> {
        let tried = self.tried.swap(true, Ordering::Relaxed);
        let game = &self.row.game;
        let insert = InsertRows::new(std::iter::once(&self.row));
        let rows = transaction.query(InsertRows::CONTESTED_STATEMENT, &insert.parameters()).await?;
        if InsertRows::read(&rows)?.games.is_empty() {
            return self.refused(transaction, tried).await;
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
            Some(result) => Ok(Ok(Some(results::rate(transaction, game, result).await?))),
            None => Ok(Ok(None)),
        }
    }

    async fn refused(
        &self,
        transaction: &Transaction,
        tried: bool,
    ) -> Result<AppendOutcome, Failure> {
        let look = LookAtGames::new(std::iter::once((&self.row, tried)));
        let found = transaction.query(LookAtGames::STATEMENT, &look.parameters()).await?;
        match look.read(&found)?.first() {
            Some(RowRefusal::Ours) => Ok(Ok(self.earlier_change(transaction).await?)),
            Some(RowRefusal::Conflict(last_seq)) => {
                Ok(Err(AppendError::Conflict { last_seq: *last_seq }))
            }
            Some(RowRefusal::Unsealed) => {
                let error = "an append does not continue what the journal has".into();
                Ok(Err(StoreError::Failed(error).into()))
            }
            Some(RowRefusal::Passed) | None => Err(Failure::Contested),
        }
    }

    async fn earlier_change(
        &self,
        transaction: &Transaction,
    ) -> Result<Option<RatingChange>, Failure> {
        match &self.result {
            Some(_) => results::change_of(transaction, &self.row.game).await,
            None => Ok(None),
        }
    }
}

/// Writes the seats of a live game after a swap.
async fn reseat(
    transaction: &Transaction,
    game: &GameId,
    seats: &[SeatUser],
) -> Result<(), Failure> {
    let select = "SELECT entry FROM games WHERE game = $1 FOR NO KEY UPDATE";
    let row = transaction.query_one(select, &[&game.as_str()]).await?;
    let mut entry: GameEntry = serde_json::from_str(row.try_get(0)?)
        .map_err(|error| Failure::fault(format!("the entry of game {game}: {error}")))?;
    entry.seats = seats.to_vec();
    let entry = serde_json::to_string(&entry).expect("list entries are plain data");
    let update = "UPDATE games SET entry = $2 WHERE game = $1";
    transaction.execute(update, &[&game.as_str(), &entry]).await?;
    Ok(())
}
