//! The embedded store: `SQLite` on a local disk. The only module that knows SQL.
//!
//! One thread writes, and commits what many rooms wait for with one sync. A few connections read.
//! One process holds the store; a lock file says so.

use crate::store::sqlite::{games, migrations, outages, results, wal, wal_copy};
use std::{path::Path, sync::Arc};

use adamant_protocol::{GameId, UserName, to_client::GameEntry, values::RatingChange};
use bytes::Bytes;
use futures::{FutureExt as _, future::BoxFuture};
use rusqlite::Connection;

use crate::store::sqlite::migrations::OpenError;
use crate::store::sqlite::wal::Loss;

use crate::store::sqlite::games::Order;
use crate::store::sqlite::lock::DirectoryLock;
use crate::store::sqlite::migrations::Migrated;
use crate::store::sqlite::open_mode::Source;
use crate::store::sqlite::readers::{Place, Readers};
use crate::store::sqlite::writer::Writer;
use crate::store::{
    Append, AppendError, Disk, Fold, GameFilter, Journal, ListKey, LiveGames, OpenGame, ReadsOnly,
    RecordPlace, StoreError,
};
use crate::{
    config,
    limits::WRITER_CACHE_KIB,
    runtime::{
        files,
        metrics::{Metrics, Stored},
    },
};

/// The database file inside the data directory.
pub(super) const DATABASE_FILE: &str = "adamant.db";
/// The log of what has been committed and not yet copied into it, as `SQLite` calls it.
pub(super) const LOG_FILE: &str = "adamant.db-wal";

/// The store's handle. Cheap to clone; the writer thread ends with the last one.
#[derive(Debug, Clone)]
pub(crate) struct Sqlite {
    pub(super) writer: Writer,
    pub(super) readers: Arc<Readers>,
    pub(super) live: Arc<LiveGames>,
    directory: Arc<Path>,
    reads_only: Option<ReadsOnly>,
    /// Held for its lock, as long as the store is. Without a database there is none to hold.
    _lock: Option<Arc<DirectoryLock>>,
}

/// A live game with events in the journal, as found at the start.
#[derive(Debug)]
pub(crate) struct HotGame {
    /// Which.
    pub game: GameId,
    /// How many of its records rest in pieces.
    pub folded_seq: u64,
    /// Where the others are in the journal.
    pub row_ids: Vec<i64>,
}

impl HotGame {
    /// Its last record.
    pub(crate) fn last_seq(&self) -> u64 {
        self.folded_seq + self.row_ids.len() as u64
    }
}

/// A parked game whose clock runs, as found at the start.
#[derive(Debug)]
pub(crate) struct TimedGame {
    /// Which.
    pub game: GameId,
    /// When its last event was.
    pub last_at: u64,
    /// When the clock runs out, if there has been a server all the time.
    pub deadline: u64,
}

/// What was found when the store was opened.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// Games with events in the journal. They are listed as live once adopted.
    pub hot: Vec<HotGame>,
    /// How many games are parked.
    pub parked: usize,
    /// The parked games whose clocks run.
    pub timed: Vec<TimedGame>,
    /// Whether the database was made just now.
    pub is_new: bool,
    /// When the server before this one was last known to be alive.
    pub alive_at: Option<u64>,
}

impl Found {
    /// When anything was last stored, as far as that is known.
    pub(crate) fn newest(&self) -> Option<u64> {
        self.timed.iter().map(|game| game.last_at).max().max(self.alive_at)
    }
}

impl Sqlite {
    /// Opens the store in its directory, making it if need be, and reads the journal once.
    pub(crate) fn open(
        config: &config::StoreConfig,
        metrics: Arc<Metrics>,
    ) -> Result<(Self, Found), OpenError> {
        Self::open_on(config, metrics, None)
    }

