//! When nodes look at games whose clocks may have run out without a room.
//!
//! No move changes the time: a node that looks too early sets it again.

use std::{collections::HashMap, sync::Arc};

use adamant_protocol::GameId;
use futures::FutureExt as _;
use parking_lot::Mutex;
use tokio_util::task::TaskTracker;

use super::{
    clock::NOW_MS,
    connection::{Transaction, parse, to_sql},
    errors::Failure,
    pool::ConnectionPool,
};
use crate::{
    limits::{
        POSTGRES_BATCH_GAMES, POSTGRES_CLAIMED_MS, POSTGRES_WAKE_LATE_MS, POSTGRES_WAKE_TIMES_MAX,
    },
    store::{DueGames, StoreError},
};

const SET: &str = "UPDATE games SET wake_at = least(games.wake_at, earlier.wake_at)
    FROM unnest($1::text[], $2::int8[]) AS earlier (game, wake_at)
    WHERE games.game = earlier.game AND NOT games.finished";

#[derive(Debug, Clone)]
pub(super) struct WakeTimes {
    pool: ConnectionPool,
    tasks: TaskTracker,
    waiting: Arc<Mutex<WaitingTimes>>,
}

#[derive(Debug, Default)]
struct WaitingTimes {
    games: HashMap<GameId, u64>,
    is_storing: bool,
}

impl WaitingTimes {
    /// Adds a time. Of several for a game the earliest counts. Returns false if there are too many.
    fn add(&mut self, game: GameId, wake_at: u64) -> bool {
        let fits = self.games.len() < POSTGRES_WAKE_TIMES_MAX || self.games.contains_key(&game);
        if fits {
            let earliest = self.games.entry(game).or_insert(wake_at);
            *earliest = wake_at.min(*earliest);
        }
        fits
    }

    /// Takes some times; none if there are no more, and the task ends.
    fn take(&mut self) -> Vec<(GameId, u64)> {
        let some: Vec<GameId> = self.games.keys().take(POSTGRES_BATCH_GAMES).cloned().collect();
        self.is_storing = !some.is_empty();
        some.iter().filter_map(|game| self.games.remove_entry(game)).collect()
    }
}

impl WakeTimes {
    pub(super) fn new(pool: ConnectionPool, tasks: TaskTracker) -> Self {
        Self { pool, tasks, waiting: Arc::default() }
    }

    /// Has nodes look at games at these times at the latest. Does not wait: one task stores what
    /// comes. If this node ends before that, a flag may fall late.
    pub(super) fn set(&self, games: Vec<(GameId, u64)>) {
        if games.is_empty() {
            return;
        }
        let mut waiting = self.waiting.lock();
        let dropped =
            games.into_iter().filter(|(game, at)| !waiting.add(game.clone(), *at)).count();
        let is_storing = std::mem::replace(&mut waiting.is_storing, true);
        drop(waiting);
        if dropped > 0 {
            // operator: PostgreSQL was away. A flag may fall some minutes late in games whose node
            // ends now
            tracing::warn!(dropped, "the times of games to look at could not be stored");
        }
        if !is_storing {
            self.tasks.spawn(self.clone().store());
        }
    }

    async fn store(self) {
        loop {
            let games = self.waiting.lock().take();
            if games.is_empty() {
                return;
            }
            let set = self.pool.transact(games, |sql, games| set(sql, games).boxed());
            if let Err(error) = set.await {
                tracing::warn!(%error, "the times of games to look at could not be stored");
            }
        }
    }

    /// Claims games whose clock has run out, or that have ended without being archived. No other
    /// node claims them for a minute.
    pub(super) async fn claim_due(&self, max: usize) -> Result<DueGames, StoreError> {
        let max = i64::try_from(max).unwrap_or(i64::MAX);
        self.pool.transact(max, |sql, max| claim(sql, *max).boxed()).await
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_several_times_for_a_game_the_earliest_waits_and_too_many_are_refused() {
        let mut waiting = WaitingTimes::default();
        let game = |number: usize| format!("g{number}").parse::<GameId>().unwrap();
        for number in 0..POSTGRES_WAKE_TIMES_MAX {
            assert!(waiting.add(game(number), 9));
        }
        assert!(!waiting.add(game(POSTGRES_WAKE_TIMES_MAX), 9));
        for earlier in [7, 8] {
            assert!(waiting.add(game(0), earlier));
        }
        let mut taken = HashMap::new();
        loop {
            let some = waiting.take();
            assert_eq!(waiting.is_storing, !some.is_empty());
            if some.is_empty() {
                break;
            }
            assert!(some.len() <= POSTGRES_BATCH_GAMES);
            taken.extend(some);
        }
        assert_eq!(
            (taken.len(), taken[&game(0)], taken[&game(1)]),
            (POSTGRES_WAKE_TIMES_MAX, 7, 9)
        );
    }
}
