//! What the store finds in the database when it is opened.

use std::collections::{BTreeSet, HashMap, hash_map::Entry};

use adamant_protocol::GameId;
use rusqlite::Connection;

use super::live::LiveGames;
use crate::store::{games, sql::SqlResult};

/// A live game with records that are not archived.
#[derive(Debug)]
pub(crate) struct OpenGameRow {
    /// The game's id.
    pub game: GameId,
    /// The seq of the last archived record.
    pub archived_seq: u64,
    /// The rows in which the later records have arrived, in order.
    pub row_ids: Vec<i64>,
}

impl OpenGameRow {
    /// The seq of the last record.
    pub(crate) fn last_seq(&self) -> u64 {
        self.archived_seq + self.row_ids.len() as u64
    }
}

/// A parked game with a running clock.
#[derive(Debug)]
pub(crate) struct TimedGame {
    /// The game's id.
    pub game: GameId,
    /// The time of the last event, in epoch milliseconds.
    pub last_at: u64,
    /// The time at which the clock runs out if no outage is credited, in epoch milliseconds.
    pub deadline: u64,
}

/// What the store has recovered when it is opened.
#[derive(Debug, Default)]
pub(crate) struct RecoveredState {
    /// Games with records that are not archived. They are listed as live once they are restored.
    pub open: Vec<OpenGameRow>,
    /// Number of parked games.
    pub parked: usize,
    /// The parked games with running clocks.
    pub timed: Vec<TimedGame>,
    /// Whether the database has just been created.
    pub is_new: bool,
    /// The last heartbeat of the previous server, in epoch milliseconds.
    pub last_heartbeat: Option<u64>,
}

impl RecoveredState {
    /// The newest time in the store that is known without a replay, in epoch milliseconds.
    pub(crate) fn last_activity(&self) -> Option<u64> {
        self.timed.iter().map(|game| game.last_at).max().max(self.last_heartbeat)
    }
}

/// The games with records that are not archived, and the stale arrivals, whose records are.
type Arrived = (HashMap<GameId, OpenGameRow>, BTreeSet<i64>);

/// Reads the arrivals once, in order, and lists the parked games as live. Also returns the stale
/// arrivals.
pub(super) fn recover(
    connection: &Connection,
    live: &LiveGames,
) -> SqlResult<(RecoveredState, BTreeSet<i64>)> {
    let (games, stale_rows) = arrived(connection)?;
    let (mut parked, mut timed) = (0, Vec::new());
    let mut select = connection
        .prepare("SELECT game, entry, archived_seq, wake_at FROM games WHERE NOT finished")?;
    let mut rows = select.query([])?;
    while let Some(row) = rows.next()? {
        if games.contains_key(row.get_ref(0)?.as_str()?) {
            continue;
        }
        let Some(entry) = games::parse_entry(row.get_ref(1)?.as_str()?) else { continue };
        parked += 1;
        if let Some(deadline) = row.get::<_, Option<i64>>(3)? {
            let (game, deadline) = (entry.game.clone(), deadline.cast_unsigned());
            timed.push(TimedGame { game, last_at: entry.last_at, deadline });
        }
        live.insert_parked(&entry, row.get::<_, i64>(2)?.cast_unsigned());
    }
    let mut open: Vec<OpenGameRow> = games.into_values().collect();
    // In order of arrival, as before the restart.
    open.sort_unstable_by_key(|game| game.row_ids.first().copied());
    Ok((RecoveredState { open, parked, timed, ..RecoveredState::default() }, stale_rows))
}

/// Reads which records have arrived.
pub(super) fn arrived(connection: &Connection) -> SqlResult<Arrived> {
    let mut games: HashMap<GameId, OpenGameRow> = HashMap::new();
    let mut stale_rows = BTreeSet::new();
    let mut archived = connection.prepare("SELECT archived_seq FROM games WHERE game = ?1")?;
    let mut select = connection.prepare("SELECT id, game, seq FROM arrivals ORDER BY id")?;
    let mut rows = select.query([])?;
    while let Some(row) = rows.next()? {
        let (id, seq): (i64, i64) = (row.get(0)?, row.get(2)?);
        let name = row.get_ref(1)?.as_str()?;
        let Ok(game) = name.parse::<GameId>() else {
            // operator: the database is damaged; the server skips the record. Run `adamant-server
            // check`
            tracing::error!(name, "the journal has an invalid game id");
            continue;
        };
        let game = match games.entry(game) {
            Entry::Occupied(found) => found.into_mut(),
            Entry::Vacant(new) => {
                let found: Option<i64> =
                    archived.query_map([name], |row| row.get(0))?.next().transpose()?;
                let archived_seq = found.unwrap_or_default().cast_unsigned();
                let (game, row_ids) = (new.key().clone(), Vec::new());
                new.insert(OpenGameRow { game, archived_seq, row_ids })
            }
        };
        if seq.cast_unsigned() <= game.archived_seq {
            stale_rows.insert(id);
        } else {
            game.row_ids.push(id);
        }
    }
    games.retain(|_, game| !game.row_ids.is_empty());
    Ok((games, stale_rows))
}