    /// Opens the store; with a simulated disk it does everything on the runtime that it is opened
    /// in, at that disk's pace.
    pub(crate) fn open_on(
        config: &config::StoreConfig,
        metrics: Arc<Metrics>,
        disk: Option<Arc<dyn Disk>>,
    ) -> Result<(Self, Found), OpenError> {
        let directory = config.data.as_path();
        let lock = hold(directory)?;
        let damage = look_for_damage(directory, config.accept_loss)?;
        let source = Source::File(directory.join(DATABASE_FILE));
        let mut connection = source.connect()?;
        if damage.is_some() {
            // The frames that are given up must not be found again behind those to come.
            migrations::begin_log_anew(&connection)?;
        }
        let is_new = migrations::migrate(&mut connection)? == Migrated::FromNothing;
        migrations::keep_in_log(&connection, config.wal_mib, &directory.join(LOG_FILE))?;
        migrations::keep_in_memory(&connection, WRITER_CACHE_KIB)?;
        let live = Arc::new(LiveGames::default());
        let (mut found, left_over) = games::find_games(&connection, &live)?;
        found.is_new = is_new;
        found.alive_at = outages::marked(&connection)?;
        let place = if disk.is_some() { Place::Here } else { Place::Apart };
        let store = Self {
            writer: Writer::start(connection, left_over, Arc::clone(&live), metrics, disk),
            readers: Arc::new(Readers::open(&source, place)?),
            live,
            directory: directory.into(),
            reads_only: None,
            _lock: Some(Arc::new(lock)),
        };
        Ok((store, found))
    }

    /// Opens the store to read it alone: nothing in its directory changes. Without a database, and
    /// without room to make one, it is an empty one.
    pub(crate) fn open_to_read(
        config: &config::StoreConfig,
        why: ReadsOnly,
    ) -> Result<(Self, Found), OpenError> {
        let directory = config.data.as_path();
        let path = directory.join(DATABASE_FILE);
        let lock = match DirectoryLock::take(directory) {
            Ok(lock) => Some(Arc::new(lock)),
            Err(OpenError::Directory { .. }) if why == ReadsOnly::NoRoom => None,
            Err(error) => return Err(error),
        };
        let source = match Source::untouched(&path)? {
            Some(source) => source,
            None if why == ReadsOnly::NoRoom => Source::Empty,
            None => return Err(OpenError::Database(rusqlite::Error::InvalidPath(path))),
        };
        let connection = source.connect()?;
        migrations::expect_current(&connection)?;
        let live = Arc::new(LiveGames::default());
        let (found, _) = games::find_games(&connection, &live)?;
        let store = Self {
            writer: Writer::refusing(),
            readers: Arc::new(Readers::open(&source, Place::Apart)?),
            live,
            directory: directory.into(),
            reads_only: Some(why),
            _lock: lock,
        };
        Ok((store, found))
    }

    /// Why nothing is written; `None` if the store may be.
    pub(crate) const fn reads_only(&self) -> Option<ReadsOnly> {
        self.reads_only
    }

    /// The live games.
    pub(crate) fn live(&self) -> &Arc<LiveGames> {
        &self.live
    }

    /// Lists a game that was found in the journal as live, once its records have been replayed.
    pub(crate) fn adopt(&self, found: HotGame, entry: GameEntry) {
        let last_seq = found.last_seq();
        let HotGame { game: _, folded_seq, row_ids } = found;
        self.live.insert(OpenGame { entry, last_seq, folded_seq, row_ids });
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

    /// How much is stored, and how much more can be.
    pub(crate) async fn stored(&self) -> Stored {
        let bytes = |name| std::fs::metadata(self.directory.join(name)).ok().map(|file| file.len());
        let count = |connection: &Connection| {
            connection
                .prepare_cached("SELECT count(*) FROM users")?
                .query_row([], |row| row.get::<_, i64>(0))
        };
        Stored {
            database: bytes(DATABASE_FILE),
            log: bytes(LOG_FILE),
            free: files::free_bytes(&self.directory),
            users: self.read_with(count).await.ok().map(games::loaded),
        }
    }

    /// Runs a read on one of the reading connections.
    pub(super) async fn read_with<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.readers.run(read).await
    }
}

impl Sqlite {
    /// What lists say of a game, live or finished; `None` if there is no such game.
    pub(crate) async fn entry(&self, game: &GameId) -> Result<Option<GameEntry>, StoreError> {
        if let Some(entry) = self.live().with(game, |live| live.entry.clone()) {
            return Ok(Some(entry));
        }
        let game = game.clone();
        self.read_with(move |connection| games::entry(connection, &game)).await
    }

