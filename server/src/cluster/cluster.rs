//! This node's place among the others.

use std::sync::Arc;

use super::{bus::EventBus, event::ClusterEvent, node_id::NodeId};

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::fixture::PublishedEvents;

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
}
