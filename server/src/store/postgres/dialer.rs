//! Finds the primary and connects to it.
//!
//! All servers are asked at once, so that a paused one delays nothing. The writable server with the
//! highest timeline counts, and only after one commit that a standby has confirmed: a primary that
//! has been replaced cannot complete one.
//! Whether a server can keep what it acknowledges.

use std::{collections::BTreeSet, fmt, sync::Arc, time::Duration};

use futures::{FutureExt as _, StreamExt as _, future::BoxFuture, stream::FuturesUnordered};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpStream, UnixStream},
    sync::Mutex,
    time::{Instant, sleep, timeout, timeout_at},
};
use tokio_postgres::{
    NoTls,
    config::Host,
    error::SqlState,
    tls::{MakeTlsConnect, TlsConnect},
};
use tokio_postgres_rustls::MakeRustlsConnect;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::{
    connection::{Connection, LineState, Primary, ServerIdentity, drive},
    errors::{Failure, PostgresError, certificate_fault, text_of},
    url::PostgresUrl,
};
use crate::limits::{
    POSTGRES_DIAL_EVERY, POSTGRES_DIAL_MAX, POSTGRES_PATIENCE, POSTGRES_STANDBYS_EVERY,
    POSTGRES_STATEMENT_MAX,
};

#[derive(Debug)]
pub(super) struct Dialer {
    url: PostgresUrl,
    is_replicated: bool,
    statement_max: Duration,
    primary: Arc<Primary>,
    tasks: TaskTracker,
    /// A server that looks like the primary, but has not confirmed a commit yet. It is kept while
    /// it waits for its standbys: each attempt would leave a process behind that waits, too.
    ///
    /// The lock lets one search run at a time.
    candidate: Mutex<Option<PrimaryCandidate>>,
    /// The standbys that would be refused as the primary, by their places in the URL.
    unfit: parking_lot::Mutex<BTreeSet<usize>>,
}

/// A server that looks like the primary, and the barrier that it has to confirm. The barrier is
/// sent once, however many searches wait for it.
struct PrimaryCandidate {
    server: ServerIdentity,
    confirmed: BoxFuture<'static, Result<(Connection, Instant), Failure>>,
}

impl PrimaryCandidate {
    fn new(connection: Connection) -> Self {
        let server = connection.server();
        let confirmed = async move {
            let sent_at = connection.barrier_without_deadline().await?;
            Ok((connection, sent_at))
        };
        Self { server, confirmed: confirmed.boxed() }
    }
}

impl fmt::Debug for PrimaryCandidate {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("PrimaryCandidate")
            .field("server", &self.server)
            .finish_non_exhaustive()
    }
}

type Answer = Option<Connection>;

impl Dialer {
    /// Dials the servers of a URL. With `is_replicated` a server without synchronous standbys is
    /// refused. A statement of a connection may take `statement_max`.
    pub(super) fn new(
        url: PostgresUrl,
        is_replicated: bool,
        statement_max: Duration,
        tasks: TaskTracker,
    ) -> Self {
        let (primary, candidate, unfit) =
            (Arc::default(), Mutex::default(), parking_lot::Mutex::default());
        Self { url, is_replicated, statement_max, primary, tasks, candidate, unfit }
    }

    pub(super) fn primary(&self) -> &Arc<Primary> {
        &self.primary
    }

    pub(super) fn is_replicated(&self) -> bool {
        self.is_replicated
    }

    pub(super) fn url(&self) -> &PostgresUrl {
        &self.url
    }

    /// Connects to the primary, however often that takes until the deadline.
    pub(super) async fn dial(&self, deadline: Instant) -> Result<Connection, PostgresError> {
        let reason = "no connection could be made in time".to_owned();
        let mut last = PostgresError::Unreachable { reason };
        let search = async {
            let mut candidate = self.candidate.lock().await;
            loop {
                match self.search(&mut candidate).await {
                    Ok(connection) => return connection,
                    Err(error) => last = error,
                }
                sleep(POSTGRES_DIAL_EVERY).await;
            }
        };
        timeout_at(deadline, search).await.map_err(|_| last)
    }

    /// Connects to the primary. Fails at once if it is certain that waiting does not help.
    pub(super) async fn dial_at_start(
        &self,
        deadline: Instant,
    ) -> Result<Connection, PostgresError> {
        loop {
            let mut candidate = self.candidate.lock().await;
            let error = match self.search(&mut candidate).await {
                Ok(connection) => return Ok(connection),
                Err(error) => error,
            };
            drop(candidate);
            let may_pass = matches!(
                error,
                PostgresError::Unreachable { .. }
                    | PostgresError::NoPrimary { .. }
                    | PostgresError::NoStandby { .. }
            );
            if !may_pass || Instant::now() >= deadline {
                return Err(error);
            }
            sleep(POSTGRES_DIAL_EVERY).await;
        }
    }

