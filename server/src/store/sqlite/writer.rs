//! The handle of the one thread that writes: it sends jobs and waits for the replies.

use std::{
    collections::BTreeSet,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

use rusqlite::Connection;
use tokio::sync::{mpsc, oneshot};

use super::{
    job::{Job, Request, WriteJob, WriteOutcome, WriteReply},
    live::LiveGames,
    malformed::Malformed,
    place::Place,
    worker::Worker,
};
use crate::{
    limits::STORE_JOBS_MAX,
    runtime::metrics::Metrics,
    store::{
        Append, AppendOutcome, ArchiveError, ArchivedGame, Begin, BeginError, Disk, StoreError,
        sql::SqlResult,
    },
};

/// Sends jobs to the writing thread.
#[derive(Debug, Clone)]
pub(super) struct Writer {
    /// `None` if the store is read-only.
    requests: Option<mpsc::Sender<Request>>,
    healthy: Arc<AtomicBool>,
    malformed: Malformed,
}

impl Writer {
    /// Starts the thread, or the task for a simulated disk. It ends when the last handle is
    /// dropped.
    pub(super) fn start(
        connection: Connection,
        (place, malformed): (Place, Malformed),
        stale_rows: BTreeSet<i64>,
        live: Arc<LiveGames>,
        metrics: Arc<Metrics>,
        disk: Option<Arc<dyn Disk>>,
    ) -> Self {
        let (requests, waiting) = mpsc::channel(STORE_JOBS_MAX);
        let healthy = Arc::new(AtomicBool::new(true));
        let files = (place, malformed.clone());
        let worker =
            Worker::new(connection, files, stale_rows, live, metrics, Arc::clone(&healthy));
        match disk {
            None => {
                thread::Builder::new()
                    .name("store-writer".to_owned())
                    .spawn(move || worker.run(waiting))
                    .expect("a thread can be spawned at the start");
            }
            Some(disk) => {
                #[expect(
                    clippy::disallowed_methods,
                    reason = "like the thread, it outlives the shutdown"
                )]
                tokio::spawn(worker.run_simulated(disk, waiting));
            }
        }
        Self { requests: Some(requests), healthy, malformed }
    }

    /// Returns a writer that rejects every job.
    pub(super) fn read_only() -> Self {
        let healthy = Arc::new(AtomicBool::new(true));
        Self { requests: None, healthy, malformed: Malformed::default() }
    }

    async fn request(&self, request: Request) -> Result<(), StoreError> {
        let requests = self.requests.as_ref().ok_or(StoreError::ReadOnly)?;
        requests.send(request).await.map_err(|_| StoreError::Stopped)
    }

    async fn submit(&self, job: Job) -> Result<(), StoreError> {
        self.request(Request::Execute(job)).await
    }

    pub(super) fn is_healthy(&self) -> bool {
        self.healthy.load(Ordering::Relaxed) && !self.malformed.is_known()
    }

    pub(super) async fn append(self, batch: Vec<Append>) -> Vec<AppendOutcome> {
        let appends = batch.len();
        let (reply, outcomes) = oneshot::channel();
        let outcomes = match self.submit(Job::Append(batch, reply)).await {
            Ok(()) => outcomes.await.map_err(|_| StoreError::Stopped),
            Err(error) => Err(error),
        };
        outcomes.unwrap_or_else(|error| vec![Err(error.into()); appends])
    }

    pub(super) async fn begin(self, game: Begin) -> Result<(), BeginError> {
        let (reply, result) = oneshot::channel();
        self.submit(Job::Begin(Box::new(game), reply)).await?;
        result.await.map_err(|_| StoreError::Stopped)?
    }

    pub(super) async fn archive(self, game: ArchivedGame) -> Result<(), ArchiveError> {
        let (reply, result) = oneshot::channel();
        self.submit(Job::Archive(Box::new(game), reply)).await?;
        result.await.map_err(|_| StoreError::Stopped)?
    }

    /// Waits for all earlier jobs, and copies the WAL into the database.
    pub(super) async fn checkpoint(&self) -> Result<(), StoreError> {
        let (reply, result) = oneshot::channel();
        self.request(Request::Checkpoint(reply)).await?;
        result.await.map_err(|_| StoreError::Stopped)?
    }

    /// Queues a write whose outcome nobody waits for, unless the queue is full.
    pub(super) fn queue(&self, write: impl FnOnce(&Connection) -> SqlResult<()> + Send + 'static) {
        let write: WriteJob = Box::new(move |connection| {
            let written = write(connection);
            let outcome =
                if written.is_ok() { WriteOutcome::Written } else { WriteOutcome::Failed };
            (outcome, Box::new(drop))
        });
        if let Some(requests) = &self.requests {
            drop(requests.try_send(Request::Execute(Job::Write(write))));
        }
    }

    /// Runs any other write, durably.
    pub(super) async fn write<T: Send + 'static>(
        &self,
        write: impl FnOnce(&Connection) -> SqlResult<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (reply, result) = oneshot::channel();
        let write: WriteJob = Box::new(move |connection| {
            let written = write(connection);
            let outcome =
                if written.is_ok() { WriteOutcome::Written } else { WriteOutcome::Failed };
            let reply: WriteReply = Box::new(move |committed| {
                let result = committed.and_then(|()| Ok(written?));
                // The sender may be gone.
                drop(reply.send(result));
            });
            (outcome, reply)
        });
        self.submit(Job::Write(write)).await?;
        result.await.map_err(|_| StoreError::Stopped)?
    }
}
