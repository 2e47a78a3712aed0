//! The store of a simulated cluster as a whole, as one node sees it.

use std::{sync::Arc, time::Duration};

use adamant_protocol::to_client::GameEntry;
use futures::{
    FutureExt as _,
    future::{BoxFuture, ready},
};

use crate::{
    runtime::metrics::StoreSize,
    store::{Backend, Heartbeat, Outage, ReadOnlyReason, StoreError},
};

/// A store that is there all the time: the start of a node ends no outage.
#[derive(Debug)]
pub(super) struct SharedBackend(pub(super) Arc<dyn Backend>);

impl Backend for SharedBackend {
    fn read_only(&self) -> Option<ReadOnlyReason> {
        self.0.read_only()
    }

    fn is_healthy(&self) -> bool {
        self.0.is_healthy()
    }

    fn durability(&self) -> &'static str {
        self.0.durability()
    }

    fn size(&self) -> BoxFuture<'_, StoreSize> {
        self.0.size()
    }

    fn room_opens(&self, entry: GameEntry) {
        self.0.room_opens(entry);
    }

    fn begin_serving(
        &self,
        _last_event: Option<u64>,
        _settled: Option<u64>,
        _now_ms: u64,
    ) -> BoxFuture<'_, Result<Vec<Outage>, StoreError>> {
        ready(Ok(Vec::new())).boxed()
    }

    fn heartbeat_every(&self) -> Duration {
        self.0.heartbeat_every()
    }

    fn heartbeat(&self, _now_ms: u64) -> BoxFuture<'_, Result<Heartbeat, StoreError>> {
        ready(Ok(Heartbeat::default())).boxed()
    }

    fn close(&self, _now_ms: u64) -> BoxFuture<'_, ()> {
        ready(()).boxed()
    }
}
