//! The pool of connections that read, each on a thread of its own.

use std::{
    ffi::c_int,
    sync::{Arc, Mutex, PoisonError},
};

use rusqlite::{Connection, ErrorCode};
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore, oneshot},
    time::timeout,
};

use super::{
    connection::{set_cache_size, version},
    errors::store_error,
    open_mode::OpenMode,
};
use crate::{
    limits::{
        LIST_READERS_MAX, LIST_STEPS_MAX, LIST_WAIT_MAX, READER_CACHE_KIB, STORE_READERS_MAX,
    },
    runtime::work_pool::{WorkPool, WorkThread},
    store::StoreError,
};

/// The pool of reading connections.
#[derive(Debug)]
pub(super) struct Readers {
    /// Idle connections. The last one in use is the first to be used again, so that under little
    /// load most of them need no memory. The lock is never held during a read.
    idle: Mutex<Vec<Reader>>,
    permits: Arc<Semaphore>,
    /// Permits for lists. The other connections are for rooms and log-ins.
    lists: Arc<Semaphore>,
}

#[derive(Debug)]
struct Reader {
    connection: Connection,
    thread: WorkThread,
}

impl Readers {
    /// Opens all connections at once: later the process may have no file descriptors left.
    pub(super) fn open(mode: &OpenMode, work: &WorkPool) -> rusqlite::Result<Self> {
        let open = || {
            let connection = mode.connect()?;
            set_cache_size(&connection, READER_CACHE_KIB)?;
            // The first read opens the WAL.
            version(&connection)?;
            Ok(Reader { connection, thread: work.thread("store-reader") })
        };
        let idle = (0..STORE_READERS_MAX).map(|_| open()).collect::<rusqlite::Result<_>>()?;
        let permits = Arc::new(Semaphore::new(STORE_READERS_MAX));
        let lists = Arc::new(Semaphore::new(LIST_READERS_MAX));
        Ok(Self { idle: Mutex::new(idle), permits, lists })
    }

    /// Runs a read. Waits while all connections are in use.
    pub(super) async fn run<T: Send + 'static>(
        self: &Arc<Self>,
        read: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.run_bounded(None, read).await
    }

    /// Runs the read of a list, on which no game depends. It uses only some of the connections,
    /// waits for them for a limited time, and is aborted after a number of steps.
    pub(super) async fn run_list<T: Send + 'static>(
        self: &Arc<Self>,
        read: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
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
        read: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        let permit =
            Arc::clone(&self.permits).acquire_owned().await.map_err(|_| StoreError::Stopped)?;
        let mut reader = self.check_out(permit);
        let thread = reader.get().thread.clone();
        let (reply, result) = oneshot::channel();
        thread.run(move || {
            let result = match steps {
                Some(steps) => reader.read_bounded(steps, read),
                None => read(&reader.get().connection),
            };
            drop(reader);
            // The caller may have stopped waiting.
            drop(reply.send(result));
        });
        let result = result.await.map_err(|_| StoreError::Stopped)?;
        result.map_err(|error| {
            if error.sqlite_error_code() == Some(ErrorCode::OperationInterrupted) {
                tracing::warn!("list aborted: it took too long");
                return StoreError::Busy;
            }
            tracing::error!(%error, "database read failed");
            store_error(&error)
        })
    }

    fn check_out(self: &Arc<Self>, permit: OwnedSemaphorePermit) -> PooledReader {
        let reader = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        PooledReader { readers: Arc::clone(self), reader, _permit: permit }
    }
}

/// A connection in use. It returns to the pool when dropped, even if the read panics.
struct PooledReader {
    readers: Arc<Readers>,
    reader: Option<Reader>,
    /// Returns after the connection.
    _permit: OwnedSemaphorePermit,
}

impl PooledReader {
    /// Runs a read that is aborted after a number of steps.
    fn read_bounded<T>(
        &mut self,
        steps: c_int,
        read: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<T> {
        let bounded = Bounded(&mut self.get().connection);
        bounded.0.progress_handler(steps, Some(|| true))?;
        read(bounded.0)
    }

    const fn get(&mut self) -> &mut Reader {
        self.reader.as_mut().expect("each permit has a connection, which returns before it")
    }
}

impl Drop for PooledReader {
    fn drop(&mut self) {
        let mut idle = self.readers.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.extend(self.reader.take());
    }
}

/// A connection with a step limit. Dropping it removes the limit, even during a panic.
struct Bounded<'a>(&'a mut Connection);

impl Drop for Bounded<'_> {
    fn drop(&mut self) {
        if let Err(error) = self.0.progress_handler(0, None::<fn() -> bool>) {
            tracing::error!(%error, "the step limit of a reader could not be removed");
        }
    }
}
