//! The tasks that append and read for all rooms of this node.

use std::sync::Arc;

use bytes::Bytes;
use tokio::sync::{
    mpsc::{self, error::TrySendError},
    oneshot,
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::{
    append_rows::AppendRow,
    appender::{Appender, AppenderServices, WaitingAppend},
    event_queue::EventQueue,
    pool::ConnectionPool,
    record_reads::{WaitingRead, answer_reads},
    wake_times::WakeTimes,
};
use crate::{
    limits::{POSTGRES_QUEUED_APPENDS_MAX, POSTGRES_QUEUED_READS_MAX},
    store::{Append, AppendOutcome, RecordRange, StoreError},
};

/// The tasks of the journal. Cheap to clone.
#[derive(Debug, Clone)]
pub(super) struct JournalTasks {
    appends: mpsc::Sender<WaitingAppend>,
    reads: mpsc::Sender<WaitingRead>,
    wake_times: WakeTimes,
    stop: CancellationToken,
}

impl JournalTasks {
    /// Starts the tasks.
    pub(super) fn start(pool: &ConnectionPool, events: &EventQueue, tasks: &TaskTracker) -> Self {
        let stop = CancellationToken::new();
        let wake_times = WakeTimes::new(pool.clone(), tasks.clone());
        let services = AppenderServices {
            dialer: Arc::clone(pool.dialer()),
            events: events.clone(),
            wake_times: wake_times.clone(),
            metrics: pool.metrics().clone(),
        };
        let (appends, sent) = mpsc::channel(POSTGRES_QUEUED_APPENDS_MAX);
        tasks.spawn(Appender::new(services, sent, stop.clone()).run());
        let (reads, waiting) = mpsc::channel(POSTGRES_QUEUED_READS_MAX);
        tasks.spawn(answer_reads(pool.clone(), tasks.clone(), waiting, stop.clone()));
        Self { appends, reads, wake_times, stop }
    }

    /// Ends the tasks: the appender once all appends have their outcomes, and the reads at once.
    pub(super) fn stop(&self) {
        self.stop.cancel();
    }

    /// When nodes look at games without a room.
    pub(super) fn wake_times(&self) -> &WakeTimes {
        &self.wake_times
    }

    /// Sends an append to the appender, and returns its outcome.
    pub(super) fn send(&self, append: &Append) -> impl Future<Output = AppendOutcome> + use<> {
        let (waiting, outcome) = WaitingAppend::new(AppendRow::new(append));
        let unsent = match self.appends.try_send(waiting) {
            Err(TrySendError::Full(waiting)) => Some((self.appends.clone(), waiting)),
            // If the appender is gone, so is the sender of the outcome.
            Ok(()) | Err(TrySendError::Closed(_)) => None,
        };
        async move {
            if let Some((appender, waiting)) = unsent {
                drop(appender.send(waiting).await);
            }
            outcome.await.unwrap_or_else(|_| Err(StoreError::Stopped.into()))
        }
    }

    /// Reads records that a standby has.
    pub(super) async fn read(self, range: RecordRange) -> Result<Vec<Bytes>, StoreError> {
        let (reply, records) = oneshot::channel();
        let read = WaitingRead { range, reply };
        self.reads.send(read).await.map_err(|_| StoreError::Stopped)?;
        records.await.map_err(|_| StoreError::Stopped)?
    }
}
