//! The embedded store: `SQLite` on a local disk. The only module that knows SQL.
//!
//! One thread writes, and commits what many rooms wait for with one sync. A few connections read.
//! One process holds the store; a lock file says so.

mod accounts;
mod reader;
mod schema;
mod tables;
mod writer;

use std::{
    fs::{DirBuilder, File},
    os::unix::fs::DirBuilderExt as _,
    path::Path,
    sync::Arc,
    time::Duration,
};

use adamant_protocol::{GameId, to_client::GameEntry};
use bytes::Bytes;
use futures::{FutureExt as _, future::BoxFuture};
use rusqlite::Connection;

pub(crate) use schema::OpenError;

use super::{Append, AppendError, Fold, Journal, LiveGame, LiveGames, StoreError};
use reader::Readers;
use writer::Writer;

/// The database file inside the data directory.
const DATABASE_FILE: &str = "adamant.db";
/// The file that is locked while a server holds the directory.
const LOCK_FILE: &str = "adamant.lock";

/// The store's handle. Cheap to clone; the writer thread ends with the last one.
#[derive(Debug, Clone)]
pub(crate) struct Sqlite {
    writer: Writer,
    readers: Arc<Readers>,
    live: Arc<LiveGames>,
    /// Held for its lock, as long as the store is.
    _lock: Arc<File>,
}

/// A live game with events in the journal, as found at the start.
#[derive(Debug)]
pub(crate) struct HotGame {
    /// Which.
    pub game: GameId,
    /// All its records, the folded ones included.
    pub records: Vec<Bytes>,
    /// How many of them rest in a row of their own.
    pub folded_seq: u64,
    /// Where the others are in the journal.
    pub row_ids: Vec<i64>,
}

/// What was found when the store was opened.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// Games with events in the journal. They are listed as live once adopted.
    pub hot: Vec<HotGame>,
    /// How many games are parked.
    pub parked: usize,
}

impl Sqlite {
    /// Opens the store in a directory, making it if need be, and reads the journal once.
    pub(crate) fn open(
        directory: &Path,
        flush_delay: Duration,
    ) -> Result<(Self, Found), OpenError> {
        let shown = directory.display().to_string();
        let failed = |error| OpenError::Directory { path: shown.clone(), error };
        // Password hashes are nobody else's business.
        DirBuilder::new().recursive(true).mode(0o700).create(directory).map_err(failed)?;
        let lock = File::create(directory.join(LOCK_FILE)).map_err(failed)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(std::fs::TryLockError::WouldBlock) => return Err(OpenError::InUse { path: shown }),
            Err(std::fs::TryLockError::Error(error)) => return Err(failed(error)),
        }

        let path = directory.join(DATABASE_FILE);
        let mut connection = Connection::open(&path)?;
        schema::prepare(&connection)?;
        schema::migrate(&mut connection)?;
        let live = Arc::new(LiveGames::default());
        let found = tables::find_games(&connection, &live)?;
        let store = Self {
            writer: Writer::start(connection, Arc::clone(&live), flush_delay),
            readers: Arc::new(Readers::new(path)),
            live,
            _lock: Arc::new(lock),
        };
        Ok((store, found))
    }

    /// The live games.
    pub(crate) fn live(&self) -> &Arc<LiveGames> {
        &self.live
    }

    /// Lists a game that was found in the journal as live, once its records have been replayed.
    pub(crate) fn adopt(&self, found: &HotGame, entry: GameEntry) {
        self.live.insert(LiveGame {
            entry,
            last_seq: found.records.len() as u64,
            folded_seq: found.folded_seq,
            row_ids: found.row_ids.clone(),
        });
    }

    /// Whether the last commit went well.
    pub(crate) fn is_healthy(&self) -> bool {
        self.writer.is_healthy()
    }

    /// Waits until everything that was handed in before has been committed or refused, and moves
    /// it from the log into the database file.
    pub(crate) async fn close(&self) {
        if let Err(error) = self.writer.checkpoint().await {
            tracing::warn!(%error, "the store did not confirm its last commit");
        }
    }

    /// Runs a read on one of the reading connections.
    async fn read_with<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.readers.run(read).await
    }
}

/// How often a read is tried while the records that it is after are being folded.
const FOLDS_MET_MAX: u32 = 3;

impl Sqlite {
    async fn read_in_place(
        &self,
        game: GameId,
        from: u64,
        max: usize,
    ) -> Result<Vec<Bytes>, StoreError> {
        for _ in 0..FOLDS_MET_MAX {
            let place = self.live.with(&game, |live| (live.folded_seq, live.row_ids.clone()));
            let game = game.clone();
            let read = move |connection: &Connection| {
                tables::read_records(connection, &game, from, max, place)
            };
            if let Some(records) = self.read_with(read).await? {
                return Ok(records);
            }
        }
        Err(StoreError::Failed("the records kept moving".into()))
    }
}

impl Journal for Sqlite {
    fn append(&self, append: Append) -> BoxFuture<'_, Result<(), AppendError>> {
        self.writer.append(append).boxed()
    }

    fn fold(&self, fold: Fold) -> BoxFuture<'_, Result<(), StoreError>> {
        self.writer.fold(fold).boxed()
    }

    fn read(
        &self,
        game: GameId,
        from: u64,
        max: usize,
    ) -> BoxFuture<'_, Result<Vec<Bytes>, StoreError>> {
        self.read_in_place(game, from, max).boxed()
    }
}
