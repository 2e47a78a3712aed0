//! A run: starts the inner server, the relay and the opponent, restarts the server when the seed
//! says so, and ends with the verdict.

use std::{
    io,
    net::SocketAddr,
    path::{Path, PathBuf},
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

use super::{
    connection,
    draw::Draw,
    ledger::{Ledger, MessageRate},
    opponent::{Opponent, new_guest},
    plan::Plan,
    tormentor::Tormentor,
    verdict::Verdict,
};
use crate::{
    app::App,
    config::{Config, StoreConfig},
    limits::{CHAOS_RESTARTS_MAX, PACED_MAX},
    runtime::shutdown::{NoSignals, SignalRequest, Signals},
};

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
    /// The inner server does not start.
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
pub struct ChaosRun {
    settings: ChaosSettings,
    invitation: Invitation,
    config: Config,
    app: App,
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

impl ChaosRun {
    /// Starts the servers. When this returns, the client may connect.
    pub async fn start(config: &Config, settings: ChaosSettings) -> Result<Self, ChaosError> {
        let listen = config.network.listen;
        if !listen.ip().is_loopback() {
            return Err(ChaosError::NotLoopback(listen));
        }
        let (data, temporary) = if let Some(data) = &settings.data {
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
        let mut inner = Config { store: StoreConfig::at(data), ..Config::default() };
        inner.network.listen = SocketAddr::new(listen.ip(), 0);
        inner.games.house = false;
        inner.games.loops = Some(1);
        // The client's sessions and the opponent's come from one address.
        inner.limits.upgrades_per_min = 1_000;
        inner.limits.connections = 200;
        let app = start_app(&inner).await?;
        let token = new_guest(app.address, CLIENT).await?;
        let opponent = (OPPONENT.to_owned(), new_guest(app.address, OPPONENT).await?);
        let rate = MessageRate {
            // The server lets a client be ahead of its rate by as much.
            burst: u64::from(inner.limits.messages_burst)
                + u64::from(inner.limits.messages_per_s) * PACED_MAX.as_secs(),
            per_s: inner.limits.messages_per_s.into(),
        };
        let plan = Plan { draw: Draw::seeded(settings.seed), fast: settings.fast };
        let (restart, restarts) = mpsc::channel(CHAOS_RESTARTS_MAX);
        let tormentor = Arc::new(Tormentor::new(plan, Ledger::new(rate, &token), restart));
        tormentor.inner.send_replace(Some(app.address));
        let (seed, games) = (settings.seed, settings.games);
        let invitation = Invitation { url, seed, user: CLIENT.to_owned(), token, games };
        Ok(Self {
            settings,
            invitation,
            config: inner,
            app,
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

    /// Torments the client until its games are over or a signal stops the run, and returns the
    /// verdict.
    pub async fn run(mut self, mut signals: impl Signals) -> Result<Verdict, ChaosError> {
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
                request = signals.next() => {
                    if let SignalRequest::Stop(signal) = request {
                        break format!("the run was stopped by {signal}");
                    }
                }
                Some(()) = self.restarts.recv() => {
                    tormentor.inner.send_replace(None);
                    self.app = Box::pin(restart(self.app, &self.config)).await?;
                    tormentor.inner.send_replace(Some(self.app.address));
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
        self.app.lifecycle.soft.cancel();
        self.app.run(NoSignals, |_| {}).await;
        self.app.close().await;
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

async fn start_app(config: &Config) -> Result<App, ChaosError> {
    Ok(App::start(config).await.map_err(anyhow::Error::new)?)
}

/// Stops a server as an operator does, and starts it on the same files.
async fn restart(app: App, config: &Config) -> Result<App, ChaosError> {
    app.lifecycle.soft.cancel();
    app.run(NoSignals, |_| {}).await;
    app.close().await;
    drop(app);
    start_app(config).await
}
