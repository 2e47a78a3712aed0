//! Whether a transaction whose commit was not answered has been carried out.
//!
//! Each transaction adds a row with the id of its request and the number of the try. A later try
//! adds its row first: if the row is there, or comes while it waits, the earlier try has been
//! committed, and its outcome is the outcome of the request. A server that takes over has the row
//! or lacks the whole transaction.

use futures::future::{BoxFuture, join};
use tokio::time::Instant;

use super::{connection::Connection, failure::Failure, transaction::Transaction};

/// Notes that a try is carried out, at its end.
const NOTE: &str = "INSERT INTO carried_out (request, try) VALUES ($1, $2)";

/// Notes it at the beginning of a later try, unless an earlier one is carried out.
const NOTE_FIRST: &str =
    "INSERT INTO carried_out (request, try) VALUES ($1, $2) ON CONFLICT (request) DO NOTHING";

/// Returns the try that was carried out.
const FIND: &str = "SELECT try FROM carried_out WHERE request = $1";

/// Forgets at most so many requests that nobody repeats any more.
pub(super) const FORGET: &str = "DELETE FROM carried_out WHERE request IN (
    SELECT request FROM carried_out WHERE at < now() - interval '10 minutes' LIMIT $1)";

/// The tries of one request, with the outcome of each that may have been carried out.
#[derive(Debug)]
pub(super) struct Tries<T> {
    request: [u8; 16],
    outcomes: Vec<Option<T>>,
    /// The try that was carried out, or will be by the next commit.
    done: usize,
    /// Whether the present try has its row.
    is_noted: bool,
}

impl<T> Default for Tries<T> {
    fn default() -> Self {
        Self { request: rand::random(), outcomes: Vec::new(), done: 0, is_noted: false }
    }
}

impl<T> Tries<T> {
    /// Whether an earlier try may be carried out.
    pub(super) fn may_be_stored(&self) -> bool {
        self.outcomes.iter().any(Option::is_some)
    }

    fn number(&self) -> i32 {
        i32::try_from(self.outcomes.len()).unwrap_or(i32::MAX)
    }

    /// Runs an operation, unless an earlier try of it is carried out.
    pub(super) async fn run(
        &mut self,
        transaction: &Transaction,
        operation: BoxFuture<'_, Result<T, Failure>>,
    ) -> Result<(), Failure> {
        self.is_noted = false;
        self.done = self.outcomes.len();
        if self.may_be_stored() {
            let request = self.request.as_slice();
            if transaction.execute(NOTE_FIRST, &[&request, &self.number()]).await? == 0 {
                let row = transaction.query_one(FIND, &[&request]).await?;
                self.done = usize::try_from(row.try_get::<_, i32>(0)?).unwrap_or(usize::MAX);
                self.is_noted = true;
                return Ok(());
            }
            self.is_noted = true;
        }
        match operation.await {
            Ok(outcome) => {
                self.outcomes.push(Some(outcome));
                Ok(())
            }
            Err(failure) => {
                self.outcomes.push(None);
                Err(failure)
            }
        }
    }

    /// Commits the transaction, with the row. Returns when the commit was sent.
    pub(super) async fn commit(&mut self, connection: &Connection) -> Result<Instant, Failure> {
        if self.is_noted {
            return connection.commit().await;
        }
        // Prepared by now, so that it reaches PostgreSQL before the commit.
        connection.prepared(NOTE).await?;
        connection.prepare_commit().await?;
        let number = self.number() - 1;
        let request = self.request.as_slice();
        let parameters: [&(dyn tokio_postgres::types::ToSql + Sync); 2] = [&request, &number];
        let (noted, committed) =
            join(connection.execute(NOTE, &parameters), connection.commit()).await;
        noted?;
        committed
    }

    /// Returns the outcome of the try that was carried out.
    pub(super) fn outcome(&mut self) -> Result<T, Failure> {
        let outcome = self.outcomes.get_mut(self.done).and_then(Option::take);
        outcome.ok_or_else(|| Failure::fault("the outcome of a transaction is lost"))
    }
}
