//! The embedded store's handle: reads, writes, the journal over `SQLite`, and heartbeats with the
//! outages between a server's last one and the next start.

use std::{path::Path, sync::Arc, time::Duration};

use adamant_protocol::{GameId, to_client::GameEntry, values::RatingChange};
use bytes::Bytes;
use futures::{FutureExt as _, future::BoxFuture};
use rusqlite::Connection;

use super::{
    arrivals,
    connection::in_transaction,
    live::{LiveGames, RecordLocation},
    place::{DATABASE_FILE, DirectoryLock, LAST_BACKUP_FILE, WAL_FILE},
    readers::Readers,
    shipping::Shipping,
    writer::Writer,
};
use crate::{
    limits::HEARTBEAT_EVERY,
    runtime::{files, metrics::StoreSize},
    store::{
        Append, AppendOutcome, ArchiveError, ArchivedGame, Backend, Begin, BeginError, GameFilter,
        GamesPage, Heartbeat, Journal, ListKey, Outage, ReadOnlyReason, StoreError, StoreFuture,
        games, ratings,
        sql::{Embedded, Row, Sql as _, SqlResult, at_once, params},
    },
};

/// The store's handle. Cheap to clone; the writer thread ends with the last one.
#[derive(Debug, Clone)]
pub(crate) struct Sqlite {
    pub(super) writer: Writer,
    pub(super) readers: Arc<Readers>,
    pub(super) live: Arc<LiveGames>,
    pub(super) directory: Arc<Path>,
    pub(super) read_only: Option<ReadOnlyReason>,
    pub(super) shipping: Option<Arc<Shipping>>,
    /// Holds the directory's lock. `None` if there is no directory.
    pub(super) _lock: Option<Arc<DirectoryLock>>,
}

/// Attempts of a read whose records are archived while it runs.
const ARCHIVED_MEANWHILE_MAX: u32 = 3;

impl Sqlite {
    pub(in crate::store) fn live(&self) -> &LiveGames {
        &self.live
    }

    /// Decides and writes in one transaction with other writes, durably.
    pub(in crate::store) async fn write<T: Send + 'static>(
        &self,
        write: impl FnOnce(&Connection) -> SqlResult<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.writer.write(write).await
    }

    /// Reads on a pooled connection, in one transaction.
    pub(in crate::store) async fn read_with<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Connection) -> SqlResult<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.readers.run(|connection| in_transaction(connection, read)).await
    }

    pub(super) async fn record_heartbeat(&self, now_ms: u64) -> Result<(), StoreError> {
        self.write(move |connection| record_heartbeat(&Embedded(connection), now_ms)).await
    }

    pub(in crate::store) async fn read_list<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Connection) -> SqlResult<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.readers.run_list(read).await
    }

    /// Returns a page of live games, the newest first, and whether there are more.
    pub(in crate::store) async fn live_games(
        &self,
        filter: &GameFilter,
        after: Option<&ListKey>,
        limit: usize,
    ) -> Result<GamesPage, StoreError> {
        let (keys, more) = self.live.list(filter, after, limit);
        let open = |key: ListKey| self.live.entry(&key.game).ok_or(key.game);
        let entries: Vec<_> = keys.into_iter().map(open).collect();
        if entries.iter().all(Result::is_ok) {
            return Ok((entries.into_iter().flatten().collect(), more));
        }
        // Entries of parked games are in the database. A game that has just ended is left out: it
        // is in the list of finished games.
        let read = move |connection: &Connection| {
            let entry = |found: Result<GameEntry, GameId>| match found {
                Ok(entry) => Ok(Some(entry)),
                Err(game) => at_once(games::entry(&Embedded(connection), &game)),
            };
            let entries: Vec<Option<GameEntry>> =
                entries.into_iter().map(entry).collect::<SqlResult<_>>()?;
            Ok(entries.into_iter().flatten().filter(|entry| entry.result.is_none()).collect())
        };
        Ok((self.read_with(read).await?, more))
    }

    async fn read_records(
        &self,
        game: GameId,
        from: u64,
        max: usize,
    ) -> Result<Vec<Bytes>, StoreError> {
        for _ in 0..ARCHIVED_MEANWHILE_MAX {
            let location = self.live.locate(&game, from, max);
            let game = game.clone();
            let read =
                move |connection: &Connection| records(connection, &game, from, max, location);
            if let Some(records) = self.readers.run(read).await? {
                return Ok(records);
            }
        }
        Err(StoreError::Failed("the records were archived during each attempt to read them".into()))
    }
}

