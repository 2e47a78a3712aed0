//! Opens the store, and hands on the games that it finds.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
};

use super::{
    connection::{self, OpenMode, leave_wal_on_close, preallocate_wal, reset_wal, set_cache_size},
    damage::Damage,
    database::{self, Sqlite},
    errors::OpenError,
    live::{LiveGames, recover},
    place::{self, DATABASE_FILE, DirectoryLock, LOCK_FILE, Mark, Place, WAL_FILE},
    readers::Readers,
    recovery::Recovery,
    shipping::Shipping,
    wal::{self, Loss},
    writer::Writer,
};
use crate::{
    config,
    limits::WRITER_CACHE_KIB,
    runtime::{files, metrics::Metrics, work_pool::WorkPool},
    signing::SECRET_FILE,
    store::{Disk, ReadOnlyReason, sql::Embedded},
};

impl Sqlite {
    /// Opens the store in its directory and reads the arrivals once. Creates what is missing.
    pub(crate) fn open(
        config: &config::StoreConfig,
        metrics: Arc<Metrics>,
    ) -> Result<(Self, Recovery), OpenError> {
        Self::open_on(config, metrics, WorkPool::Threads, None)
    }

    /// Opens the store. With a simulated disk it runs on the caller's runtime, with the disk's
    /// latency.
    pub(crate) fn open_on(
        config: &config::StoreConfig,
        metrics: Arc<Metrics>,
        work: WorkPool,
        disk: Option<Arc<dyn Disk>>,
    ) -> Result<(Self, Recovery), OpenError> {
        let directory = config.data.as_path();
        let failed = |error| OpenError::Directory { path: directory.display().to_string(), error };
        let lock = lock_directory(directory)?;
        let mark = lock.mark().map_err(failed)?;
        let damage = Damage::open(directory, config.accept_loss)?;
        let opened = Self::open_locked(config, (lock, mark), damage.clone(), metrics, work, disk);
        opened.inspect_err(|error| {
            if let OpenError::Database(error) = error {
                damage.note(error);
            }
        })
    }

    fn open_locked(
        config: &config::StoreConfig,
        (lock, mark): (DirectoryLock, Mark),
        damage: Damage,
        metrics: Arc<Metrics>,
        work: WorkPool,
        disk: Option<Arc<dyn Disk>>,
    ) -> Result<(Self, Recovery), OpenError> {
        let directory = config.data.as_path();
        let failed = |error| OpenError::Directory { path: directory.display().to_string(), error };
        let may_create = config.new_database || !directory.join(SECRET_FILE).exists();
        if !may_create && !has_bytes(&directory.join(DATABASE_FILE)) {
            return Err(OpenError::NoDatabase { path: directory.display().to_string() });
        }
        let loss = check_wal(directory, config.accept_loss)?;
        if config.accept_loss && loss.is_none() && !damage.was_accepted() {
            // operator: remove the option
            tracing::info!("--accept-loss has no effect: the WAL is intact");
        }
        let lock = lock.with_database(directory)?;
        let mode = OpenMode::ReadWrite(directory.join(DATABASE_FILE));
        let mut connection = mode.connect()?;
        leave_wal_on_close(&connection)?;
        if loss.is_some() {
            // Otherwise lost frames could follow new ones after a crash.
            reset_wal(&connection)?;
        }
        if !may_create && connection::is_empty(&connection)? {
            return Err(OpenError::NoDatabase { path: directory.display().to_string() });
        }
        let is_new =
            connection::create_or_migrate(&mut connection, directory, config.migrate_without_copy)?;
        if config.new_database && !is_new {
            // operator: remove the option
            tracing::info!("--new-database has no effect: there is a database");
        }
        preallocate_wal(&connection, config.wal_mib, &directory.join(WAL_FILE))?;
        set_cache_size(&connection, WRITER_CACHE_KIB)?;
        let paths = [DATABASE_FILE, WAL_FILE, LOCK_FILE].map(|name| directory.join(name));
        let number = place::number(&paths[0]).map_err(failed)?;
        // A simulated disk copies its files at every crash.
        if disk.is_none() && place::move_in(&connection, number)? {
            // operator: the database is a copy of another one, such as a backup. Do not let both
            // servers play on
            tracing::warn!(
                directory = %directory.display(),
                "this is a copy: the server continues its games, and knows nothing of what the \
                 original has stored since"
            );
        }
        let place = Place::of(paths, Some(mark), lock.database()).map_err(failed)?;
        let live = Arc::new(LiveGames::default());
        let mut rows = recover(&connection, &live)?;
        let stale_rows = std::mem::take(&mut rows.stale_rows);
        let last_heartbeat = database::last_heartbeat(&Embedded(&connection))?;
        let readers = Arc::new(Readers::open(&mode, work, (damage.clone(), lock.database()))?);
        // A simulated disk has no second place.
        let database = lock.database().filter(|_| disk.is_none());
        let (shipped, of) = (&config.shipping, Arc::clone(&metrics));
        let shipping = Shipping::start(shipped, directory, database, &mut connection, of)?;
        let store = Self {
            writer: Writer::start(
                connection,
                (place, damage),
                stale_rows,
                Arc::clone(&live),
                metrics,
                disk,
            ),
            readers,
            live,
            directory: directory.into(),
            read_only: None,
            shipping: shipping.map(Arc::new),
            _lock: Some(Arc::new(lock)),
        };
        let recovery = Recovery::new(&store, rows, is_new, last_heartbeat);
        Ok((store, recovery))
    }

