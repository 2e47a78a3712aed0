//! A transaction of an operator's task, which may take long.

use std::sync::Arc;

use adamant_protocol::GameId;
use bytes::Bytes;
use tokio::time::Instant;

use super::{
    connection::Connection, failure::Failure, node_rows, postgres::Postgres,
    transaction::Transaction,
};
use crate::{
    limits::{POSTGRES_PATIENCE, POSTGRES_STATEMENT_MAX},
    store::{
        RatingsReport, StoreError, check,
        check_report::{IntegrityReport, Progress, RatingsMode},
        sql::SqlResult,
    },
};

/// A transaction on a connection of its own. It is not repeated: the operator starts a task that
/// has failed again.
#[derive(Debug)]
pub(crate) struct TaskTransaction {
    connection: Arc<Connection>,
    transaction: Transaction,
}

impl TaskTransaction {
    /// Replays every game, and rates every result again.
    pub(crate) async fn check(
        &self,
        progress: &mut Progress<'_>,
    ) -> Result<IntegrityReport, StoreError> {
        let mut report = IntegrityReport::default();
        let sql = &self.transaction;
        check::check_games(sql, &no_arrivals, &mut report, progress).await?;
        check::check_rated(sql, &no_arrivals, &mut report, progress).await?;
        Ok(report)
    }

    /// Rates every result again, in order, and stores the differences if the mode says so.
    pub(crate) async fn check_ratings(
        self,
        mode: RatingsMode,
        progress: &mut dyn FnMut(u64, u64),
    ) -> Result<RatingsReport, StoreError> {
        let report = check::check_ratings(&self.transaction, mode, &no_arrivals, progress).await?;
        if mode == RatingsMode::Rebuild {
            self.connection.commit().await.map_err(Failure::into_error)?;
        }
        Ok(report)
    }
}

/// All records are in the rows of the journal.
#[expect(clippy::unnecessary_wraps, reason = "an embedded store reads them")]
fn no_arrivals(_game: &GameId) -> SqlResult<Vec<Bytes>> {
    Ok(Vec::new())
}

impl Postgres {
    /// Begins a transaction that changes nothing and sees one state of the database. Nodes may run.
    pub(crate) async fn begin_reading(&self) -> Result<TaskTransaction, StoreError> {
        self.begin_task("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY").await
    }

    /// Begins a transaction during which no node can join. Returns the name of a node that has used
    /// the database a moment ago.
    pub(crate) async fn begin_alone(&self) -> Result<Result<TaskTransaction, String>, StoreError> {
        let task = self.begin_task("BEGIN").await?;
        let node = async {
            task.transaction.query(node_rows::LOCK, &[]).await?;
            node_rows::in_use(&task.transaction).await
        };
        Ok(match node.await.map_err(Failure::into_error)? {
            Some(node) => Err(node),
            None => Ok(task),
        })
    }

    async fn begin_task(&self, begin: &str) -> Result<TaskTransaction, StoreError> {
        let dialled = self.dialer().dial(Instant::now() + POSTGRES_PATIENCE).await;
        let connection = dialled.map_err(|error| StoreError::Failed(error.to_string().into()))?;
        connection.batch(begin, POSTGRES_STATEMENT_MAX).await.map_err(Failure::into_error)?;
        let connection = Arc::new(connection);
        let transaction = Transaction::new(Arc::clone(&connection));
        Ok(TaskTransaction { connection, transaction })
    }
}
