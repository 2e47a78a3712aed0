//! `import` and `export`: a store moves between a data directory and PostgreSQL.

use std::path::Path;

use tokio_util::task::TaskTracker;

use super::{
    error::MaintenanceError,
    transfer::{self, TransferReport},
};
use crate::store::{Postgres, PostgresOptions, PostgresUrl};

/// Where a database is, and whether it must have a synchronous standby.
#[derive(Debug, Clone, Copy)]
pub struct DatabaseTarget<'a> {
    /// The URL.
    pub url: &'a str,
    /// Whether commits count that are on no standby.
    pub is_unreplicated: bool,
}

/// Copies an embedded store into an empty PostgreSQL database, and verifies every chain and the
/// ratings there. No server may use either.
pub fn import(from: &Path, to: DatabaseTarget<'_>) -> Result<TransferReport, MaintenanceError> {
    with_database(to, async |database| transfer::import(from, &database).await)
}

/// Copies a PostgreSQL database into a directory without a store, and verifies every chain and the
/// ratings there. No node may use the database.
pub fn export(from: DatabaseTarget<'_>, to: &Path) -> Result<TransferReport, MaintenanceError> {
    with_database(from, async |database| transfer::export(&database, to).await)
}

fn with_database(
    target: DatabaseTarget<'_>,
    task: impl AsyncFnOnce(Postgres) -> Result<TransferReport, MaintenanceError>,
) -> Result<TransferReport, MaintenanceError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(MaintenanceError::file(Path::new("tokio")))?;
    runtime.block_on(async {
        let url = PostgresUrl::parse(target.url)?;
        let (node, is_unreplicated) = ("maintenance".to_owned(), target.is_unreplicated);
        let options = PostgresOptions { url, node, is_unreplicated };
        let database = Postgres::open(options, TaskTracker::new()).await?;
        if let Some(node) = database.node_in_use().await? {
            return Err(MaintenanceError::InUse { node });
        }
        task(database).await
    })
}
