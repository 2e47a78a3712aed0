//! Statements on the keys of nodes.

use adamant_protocol::ids::PublicKey;
use futures::FutureExt as _;
use tokio_postgres::Row;

use super::{
    connection::{Transaction, to_sql},
    errors::Failure,
    postgres::Postgres,
};
use crate::{cluster::NodeId, limits::PUSH_KEYS_KEPT, store::StoreError};

/// The secret keys of push messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PushSecrets {
    /// The newest last.
    pub secrets: Vec<[u8; 32]>,
    pub are_new: bool,
}

/// The public keys with which the nodes sign records, whose secret keys are not stored; and the
/// secret keys of push messages, which all nodes need, because a browser subscribes to one key. As
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

/// The keys that were stored first count: these, or those of a node that was faster.
async fn shared_push_keys(tx: &Transaction, new: &[[u8; 32]]) -> Result<PushSecrets, Failure> {
    let insert = "INSERT INTO push_keys (n, secret) VALUES ($1, $2) ON CONFLICT DO NOTHING";
    let mut are_new = false;
    for (n, secret) in (1_i64..).zip(new) {
        are_new = tx.execute(insert, &[&n, &secret.as_slice()]).await? > 0;
        if !are_new {
            break;
        }
    }
    Ok(PushSecrets { secrets: push_secrets(tx).await?, are_new })
}

async fn push_secrets(tx: &Transaction) -> Result<Vec<[u8; 32]>, Failure> {
    let rows = tx.query("SELECT secret FROM push_keys ORDER BY n", &[]).await?;
    let read = |row: &Row| {
        let secret: &[u8] = row.try_get(0)?;
        secret.try_into().map_err(|_| Failure::fault("the push key has another length"))
    };
    rows.iter().map(read).collect()
}

async fn add_push_key(tx: &Transaction, new: &[u8; 32]) -> Result<(), Failure> {
    tx.execute("LOCK TABLE push_keys IN SHARE ROW EXCLUSIVE MODE", &[]).await?;
    let insert = "INSERT INTO push_keys (n, secret) SELECT coalesce(max(n), 0) + 1, $1::bytea FROM push_keys";
    tx.execute(insert, &[&new.as_slice()]).await?;
    let delete = "DELETE FROM push_keys WHERE n <= (SELECT max(n) FROM push_keys) - $1";
    let kept = i64::try_from(PUSH_KEYS_KEPT).expect("it is a few");
    tx.execute(delete, &[&kept]).await?;
    Ok(())
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

    /// Returns the secret keys of push messages. Stores these, the newest last, if there are none.
    pub(crate) async fn push_keys(&self, new: Vec<[u8; 32]>) -> Result<PushSecrets, StoreError> {
        self.postgres.pool().transact(new, |tx, new| shared_push_keys(tx, new).boxed()).await
    }

    /// Adds a secret key of push messages, and forgets the oldest ones.
    pub(crate) async fn add_push_key(&self, new: [u8; 32]) -> Result<(), StoreError> {
        self.postgres.pool().transact(new, |tx, new| add_push_key(tx, new).boxed()).await
    }
}
