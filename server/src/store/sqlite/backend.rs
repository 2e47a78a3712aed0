//! The embedded store as a whole.

use std::time::Duration;

use adamant_protocol::to_client::GameEntry;
use futures::{FutureExt as _, future::BoxFuture};

use super::database::Sqlite;
use crate::{
    limits::HEARTBEAT_EVERY,
    runtime::metrics::StoreSize,
    store::{Backend, Heartbeat, Outage, ReadOnlyReason, StoreError},
};

impl Backend for Sqlite {
    fn read_only(&self) -> Option<ReadOnlyReason> {
        self.read_only
    }

    fn is_healthy(&self) -> bool {
        self.writer.is_healthy()
    }

    fn durability(&self) -> &'static str {
        "fsync"
    }

    fn size(&self) -> BoxFuture<'_, StoreSize> {
        self.read_size().boxed()
    }

    fn room_opens(&self, entry: GameEntry) {
        self.live.unpark(entry);
    }

    fn begin_serving(
        &self,
        last_event: Option<u64>,
        settled: Option<u64>,
        now_ms: u64,
    ) -> BoxFuture<'_, Result<Vec<Outage>, StoreError>> {
        self.record_start(last_event, settled, now_ms).boxed()
    }

    fn heartbeat_every(&self) -> Duration {
        HEARTBEAT_EVERY
    }

    fn note_outage(&self, outage: Outage) {
        self.queue_outage(outage);
    }

    fn record_outage(&self, outage: Outage) -> BoxFuture<'_, Result<(), StoreError>> {
        self.add_outage(outage).boxed()
    }

    /// Without live games no clock runs, and the disk may sleep. An unhealthy store is still tried,
    /// to find out whether it has recovered. A heartbeat of the same process finds no outage.
    fn heartbeat(&self, now_ms: u64) -> BoxFuture<'_, Result<Heartbeat, StoreError>> {
        let is_due = !self.live.is_empty() || !self.is_healthy();
        async move {
            if is_due {
                self.record_heartbeat(now_ms).await?;
            }
            Ok(Heartbeat::default())
        }
        .boxed()
    }

    /// Copies the WAL into the database, too.
    fn close(&self, now_ms: u64) -> BoxFuture<'_, ()> {
        async move {
            if self.read_only.is_some() {
                return;
            }
            if let Err(error) = self.record_heartbeat(now_ms).await {
                tracing::warn!(%error, "heartbeat write failed");
            }
            if let Err(error) = self.writer.checkpoint().await {
                // operator: at the stop. Nothing acknowledged is lost: the next start reads the WAL
                tracing::warn!(%error, "the final checkpoint failed");
            }
        }
        .boxed()
    }
}
