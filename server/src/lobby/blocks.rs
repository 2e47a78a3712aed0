//! The blocks that matter to one user.

use adamant_protocol::UserName;

use crate::{error::Denial, store::Block};

/// The blocks by and of one user.
#[derive(Debug)]
pub(super) struct BlocksAround(Vec<Block>);

impl BlocksAround {
    pub(super) const fn new(blocks: Vec<Block>) -> Self {
        Self(blocks)
    }

    /// The block between the user and another, if there is one.
    fn with(&self, other: &UserName) -> Option<&Block> {
        let of =
            |block: &&Block| block.by.is_same(other.as_str()) || block.user.is_same(other.as_str());
        self.0.iter().find(of)
    }

    /// Whether neither has blocked the other.
    pub(super) fn allow(&self, other: &UserName) -> bool {
        self.with(other).is_none()
    }

    /// Rejects a user's game with others if one has blocked the other.
    pub(super) fn check(&self, user: &UserName, others: &[UserName]) -> Result<(), Denial> {
        let mut others = others.iter().filter(|other| !other.is_same(user.as_str()));
        match others.find_map(|other| self.with(other)) {
            None => Ok(()),
            Some(block) if block.by.is_same(user.as_str()) => {
                Err(Denial::YouBlocked(block.user.clone()))
            }
            Some(block) => Err(Denial::BlockedBy(block.by.clone())),
        }
    }
}
