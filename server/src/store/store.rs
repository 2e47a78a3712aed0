//! The store: a database, and what this server does on it.

use std::sync::Arc;

use super::{
    Backend, Journal, SharedPresence,
    database::Database,
    postgres::{NodeKeys, PostgresNode},
    sqlite::Sqlite,
};

/// The store, which each part of the server has. Its areas are methods of it, each in a file of its
/// own. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Store {
    pub database: Database,
    pub backend: Arc<dyn Backend>,
    pub journal: Arc<dyn Journal>,
    /// The presence that all nodes share; `None` on a server that is alone.
    pub presence: Option<Arc<dyn SharedPresence>>,
    /// The keys of the nodes; `None` on a server that is alone.
    pub keys: Option<NodeKeys>,
}

impl From<Sqlite> for Store {
    fn from(sqlite: Sqlite) -> Self {
        let shared = Arc::new(sqlite.clone());
        Self {
            database: Database::Sqlite(sqlite),
            backend: Arc::<Sqlite>::clone(&shared),
            journal: shared,
            presence: None,
            keys: None,
        }
    }
}

impl From<Arc<PostgresNode>> for Store {
    fn from(node: Arc<PostgresNode>) -> Self {
        let postgres = node.postgres().clone();
        Self {
            journal: Arc::new(postgres.clone()),
            database: Database::Postgres(postgres),
            presence: Some(node.presence()),
            keys: Some(node.keys()),
            backend: node,
        }
    }
}