/// Reads records of a game from a seq on. A live game has a `location`. Returns `None` if records
/// have been archived since the location was looked up.
fn records(
    connection: &Connection,
    game: &GameId,
    from: u64,
    max: usize,
    location: Option<RecordLocation>,
) -> SqlResult<Option<Vec<Bytes>>> {
    let from = from.max(1);
    let RecordLocation { archived_seq, row_ids } =
        location.unwrap_or(RecordLocation { archived_seq: u64::MAX, row_ids: Vec::new() });
    let mut records = Vec::new();
    if from <= archived_seq {
        // If the game has been archived again since the lookup, its stale rows still have the other
        // records.
        let archived = usize::try_from(archived_seq - from).map_or(max, |left| max.min(left + 1));
        records = at_once(games::records(&Embedded(connection), game, from, archived))?;
    }
    let Some(later) = arrivals::read(connection, &row_ids)? else { return Ok(None) };
    records.extend(later);
    Ok(Some(records))
}

impl Journal for Sqlite {
    fn append(&self, batch: Vec<Append>) -> BoxFuture<'static, Vec<AppendOutcome>> {
        self.writer.clone().append(batch).boxed()
    }

    fn begin(&self, game: Begin) -> BoxFuture<'static, Result<(), BeginError>> {
        self.writer.clone().begin(game).boxed()
    }

    fn archive(&self, game: ArchivedGame) -> BoxFuture<'static, Result<(), ArchiveError>> {
        self.writer.clone().archive(game).boxed()
    }

    fn rating_change(&self, game: GameId) -> StoreFuture<Option<RatingChange>> {
        let readers = Arc::clone(&self.readers);
        let read = move |connection: &Connection| {
            at_once(ratings::change_of(&Embedded(connection), &game))
        };
        async move { readers.run(read).await }.boxed()
    }

    fn read(&self, game: GameId, from: u64, max: usize) -> StoreFuture<Vec<Bytes>> {
        let store = self.clone();
        async move { store.read_records(game, from, max).await }.boxed()
    }
}

impl Backend for Sqlite {
    fn read_only(&self) -> Option<ReadOnlyReason> {
        let found = self.writer.damage().is_found();
        self.read_only.or_else(|| found.then_some(ReadOnlyReason::Malformed))
    }

    fn note_damage(&self, game: &GameId, why: &str) {
        self.writer.damage().note_game(game, why);
    }

    fn is_healthy(&self) -> bool {
        self.writer.is_healthy()
    }

    fn durability(&self) -> &'static str {
        "fsync"
    }

    fn size(&self) -> BoxFuture<'_, StoreSize> {
        async move {
            let bytes = |name| Some(std::fs::metadata(self.directory.join(name)).ok()?.len());
            let count = |connection: &Connection| {
                at_once(Embedded(connection).count("SELECT COUNT(*) FROM users", &[]))
            };
            StoreSize {
                database: bytes(DATABASE_FILE),
                wal: bytes(WAL_FILE),
                free: files::free_bytes(&self.directory),
                since_backup: since_backup(&self.directory),
                since_shipped: self.shipping.as_ref().map(|of| of.elapsed().as_secs()),
                users: self.read_with(count).await.ok().map(|users| users as u64),
                live_games: Some(self.live.len() as u64),
            }
        }
        .boxed()
    }

    fn room_opens(&self, entry: GameEntry) {
        self.live.unpark(&entry);
    }

    /// The outage begins at the last heartbeat or at the last event, whichever is later. It is
    /// committed together with a heartbeat, so that a crash before games use it counts it once.
    fn begin_serving(
        &self,
        last_event: Option<u64>,
        settled: Option<u64>,
        now_ms: u64,
    ) -> BoxFuture<'_, Result<Vec<Outage>, StoreError>> {
        let start = self.write(move |connection| {
            let sql = Embedded(connection);
            let heartbeat = last_heartbeat(&sql)?;
            let delete = "DELETE FROM outages WHERE until_at <= $1";
            at_once(sql.execute(delete, params![settled.unwrap_or(u64::MAX)]))?;
            // If the machine's clock was set back, the length of the outage is unknown.
            if let Some(from) = heartbeat.max(last_event).filter(|from| *from < now_ms) {
                add_outage(&sql, Outage { from, until: now_ms })?;
            }
            record_heartbeat(&sql, now_ms)?;
            let select = "SELECT from_at, until_at FROM outages ORDER BY until_at";
            let mut found = at_once(sql.query(select, &[]))?;
            let outage = |row: &mut Row| Ok(Outage { from: row.get(0)?, until: row.get(1)? });
            found.iter_mut().map(outage).collect()
        });
        start.boxed()
    }

    fn heartbeat_every(&self) -> Duration {
        HEARTBEAT_EVERY
    }

    fn note_outage(&self, outage: Outage) {
        self.writer.queue(move |connection| add_outage(&Embedded(connection), outage));
    }

    fn record_outage(&self, outage: Outage) -> BoxFuture<'_, Result<(), StoreError>> {
        self.write(move |connection| add_outage(&Embedded(connection), outage)).boxed()
    }

    /// Without live games no clock runs, and the disk may sleep. An unhealthy store is still tried,
    /// to find out whether it has recovered. A heartbeat of the same process finds no outage.
    fn heartbeat(&self, now_ms: u64) -> BoxFuture<'_, Result<Heartbeat, StoreError>> {
        let is_due = !self.live.is_empty() || !self.is_healthy();
        async move {
            if is_due {
                self.record_heartbeat(now_ms).await?;
            }
            Ok(Heartbeat::default())
        }
        .boxed()
    }

    fn close(&self, now_ms: u64) -> BoxFuture<'_, ()> {
        async move {
            if self.read_only().is_some() {
                return;
            }
            if let Err(error) = self.record_heartbeat(now_ms).await {
                tracing::warn!(%error, "heartbeat write failed");
            }
            if let Some(shipping) = &self.shipping {
                shipping.finish().await;
            }
            if let Err(error) = self.writer.checkpoint().await {
                // operator: at the stop. Nothing acknowledged is lost: the next start reads the WAL
                tracing::warn!(%error, "the final checkpoint failed");
            }
        }
        .boxed()
    }
}

