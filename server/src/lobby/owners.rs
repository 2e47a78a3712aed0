//! Who plays no rated games against whom: a user, and the bots of the same owner.

use adamant_protocol::UserName;

use crate::error::Denial;

/// A user and the others of the same owner.
#[derive(Debug, Default)]
pub(super) struct SameOwner(Vec<UserName>);

impl SameOwner {
    pub(super) const fn new(users: Vec<UserName>) -> Self {
        Self(users)
    }

    /// Whether another user belongs to another owner.
    pub(super) fn allow(&self, other: &UserName) -> bool {
        self.0.iter().all(|name| !name.is_same(other.as_str()))
    }

    /// Rejects a rated game of a user with others of the same owner.
    pub(super) fn check(&self, user: &UserName, others: &[UserName]) -> Result<(), Denial> {
        let mut others = others.iter().filter(|other| !other.is_same(user.as_str()));
        match others.find(|other| !self.allow(other)) {
            Some(other) => Err(Denial::SameOwner(other.clone(), user.clone())),
            None => Ok(()),
        }
    }
}
