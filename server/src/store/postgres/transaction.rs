//! What an operation does inside a transaction.

use std::sync::Arc;

use tokio_postgres::{Row, types::ToSql};

use super::{connection::Connection, failure::Failure};
use crate::limits::POSTGRES_STATEMENT_MAX;

/// An open transaction, or a connection that only reads. The pool commits it.
#[derive(Debug, Clone)]
pub(in crate::store) struct Transaction {
    connection: Arc<Connection>,
}

impl Transaction {
    /// Works on this connection.
    pub(super) fn new(connection: Arc<Connection>) -> Self {
        Self { connection }
    }

    /// Runs a statement and returns its rows.
    pub(in crate::store) async fn query(
        &self,
        statement: &str,
        parameters: &[&(dyn ToSql + Sync)],
    ) -> Result<Vec<Row>, Failure> {
        self.connection.query(statement, parameters).await
    }

    /// Runs a statement and returns its first row.
    pub(super) async fn query_opt(
        &self,
        statement: &str,
        parameters: &[&(dyn ToSql + Sync)],
    ) -> Result<Option<Row>, Failure> {
        Ok(self.query(statement, parameters).await?.into_iter().next())
    }

    /// Runs a statement and returns its only row.
    pub(super) async fn query_one(
        &self,
        statement: &str,
        parameters: &[&(dyn ToSql + Sync)],
    ) -> Result<Row, Failure> {
        let row = self.query_opt(statement, parameters).await?;
        row.ok_or_else(|| Failure::fault("a statement that returns one row returned none"))
    }

    /// Runs a statement and returns the number of rows that it changed.
    pub(in crate::store) async fn execute(
        &self,
        statement: &str,
        parameters: &[&(dyn ToSql + Sync)],
    ) -> Result<u64, Failure> {
        self.connection.execute(statement, parameters).await
    }

    /// Takes back what the transaction has written, and its locks. What follows is part of a new
    /// transaction.
    pub(in crate::store) async fn start_over(&self) -> Result<(), Failure> {
        self.connection.batch("ROLLBACK; BEGIN", POSTGRES_STATEMENT_MAX).await
    }
}
