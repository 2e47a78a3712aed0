//! How nodes hear of each other.

use std::fmt;

use tokio::sync::mpsc;

use super::{appended::AppendedRecords, event::ClusterEvent, node_id::NodeId};

/// What a node hears.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Heard {
    /// Another node has announced an event.
    Event(NodeId, ClusterEvent),
    /// Another node has appended records. They may be shown to clients.
    Appended(Vec<AppendedRecords>),
    /// Events may be lost. The node reads from the store what they could have said.
    Gap,
    /// A node has gone. Its sessions have ended.
    NodeGone(GoneNode),
}

/// A node that has gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct GoneNode {
    pub(crate) node: NodeId,
    /// The time of its last heartbeat, in epoch milliseconds; `None` if it has left in order.
    pub(crate) died_at: Option<u64>,
}

/// Carries events to all other nodes, each at most once. A node that may have missed an event hears
/// [`Heard::Gap`].
pub(crate) trait EventBus: fmt::Debug + Send + Sync + 'static {
    /// Announces an event to the other nodes. Never waits.
    fn publish(&self, event: ClusterEvent);
}

/// What a node hears, in order. A bus whose listener is too slow drops events, and the next that
/// it delivers is [`Heard::Gap`].
pub(crate) type HeardEvents = mpsc::Receiver<Heard>;
