//! The keys of all nodes: their public keys, and the key that they share.

use std::fmt;

use adamant_protocol::ids::PublicKey;
use futures::future::BoxFuture;

use super::StoreError;

/// The secret key of push messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PushSecret {
    pub secret: [u8; 32],
    /// Whether this call has stored it.
    pub is_new: bool,
}

/// The public keys with which the nodes sign records, whose secret keys are not stored; and the
/// secret key of push messages, which all nodes need, because a browser subscribes to one key.
pub(crate) trait SigningKeys: fmt::Debug + Send + Sync + 'static {
    /// Stores public keys of this node, the present one first.
    fn register_keys(
        &self,
        keys: Vec<PublicKey>,
        now_ms: u64,
    ) -> BoxFuture<'_, Result<(), StoreError>>;

    /// Returns the public keys of all nodes, the oldest first.
    fn signing_keys(&self) -> BoxFuture<'_, Result<Vec<PublicKey>, StoreError>>;

    /// Returns the secret key of push messages. Stores this one if there is none.
    fn push_key(&self, new: [u8; 32]) -> BoxFuture<'_, Result<PushSecret, StoreError>>;
}