pub(super) fn record_heartbeat(sql: &Embedded<'_>, now_ms: u64) -> SqlResult<()> {
    let replace = "INSERT INTO alive (one, alive_at) VALUES (1, $1)
         ON CONFLICT (one) DO UPDATE SET alive_at = excluded.alive_at";
    at_once(sql.execute(replace, params![now_ms])).map(drop)
}

pub(super) fn last_heartbeat(sql: &Embedded<'_>) -> SqlResult<Option<u64>> {
    let found = at_once(sql.first("SELECT alive_at FROM alive", &[]))?;
    found.map(|mut row| row.get(0)).transpose()
}

fn add_outage(sql: &Embedded<'_>, Outage { from, until }: Outage) -> SqlResult<()> {
    let insert = "INSERT INTO outages (until_at, from_at) VALUES ($1, $2) ON CONFLICT DO NOTHING";
    at_once(sql.execute(insert, params![until, from])).map(drop)
}

/// Seconds since the last good backup of a data directory; `None` before the first.
pub(crate) fn since_backup(directory: &Path) -> Option<u64> {
    let made = std::fs::metadata(directory.join(LAST_BACKUP_FILE)).and_then(|mark| mark.modified());
    // A mark of the future is as good as one of now.
    Some(made.ok()?.elapsed().unwrap_or_default().as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::StoreConfig;

    async fn begin(directory: &Path, settled: Option<u64>, now: u64) -> Vec<Outage> {
        let (store, _) = Sqlite::open(&StoreConfig::at(directory), Arc::default()).unwrap();
        store.begin_serving(None, settled, now).await.unwrap()
    }

    #[tokio::test]
    async fn an_outage_starts_at_the_last_heartbeat_and_counts_once() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path();
        assert_eq!(begin(path, None, 100).await, [], "the first start has no outage");
        {
            let (store, _) = Sqlite::open(&StoreConfig::at(path), Arc::default()).unwrap();
            store.record_heartbeat(150).await.unwrap();
        }
        let first = Outage { from: 150, until: 200 };
        assert_eq!(begin(path, Some(120), 200).await, [first]);
        // The process ends before its next heartbeat.
        let second = Outage { from: 200, until: 230 };
        assert_eq!(begin(path, Some(120), 230).await, [first, second]);
        let third = Outage { from: 230, until: 300 };
        assert_eq!(begin(path, Some(200), 300).await, [second, third]);
        // The machine's clock was set back.
        assert_eq!(begin(path, Some(240), 250).await, [third]);
    }

    #[test]
    fn a_deadline_moves_by_the_time_lost_in_the_outage() {
        let outage = Outage { from: 100, until: 130 };
        assert_eq!(outage.shift_deadline(120, 50), 150);
        assert_eq!(outage.shift_deadline(100, 50), 100, "the flag fell before the outage");
        assert_eq!(outage.shift_deadline(160, 110), 180, "the turn began in the outage");
        assert_eq!(outage.shift_deadline(160, 130), 160, "the last event is after the outage");
    }

    #[tokio::test]
    async fn an_event_after_the_heartbeat_starts_the_outage() {
        let directory = tempfile::tempdir().unwrap();
        let (store, _) = Sqlite::open(&StoreConfig::at(directory.path()), Arc::default()).unwrap();
        let outages = store.begin_serving(Some(70), Some(10), 100).await.unwrap();
        assert_eq!(outages, [Outage { from: 70, until: 100 }]);
    }
}