    /// Live games of a list, the one that began last first, and whether there are more.
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
        // Those without a room are in their rows. One that has just ended is left out: it is to be
        // found among the finished ones.
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

    /// Finished games of a list, the one that began last first.
    pub(crate) async fn finished_games(
        &self,
        filter: GameFilter,
        after: Option<ListKey>,
        limit: u32,
    ) -> Result<Vec<GameEntry>, StoreError> {
        self.list_finished(filter, Order::Start, after, limit).await
    }

    /// A user's finished games, the one that ended last first.
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

    /// Where a game, live or finished, stands in a list by beginning; `None` if there is none.
    pub(crate) async fn place_by_start(&self, game: GameId) -> Result<Option<ListKey>, StoreError> {
        if let Some(key) = self.live.key_of(&game) {
            return Ok(Some(key));
        }
        self.read_with(move |connection| games::list_key(connection, &game, Order::Start)).await
    }

    /// Where a finished game stands in a list by end; `None` if there is none.
    pub(crate) async fn place_by_end(&self, game: GameId) -> Result<Option<ListKey>, StoreError> {
        self.read_with(move |connection| games::list_key(connection, &game, Order::End)).await
    }
}

/// Takes a directory for this process, making it if need be.
fn hold(directory: &Path) -> Result<DirectoryLock, OpenError> {
    files::make_directory(directory)
        .map_err(|error| OpenError::Directory { path: directory.display().to_string(), error })?;
    DirectoryLock::take(directory)
}

/// Looks at the log before `SQLite` does. What is damaged is kept aside. If the operator accepts the
/// loss, what can be read is gone on with.
fn look_for_damage(directory: &Path, accept: bool) -> Result<Option<Loss>, OpenError> {
    let log = directory.join(LOG_FILE);
    let failed = |error| OpenError::Log { path: log.display().to_string(), error };
    let Some(loss) = wal::examine(&log, &directory.join(DATABASE_FILE)).map_err(failed)? else {
        if accept {
            tracing::info!("--accept-loss: nothing is lost; start without it the next time");
        }
        return Ok(None);
    };
    let Loss { frames, commits } = loss;
    match wal_copy::keep(directory) {
        Ok(kept) => tracing::error!(
            frames, commits, kept = %kept.display(),
            "the log was damaged: what was committed behind the damage is lost"
        ),
        Err(error) if accept => return Err(failed(error)),
        Err(error) => tracing::error!(
            frames, commits, %error,
            "the log was damaged, and could not be copied aside"
        ),
    }
    if !accept {
        return Err(OpenError::Damaged(loss));
    }
    tracing::warn!(frames, commits, "the loss is accepted: going on with what can be read");
    Ok(Some(loss))
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
            let place = self.live.place(&game, from, max);
            let game = game.clone();
            let read = move |connection: &Connection| {
                games::read_records(connection, &game, from, max, place)
            };
            if let Some(records) = self.read_with(read).await? {
                return Ok(records);
            }
        }
        Err(StoreError::Failed("the records kept moving".into()))
    }
}

impl Sqlite {
    /// Some records of a live game as it was found at the start, before it is adopted.
    pub(crate) async fn read_found(
        &self,
        found: &HotGame,
        from: u64,
        max: usize,
    ) -> Result<Vec<Bytes>, StoreError> {
        let place = Some(RecordPlace::of(found.folded_seq, &found.row_ids, from, max));
        let game = found.game.clone();
        let read =
            move |connection: &Connection| games::read_records(connection, &game, from, max, place);
        let missing = || StoreError::Failed("a record is no longer where it was".into());
        self.read_with(read).await?.ok_or_else(missing)
    }
}

impl Journal for Sqlite {
    fn append(&self, append: Append) -> BoxFuture<'_, Result<Option<RatingChange>, AppendError>> {
        self.writer.append(append).boxed()
    }

    fn rating_change(
        &self,
        game: GameId,
    ) -> BoxFuture<'_, Result<Option<RatingChange>, StoreError>> {
        self.read_with(move |connection| results::change_of(connection, &game)).boxed()
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
