//! What simulated nodes announce to each other, and the network between them.

use std::{
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use bytes::Bytes;
use tokio::time::sleep;
use tokio_util::task::TaskTracker;

use super::member::Member;
use crate::cluster::{AppendedRecords, ClusterEvent, EventBus, Heard};

/// What becomes of an event between two nodes.
pub trait Network: fmt::Debug + Send + Sync + 'static {
    /// Returns the delay of each copy of the next event that arrives; none if it is lost.
    fn deliveries(&self) -> Vec<Duration>;

    /// Returns what arrives of the records that are announced together. The rest is lost, or has
    /// other bytes.
    fn records(&self, records: Vec<Bytes>) -> Vec<Bytes>;

    /// Returns the delay after which a node notices that it has missed an event; `None` if it does
    /// not.
    fn gap(&self) -> Option<Duration>;
}

/// What the nodes share.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) members: Mutex<Vec<Arc<Member>>>,
    pub(super) network: Arc<dyn Network>,
    /// The events on their way.
    pub(super) tasks: TaskTracker,
}

impl Shared {
    /// The nodes that have not crashed, as far as the others know.
    pub(super) fn members(&self) -> MutexGuard<'_, Vec<Arc<Member>>> {
        self.members.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets a node hear an event later.
    fn deliver(&self, member: &Arc<Member>, after: Duration, heard: Heard) {
        let member = Arc::clone(member);
        self.tasks.spawn(async move {
            sleep(after).await;
            member.hear(heard);
        });
    }
}

/// The bus as one node uses it.
#[derive(Debug)]
pub(super) struct MemberBus {
    pub(super) shared: Arc<Shared>,
    pub(super) member: Arc<Member>,
}

impl MemberBus {
    /// Announces records that the node has appended.
    pub(super) fn publish_appended(&self, appended: &[AppendedRecords]) {
        self.send(|| {
            let arriving = |appended: &AppendedRecords| AppendedRecords {
                records: self.shared.network.records(appended.records.clone()),
                ..appended.clone()
            };
            Heard::Appended(appended.iter().map(arriving).collect())
        });
    }

    /// Sends each other node copies of what is announced.
    fn send(&self, copy: impl Fn() -> Heard) {
        if self.member.has_crashed() {
            return;
        }
        let from = self.member.node;
        for member in self.shared.members().iter().filter(|member| member.node != from) {
            let delays = self.shared.network.deliveries();
            if delays.is_empty()
                && let Some(after) = self.shared.network.gap()
            {
                self.shared.deliver(member, after, Heard::Gap);
            }
            for after in delays {
                self.shared.deliver(member, after, copy());
            }
        }
    }
}

impl EventBus for MemberBus {
    fn publish(&self, event: ClusterEvent) {
        self.send(|| Heard::Event(self.member.node, event.clone()));
    }
}
