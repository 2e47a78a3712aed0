//! Invites as they are stored.

use adamant_protocol::{InviteId, UserName, to_client::InviteEntry};
use futures::future::BoxFuture;

use super::StoreError;

/// An invite. It stays stored when its game begins, so that the link leads to the game.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct StoredInvite {
    /// The invite as clients see it.
    pub entry: InviteEntry,
    /// The names of those joined users that are programs.
    pub bots: Vec<UserName>,
}

/// Stores invites.
pub(crate) trait Invites: std::fmt::Debug + Send + Sync + 'static {
    /// Stores an open invite.
    fn add_invite(&self, invite: StoredInvite) -> BoxFuture<'_, Result<(), StoreError>>;

    /// Updates an invite if it is still open; returns whether it is.
    fn update_invite(&self, invite: StoredInvite) -> BoxFuture<'_, Result<bool, StoreError>>;

    /// Deletes an invite if it is still open; returns whether it was.
    fn delete_invite(&self, id: InviteId) -> BoxFuture<'_, Result<bool, StoreError>>;

    /// Returns an invite, open or with its game.
    fn find_invite(&self, id: InviteId) -> BoxFuture<'_, Result<Option<StoredInvite>, StoreError>>;

    /// Returns all open invites.
    fn open_invites(&self) -> BoxFuture<'_, Result<Vec<StoredInvite>, StoreError>>;

    /// Deletes the expired invites that have become games.
    fn forget_invites(&self, now_ms: u64) -> BoxFuture<'_, Result<(), StoreError>>;
}
