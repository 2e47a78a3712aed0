//! The store's handle: reads, writes, and the journal over `SQLite`.

use std::{path::Path, sync::Arc};

use adamant_protocol::{GameId, to_client::GameEntry, values::RatingChange};
use bytes::Bytes;
use futures::{FutureExt as _, future::BoxFuture};
use rusqlite::Connection;

use super::{
    arrivals,
    connection::in_transaction,
    file_names::{DATABASE_FILE, WAL_FILE},
    live::{LiveGames, OpenGame, RecordLocation},
    lock::DirectoryLock,
    readers::Readers,
    recovered::OpenGameRow,
    writer::Writer,
};
use crate::{
    runtime::{files, metrics::StoreSize},
    store::{
        Append, AppendOutcome, ArchiveError, ArchivedGame, Begin, BeginError, GameFilter,
        GamesPage, Journal, ListKey, ReadOnlyReason, StoreError, games,
        sql::{Embedded, Sql as _, SqlResult, at_once},
        stored_ratings,
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
    /// Holds the directory's lock. `None` if there is no directory.
    pub(super) _lock: Option<Arc<DirectoryLock>>,
}

/// Attempts of a read whose records are archived while it runs.
const ARCHIVED_MEANWHILE_MAX: u32 = 3;

impl Sqlite {
    /// The live games.
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

    /// Reads a list, on which no game depends.
    pub(in crate::store) async fn read_list<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Connection) -> SqlResult<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.readers.run_list(read).await
    }

    /// Lists a recovered game as live, after its records have been replayed.
    pub(super) fn restore(&self, found: OpenGameRow, entry: GameEntry) {
        let last_seq = found.last_seq();
        let OpenGameRow { game: _, archived_seq, row_ids } = found;
        let uncommitted = 0;
        self.live.insert(OpenGame { entry, last_seq, archived_seq, row_ids, uncommitted });
    }

    /// Returns the sizes of the database and its WAL, the free space and the number of users.
    pub(super) async fn read_size(&self) -> StoreSize {
        let bytes = |name| std::fs::metadata(self.directory.join(name)).ok().map(|file| file.len());
        let count = |connection: &Connection| {
            at_once(Embedded(connection).count("SELECT COUNT(*) FROM users", &[]))
        };
        StoreSize {
            database: bytes(DATABASE_FILE),
            wal: bytes(WAL_FILE),
            free: files::free_bytes(&self.directory),
            users: self.read_with(count).await.ok().map(|users| users as u64),
            live_games: Some(self.live.len() as u64),
        }
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

    /// Reads records of a recovered game, before it is restored.
    pub(super) async fn read_recovered(
        &self,
        found: &OpenGameRow,
        from: u64,
        max: usize,
    ) -> Result<Vec<Bytes>, StoreError> {
        let location = Some(RecordLocation::new(found.archived_seq, &found.row_ids, from, max));
        let game = found.game.clone();
        let read = move |connection: &Connection| records(connection, &game, from, max, location);
        let missing = || StoreError::Failed("a record is missing in the journal".into());
        self.readers.run(read).await?.ok_or_else(missing)
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

    fn rating_change(
        &self,
        game: GameId,
    ) -> BoxFuture<'static, Result<Option<RatingChange>, StoreError>> {
        let readers = Arc::clone(&self.readers);
        let read = move |connection: &Connection| {
            at_once(stored_ratings::change_of(&Embedded(connection), &game))
        };
        async move { readers.run(read).await }.boxed()
    }

    fn read(
        &self,
        game: GameId,
        from: u64,
        max: usize,
    ) -> BoxFuture<'static, Result<Vec<Bytes>, StoreError>> {
        let store = self.clone();
        async move { store.read_records(game, from, max).await }.boxed()
    }
}
