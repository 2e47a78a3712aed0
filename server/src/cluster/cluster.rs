//! This node's place among the others, and how nodes hear of each other.

use std::{fmt, str::FromStr, sync::Arc};

use arrayvec::ArrayString;
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc;

use super::event::{AppendedRecords, ClusterEvent};

/// The other nodes, as this one reaches them. Cheap to clone. The default is a server that is
/// alone, to which announcing costs nothing.
#[derive(Debug, Clone, Default)]
pub(crate) struct Cluster(Option<Arc<Membership>>);

/// A node of a cluster.
#[derive(Debug)]
struct Membership {
    node: NodeId,
    bus: Arc<dyn EventBus>,
}

impl Cluster {
    /// Joins the nodes on this bus under a name.
    pub(crate) fn join(node: NodeId, bus: Arc<dyn EventBus>) -> Self {
        Self(Some(Arc::new(Membership { node, bus })))
    }

    /// Returns this node's name; `None` if the server is alone.
    pub(crate) fn node(&self) -> Option<NodeId> {
        self.0.as_ref().map(|membership| membership.node)
    }

    /// Whether there are no other nodes, so that this one decides by its memory.
    pub(crate) fn is_alone(&self) -> bool {
        self.0.is_none()
    }

    /// Announces an event to the other nodes. A server that is alone never builds it. Never waits.
    pub(crate) fn publish(&self, event: impl FnOnce() -> ClusterEvent) {
        if let Some(membership) = &self.0 {
            membership.bus.publish(event());
        }
    }
}

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

/// The longest name of a node, in bytes.
const BYTES_MAX: usize = 16;

/// A text that is no name of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a node's name is 1 to 16 of the characters a-z, 0-9 and -")]
pub(crate) struct InvalidNodeId;

/// The name of a node, which no other node of the cluster has: 1 to 16 of `[a-z0-9-]`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub(crate) struct NodeId(ArrayString<BYTES_MAX>);

impl NodeId {
    /// The longest name, in bytes.
    pub(crate) const BYTES_MAX: usize = BYTES_MAX;

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for NodeId {
    type Err = InvalidNodeId;

    fn from_str(text: &str) -> Result<Self, InvalidNodeId> {
        let is_allowed =
            |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        if text.is_empty() || !text.bytes().all(is_allowed) {
            return Err(InvalidNodeId);
        }
        ArrayString::from(text).map(Self).map_err(|_| InvalidNodeId)
    }
}

impl TryFrom<String> for NodeId {
    type Error = InvalidNodeId;

    fn try_from(text: String) -> Result<Self, InvalidNodeId> {
        text.parse()
    }
}

impl From<NodeId> for String {
    fn from(node: NodeId) -> Self {
        node.as_str().to_owned()
    }
}

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl fmt::Debug for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use crate::cluster::fixture::PublishedEvents;

    use super::*;

    #[test]
    fn a_server_that_is_alone_builds_no_event() {
        let alone = Cluster::default();
        alone.publish(|| unreachable!("no other node hears it"));
        assert!(alone.is_alone() && alone.node().is_none());
    }

    #[test]
    fn a_node_announces_to_its_bus() {
        let (bus, cluster) = PublishedEvents::node("one");
        let event = ClusterEvent::Watching { game: "k7q2mx".parse().unwrap(), spectators: 1 };
        cluster.publish(|| event.clone());
        assert_eq!(bus.take(), [event]);
        assert_eq!(cluster.node().unwrap().as_str(), "one");
    }

    #[test]
    fn names_are_short_words_of_lower_case_letters() {
        for name in ["a", "node-1", "0123456789abcdef"] {
            assert_eq!(name.parse::<NodeId>().map(|node| node.to_string()), Ok(name.to_owned()));
        }
        for name in ["", "Node", "a b", "a.b", "0123456789abcdef0", "ä"] {
            assert_eq!(name.parse::<NodeId>(), Err(InvalidNodeId), "{name}");
        }
    }
}
