//! Which users mute or block which, as it is stored.

use adamant_protocol::UserName;
use futures::future::BoxFuture;

use super::StoreError;

/// What one user does with another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Relation {
    /// Hides the other's talk.
    Mutes,
    /// Hides the other's talk, and does not play with them.
    Blocks,
}

/// The outcome of muting or blocking a user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RelateOutcome {
    /// It is stored. These are all users whose talk is hidden from now on.
    Stored(Vec<UserName>),
    /// There is no such user.
    UserNotFound,
    /// The caller mutes or blocks as many users as the limit allows.
    LimitReached,
}

/// A block between two users.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Block {
    /// The user who blocks.
    pub by: UserName,
    /// The blocked user.
    pub user: UserName,
}

/// Stores which users mute or block which.
pub(crate) trait Relations: std::fmt::Debug + Send + Sync + 'static {
    /// Mutes or blocks a user for another.
    fn relate(
        &self,
        relation: Relation,
        user: UserName,
        other: UserName,
    ) -> BoxFuture<'_, Result<RelateOutcome, StoreError>>;

    /// Ends that; returns the users whose talk is still hidden.
    fn unrelate(
        &self,
        relation: Relation,
        user: UserName,
        other: UserName,
    ) -> BoxFuture<'_, Result<Vec<UserName>, StoreError>>;

    /// Returns the users whom a user mutes or blocks.
    fn related(
        &self,
        relation: Relation,
        user: UserName,
    ) -> BoxFuture<'_, Result<Vec<UserName>, StoreError>>;

    /// Returns every block by and of a user and, for a bot, by and of its owner. A user on
    /// the other side stands there with the user's bots.
    fn blocks_around(&self, user: UserName) -> BoxFuture<'_, Result<Vec<Block>, StoreError>>;
}