    /// Opens the store read-only: nothing in its directory changes. If the disk is full and there
    /// is no database, the store is empty.
    pub(crate) fn open_read_only(
        config: &config::StoreConfig,
        why: ReadOnlyReason,
    ) -> Result<(Self, Recovery), OpenError> {
        let directory = config.data.as_path();
        let path = directory.join(DATABASE_FILE);
        let lock = match DirectoryLock::acquire(directory) {
            Ok(lock) => Some(Arc::new(lock)),
            Err(OpenError::Directory { .. }) if why == ReadOnlyReason::DiskFull => None,
            Err(error) => return Err(error),
        };
        let mode = match OpenMode::read_only(&path)? {
            Some(mode) => mode,
            None if why == ReadOnlyReason::DiskFull => OpenMode::Empty,
            None => return Err(OpenError::Database(rusqlite::Error::InvalidPath(path))),
        };
        let database = lock.as_ref().and_then(|lock| lock.database());
        let connection = mode.connect()?;
        connection::expect(&connection)?;
        let live = Arc::new(LiveGames::default());
        let rows = recover(&connection, &live)?;
        let store = Self {
            writer: Writer::read_only(),
            readers: Arc::new(Readers::open(
                &mode,
                WorkPool::Threads,
                (Damage::default(), database),
            )?),
            live,
            directory: directory.into(),
            read_only: Some(why),
            shipping: None,
            _lock: lock,
        };
        let recovery = Recovery::new(&store, rows, false, None);
        Ok((store, recovery))
    }
}

/// Locks the data directory for this process. Creates it if it does not exist.
fn lock_directory(directory: &Path) -> Result<DirectoryLock, OpenError> {
    files::create_private_directory(directory)
        .map_err(|error| OpenError::Directory { path: directory.display().to_string(), error })?;
    DirectoryLock::acquire(directory)
}

/// Whether there is a database. `SQLite` takes an empty file for a new one, and deletes its WAL.
fn has_bytes(database: &Path) -> bool {
    fs::metadata(database).is_ok_and(|found| found.len() > 0)
}

/// Checks the WAL before `SQLite` reads it. A damaged one is copied. If the operator accepts the
/// loss, the store opens with the part that is readable.
fn check_wal(directory: &Path, accept: bool) -> Result<Option<Loss>, OpenError> {
    let path = directory.join(WAL_FILE);
    let failed = |error| OpenError::Wal { path: path.display().to_string(), error };
    let Some(loss) = wal::examine(&path, &directory.join(DATABASE_FILE)).map_err(failed)? else {
        return Ok(None);
    };
    let Loss { frames, commits } = loss;
    match copy_aside(directory) {
        // operator: acknowledged commits are lost; see "A damaged WAL"
        Ok(copy) => tracing::error!(
            frames, commits, copy = %copy.display(),
            "the WAL is damaged"
        ),
        Err(error) if accept => return Err(failed(error)),
        // operator: acknowledged commits are lost, and there is no `damaged-..` copy. Copy the data
        // directory yourself
        Err(error) => tracing::error!(
            frames, commits, %error,
            "the WAL is damaged and could not be copied"
        ),
    }
    if !accept {
        return Err(OpenError::Damaged(loss));
    }
    // operator: `--accept-loss` is in effect. Remove the option
    tracing::warn!(frames, commits, "continuing without the damaged part of the WAL");
    Ok(Some(loss))
}

/// Copies the WAL and the database into a directory that is named after the WAL's generation,
/// unless it exists.
fn copy_aside(directory: &Path) -> io::Result<PathBuf> {
    let files = [directory.join(WAL_FILE), directory.join(DATABASE_FILE)];
    let generation = wal::generation(&files[0])?.unwrap_or_default();
    let aside = directory.join(format!("damaged-{generation}"));
    if !aside.try_exists()? {
        files::copy_into(&aside, &files)?;
    }
    Ok(aside)
}
