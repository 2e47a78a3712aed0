//! The public keys of all nodes.

use std::fmt;

use adamant_protocol::ids::PublicKey;
use futures::future::BoxFuture;

use super::StoreError;

/// The public keys with which the nodes sign records. No secret key is stored.
pub(crate) trait SigningKeys: fmt::Debug + Send + Sync + 'static {
    /// Stores public keys of this node, the present one first.
    fn register_keys(
        &self,
        keys: Vec<PublicKey>,
        now_ms: u64,
    ) -> BoxFuture<'_, Result<(), StoreError>>;

    /// Returns the public keys of all nodes, the oldest first.
    fn signing_keys(&self) -> BoxFuture<'_, Result<Vec<PublicKey>, StoreError>>;
}
