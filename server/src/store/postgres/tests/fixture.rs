//! A database for one test.

use std::sync::Arc;

use postgres_fixture::Cluster;
use tokio_util::task::TaskTracker;

use crate::{
    cluster::HeardEvents,
    store::postgres::{Postgres, PostgresError, PostgresNode, PostgresOptions, PostgresUrl},
};

/// An open database on a cluster, empty but for its tables.
#[derive(Debug)]
pub(crate) struct TestDatabase {
    pub(crate) cluster: &'static Cluster,
    pub(crate) name: String,
    pub(crate) store: Postgres,
}

impl TestDatabase {
    /// Creates a database on the servers that all tests share: none may stop or pause them.
    pub(crate) async fn open() -> Self {
        Self::open_on(Cluster::shared()).await
    }

    /// Creates a database on servers of the test's own.
    pub(crate) async fn open_on(cluster: &'static Cluster) -> Self {
        let name = cluster.create_database();
        let store = open(&cluster.url(&name), false).await.unwrap();
        Self { cluster, name, store }
    }

    /// Opens the same database as another node does.
    pub(crate) async fn another_node(&self) -> Postgres {
        open(&self.cluster.url(&self.name), false).await.unwrap()
    }

    /// Runs statements as the superuser on the first server.
    pub(crate) fn sql(&self, statements: &str) -> String {
        self.cluster.primary().sql(&self.name, statements)
    }
}

/// Starts servers that this test may stop. They end with the process.
pub(crate) fn own_cluster(standbys: usize) -> &'static Cluster {
    Box::leak(Box::new(Cluster::start(standbys)))
}

/// Opens a database as a node does.
pub(crate) async fn open(url: &str, is_unreplicated: bool) -> Result<Postgres, PostgresError> {
    let url = PostgresUrl::parse(url)?;
    let options = PostgresOptions { url, node: "one".to_owned(), is_unreplicated };
    Postgres::open(options, TaskTracker::new()).await
}

/// Joins as a node of this name.
pub(crate) async fn join(
    store: &Postgres,
    node: &str,
) -> Result<(Arc<PostgresNode>, HeardEvents), PostgresError> {
    PostgresNode::join(store, node.parse().unwrap()).await
}
