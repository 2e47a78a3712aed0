//! Connections that read, each used by one reader at a time, outside the runtime's own threads.

use std::{
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

use rusqlite::Connection;
use tokio::sync::Semaphore;

use super::super::StoreError;
use super::schema;
use crate::limits::STORE_READERS_MAX;

/// The reading connections.
#[derive(Debug)]
pub(super) struct Readers {
    path: PathBuf,
    /// Opened and idle. The lock is held to take or give back, never while reading.
    idle: Mutex<Vec<Connection>>,
    permits: Arc<Semaphore>,
    place: Place,
}

/// Where reads are carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// Outside the runtime's own threads.
    Apart,
    /// Where they are asked for: in a simulation, where one thing happens after the other.
    Here,
}

impl Readers {
    pub(super) fn new(path: PathBuf, place: Place) -> Self {
        Self {
            path,
            idle: Mutex::new(Vec::new()),
            permits: Arc::new(Semaphore::new(STORE_READERS_MAX)),
            place,
        }
    }

    /// Runs a read, waiting while all connections are in use.
    pub(super) async fn run<T: Send + 'static>(
        self: &Arc<Self>,
        read: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        let permit =
            Arc::clone(&self.permits).acquire_owned().await.map_err(|_| StoreError::Stopped)?;
        let readers = Arc::clone(self);
        let reading = move || {
            let connection = readers.take()?;
            let result = read(&connection);
            readers.give_back(connection);
            drop(permit);
            result
        };
        let result = match self.place {
            Place::Apart => {
                tokio::task::spawn_blocking(reading).await.map_err(|_| StoreError::Stopped)?
            }
            Place::Here => reading(),
        };
        result.map_err(|error| {
            tracing::error!(%error, "the store could not be read");
            StoreError::Failed(error.to_string().into())
        })
    }

    fn take(&self) -> rusqlite::Result<Connection> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        if let Some(connection) = idle {
            return Ok(connection);
        }
        let connection = Connection::open(&self.path)?;
        schema::prepare(&connection)?;
        Ok(connection)
    }

    fn give_back(&self, connection: Connection) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
    }
}
