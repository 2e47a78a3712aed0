//! The chaos mode (`adamant-server --chaos SEED`): a relay before an ordinary server, which the
//! caller starts ([`Server`]). By a seed the relay does to a client everything that
//! docs/PROTOCOL.md says a client must bear. A scripted opponent challenges the client, and at the
//! end there is a verdict. docs/CONFORMANCE.md is for its users.
//!
//! `plan` says what happens to which frame, `connection` does it, and `ledger` keeps the account.
//! What the relay sends is what a later server could send: `records` numbers events again. A run,
//! here, starts the inner server, the relay and the opponent, restarts the server when the seed
//! says so, and ends with the verdict.

mod connection;
mod ledger;
mod opponent;
mod plan;
mod records;
#[cfg(test)]
mod tests;
mod tormentor;

use std::{
    fmt::Display,
    io,
    net::{IpAddr, SocketAddr},
    path::{Path, PathBuf},
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use adamant_protocol::WEBSOCKET_PATH;
use serde::Serialize;
use tempfile::TempDir;
use tokio::{
    net::TcpListener,
    sync::mpsc,
    time::{Instant, sleep, timeout},
};
use tokio_util::task::TaskTracker;

use crate::{
    ledger::Ledger,
    opponent::{Opponent, new_guest},
    plan::{Draw, Plan, RESTARTS_MAX},
    tormentor::Tormentor,
};

pub use ledger::{Breach, Found, MessageRate, Verdict};

/// The server behind the relay.
pub trait Server: Sized {
    /// Starts the server on the files of a directory, on any free port of an address.
    fn start(directory: &Path, ip: IpAddr) -> impl Future<Output = anyhow::Result<Self>>;

    /// The address on which it listens.
    fn address(&self) -> SocketAddr;

    /// How many messages a client may send.
    fn message_rate(&self) -> MessageRate;

    /// Stops the server as an operator does.
    fn stop(self) -> impl Future<Output = ()>;
}

/// The name of the user whose token the client under test is given.
const CLIENT: &str = "candidate";

/// The name of the opponent.
const OPPONENT: &str = "tormentor";

/// How often a run looks whether it is over.
const TICK: Duration = Duration::from_millis(50);

/// What a run is to do.
#[derive(Debug, Clone)]
pub struct ChaosSettings {
    /// What decides all faults.
    pub seed: u64,
    /// Whether waits are short.
    pub fast: bool,
    /// How many games there are.
    pub games: u64,
    /// The data directory, if one was named; otherwise a temporary one.
    pub data: Option<PathBuf>,
}

/// Why there is no run.
#[derive(Debug, thiserror::Error)]
pub enum ChaosError {
    /// The address is not of this machine alone.
    #[error("--chaos listens on loopback addresses only, and {0} is none: use 127.0.0.1:PORT")]
    NotLoopback(SocketAddr),
    /// The data directory has something in it.
    #[error("{0} is not empty: --chaos never runs on games; name an empty directory, or none")]
    HoldsGames(PathBuf),
    /// A file or the port cannot be used.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// The server does not start.
    #[error("{0}")]
    Server(#[from] anyhow::Error),
}

/// What a client needs in order to take part.
#[derive(Debug, Clone, Serialize)]
pub struct Invitation {
    /// The address.
    pub url: String,
    /// The seed.
    pub seed: u64,
    /// The user that the token is of.
    pub user: String,
    /// The token to come with.
    pub token: String,
    /// How many games there are.
    pub games: u64,
}

impl Invitation {
    /// Returns what the client is to do, as text.
    pub fn lines(&self) -> Vec<String> {
        let Self { url, seed, user, token, games } = self;
        vec![
            format!("This server torments one client by the seed {seed}, in {games} games."),
            format!("  address  {url}"),
            format!("  token    {token} (of the user {user}; a guest may come without)"),
            "The client accepts all challenges, and plays until the server closes for good."
                .to_owned(),
            "Ctrl-C ends the run early. The verdict follows.".to_owned(),
        ]
    }
}

/// A run that accepts connections.
#[derive(Debug)]
pub struct ChaosRun<S> {
    settings: ChaosSettings,
    invitation: Invitation,
    server: S,
    /// The server's files.
    directory: PathBuf,
    listener: TcpListener,
    tormentor: Arc<Tormentor>,
    restarts: mpsc::Receiver<()>,
    opponent: (String, String),
    /// The temporary directory, which is removed at the end.
    _temporary: Option<TempDir>,
}

/// The limits of a run in time.
#[derive(Debug, Clone, Copy)]
struct Patience {
    /// Without anything from the client.
    silence: Duration,
    /// In all.
    total: Duration,
    /// For an open session at the end.
    session: Duration,
    /// For a client that comes back although it should not.
    return_after: Duration,
}

impl Patience {
    const fn new(fast: bool) -> Self {
        let factor = if fast { 1 } else { 4 };
        Self {
            silence: Duration::from_secs(30 * factor),
            total: Duration::from_secs(150 * factor),
            session: Duration::from_secs(5 * factor),
            return_after: Duration::from_millis(1_200 * factor),
        }
    }
}

impl<S: Server> ChaosRun<S> {
    /// Starts the server, and the relay on the address `listen`. When this returns, the client may
    /// connect.
    pub async fn start(listen: SocketAddr, settings: ChaosSettings) -> Result<Self, ChaosError> {
        if !listen.ip().is_loopback() {
            return Err(ChaosError::NotLoopback(listen));
        }
        let (directory, temporary) = if let Some(data) = &settings.data {
            if !is_empty(data)? {
                return Err(ChaosError::HoldsGames(data.clone()));
            }
            (data.clone(), None)
        } else {
            let directory = tempfile::Builder::new().prefix("adamant-chaos-").tempdir()?;
            (directory.path().to_owned(), Some(directory))
        };
        let listener = TcpListener::bind(listen).await?;
        let url = format!("ws://{}{WEBSOCKET_PATH}", listener.local_addr()?);
        let server = S::start(&directory, listen.ip()).await?;
        let token = new_guest(server.address(), CLIENT).await?;
        let opponent = (OPPONENT.to_owned(), new_guest(server.address(), OPPONENT).await?);
        let plan = Plan { draw: Draw::seeded(settings.seed), fast: settings.fast };
        let (restart, restarts) = mpsc::channel(RESTARTS_MAX);
        let ledger = Ledger::new(server.message_rate(), &token);
        let tormentor = Arc::new(Tormentor::new(plan, ledger, restart));
        tormentor.inner.send_replace(Some(server.address()));
        let (seed, games) = (settings.seed, settings.games);
        let invitation = Invitation { url, seed, user: CLIENT.to_owned(), token, games };
        Ok(Self {
            settings,
            invitation,
            server,
            directory,
            listener,
            tormentor,
            restarts,
            opponent,
            _temporary: temporary,
        })
    }

    /// What a client needs in order to take part.
    pub const fn invitation(&self) -> &Invitation {
        &self.invitation
    }

    /// Torments the client until its games are over or `stop` says which signal stops the run, and
    /// returns the verdict.
    pub async fn run(
        mut self,
        stop: impl Future<Output = impl Display>,
    ) -> Result<Verdict, ChaosError> {
        let mut stop = pin!(stop);
        let patience = Patience::new(self.settings.fast);
        let tasks = TaskTracker::new();
        let ended = Arc::new(AtomicU64::new(0));
        let tormentor = Arc::clone(&self.tormentor);
        let wanted = self.settings.games;
        let opponent = Opponent::new(
            Arc::clone(&tormentor),
            self.opponent.clone(),
            wanted,
            Arc::clone(&ended),
        );
        let mut opponent = tasks.spawn(opponent.run());
        let began = Instant::now();
        let mut last_sign = (0, Instant::now());
        let why = loop {
            tokio::select! {
                biased;
                signal = &mut stop => break format!("the run was stopped by {signal}"),
                Some(()) = self.restarts.recv() => {
                    tormentor.inner.send_replace(None);
                    self.server.stop().await;
                    let ip = self.listener.local_addr()?.ip();
                    self.server = S::start(&self.directory, ip).await?;
                    tormentor.inner.send_replace(Some(self.server.address()));
                }
                accepted = self.listener.accept() => {
                    if let Ok((stream, _)) = accepted {
                        stream.set_nodelay(true).ok();
                        tasks.spawn(connection::serve(Arc::clone(&tormentor), stream));
                    }
                }
                _ = &mut opponent => break "it declined the challenges".to_owned(),
                () = sleep(TICK) => {
                    let signs = tormentor.signs_of_life();
                    if signs != last_sign.0 {
                        last_sign = (signs, Instant::now());
                    }
                    if last_sign.1.elapsed() >= patience.silence {
                        break format!("it sent nothing for {} s", patience.silence.as_secs());
                    }
                    if began.elapsed() >= patience.total {
                        break format!("it was not done after {} s", patience.total.as_secs());
                    }
                }
            }
        };
        let ended = ended.load(Ordering::Relaxed);
        if ended >= wanted {
            self.say_goodbye(&tasks, patience).await;
        }
        tormentor.ended.cancel();
        self.server.stop().await;
        let fresh = Ledger::new(MessageRate { burst: 0, per_s: 0 }, "");
        let ledger = std::mem::replace(&mut *tormentor.ledger(), fresh);
        let verdict = ledger.verdict(tormentor.now_ms(), ended, wanted, &why);
        Ok(Verdict { seed: self.settings.seed, fast: self.settings.fast, ..verdict })
    }

    /// Closes for good, and waits whether the client respects that.
    async fn say_goodbye(&mut self, tasks: &TaskTracker, patience: Patience) {
        let tormentor = Arc::clone(&self.tormentor);
        // A client that is away is on its way back; one that has left for good stays away.
        let session = Instant::now() + patience.session;
        while !tormentor.has_session() && Instant::now() < session {
            self.accept_for(tasks, TICK).await;
        }
        // What is under way arrives before the close.
        self.accept_for(tasks, 4 * TICK).await;
        tormentor.ended.cancel();
        self.accept_for(tasks, patience.return_after).await;
    }

    async fn accept_for(&mut self, tasks: &TaskTracker, time: Duration) {
        let accepting = async {
            loop {
                if let Ok((stream, _)) = self.listener.accept().await {
                    tasks.spawn(connection::serve(Arc::clone(&self.tormentor), stream));
                }
            }
        };
        timeout(time, accepting).await.ok();
    }
}

/// Whether a directory has nothing in it, or does not exist.
fn is_empty(directory: &Path) -> io::Result<bool> {
    match std::fs::read_dir(directory) {
        Ok(mut entries) => Ok(entries.next().is_none()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(true),
        Err(error) => Err(error),
    }
}
