//! The pool of connections that read, in the work pool.

use std::{ffi::c_int, sync::Arc};

use parking_lot::Mutex;
use rusqlite::{Connection, ErrorCode};
use tokio::{sync::Semaphore, time::timeout};

use super::{
    connection::{OpenMode, leave_wal_on_close, set_cache_size},
    damage::Damage,
    migration::version,
    place::LockedDatabase,
};
use crate::{
    limits::{
        LIST_READERS_MAX, LIST_STEPS_MAX, LIST_WAIT_MAX, READER_CACHE_KIB, STORE_READERS_MAX,
    },
    runtime::work_pool::WorkPool,
    store::{
        StoreError,
        sql::{SqlError, SqlResult},
    },
};

#[derive(Debug)]
pub(super) struct Readers {
    /// Idle connections. The lock is never held during a read.
    idle: Mutex<Vec<Connection>>,
    permits: Arc<Semaphore>,
    /// Permits for lists. The other connections are for rooms and log-ins.
    lists: Arc<Semaphore>,
    work: WorkPool,
    damage: Damage,
    // Closed after the connections above.
    _database: Option<LockedDatabase>,
}

impl Readers {
    /// Opens all connections at once: later the process may have no file descriptors left.
    pub(super) fn open(
        mode: &OpenMode,
        work: WorkPool,
        (damage, database): (Damage, Option<LockedDatabase>),
    ) -> rusqlite::Result<Self> {
        let open = || {
            let connection = mode.connect()?;
            leave_wal_on_close(&connection)?;
            set_cache_size(&connection, READER_CACHE_KIB)?;
            // The first read opens the WAL.
            version(&connection)?;
            Ok(connection)
        };
        let idle = (0..STORE_READERS_MAX).map(|_| open()).collect::<rusqlite::Result<_>>()?;
        let permits = Arc::new(Semaphore::new(STORE_READERS_MAX));
        let lists = Arc::new(Semaphore::new(LIST_READERS_MAX));
        Ok(Self { idle: Mutex::new(idle), permits, lists, work, damage, _database: database })
    }

    pub(super) async fn run<T: Send + 'static>(
        self: &Arc<Self>,
        read: impl FnOnce(&Connection) -> SqlResult<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.run_bounded(None, read).await
    }

    /// Runs the read of a list, on which no game depends. It uses only some of the connections,
    /// waits for them for a limited time, and is aborted after a number of steps.
    pub(super) async fn run_list<T: Send + 'static>(
        self: &Arc<Self>,
        read: impl FnOnce(&Connection) -> SqlResult<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        let permit = timeout(LIST_WAIT_MAX, Arc::clone(&self.lists).acquire_owned()).await;
        let permit = permit.map_err(|_| StoreError::Busy)?.map_err(|_| StoreError::Stopped)?;
        self.run_bounded(Some(LIST_STEPS_MAX), move |connection| {
            let _permit = permit;
            read(connection)
        })
        .await
    }

    async fn run_bounded<T: Send + 'static>(
        self: &Arc<Self>,
        steps: Option<c_int>,
        read: impl FnOnce(&Connection) -> SqlResult<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        let permit =
            Arc::clone(&self.permits).acquire_owned().await.map_err(|_| StoreError::Stopped)?;
        let readers = Arc::clone(self);
        let reading = move || {
            let mut connection = readers.check_out();
            let bounded = steps.map_or(Ok(()), |steps| connection.bound(steps));
            let result = bounded.map_err(Into::into).and_then(|()| read(connection.get()));
            drop(connection);
            drop(permit);
            result
        };
        let result = self.work.run(reading).await.map_err(|_| StoreError::Stopped)?;
        result.map_err(|error| {
            if let SqlError::Sqlite(cause) = &error {
                if cause.sqlite_error_code() == Some(ErrorCode::OperationInterrupted) {
                    // operator: a client's list exceeded its share of the database; the client
                    // received `busy`
                    tracing::warn!("list aborted: it took too long");
                    return StoreError::Busy;
                }
                self.damage.note(cause);
            }
            // operator: the disk fails or the database is damaged. Run `adamant-server check`
            tracing::error!(%error, "database read failed");
            error.into()
        })
    }

    fn check_out(&self) -> PooledConnection<'_> {
        let connection = self.idle.lock().pop();
        PooledConnection { readers: self, connection, is_bounded: false }
    }
}

/// A connection in use. It returns to the pool when dropped, without a step limit, even by a panic.
struct PooledConnection<'a> {
    readers: &'a Readers,
    connection: Option<Connection>,
    is_bounded: bool,
}

impl PooledConnection<'_> {
    fn bound(&mut self, steps: c_int) -> rusqlite::Result<()> {
        self.is_bounded = true;
        self.get().progress_handler(steps, Some(|| true))
    }

    fn get(&mut self) -> &mut Connection {
        self.connection.as_mut().expect("each permit has a connection, which returns before it")
    }
}

impl Drop for PooledConnection<'_> {
    fn drop(&mut self) {
        let Some(mut connection) = self.connection.take() else { return };
        if self.is_bounded
            && let Err(error) = connection.progress_handler(0, None::<fn() -> bool>)
        {
            // operator: a fault of the server: report it. Reads on this connection may be cut short
            tracing::error!(%error, "the step limit of a reader could not be removed");
        }
        self.readers.idle.lock().push(connection);
    }
}