    /// Whether a connection may still be used: no other server has been promoted since.
    pub(super) fn is_current(&self, connection: &Connection) -> bool {
        connection.is_usable() && !self.primary.has_replaced(connection.server())
    }

    /// Returns a connection whose commits wait for no disk and no standby: the one that is held, as
    /// long as it may be used.
    pub(super) async fn without_waiting(
        &self,
        held: &mut Option<Arc<Connection>>,
    ) -> Result<Arc<Connection>, Failure> {
        if let Some(connection) = held.as_ref().filter(|held| self.is_current(held)) {
            return Ok(Arc::clone(connection));
        }
        let dialled = self.dial(Instant::now() + POSTGRES_PATIENCE).await;
        let connection = dialled.map_err(|error| Failure::unknown(error.to_string()))?;
        connection.batch("SET synchronous_commit = off", POSTGRES_STATEMENT_MAX).await?;
        Ok(Arc::clone(held.insert(Arc::new(connection))))
    }

    async fn search(
        &self,
        candidate: &mut Option<PrimaryCandidate>,
    ) -> Result<Connection, PostgresError> {
        if let Some(server) = self.primary.proven()
            && let Ok(Ok(Some(connection))) =
                timeout(POSTGRES_DIAL_MAX, self.connect(server.host)).await
            && connection.server() == server
        {
            return Ok(connection);
        }
        match self.ask_all(candidate.as_ref().map(|held| held.server)).await {
            Ok(found) => *candidate = Some(PrimaryCandidate::new(found)),
            Err(error) if candidate.is_none() => return Err(error),
            Err(_) => {}
        }
        let Some(held) = candidate else {
            return Err(PostgresError::NoPrimary { reason: "none answers".to_owned() });
        };
        let server = held.server;
        match timeout(POSTGRES_STATEMENT_MAX, &mut held.confirmed).await {
            Ok(Ok((connection, sent_at))) => {
                *candidate = None;
                self.primary.has_committed(server, sent_at);
                Ok(connection)
            }
            Ok(Err(failure)) => {
                *candidate = None;
                Err(failure.into())
            }
            Err(_) => {
                Err(PostgresError::NoStandby { host: self.url.hosts[server.host].to_string() })
            }
        }
    }

    /// Asks all servers at once and returns the writable one with the highest timeline, if that is
    /// higher than that of the server that is held.
    async fn ask_all(&self, held: Option<ServerIdentity>) -> Result<Connection, PostgresError> {
        let others =
            (0..self.url.hosts.len()).filter(|host| held.is_none_or(|held| held.host != *host));
        let mut answers: FuturesUnordered<_> = others
            .map(|host| async move {
                let answer = timeout(POSTGRES_DIAL_MAX, self.connect(host)).await;
                let silent = || PostgresError::Unreachable {
                    reason: format!("{} does not answer", self.url.hosts[host]),
                };
                answer.unwrap_or_else(|_| Err(silent()))
            })
            .collect();
        let (mut best, mut errors): (Option<Connection>, Vec<PostgresError>) = (None, Vec::new());
        while let Some(answer) = answers.next().await {
            match answer {
                Ok(Some(found)) => {
                    let timeline = found.server().timeline;
                    let beaten = best.as_ref().map(Connection::server).or(held);
                    if beaten.is_none_or(|beaten| beaten.timeline < timeline)
                        && !self.primary.has_replaced(found.server())
                    {
                        best = Some(found);
                    }
                }
                Ok(None) => {}
                Err(error) => errors.push(error),
            }
        }
        best.ok_or_else(|| summary(errors))
    }

    /// Asks the standbys from time to time whether one of them could not take over: after a
    /// promotion it is too late.
    pub(super) async fn watch_standbys(self: Arc<Self>, stop: CancellationToken) {
        let watching = async {
            loop {
                sleep(POSTGRES_STANDBYS_EVERY).await;
                self.look_at_standbys().await;
            }
        };
        stop.run_until_cancelled(watching).await;
    }

    /// Asks the standbys. One that does not answer is a matter of PostgreSQL's own monitor.
    pub(super) async fn look_at_standbys(&self) {
        let primary = self.primary.proven().map(|server| server.host);
        for host in (0..self.url.hosts.len()).filter(|host| Some(*host) != primary) {
            timeout(POSTGRES_DIAL_MAX, self.connect(host)).await.ok();
        }
    }

    /// The standbys that could not take over, by their places in the URL.
    #[cfg(test)]
    pub(super) fn unfit(&self) -> Vec<usize> {
        self.unfit.lock().iter().copied().collect()
    }

