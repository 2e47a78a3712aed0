//! Tokens as they are stored.

use adamant_protocol::UserName;
use futures::future::BoxFuture;

use super::{
    AddTokenOutcome, NewToken, SessionSeed, StoreError, StoredToken, Swept, User, UserId, Validity,
};

/// A token with its user, and what a session of the user starts with.
pub(crate) type OpenedToken = (User, StoredToken, SessionSeed);

/// Stores tokens, and ends them together with what they belong to.
pub(crate) trait Tokens: std::fmt::Debug + Send + Sync + 'static {
    /// Stores a token.
    fn add_token(
        &self,
        owner: UserId,
        new: NewToken,
    ) -> BoxFuture<'_, Result<AddTokenOutcome, StoreError>>;

    /// Returns the valid token with this digest, its user and what a session of the user needs.
    fn open_token(
        &self,
        digest: [u8; 32],
        validity: Validity,
    ) -> BoxFuture<'_, Result<Option<OpenedToken>, StoreError>>;

    /// Returns whether there is a valid token with this digest.
    fn has_token(
        &self,
        digest: [u8; 32],
        validity: Validity,
    ) -> BoxFuture<'_, Result<bool, StoreError>>;

    /// Returns those of some digests that no valid token has.
    fn invalid_tokens(
        &self,
        digests: Vec<[u8; 32]>,
        validity: Validity,
    ) -> BoxFuture<'_, Result<Vec<[u8; 32]>, StoreError>>;

    /// Returns the valid tokens of a user and of the user's bots with the user names, newest first.
    fn tokens_under(
        &self,
        owner: UserId,
        validity: Validity,
    ) -> BoxFuture<'_, Result<Vec<(UserName, StoredToken)>, StoreError>>;

    /// Records the use of a token.
    fn touch_token(&self, digest: [u8; 32], now_ms: u64) -> BoxFuture<'_, Result<(), StoreError>>;

    /// Records the use of several tokens.
    fn touch_tokens(
        &self,
        digests: Vec<[u8; 32]>,
        now_ms: u64,
    ) -> BoxFuture<'_, Result<(), StoreError>>;

    /// Returns whether a guest is a program: its first token says so.
    fn is_guest_program(&self, guest: UserId) -> BoxFuture<'_, Result<bool, StoreError>>;

    /// Deletes a token; returns whether there was one.
    fn delete_token(&self, digest: [u8; 32]) -> BoxFuture<'_, Result<bool, StoreError>>;

    /// Changes a password unless it is another by now. Deletes all log-in tokens of the user except
    /// one; with `bots` also the tokens for programs and those of the user's bots. Returns whether
    /// the password was changed.
    fn change_password(
        &self,
        user: UserId,
        old_hash: String,
        new_hash: String,
        keep: [u8; 32],
        bots: bool,
    ) -> BoxFuture<'_, Result<bool, StoreError>>;

    /// Deletes a guest without tokens and without games, live or finished.
    fn delete_guest(&self, guest: UserId, name: UserName) -> BoxFuture<'_, Result<(), StoreError>>;

    /// Deletes invalid tokens, and guests who are unused since a time and have no games, live or
    /// finished.
    fn sweep(
        &self,
        validity: Validity,
        unused_since: u64,
    ) -> BoxFuture<'_, Result<Swept, StoreError>>;
}
