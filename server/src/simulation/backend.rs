//! The store of a simulated cluster as a whole, as one node sees it.

use std::{sync::Arc, time::Duration};

use adamant_protocol::to_client::GameEntry;
use futures::{FutureExt as _, future::BoxFuture};

use super::member::Member;
use crate::{
    runtime::metrics::StoreSize,
    store::{Backend, Heartbeat, ReadOnlyReason, StoreError},
};

/// Time between two heartbeats of a node.
const HEARTBEAT_EVERY: Duration = Duration::from_millis(500);

/// A store that is there all the time: the start of a node ends no outage.
#[derive(Debug)]
pub(super) struct SharedBackend {
    pub(super) inner: Arc<dyn Backend>,
    pub(super) member: Arc<Member>,
}

impl Backend for SharedBackend {
    fn read_only(&self) -> Option<ReadOnlyReason> {
        self.inner.read_only()
    }

    fn is_healthy(&self) -> bool {
        self.inner.is_healthy()
    }

    fn durability(&self) -> &'static str {
        self.inner.durability()
    }

    fn size(&self) -> BoxFuture<'_, StoreSize> {
        self.inner.size()
    }

    fn room_opens(&self, entry: GameEntry) {
        self.inner.room_opens(entry);
    }

    fn heartbeat_every(&self) -> Duration {
        HEARTBEAT_EVERY
    }

    fn heartbeat(&self, _now_ms: u64) -> BoxFuture<'_, Result<Heartbeat, StoreError>> {
        async move {
            self.member.pass().await;
            Ok(Heartbeat::default())
        }
        .boxed()
    }
}
