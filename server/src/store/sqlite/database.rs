//! The store's handle: reads, lists, and the journal over `SQLite`.

use std::{path::Path, sync::Arc};

use adamant_protocol::{GameId, UserName, to_client::GameEntry, values::RatingChange};
use bytes::Bytes;
use futures::{FutureExt as _, future::BoxFuture};
use rusqlite::Connection;

use super::{
    file_names::{DATABASE_FILE, WAL_FILE},
    games::{self, Order},
    lock::DirectoryLock,
    readers::Readers,
    recovered::OpenGameRow,
    results,
    rows::from_sql,
    writer::Writer,
};
use crate::{
    runtime::{files, metrics::StoreSize},
    store::{
        Append, AppendOutcome, ArchiveError, ArchivedGame, Begin, BeginError, GameFilter, Journal,
        ListKey, LiveGames, OpenGame, ReadOnlyReason, RecordLocation, StoreError,
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

impl Sqlite {
    /// Returns why the store is read-only; `None` if it is not.
    pub(crate) const fn read_only(&self) -> Option<ReadOnlyReason> {
        self.read_only
    }

    /// Returns the live games.
    pub(crate) fn live(&self) -> &Arc<LiveGames> {
        &self.live
    }

    /// Lists a recovered game as live, after its records have been replayed.
    pub(crate) fn restore(&self, found: OpenGameRow, entry: GameEntry) {
        let last_seq = found.last_seq();
        let OpenGameRow { game: _, archived_seq, row_ids } = found;
        let uncommitted = 0;
        self.live.insert(OpenGame { entry, last_seq, archived_seq, row_ids, uncommitted });
    }

    /// Returns whether the last commit succeeded.
    pub(crate) fn is_healthy(&self) -> bool {
        self.writer.is_healthy()
    }

    /// Waits until all earlier jobs have been committed or have failed, and copies the WAL into the
    /// database.
    pub(crate) async fn close(&self) {
        if let Err(error) = self.writer.checkpoint().await {
            tracing::warn!(%error, "the final checkpoint failed");
        }
    }

    /// Returns the sizes of the database and its WAL, the free space and the number of users.
    pub(crate) async fn size(&self) -> StoreSize {
        let bytes = |name| std::fs::metadata(self.directory.join(name)).ok().map(|file| file.len());
        let count = |connection: &Connection| {
            connection
                .prepare_cached("SELECT count(*) FROM users")?
                .query_row([], |row| row.get::<_, i64>(0))
        };
        StoreSize {
            database: bytes(DATABASE_FILE),
            wal: bytes(WAL_FILE),
            free: files::free_bytes(&self.directory),
            users: self.read_with(count).await.ok().map(from_sql),
        }
    }

    /// Runs a read on a pooled connection.
    pub(super) async fn read_with<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.readers.run(read).await
    }
}

impl Sqlite {
    /// Returns the list entry of a game, live or finished; `None` if there is no such game.
    pub(crate) async fn entry(&self, game: &GameId) -> Result<Option<GameEntry>, StoreError> {
        if let Some(entry) = self.live().with(game, |live| live.entry.clone()) {
            return Ok(Some(entry));
        }
        let game = game.clone();
        self.read_with(move |connection| games::entry(connection, &game)).await
    }

    /// Returns live games by start, the newest first, and whether there are more.
    pub(crate) async fn live_games(
        &self,
        filter: &GameFilter,
        after: Option<&ListKey>,
        limit: usize,
    ) -> Result<(Vec<GameEntry>, bool), StoreError> {
        let (keys, more) = self.live.list(filter, after, limit);
        let open = |key: ListKey| {
            let entry = self.live.with(&key.game, |live| live.entry.clone());
            entry.ok_or(key.game)
        };
        let entries: Vec<_> = keys.into_iter().map(open).collect();
        if entries.iter().all(Result::is_ok) {
            return Ok((entries.into_iter().flatten().collect(), more));
        }
        // Entries of parked games are in the database. A game that has just ended is left out: it
        // is in the list of finished games.
        let read = move |connection: &Connection| {
            let entry = |found: Result<GameEntry, GameId>| match found {
                Ok(entry) => Ok(Some(entry)),
                Err(game) => games::entry(connection, &game),
            };
            let entries: Vec<Option<GameEntry>> =
                entries.into_iter().map(entry).collect::<rusqlite::Result<_>>()?;
            Ok(entries.into_iter().flatten().filter(|entry| entry.result.is_none()).collect())
        };
        Ok((self.read_with(read).await?, more))
    }

    /// Returns finished games by start, the newest first.
    pub(crate) async fn finished_games(
        &self,
        filter: GameFilter,
        after: Option<ListKey>,
        limit: u32,
    ) -> Result<Vec<GameEntry>, StoreError> {
        self.list_finished(filter, Order::Start, after, limit).await
    }

    /// Returns a user's finished games by end, the newest first.
    pub(crate) async fn history(
        &self,
        user: UserName,
        rules: Option<Box<str>>,
        after: Option<ListKey>,
        limit: u32,
    ) -> Result<Vec<GameEntry>, StoreError> {
        let filter = GameFilter { user: Some(user), rules, players: None };
        self.list_finished(filter, Order::End, after, limit).await
    }

    async fn list_finished(
        &self,
        filter: GameFilter,
        order: Order,
        after: Option<ListKey>,
        limit: u32,
    ) -> Result<Vec<GameEntry>, StoreError> {
        self.readers
            .run_list(move |connection| {
                games::list_finished(connection, &filter, order, after.as_ref(), limit)
            })
            .await
    }

    /// Returns the position of a game in a list by start; `None` if there is no such game.
    pub(crate) async fn list_key_by_start(
        &self,
        game: GameId,
    ) -> Result<Option<ListKey>, StoreError> {
        if let Some(key) = self.live.key_of(&game) {
            return Ok(Some(key));
        }
        self.read_with(move |connection| games::list_key(connection, &game, Order::Start)).await
    }

    /// Returns the position of a finished game in a list by end; `None` if there is none.
    pub(crate) async fn list_key_by_end(
        &self,
        game: GameId,
    ) -> Result<Option<ListKey>, StoreError> {
        self.read_with(move |connection| games::list_key(connection, &game, Order::End)).await
    }
}

/// Attempts of a read whose records are archived while it runs.
const ARCHIVED_MEANWHILE_MAX: u32 = 3;

impl Sqlite {
    async fn read_records(
        &self,
        game: GameId,
        from: u64,
        max: usize,
    ) -> Result<Vec<Bytes>, StoreError> {
        for _ in 0..ARCHIVED_MEANWHILE_MAX {
            let location = self.live.locate(&game, from, max);
            let game = game.clone();
            let read = move |connection: &Connection| {
                games::read_records(connection, &game, from, max, location)
            };
            if let Some(records) = self.read_with(read).await? {
                return Ok(records);
            }
        }
        Err(StoreError::Failed("the records were archived during each attempt to read them".into()))
    }
}

impl Sqlite {
    /// Reads records of a recovered game, before it is restored.
    pub(crate) async fn read_recovered(
        &self,
        found: &OpenGameRow,
        from: u64,
        max: usize,
    ) -> Result<Vec<Bytes>, StoreError> {
        let location = Some(RecordLocation::new(found.archived_seq, &found.row_ids, from, max));
        let game = found.game.clone();
        let read = move |connection: &Connection| {
            games::read_records(connection, &game, from, max, location)
        };
        let missing = || StoreError::Failed("a record is missing in the journal".into());
        self.read_with(read).await?.ok_or_else(missing)
    }
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
        let read = move |connection: &Connection| results::change_of(connection, &game);
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
