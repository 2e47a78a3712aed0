//! The names of nodes.

use std::{fmt, str::FromStr};

use arrayvec::ArrayString;
use serde::{Deserialize, Serialize};

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

    /// Returns the text.
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
    use super::*;

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
