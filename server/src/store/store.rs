//! The store: a database, and what this server does on it. An area decides and reads on either
//! database by the macros here.

use std::sync::Arc;

use tokio::time::sleep;

use super::{
    Backend, Journal, SharedPresence,
    postgres::{NodeKeys, Postgres, PostgresNode},
    sqlite::{Recovery, Sqlite},
};
use crate::{
    cluster::{Cluster, HeardEvents},
    limits::SHARED_WORK_CHECKED_EVERY,
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

/// What was read. A server that only reads goes on without what is damaged, which is logged.
pub(crate) fn or_default_if<T: Default>(
    is_read_only: bool,
    read: Result<T, super::StoreError>,
) -> Result<T, super::StoreError> {
    if is_read_only { Ok(read.unwrap_or_default()) } else { read }
}

#[derive(Debug, Clone)]
pub(crate) enum Database {
    Sqlite(Sqlite),
    Postgres(Postgres),
}

/// Runs an async function over `&impl Sql` on either database. What the function needs is a value,
/// because PostgreSQL may have to be asked again.
macro_rules! on_database {
    // Decides and stores in one transaction.
    (transact, $($how:tt)*) => {
        $crate::store::store::on_database!(@write, transact, $($how)*)
    };
    // Reads what survives a power cut and the loss of the primary.
    (read, $($how:tt)*) => {
        $crate::store::store::on_database!(@read_with, read_confirmed, $($how)*)
    };
    // Reads what a client may see before a standby has it, such as whether it may come in.
    (read_unconfirmed, $($how:tt)*) => {
        $crate::store::store::on_database!(@read_with, read_unconfirmed, $($how)*)
    };
    // Reads a list, on which no game depends: only a few are read at the same time.
    (list, $($how:tt)*) => {
        $crate::store::store::on_database!(@read_list, read_list, $($how)*)
    };
    (@$sqlite:ident, $postgres:ident, $database:expr, $value:expr,
     |$sql:ident, $with:pat_param| $body:expr) => {
        match $database {
            $crate::store::store::Database::Sqlite(database) => {
                let value = $value;
                let run = move |connection: &rusqlite::Connection| {
                    let ($sql, $with) = (&$crate::store::sql::Embedded(connection), &value);
                    $crate::store::sql::at_once($body)
                };
                database.$sqlite(run).await
            }
            $crate::store::store::Database::Postgres(database) => {
                let pool = database.pool();
                pool.$postgres($value, move |$sql, $with| Box::pin($body)).await
            }
        }
    };
}
pub(super) use on_database;

/// Makes methods of the store, each of which runs one function in one of the ways of
/// [`on_database`]. Its arguments are references to those of the method.
macro_rules! operations {
    ($($(#[$doc:meta])* fn $name:ident($($arg:ident: $type:ty),* $(,)?) -> $found:ty =
        $how:ident($function:ident($($with:tt)*));)*) => {
        impl $crate::store::Store {
            $($(#[$doc])*
            pub(crate) async fn $name(
                &self,
                $($arg: $type),*
            ) -> Result<$found, $crate::store::StoreError> {
                $crate::store::store::on_database!($how, &self.database, ($($arg,)*),
                    |sql, ($($arg,)*)| $function(sql, $($with)*))
            })*
        }
    };
}
pub(super) use operations;

/// A store that has just been opened, and what a server starts with on it.
#[derive(Debug)]
pub(crate) struct OpenedStore {
    pub store: Store,
    /// The games that continue at once. `None` if other nodes may serve them, so that a game opens
    /// when a client asks for it or its clock has run out.
    pub recovery: Option<Recovery>,
    pub cluster: Cluster,
    pub heard: Option<HeardEvents>,
}

impl From<(Sqlite, Recovery)> for OpenedStore {
    fn from((store, found): (Sqlite, Recovery)) -> Self {
        Self {
            store: store.into(),
            recovery: Some(found),
            cluster: Cluster::default(),
            heard: None,
        }
    }
}

/// One kind of work that this node may have to do. No promise to a client depends on it: two nodes
/// may do the same work at once for a moment.
#[derive(Debug, Clone)]
pub(crate) struct SharedWork {
    /// `None` on a server that is alone, which does all work.
    backend: Option<Arc<dyn Backend>>,
    what: &'static str,
}

impl SharedWork {
    pub(crate) fn new(backend: &Arc<dyn Backend>, cluster: &Cluster, what: &'static str) -> Self {
        Self { backend: (!cluster.is_alone()).then(|| Arc::clone(backend)), what }
    }

    /// Returns whether this node is to do the work now. If not, it offers to do it.
    pub(crate) fn is_ours(&self) -> bool {
        self.backend.as_ref().is_none_or(|backend| backend.has_lease(self.what))
    }

    pub(crate) async fn taken(&self) {
        while !self.is_ours() {
            sleep(SHARED_WORK_CHECKED_EVERY).await;
        }
    }

    /// Waits until the work is this node's no longer; for ever on a server that is alone.
    pub(crate) async fn lost(&self) {
        if self.backend.is_none() {
            return std::future::pending().await;
        }
        while self.is_ours() {
            sleep(SHARED_WORK_CHECKED_EVERY).await;
        }
    }
}
