//! Which users are connected to other nodes, by what these announce.

use std::collections::BTreeSet;

use adamant_protocol::UserName;
use dashmap::DashMap;

use crate::cluster::NodeId;

/// The nodes to which users are connected, besides this one.
#[derive(Debug, Default)]
pub(super) struct OnlineElsewhere(DashMap<UserName, BTreeSet<NodeId>>);

impl OnlineElsewhere {
    /// Notes whether a user is connected to a node.
    pub(super) fn set(&self, node: NodeId, user: &UserName, is_online: bool) {
        let user = user.folded();
        if is_online {
            self.0.entry(user).or_default().insert(node);
            return;
        }
        if let Some(mut nodes) = self.0.get_mut(&user) {
            nodes.remove(&node);
        }
        self.0.remove_if(&user, |_, nodes| nodes.is_empty());
    }

    /// Forgets what a node has announced.
    pub(super) fn forget(&self, node: NodeId) {
        self.0.retain(|_, nodes| {
            nodes.remove(&node);
            !nodes.is_empty()
        });
    }

    /// Whether a user is connected to another node.
    pub(super) fn has(&self, user: &UserName) -> bool {
        self.0.contains_key(&user.folded())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_user_is_online_while_a_node_has_a_session() {
        let [one, two]: [NodeId; 2] = ["one", "two"].map(|node| node.parse().unwrap());
        let [ann, bob]: [UserName; 2] = ["Ann", "bob"].map(|user| user.parse().unwrap());
        let online = OnlineElsewhere::default();
        online.set(one, &ann, true);
        online.set(two, &"ann".parse().unwrap(), true);
        online.set(two, &bob, true);
        online.set(one, &ann, false);
        assert!(online.has(&ann) && online.has(&bob));
        online.forget(two);
        assert!(!online.has(&ann) && !online.has(&bob) && online.0.is_empty());
    }
}
