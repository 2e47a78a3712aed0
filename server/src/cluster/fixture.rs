//! A bus for tests that keeps what is published.

use std::sync::Arc;

use parking_lot::Mutex;

use super::{
    cluster::{Cluster, EventBus},
    event::ClusterEvent,
};

/// A bus that keeps what is published.
#[derive(Debug, Default)]
pub(crate) struct PublishedEvents(Mutex<Vec<ClusterEvent>>);

impl PublishedEvents {
    /// Returns this bus, and the cluster of a node on it.
    pub(crate) fn node(name: &str) -> (Arc<Self>, Cluster) {
        let bus = Arc::<Self>::default();
        let cluster = Cluster::join(name.parse().unwrap(), Arc::clone(&bus) as _);
        (bus, cluster)
    }

    /// Returns what has been published since the last call.
    pub(crate) fn take(&self) -> Vec<ClusterEvent> {
        std::mem::take(&mut self.0.lock())
    }
}

impl EventBus for PublishedEvents {
    fn publish(&self, event: ClusterEvent) {
        self.0.lock().push(event);
    }
}
