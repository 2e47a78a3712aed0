//! The section `[cluster]`: this node among those on the same database.

use serde::{Deserialize, Serialize};

use crate::cluster::NodeId;

/// This node among those on the same database.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ClusterConfig {
    /// The name of this node, which no other node has: 1 to 16 of `[a-z0-9-]`. Without one it is
    /// made from the machine's host name.
    pub node: Option<String>,
}

impl ClusterConfig {
    pub(super) fn check(&self, mistakes: &mut Vec<String>) {
        if let Some(node) = &self.node
            && let Err(error) = node.parse::<NodeId>()
        {
            mistakes.push(format!("cluster.node: {node:?}: {error}"));
        }
    }

    /// Returns the name of this node. A host name has letters that a node's name has not: the
    /// domain is left out, capitals become small, and others become `-`.
    pub(crate) fn node(&self, host_name: &str) -> Option<NodeId> {
        if let Some(node) = &self.node {
            return node.parse().ok();
        }
        let host = host_name.split('.').next().unwrap_or_default();
        let letters = host.chars().map(|letter| match letter.to_ascii_lowercase() {
            letter @ ('a'..='z' | '0'..='9') => letter,
            _ => '-',
        });
        letters.take(NodeId::BYTES_MAX).collect::<String>().parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_is_named_after_its_host_unless_it_is_configured() {
        let named = |node: Option<&str>, host: &str| {
            let config = ClusterConfig { node: node.map(str::to_owned) };
            config.node(host).map(|node| node.as_str().to_owned())
        };
        assert_eq!(named(None, "Play_One.example.org").as_deref(), Some("play-one"));
        assert_eq!(named(None, "a-host-with-a-long-name").as_deref(), Some("a-host-with-a-lo"));
        assert_eq!(named(None, ""), None);
        assert_eq!(named(Some("n1"), "play").as_deref(), Some("n1"));
    }

    #[test]
    fn a_wrong_name_is_a_mistake() {
        let mut mistakes = Vec::new();
        ClusterConfig { node: Some("Node 1".to_owned()) }.check(&mut mistakes);
        assert!(mistakes.len() == 1 && mistakes[0].starts_with("cluster.node: \"Node 1\": "));
    }
}
