//! One connection to PostgreSQL: statements with a deadline, and a driver that listens to warnings;
//! which server is the primary, as far as this node knows; and what an operation does inside a
//! transaction.
//!
//! PostgreSQL reports a commit that it has stopped waiting for as a success with a warning. After
//! any warning the outcome of everything on the connection is therefore unknown.

use std::{
    collections::HashMap,
    fmt,
    future::poll_fn,
    str::FromStr,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use futures::future::{join, join3};
use parking_lot::Mutex;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    sync::mpsc,
    task::AbortHandle,
    time::{Instant, timeout},
};
use tokio_postgres::{
    AsyncMessage, Client, Notification, Row, Statement,
    error::{DbError, Severity},
    types::ToSql,
};

use super::errors::Failure;
use crate::limits::{POSTGRES_STATEMENT_MAX, POSTGRES_TRUST};

/// Converts a seq or a time to PostgreSQL's signed integers. No value comes near the sign bit.
pub(super) fn to_sql(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// Converts a seq, a time or a count from PostgreSQL's signed integers.
pub(super) fn from_sql(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}

/// Reads a column of text as a name, an id or another type with a text form.
pub(super) fn parse<T: FromStr>(row: &Row, column: usize) -> Result<T, Failure> {
    let text: &str = row.try_get(column)?;
    text.parse().map_err(|_| Failure::fault(format!("a row has the value {text:?}")))
}

/// Reads a column with an array of texts in the same way. NULL is an empty one.
pub(super) fn parse_all<T: FromStr>(row: &Row, column: usize) -> Result<Vec<T>, Failure> {
    let texts: Option<Vec<&str>> = row.try_get(column)?;
    let parse = |text: &str| {
        text.parse().map_err(|_| Failure::fault(format!("a row has the value {text:?}")))
    };
    texts.unwrap_or_default().into_iter().map(parse).collect()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ServerIdentity {
    pub(super) host: usize,
    /// Its timeline. Each promotion begins a higher one.
    pub(super) timeline: u32,
}

#[derive(Debug, Clone, Copy)]
struct Proof {
    server: ServerIdentity,
    sent_at: Instant,
}

/// The primary. A standby's confirmation of a commit proves which one it is, for a moment.
#[derive(Debug, Default)]
pub(super) struct Primary {
    proof: Mutex<Option<Proof>>,
}

impl Primary {
    pub(super) fn has_committed(&self, server: ServerIdentity, sent_at: Instant) {
        let mut proof = self.proof.lock();
        let is_newer = proof.is_none_or(|proof| {
            (proof.server.timeline, proof.sent_at) <= (server.timeline, sent_at)
        });
        if is_newer {
            *proof = Some(Proof { server, sent_at });
        }
    }

    pub(super) fn proven(&self) -> Option<ServerIdentity> {
        let proof = (*self.proof.lock())?;
        (proof.sent_at.elapsed() < POSTGRES_TRUST).then_some(proof.server)
    }

    /// Whether what this server returned just now is no stale fact.
    pub(super) fn vouches_for(&self, server: ServerIdentity) -> bool {
        self.proven() == Some(server)
    }

    /// Whether another server has been promoted since this one was the primary.
    pub(super) fn has_replaced(&self, server: ServerIdentity) -> bool {
        self.proof.lock().is_some_and(|proof| proof.server.timeline > server.timeline)
    }

    pub(super) fn has_confirmed_since(&self, moment: Instant) -> bool {
        self.proof.lock().is_some_and(|proof| proof.sent_at > moment)
    }

    /// Whether a standby has everything that this server had shown by this moment: it has confirmed
    /// a later commit of it.
    pub(super) fn has_confirmed_all_of(&self, server: ServerIdentity, moment: Instant) -> bool {
        self.proof.lock().is_some_and(|proof| proof.server == server && proof.sent_at > moment)
    }

    /// The time since the last confirmed commit was sent; `None` before the first.
    pub(super) fn silent_for(&self) -> Option<Duration> {
        self.proof.lock().map(|proof| proof.sent_at.elapsed())
    }
}

/// Makes its transaction wait for a standby, even if it writes nothing else, and tells whether
/// PostgreSQL waits for standbys at all.
const BARRIER: &str = "SELECT current_setting('synchronous_standby_names') <> '' \
                           AND current_setting('synchronous_commit') = 'on', \
                       pg_logical_emit_message(true, 'adamant', '')";

/// Whether PostgreSQL still waits for standbys. It follows what must be durable on the same
/// connection: when the list of standbys is emptied, PostgreSQL lets go of the commits that wait,
/// as successes and without a warning.
const GUARD: &str = "SELECT current_setting('synchronous_standby_names') <> ''";

#[derive(Debug, Default)]
pub(super) struct LineState {
    is_suspect: AtomicBool,
    notifications: Mutex<Option<mpsc::Sender<Notification>>>,
}

impl LineState {
    /// Marks the connection as unusable: no later answer on it counts.
    fn suspect(&self, reason: &str) {
        if !self.is_suspect.swap(true, Ordering::SeqCst) {
            // operator: PostgreSQL is slow, stopped or warned about a commit. The server connects
            // again and asks what is stored
            tracing::warn!(reason, "a connection to PostgreSQL is not used any more");
        }
    }

    fn hear_notice(&self, notice: &DbError) {
        let is_harmless = matches!(
            notice.parsed_severity(),
            Some(Severity::Notice | Severity::Debug | Severity::Info | Severity::Log)
        );
        if !is_harmless {
            self.suspect(notice.message());
        }
    }

    fn hear_notification(&self, notification: Notification) {
        let listener = self.notifications.lock();
        if listener.as_ref().is_some_and(|listener| listener.try_send(notification).is_err()) {
            drop(listener);
            self.suspect("nothing reads its notifications in time");
        }
    }

    fn end(&self) {
        self.is_suspect.store(true, Ordering::SeqCst);
        *self.notifications.lock() = None;
    }
}

pub(super) async fn drive<S, T>(
    mut connection: tokio_postgres::Connection<S, T>,
    state: Arc<LineState>,
) where
    S: AsyncRead + AsyncWrite + Unpin,
    T: AsyncRead + AsyncWrite + Unpin,
{
    loop {
        // The driver returns a notice before it passes on what PostgreSQL sent after it.
        match poll_fn(|context| connection.poll_message(context)).await {
            Some(Ok(AsyncMessage::Notice(notice))) => state.hear_notice(&notice),
            Some(Ok(AsyncMessage::Notification(notification))) => {
                state.hear_notification(notification);
            }
            Some(Ok(_)) => {}
            Some(Err(error)) => {
                state.suspect(&error.to_string());
                break;
            }
            None => break,
        }
    }
    state.end();
}

pub(super) struct Connection {
    client: Client,
    state: Arc<LineState>,
    driver: AbortHandle,
    statements: Mutex<HashMap<Box<str>, Statement>>,
    server: ServerIdentity,
    is_replicated: bool,
    statement_max: Duration,
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection").field("server", &self.server).finish_non_exhaustive()
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        // Closes the socket. A commit that is under way goes on, and the caller asks for it.
        self.driver.abort();
    }
}

impl Connection {
    /// Takes over a connection that is driven. With `is_replicated` only commits count that a
    /// standby has confirmed. A statement or a commit may take `statement_max`.
    pub(super) fn new(
        client: Client,
        state: Arc<LineState>,
        driver: AbortHandle,
        is_replicated: bool,
        statement_max: Duration,
    ) -> Self {
        let (statements, server) = (Mutex::default(), ServerIdentity { host: 0, timeline: 0 });
        Self { client, state, driver, statements, server, is_replicated, statement_max }
    }

    /// Names the server and forgets the warnings of the log-in, such as one about collations.
    pub(super) fn identify(&mut self, server: ServerIdentity) {
        self.server = server;
        if !self.client.is_closed() {
            self.state.is_suspect.store(false, Ordering::SeqCst);
        }
    }

    pub(super) fn server(&self) -> ServerIdentity {
        self.server
    }

    pub(super) fn is_usable(&self) -> bool {
        !self.state.is_suspect.load(Ordering::SeqCst) && !self.client.is_closed()
    }

    /// Ends the use of the connection: no later answer on it counts.
    pub(super) fn give_up(&self, reason: &str) {
        self.state.suspect(reason);
    }

    /// Returns the notifications of this connection, of which at most `max` wait.
    pub(super) fn notifications(&self, max: usize) -> mpsc::Receiver<Notification> {
        let (sender, receiver) = mpsc::channel(max);
        if !self.client.is_closed() {
            *self.state.notifications.lock() = Some(sender);
        }
        receiver
    }

    /// Runs a statement and returns its rows. The result counts only if no warning came.
    pub(super) async fn query(
        &self,
        statement: &str,
        parameters: &[&(dyn ToSql + Sync)],
    ) -> Result<Vec<Row>, Failure> {
        let prepared = self.prepared(statement).await?;
        self.within(self.statement_max, self.client.query(&prepared, parameters)).await
    }

    pub(super) async fn execute(
        &self,
        statement: &str,
        parameters: &[&(dyn ToSql + Sync)],
    ) -> Result<u64, Failure> {
        let prepared = self.prepared(statement).await?;
        self.within(self.statement_max, self.client.execute(&prepared, parameters)).await
    }

    pub(super) async fn batch(&self, statements: &str, most: Duration) -> Result<(), Failure> {
        self.within(most, self.client.batch_execute(statements)).await
    }

    /// Prepares a statement, so that the next use of it takes one round trip.
    pub(super) async fn prepared(&self, statement: &str) -> Result<Statement, Failure> {
        let known = || self.statements.lock();
        let found = known().get(statement).cloned();
        if let Some(found) = found {
            return Ok(found);
        }
        let prepare = self.client.prepare(statement);
        let prepared = self.within(self.statement_max, prepare).await?;
        known().insert(statement.into(), prepared.clone());
        Ok(prepared)
    }

    /// Runs a statement whose commit waits for a standby; its first column tells whether it does.
    pub(super) async fn query_durably(
        &self,
        statement: &str,
        parameters: &[&(dyn ToSql + Sync)],
    ) -> Result<Vec<Row>, Failure> {
        // Prepared by now, so that the guard reaches PostgreSQL after the statement.
        self.prepared(statement).await?;
        self.prepared(GUARD).await?;
        let (rows, guard) = join(self.query(statement, parameters), self.query(GUARD, &[])).await;
        let rows = rows?;
        self.expect_replicated(&rows)?;
        self.expect_replicated(&guard?)?;
        Ok(rows)
    }

    /// Waits until a standby has all commits before. Returns when the statement was sent.
    pub(super) async fn barrier(&self) -> Result<Instant, Failure> {
        let sent_at = Instant::now();
        self.query_durably(BARRIER, &[]).await?;
        Ok(sent_at)
    }

    /// Prepares what a commit sends, so that the commit sends all of it at once.
    pub(super) async fn prepare_commit(&self) -> Result<(), Failure> {
        self.prepared(BARRIER).await?;
        self.prepared(GUARD).await?;
        Ok(())
    }

    /// Commits the transaction that is open. Returns when the commit was sent, if a standby has
    /// confirmed it.
    pub(super) async fn commit(&self) -> Result<Instant, Failure> {
        // Neither may reach PostgreSQL after the commit or before it.
        self.prepare_commit().await?;
        let sent_at = Instant::now();
        let commit = self.batch("COMMIT", self.statement_max);
        let (barrier, commit, guard) =
            join3(self.query(BARRIER, &[]), commit, self.query(GUARD, &[])).await;
        let rows = barrier?;
        commit?;
        self.expect_replicated(&rows)?;
        self.expect_replicated(&guard?)?;
        Ok(sent_at)
    }

    pub(super) async fn barrier_without_deadline(&self) -> Result<Instant, Failure> {
        let sent_at = Instant::now();
        let prepared = self.prepared(BARRIER).await?;
        let rows = self.client.query(&prepared, &[]).await?;
        self.expect_replicated(&rows)?;
        self.expect_replicated(&self.query(GUARD, &[]).await?)?;
        Ok(sent_at)
    }

    /// Takes the first column of the only row for whether PostgreSQL waits for standbys.
    fn expect_replicated(&self, rows: &[Row]) -> Result<(), Failure> {
        let waits: bool = match rows.first() {
            Some(row) => row.try_get(0)?,
            None => false,
        };
        if self.is_replicated && !waits {
            self.give_up("PostgreSQL has no synchronous standby any more");
            return Err(Failure::unknown("PostgreSQL has no synchronous standby any more"));
        }
        // A warning that came with the answer counts against it.
        if self.is_usable() {
            Ok(())
        } else {
            Err(Failure::unknown("the connection is not usable any more"))
        }
    }

    async fn within<T>(
        &self,
        most: Duration,
        statement: impl Future<Output = Result<T, tokio_postgres::Error>>,
    ) -> Result<T, Failure> {
        let Ok(outcome) = timeout(most, statement).await else {
            self.give_up("PostgreSQL takes too long to answer");
            return Err(Failure::unknown("PostgreSQL takes too long to answer"));
        };
        let outcome = outcome.map_err(Failure::from);
        if let Err(Failure::Unknown(reason)) = &outcome {
            self.give_up(reason);
        }
        if !self.is_usable() && outcome.is_ok() {
            return Err(Failure::unknown("the connection is not usable any more"));
        }
        outcome
    }
}

/// An open transaction, or a connection that only reads. The pool commits it.
#[derive(Debug, Clone)]
pub(in crate::store) struct Transaction {
    connection: Arc<Connection>,
}

impl Transaction {
    pub(super) fn new(connection: Arc<Connection>) -> Self {
        Self { connection }
    }

    pub(in crate::store) async fn query(
        &self,
        statement: &str,
        parameters: &[&(dyn ToSql + Sync)],
    ) -> Result<Vec<Row>, Failure> {
        self.connection.query(statement, parameters).await
    }

    pub(super) async fn query_opt(
        &self,
        statement: &str,
        parameters: &[&(dyn ToSql + Sync)],
    ) -> Result<Option<Row>, Failure> {
        Ok(self.query(statement, parameters).await?.into_iter().next())
    }

    pub(super) async fn query_one(
        &self,
        statement: &str,
        parameters: &[&(dyn ToSql + Sync)],
    ) -> Result<Row, Failure> {
        let row = self.query_opt(statement, parameters).await?;
        row.ok_or_else(|| Failure::fault("a statement that returns one row returned none"))
    }

    pub(in crate::store) async fn execute(
        &self,
        statement: &str,
        parameters: &[&(dyn ToSql + Sync)],
    ) -> Result<u64, Failure> {
        self.connection.execute(statement, parameters).await
    }

    /// Takes back the transaction's writes and locks. What follows is part of a new one.
    pub(in crate::store) async fn start_over(&self) -> Result<(), Failure> {
        self.connection.batch("ROLLBACK; BEGIN", POSTGRES_STATEMENT_MAX).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_commit_proves_the_primary_for_a_moment() {
        let primary = Primary::default();
        let (old, new) =
            (ServerIdentity { host: 0, timeline: 1 }, ServerIdentity { host: 1, timeline: 2 });
        assert_eq!(primary.proven(), None);
        primary.has_committed(old, Instant::now());
        assert!(primary.vouches_for(old));
        tokio::time::advance(POSTGRES_TRUST.saturating_sub(Duration::from_millis(1))).await;
        assert!(primary.vouches_for(old));
        tokio::time::advance(Duration::from_millis(1)).await;
        assert!(!primary.vouches_for(old), "the proof is too old");

        primary.has_committed(new, Instant::now());
        primary.has_committed(old, Instant::now());
        assert!(primary.vouches_for(new), "a lower timeline never counts again");
        assert!(primary.has_replaced(old) && !primary.has_replaced(new));
    }

    #[tokio::test(start_paused = true)]
    async fn a_later_commit_of_the_same_server_confirms_what_was_read() {
        let primary = Primary::default();
        let (old, new) =
            (ServerIdentity { host: 0, timeline: 1 }, ServerIdentity { host: 1, timeline: 2 });
        let before = Instant::now();
        tokio::time::advance(Duration::from_millis(1)).await;
        let read_at = Instant::now();
        primary.has_committed(old, before);
        assert!(!primary.has_confirmed_all_of(old, read_at), "the commit was sent before");
        tokio::time::advance(Duration::from_millis(1)).await;
        primary.has_committed(old, Instant::now());
        assert!(primary.has_confirmed_all_of(old, read_at));
        primary.has_committed(new, Instant::now());
        assert!(!primary.has_confirmed_all_of(old, read_at), "the new primary may lack it");
    }
}
