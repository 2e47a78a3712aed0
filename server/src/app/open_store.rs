//! Opens the store: the embedded one, or the database of several nodes.

use std::sync::Arc;

use nix::unistd::gethostname;
use tokio_util::task::TaskTracker;

use super::start_error::StartError;
use crate::{
    config::{Config, DatabaseUrl},
    limits::CLOCK_AHEAD_MAX_MS,
    runtime::{environment::Environment, files, metrics::Metrics},
    store::{
        OpenedStore, Postgres, PostgresNode, PostgresOptions, PostgresUrl, ReadOnlyReason, Sqlite,
        Store, sqlite::OpenError,
    },
};

/// Opens the store that the configuration names. The server is to go by the time of the returned
/// environment, from its first decision on.
pub(super) async fn open_store(
    config: &Config,
    metrics: &Arc<Metrics>,
) -> Result<(OpenedStore, Environment), StartError> {
    match &config.store.database {
        None => Ok((open_embedded(config, metrics)?, Environment::system())),
        Some(database) => join_nodes(config, database, metrics).await,
    }
}

/// Opens the embedded store, or opens it read-only if it is damaged or its disk is full.
fn open_embedded(config: &Config, metrics: &Arc<Metrics>) -> Result<OpenedStore, OpenError> {
    let why = match Sqlite::open(&config.store, Arc::clone(metrics)) {
        Err(OpenError::Damaged(loss)) => {
            metrics.set_wal_loss(loss.frames, loss.commits);
            ReadOnlyReason::Damaged(loss)
        }
        Err(error) if error.is_disk_full() => {
            tracing::error!(%error, "disk full");
            ReadOnlyReason::DiskFull
        }
        opened => return opened.map(OpenedStore::from),
    };
    Sqlite::open_read_only(&config.store, why).map(OpenedStore::from)
}

/// Opens the database, and joins the nodes on it.
async fn join_nodes(
    config: &Config,
    database: &DatabaseUrl,
    metrics: &Arc<Metrics>,
) -> Result<(OpenedStore, Environment), StartError> {
    let host_name = gethostname().unwrap_or_default();
    let node = config.cluster.node(&host_name.to_string_lossy()).ok_or(StartError::NoNodeName)?;
    // The directory has this node's keys.
    let data = &config.store.data;
    files::create_private_directory(data)
        .map_err(|error| OpenError::Directory { path: data.display().to_string(), error })?;
    let url = PostgresUrl::parse(database.reveal())?;
    let is_unreplicated = config.store.unreplicated;
    let (node_name, metrics) = (node.as_str().to_owned(), Arc::clone(metrics));
    let options = PostgresOptions { url, node: node_name, is_unreplicated, metrics };
    let postgres = Postgres::open(options, TaskTracker::new()).await?;
    let (joined, heard) = PostgresNode::join(&postgres, node).await?;
    // operator: the server serves games from this PostgreSQL database, under this name
    tracing::info!(%node, %database, "joined the cluster");
    if is_unreplicated {
        // operator: `--unreplicated` is in effect. Add a standby and remove the option
        tracing::warn!(
            "the database has no synchronous standby: its loss loses acknowledged moves"
        );
    }
    let time = joined.time();
    let ahead_ms = time.machine_ms().checked_signed_diff(time.now_ms()).unwrap_or(i64::MAX);
    if ahead_ms.unsigned_abs() > CLOCK_AHEAD_MAX_MS {
        // operator: at the start of a node. Check the time service of the machine: certificates and
        // push messages need the right time
        tracing::warn!(
            ahead_ms,
            "the machine's clock is wrong: the node goes by the other nodes' time"
        );
    }
    let cluster = joined.cluster();
    let store = Store::from(joined);
    Ok((
        OpenedStore { store, recovery: None, cluster, heard: Some(heard) },
        Environment::with_time(time),
    ))
}