    /// Warns once of a standby that would be refused as the primary.
    fn note_standby(&self, host: usize, refusal: Option<&PostgresError>) {
        let mut unfit = self.unfit.lock();
        match refusal {
            None => {
                unfit.remove(&host);
            }
            Some(reason) if unfit.insert(host) => {
                // operator: a standby has settings, a version or an encoding with which it would be
                // refused as the primary; nodes ask the standbys at their start and every five
                // minutes
                tracing::warn!(%reason, "a standby could not take over");
            }
            Some(_) => {}
        }
    }

    /// Connects to a server. Returns no connection to a standby.
    async fn connect(&self, host: usize) -> Result<Answer, PostgresError> {
        let mut connection = match &self.url.hosts[host].host {
            Host::Tcp(name) => {
                let stream = TcpStream::connect((name.as_str(), self.url.hosts[host].port)).await;
                let stream = stream.and_then(|stream| stream.set_nodelay(true).map(|()| stream));
                self.log_in(stream.map_err(|error| self.unreachable(host, &error))?, host, name)
                    .await?
            }
            Host::Unix(folder) => {
                let path = folder.join(format!(".s.PGSQL.{}", self.url.hosts[host].port));
                let stream = UnixStream::connect(path).await;
                self.log_in(stream.map_err(|error| self.unreachable(host, &error))?, host, "")
                    .await?
            }
        };
        let unclear = |failure: Failure| PostgresError::Unreachable {
            reason: format!("{}: {}", self.url.hosts[host], failure.into_error()),
        };
        connection.identify(ServerIdentity { host, timeline: 0 });
        let answer = ask_server(&connection, &self.url, host, self.is_replicated);
        let (timeline, refusal) = answer.await.map_err(unclear)?;
        let Some(timeline) = timeline else {
            self.note_standby(host, refusal.as_ref());
            return Ok(None);
        };
        if let Some(refusal) = refusal {
            return Err(refusal);
        }
        connection.identify(ServerIdentity { host, timeline });
        Ok(Some(connection))
    }

    async fn log_in<S>(
        &self,
        stream: S,
        host: usize,
        name: &str,
    ) -> Result<Connection, PostgresError>
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        match &self.url.tls {
            None => self.log_in_with(stream, NoTls, host).await,
            Some(tls) => {
                let mut tls = MakeRustlsConnect::new(tls.clone());
                let connect = MakeTlsConnect::<S>::make_tls_connect(&mut tls, name);
                let connect = connect.map_err(|error| self.unreachable(host, &error))?;
                self.log_in_with(stream, connect, host).await
            }
        }
    }

    async fn log_in_with<S, T>(
        &self,
        stream: S,
        tls: T,
        host: usize,
    ) -> Result<Connection, PostgresError>
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
        T: TlsConnect<S>,
        T::Stream: Send + 'static,
    {
        let connected = self.url.config.connect_raw(stream, tls).await;
        let (client, connection) = connected.map_err(|error| self.refused(host, &error))?;
        let state = Arc::<LineState>::default();
        let driver = self.tasks.spawn(drive(connection, Arc::clone(&state))).abort_handle();
        Ok(Connection::new(client, state, driver, self.is_replicated, self.statement_max))
    }

    fn unreachable(&self, host: usize, error: &dyn std::error::Error) -> PostgresError {
        PostgresError::Unreachable {
            reason: format!("{}: {}", self.url.hosts[host], text_of(error)),
        }
    }

    fn refused(&self, host: usize, error: &tokio_postgres::Error) -> PostgresError {
        let Some(code) = error.code() else {
            let Some(reason) = certificate_fault(error) else {
                return self.unreachable(host, error);
            };
            return PostgresError::Certificate { host: self.url.hosts[host].to_string(), reason };
        };
        let reason =
            error.as_db_error().map_or_else(String::new, |error| error.message().to_owned());
        let host_name = self.url.hosts[host].to_string();
        let (user, database) = (self.url.user().to_owned(), self.url.database().to_owned());
        match code {
            code if *code == SqlState::INVALID_PASSWORD
                || *code == SqlState::INVALID_AUTHORIZATION_SPECIFICATION =>
            {
                PostgresError::LogIn { host: host_name, user, reason }
            }
            code if *code == SqlState::UNDEFINED_DATABASE => {
                PostgresError::NoDatabase { host: host_name, database, user }
            }
            _ => self.unreachable(host, error),
        }
    }
}

/// The error that says most: what a primary says, what any server says of the log-in, or all of
/// them. A standby may be behind and not know of a new user or database, so that its refusal is
/// not certain while another server, which may be the primary, does not answer.
fn summary(mut errors: Vec<PostgresError>) -> PostgresError {
    errors.sort_by_key(doubt);
    let [best, worst] = [errors.first(), errors.last()].map(|error| error.map(doubt));
    match (best, worst) {
        (None, _) => PostgresError::NoPrimary { reason: "all that answer are standbys".to_owned() },
        (Some(Doubt::None), _) | (_, Some(Doubt::MayBeStandby)) => errors.swap_remove(0),
        (Some(_), _) => {
            let reasons = errors.into_iter().map(|error| {
                if let PostgresError::Unreachable { reason } = error {
                    reason
                } else {
                    error.to_string()
                }
            });
            PostgresError::Unreachable { reason: reasons.collect::<Vec<_>>().join("; ") }
        }
    }
}

