//! Tasks on a PostgreSQL database: check it, check or rebuild the ratings, and move a store between
//! it and a data directory.

use std::path::Path;

use super::{
    error::MaintenanceError,
    progress::StepBar,
    tasks::{DatabaseReport, RatingsSummary, RatingsTask},
    transfer::{self, TransferReport},
};
use crate::store::{CheckStep, Postgres, PostgresOptions, PostgresUrl};

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
    with_database(to, true, async |database| {
        expect_unused(&database).await?;
        transfer::import(from, &database).await
    })
}

/// Copies a PostgreSQL database into a directory without a store, and verifies every chain and the
/// ratings there. No node may use the database.
pub fn export(from: DatabaseTarget<'_>, to: &Path) -> Result<TransferReport, MaintenanceError> {
    with_database(from, true, async |database| {
        expect_unused(&database).await?;
        transfer::export(&database, to).await
    })
}

/// Checks the records of every game and the ratings. Changes nothing; nodes may be running.
pub fn check_database(target: DatabaseTarget<'_>) -> Result<DatabaseReport, MaintenanceError> {
    with_database(target, false, async |database| {
        let mut bar = StepBar::default();
        let reading = database.begin_reading().await?;
        let checked = reading.check(&mut |step, done, total| bar.show(step, done, total)).await?;
        Ok(DatabaseReport::new(checked, None))
    })
}

/// Computes all ratings from the records of rated games, in the order in which the games ended, and
/// compares them with the stored ratings or replaces these. Nodes may be running only if it changes
/// nothing.
pub fn ratings_of_database(
    target: DatabaseTarget<'_>,
    task: RatingsTask,
) -> Result<RatingsSummary, MaintenanceError> {
    with_database(target, false, async |database| {
        let mut bar = StepBar::default();
        let transaction = match task {
            RatingsTask::Check => database.begin_reading().await?,
            RatingsTask::Rebuild => {
                let begun = database.begin_alone().await?;
                begun.map_err(|node| MaintenanceError::InUse { node })?
            }
        };
        let mut progress = |done, total| bar.show(CheckStep::Ratings, done, total);
        let report = transaction.check_ratings(task.mode(), &mut progress).await?;
        Ok(RatingsSummary::new(report, task))
    })
}

fn with_database<T>(
    target: DatabaseTarget<'_>,
    may_migrate: bool,
    task: impl AsyncFnOnce(Postgres) -> Result<T, MaintenanceError>,
) -> Result<T, MaintenanceError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(MaintenanceError::file(Path::new("tokio")))?;
    runtime.block_on(async {
        let url = PostgresUrl::parse(target.url)?;
        let (node, is_unreplicated) = ("maintenance".to_owned(), target.is_unreplicated);
        let options =
            PostgresOptions { url, node, is_unreplicated, metrics: std::sync::Arc::default() };
        task(Postgres::open_for_task(options, may_migrate).await?).await
    })
}

async fn expect_unused(database: &Postgres) -> Result<(), MaintenanceError> {
    match database.node_in_use().await? {
        Some(node) => Err(MaintenanceError::InUse { node }),
        None => Ok(()),
    }
}
