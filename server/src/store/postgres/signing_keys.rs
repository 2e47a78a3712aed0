//! Statements on the keys of nodes.

use adamant_protocol::ids::PublicKey;
use futures::FutureExt as _;

use super::{
    connection::{Transaction, to_sql},
    errors::Failure,
    postgres::Postgres,
};
use crate::{cluster::NodeId, store::StoreError};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PushSecret {
    pub secret: [u8; 32],
    pub is_new: bool,
}

/// The public keys with which the nodes sign records, whose secret keys are not stored; and the
/// secret key of push messages, which all nodes need, because a browser subscribes to one key. As
/// one node stores and reads them.
#[derive(Debug, Clone)]
pub(crate) struct NodeKeys {
    postgres: Postgres,
    node: NodeId,
}

async fn register(
    tx: &Transaction,
    node: &str,
    keys: &[PublicKey],
    now_ms: u64,
) -> Result<(), Failure> {
    let register = "INSERT INTO signing_keys (node, public_key, created_at)
         VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
    for key in keys {
        tx.execute(register, &[&node, &key.0.as_slice(), &to_sql(now_ms)]).await?;
    }
    Ok(())
}

async fn all(tx: &Transaction) -> Result<Vec<PublicKey>, Failure> {
    // Two nodes have had the same key if one has taken over the other's data directory.
    let select = "SELECT public_key FROM signing_keys GROUP BY public_key
         ORDER BY min(created_at), min(node), public_key";
    let rows = tx.query(select, &[]).await?;
    let mut keys = Vec::with_capacity(rows.len());
    for row in rows {
        let bytes: &[u8] = row.try_get(0)?;
        if let Ok(key) = bytes.try_into() {
            keys.push(PublicKey(key));
        }
    }
    Ok(keys)
}

/// The name under which the keys of an embedded store are kept. No node has it.
const IMPORTED: &str = "(imported)";

async fn add_imported(tx: &Transaction, keys: &[PublicKey]) -> Result<(), Failure> {
    for (created_at, key) in (0..).zip(keys) {
        register(tx, IMPORTED, &[*key], created_at).await?;
    }
    Ok(())
}

impl Postgres {
    /// Adds the public keys of an embedded store, the oldest first. They are older than the nodes.
    pub(crate) async fn add_public_keys(&self, keys: Vec<PublicKey>) -> Result<(), StoreError> {
        self.pool().transact(keys, |tx, keys| add_imported(tx, keys).boxed()).await
    }

    pub(crate) async fn public_keys(&self) -> Result<Vec<PublicKey>, StoreError> {
        self.pool().read_confirmed((), |tx, ()| all(tx).boxed()).await
    }
}

/// The key that was stored first counts: this one, or that of a node that was faster.
async fn shared_push_key(tx: &Transaction, new: &[u8; 32]) -> Result<PushSecret, Failure> {
    let insert = "INSERT INTO push_key (secret) VALUES ($1) ON CONFLICT DO NOTHING";
    let is_new = tx.execute(insert, &[&new.as_slice()]).await? > 0;
    let row = tx.query_one("SELECT secret FROM push_key", &[]).await?;
    let secret: &[u8] = row.try_get(0)?;
    let secret = secret.try_into().map_err(|_| Failure::fault("the push key has another length"));
    Ok(PushSecret { secret: secret?, is_new })
}

impl NodeKeys {
    pub(crate) const fn new(postgres: Postgres, node: NodeId) -> Self {
        Self { postgres, node }
    }

    /// Stores public keys of this node, the present one first.
    pub(crate) async fn register_keys(
        &self,
        keys: Vec<PublicKey>,
        now_ms: u64,
    ) -> Result<(), StoreError> {
        let register = self.postgres.pool().transact((self.node, keys), move |tx, (node, keys)| {
            register(tx, node.as_str(), keys, now_ms).boxed()
        });
        register.await
    }

    pub(crate) async fn signing_keys(&self) -> Result<Vec<PublicKey>, StoreError> {
        self.postgres.pool().read_unconfirmed((), |tx, ()| all(tx).boxed()).await
    }

    /// Returns the secret key of push messages. Stores this one if there is none.
    pub(crate) async fn push_key(&self, new: [u8; 32]) -> Result<PushSecret, StoreError> {
        self.postgres.pool().transact(new, |tx, new| shared_push_key(tx, new).boxed()).await
    }
}
