//! The live games that the store finds when it is opened. No other process has their records, so
//! that they can be continued before a client asks.

use adamant_protocol::{GameId, to_client::GameEntry};
use rusqlite::Connection;

use super::{
    arrivals,
    database::Sqlite,
    live::{OpenGameRow, RecoveredRows, TimedGame},
};
use crate::{
    limits::{RECOVERED_AT_ONCE, REPLAY_CHUNK},
    store::{
        StoreError, games,
        sql::{Embedded, SqlError, SqlResult, at_once},
    },
};

#[derive(Debug)]
pub(crate) struct Recovery {
    /// Games with records that are not archived.
    pub games: Vec<RecoveredGames>,
    pub timed: Vec<TimedGame>,
    pub parked: usize,
    pub is_new: bool,
    /// The newest time in the store that is known without a replay, in epoch milliseconds.
    pub last_activity: Option<u64>,
}

impl Recovery {
    pub(super) fn new(
        store: &Sqlite,
        rows: RecoveredRows,
        is_new: bool,
        last_heartbeat: Option<u64>,
    ) -> Self {
        let RecoveredRows { open, parked, timed, stale_rows: _ } = rows;
        let last_activity = timed.iter().map(|game| game.last_at).max().max(last_heartbeat);
        let (mut games, mut open) = (Vec::new(), open.into_iter());
        loop {
            let rows: Vec<OpenGameRow> = open.by_ref().take(RECOVERED_AT_ONCE).collect();
            if rows.is_empty() {
                return Self { games, timed, parked, is_new, last_activity };
            }
            games.push(RecoveredGames { store: store.clone(), rows });
        }
    }
}

/// Some live games with records that are not archived.
#[derive(Debug)]
pub(crate) struct RecoveredGames {
    store: Sqlite,
    rows: Vec<OpenGameRow>,
}

impl RecoveredGames {
    /// Replays the games, in one job of the work pool. After an error `step` gets no more records
    /// of a game. Each game is listed once it is restored.
    pub(crate) async fn replay<T, E>(
        self,
        step: fn(&mut T, &[u8]) -> Result<(), E>,
    ) -> Result<Vec<(RecoveredGame, Result<T, E>)>, StoreError>
    where
        T: Default + Send + 'static,
        E: Send + 'static,
    {
        let Self { store, rows } = self;
        let replaying = store.read_with(move |connection| {
            let replayed = replay(connection, &rows, step)?;
            Ok(rows.into_iter().zip(replayed).collect::<Vec<_>>())
        });
        let replayed = replaying.await?;
        let games = replayed.into_iter().map(|(row, replayed)| {
            let store = store.clone();
            (RecoveredGame { store, row }, replayed)
        });
        Ok(games.collect())
    }
}

/// A live game that has been replayed.
#[derive(Debug)]
pub(crate) struct RecoveredGame {
    store: Sqlite,
    row: OpenGameRow,
}

impl RecoveredGame {
    pub(crate) const fn game(&self) -> &GameId {
        &self.row.game
    }

    /// Lists the game as live.
    pub(crate) fn restore(self, entry: &GameEntry) {
        let OpenGameRow { game: _, archived_seq, row_ids } = self.row;
        self.store.live.insert(entry, archived_seq, row_ids);
    }
}

/// Replays games: first the archived records of each, then those that have arrived later, in the
/// order of their arrival, so that each page of the database is read once.
fn replay<T: Default, E>(
    connection: &Connection,
    games: &[OpenGameRow],
    step: fn(&mut T, &[u8]) -> Result<(), E>,
) -> SqlResult<Vec<Result<T, E>>> {
    let mut replayed = Vec::with_capacity(games.len());
    let mut arrived = Vec::new();
    for (place, game) in games.iter().enumerate() {
        replayed.push(replay_archived(connection, game, step)?);
        arrived.extend(game.row_ids.iter().map(|id| (*id, place)));
    }
    arrived.sort_unstable();
    arrivals::scan(connection, &arrived, |place, record| {
        if let Ok(state) = &mut replayed[place]
            && let Err(error) = step(state, record)
        {
            replayed[place] = Err(error);
        }
    })?;
    Ok(replayed)
}

fn replay_archived<T: Default, E>(
    connection: &Connection,
    game: &OpenGameRow,
    step: fn(&mut T, &[u8]) -> Result<(), E>,
) -> SqlResult<Result<T, E>> {
    let (mut state, mut next) = (T::default(), 1);
    while next <= game.archived_seq {
        let left = usize::try_from(game.archived_seq - next).map_or(usize::MAX, |left| left + 1);
        let max = left.min(REPLAY_CHUNK);
        let page = at_once(games::records(&Embedded(connection), &game.game, next, max))?;
        if page.is_empty() {
            return Err(SqlError::Unreadable(format!("no record {next} of game {}", game.game)));
        }
        if let Err(error) = page.iter().try_for_each(|record| step(&mut state, record)) {
            return Ok(Err(error));
        }
        next += page.len() as u64;
    }
    Ok(Ok(state))
}