/// Whether the error of one server may pass while another is the primary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Doubt {
    /// A primary says so.
    None,
    /// Any server says so, and it may be a standby.
    MayBeStandby,
    /// The server does not answer, and it may be the primary.
    MayBePrimary,
}

fn doubt(error: &PostgresError) -> Doubt {
    match error {
        PostgresError::Unreachable { .. } => Doubt::MayBePrimary,
        PostgresError::LogIn { .. }
        | PostgresError::NoDatabase { .. }
        | PostgresError::Certificate { .. } => Doubt::MayBeStandby,
        // A primary says so.
        _ => Doubt::None,
    }
}

const VERSION_MIN: u32 = 15;

const QUESTION: &str = "SELECT CASE WHEN NOT pg_is_in_recovery() \
         THEN substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) END, \
     current_setting('server_version_num'), current_setting('fsync'), \
     current_setting('full_page_writes'), current_setting('synchronous_standby_names'), \
     current_setting('server_encoding')";

/// Asks a server for its timeline if it is a primary, and why it cannot be used.
async fn ask_server(
    connection: &Connection,
    url: &PostgresUrl,
    host: usize,
    is_replicated: bool,
) -> Result<(Option<u32>, Option<PostgresError>), Failure> {
    let rows = connection.query(QUESTION, &[]).await?;
    let row = rows.first().ok_or_else(|| Failure::fault("PostgreSQL says nothing of itself"))?;
    let timeline: Option<&str> = row.try_get(0)?;
    let timeline = timeline.and_then(|hex| u32::from_str_radix(hex, 16).ok());
    let text = |column: usize| row.try_get::<_, String>(column);
    let answers = [text(1)?, text(2)?, text(3)?, text(4)?, text(5)?];
    Ok((timeline, refusal(answers, url, host, is_replicated)))
}

/// Returns why a server cannot be used that answers the question like this.
fn refusal(
    answers: [String; 5],
    url: &PostgresUrl,
    host: usize,
    is_replicated: bool,
) -> Option<PostgresError> {
    let ([version, fsync, full_page_writes, standbys, encoding], needed) = (answers, VERSION_MIN);
    let (host, found) = (url.hosts[host].to_string(), version.parse().unwrap_or(0) / 10_000);
    if found < needed {
        return Some(PostgresError::Version { host, found, needed });
    }
    for (setting, value) in [("fsync", fsync), ("full_page_writes", full_page_writes)] {
        if value != "on" {
            return Some(PostgresError::Unsafe { host, setting, value });
        }
    }
    if is_replicated && standbys.is_empty() {
        return Some(PostgresError::NotReplicated { host });
    }
    let database = || url.database().to_owned();
    (encoding != "UTF8").then(|| PostgresError::Encoding { database: database(), found: encoding })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn no_database() -> PostgresError {
        let [host, database, user] = ["b", "adamant", "adamant"].map(str::to_owned);
        PostgresError::NoDatabase { host, database, user }
    }

    #[test]
    fn a_refusal_by_what_may_be_a_standby_is_not_certain_while_another_server_is_silent() {
        let silent = || PostgresError::Unreachable { reason: "a does not answer".to_owned() };
        let PostgresError::Unreachable { reason } = summary(vec![silent(), no_database()]) else {
            panic!("the silent server may be the primary")
        };
        assert!(reason.contains("a does not answer"), "{reason}");
        assert!(reason.contains(&no_database().to_string()), "{reason}");
        assert!(matches!(summary(vec![no_database()]), PostgresError::NoDatabase { .. }));
        let certain = summary(vec![silent(), PostgresError::HalfImported]);
        assert!(matches!(certain, PostgresError::HalfImported), "a primary has said so");
    }

    #[test]
    fn an_old_server_is_refused() {
        let url = PostgresUrl::parse("postgres://ann@127.0.0.1/games").unwrap();
        let answers = ["140011", "on", "on", "ANY 1 (pg2)", "UTF8"];
        let refused = |answers: [&str; 5]| refusal(answers.map(str::to_owned), &url, 0, true);
        let error = refused(answers).unwrap();
        assert!(matches!(error, PostgresError::Version { found: 14, needed: 15, .. }), "{error}");
        assert!(refused(["150000", "on", "on", "ANY 1 (pg2)", "UTF8"]).is_none());
    }
}
