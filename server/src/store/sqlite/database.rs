//! The store's handle: reads, lists, and the journal over `SQLite`.

use std::{path::Path, sync::Arc};

use adamant_protocol::{GameId, to_client::GameEntry, values::RatingChange};
use bytes::Bytes;
use futures::{FutureExt as _, future::BoxFuture};
use rusqlite::Connection;

use super::{
    file_names::{DATABASE_FILE, WAL_FILE},
    games,
    live::{LiveGames, OpenGame, RecordLocation},
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
        Append, AppendOutcome, ArchiveError, ArchivedGame, Begin, BeginError, Journal,
        ReadOnlyReason, StoreError,
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
            connection
                .prepare_cached("SELECT count(*) FROM users")?
                .query_row([], |row| row.get::<_, i64>(0))
        };
        StoreSize {
            database: bytes(DATABASE_FILE),
            wal: bytes(WAL_FILE),
            free: files::free_bytes(&self.directory),
            users: self.read_with(count).await.ok().map(from_sql),
            live_games: Some(self.live.len() as u64),
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
    pub(super) async fn read_recovered(
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
