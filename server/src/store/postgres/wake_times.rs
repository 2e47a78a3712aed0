//! When nodes look at games whose clocks may have run out without a room.
//!
//! No move changes the time: a node that looks too early sets it anew.

use adamant_protocol::GameId;
use futures::FutureExt as _;
use tokio_util::task::TaskTracker;

use super::{
    failure::Failure,
    pool::ConnectionPool,
    transaction::Transaction,
    values::{parse, to_sql},
};
use crate::{
    limits::{POSTGRES_CLAIMED_MS, POSTGRES_WAKE_LATE_MS},
    store::{DueGames, StoreError},
};

/// The time of the database's clock, in epoch milliseconds.
pub(super) const NOW_MS: &str = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint";

const SET: &str = "UPDATE games SET wake_at = least(games.wake_at, earlier.wake_at)
    FROM unnest($1::text[], $2::int8[]) AS earlier (game, wake_at)
    WHERE games.game = earlier.game AND NOT games.finished";

/// Sets the times of games that nodes look at.
#[derive(Debug, Clone)]
pub(super) struct WakeTimes {
    pool: ConnectionPool,
    tasks: TaskTracker,
}

impl WakeTimes {
    /// Sets times by these connections.
    pub(super) const fn new(pool: ConnectionPool, tasks: TaskTracker) -> Self {
        Self { pool, tasks }
    }

    /// Has nodes look at games at these times at the latest. Does not wait. If this node ends
    /// before that is stored, a flag may fall late.
    pub(super) fn set(&self, games: Vec<(GameId, u64)>) {
        if games.is_empty() {
            return;
        }
        let pool = self.pool.clone();
        self.tasks.spawn(async move {
            let set = pool.transact(games, |transaction, games| set(transaction, games).boxed());
            if let Err(error) = set.await {
                tracing::warn!(%error, "the times of games to look at could not be stored");
            }
        });
    }

    /// Claims games whose clock has run out, or that have ended without being archived. No other
    /// node claims them for a minute.
    pub(super) async fn claim_due(&self, max: usize) -> Result<DueGames, StoreError> {
        let max = i64::try_from(max).unwrap_or(i64::MAX);
        self.pool.transact(max, |transaction, max| claim(transaction, *max).boxed()).await
    }
}

async fn set(transaction: &Transaction, games: &[(GameId, u64)]) -> Result<(), Failure> {
    let names: Vec<&str> = games.iter().map(|(game, _)| game.as_str()).collect();
    let times: Vec<i64> = games.iter().map(|(_, wake_at)| to_sql(*wake_at)).collect();
    transaction.execute(SET, &[&names, &times]).await?;
    Ok(())
}

async fn claim(transaction: &Transaction, max: i64) -> Result<DueGames, Failure> {
    let statement = format!(
        "WITH due AS MATERIALIZED (
             SELECT games.game, last.to_move IS NULL OR last.deadline <= now.ms AS is_over,
                 last.deadline, now.ms
             FROM (SELECT {NOW_MS} AS ms) AS now
                 CROSS JOIN LATERAL (
                     SELECT game FROM games WHERE wake_at <= now.ms
                     ORDER BY wake_at LIMIT $1 FOR UPDATE SKIP LOCKED
                 ) AS games
                 CROSS JOIN LATERAL (
                     SELECT to_move, deadline FROM journal WHERE journal.game = games.game
                     ORDER BY seq DESC LIMIT 1
                 ) AS last
         )
         UPDATE games SET wake_at = CASE WHEN due.is_over THEN due.ms + $2
             ELSE greatest(due.deadline, due.ms + $3) END
         FROM due WHERE games.game = due.game
         RETURNING games.game, due.is_over"
    );
    let rows = transaction
        .query(&statement, &[&max, &POSTGRES_CLAIMED_MS, &POSTGRES_WAKE_LATE_MS])
        .await?;
    let mut due = Vec::new();
    for row in &rows {
        if row.try_get(1)? {
            due.push(parse(row, 0)?);
        }
    }
    Ok(DueGames { due, looked_at: rows.len() })
}
