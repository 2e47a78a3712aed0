//! Statements on the public keys of nodes.

use adamant_protocol::ids::PublicKey;
use futures::{FutureExt as _, future::BoxFuture};

use super::{columns::SqlResult, postgres::Postgres, transaction::Transaction, values::to_sql};
use crate::{
    cluster::NodeId,
    store::{SigningKeys, StoreError},
};

/// The public keys as one node stores and reads them.
#[derive(Debug)]
pub(crate) struct NodeKeys {
    postgres: Postgres,
    node: NodeId,
}

impl NodeKeys {
    /// Returns the keys as this node stores them.
    pub(crate) const fn new(postgres: Postgres, node: NodeId) -> Self {
        Self { postgres, node }
    }
}

async fn register(
    tx: &Transaction,
    node: NodeId,
    keys: &[PublicKey],
    now_ms: u64,
) -> SqlResult<()> {
    let register = "INSERT INTO signing_keys (node, public_key, created_at)
         VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
    for key in keys {
        tx.execute(register, &[&node.as_str(), &key.0.as_slice(), &to_sql(now_ms)]).await?;
    }
    Ok(())
}

async fn all(tx: &Transaction) -> SqlResult<Vec<PublicKey>> {
    let select = "SELECT public_key FROM signing_keys ORDER BY created_at, node, public_key";
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

impl SigningKeys for NodeKeys {
    fn register_keys(
        &self,
        keys: Vec<PublicKey>,
        now_ms: u64,
    ) -> BoxFuture<'_, Result<(), StoreError>> {
        let node = self.node;
        self.postgres
            .pool()
            .transact(keys, move |tx, keys| register(tx, node, keys, now_ms).boxed())
            .boxed()
    }

    fn signing_keys(&self) -> BoxFuture<'_, Result<Vec<PublicKey>, StoreError>> {
        self.postgres.pool().read((), |tx, ()| all(tx).boxed()).boxed()
    }
}
