//! Opens the store, starts the server and stops it.

use std::{
    net::SocketAddr,
    path::PathBuf,
    process::ExitCode,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use nix::unistd::gethostname;
use parking_lot::Mutex;
use tokio::{
    sync::{mpsc, watch},
    time::{sleep, timeout},
};
use tokio_util::task::TaskTracker;

use super::services::{
    StartError, build_services, prepare_searches, warn_of_moderators, warn_of_plain_text,
};
use crate::{
    admin::{self, AdminSocket, ReloadAnswer, ReloadRequests, Reloaded, settings_changed},
    config::{Config, DatabaseUrl, Limits, LimitsInForce, LoadedTls, NetworkConfig},
    http::{Admitted, Certificate, KeptPort, Server, TakenPort},
    limits,
    runtime::{
        environment::Environment,
        fd_limits::{self, FdBudget, TooFewDescriptors},
        files,
        metrics::{Metrics, Warning},
        shutdown::{Lifecycle, NoSignals, SignalRequest, Signals},
        time::{TimeSource, date, milliseconds},
        work_pool::WorkPool,
    },
    session::Services,
    store::{
        OpenedStore, Postgres, PostgresNode, PostgresOptions, PostgresUrl, ReadOnlyReason, Sqlite,
        Store, sqlite::OpenError,
    },
    talk::TalkService,
};

/// Logs that disk space is low, once until there is more.
async fn watch_disk(data: PathBuf, lifecycle: Lifecycle) {
    let mut was_low = false;
    loop {
        let free = files::free_bytes(&data);
        let is_low = free.is_some_and(|free| free < limits::DISK_LOW_BYTES);
        if is_low && !was_low {
            // operator: less than 1 GiB is free. Logged once, until there is more. Free space
            tracing::warn!(free, below = limits::DISK_LOW_BYTES, "disk space low");
        }
        was_low = is_low;
        if lifecycle.soft.run_until_cancelled(sleep(limits::DISK_CHECK_EVERY)).await.is_none() {
            return;
        }
    }
}

/// Warns while the certificate in force expires soon: at the start, at each reload, and once a day.
async fn watch_certificate(mut certificate: watch::Receiver<LoadedTls>, services: Arc<Services>) {
    let warn = async {
        loop {
            let expires_at = certificate.borrow_and_update().expires_at;
            let soon = expires_at.filter(|at| {
                at.saturating_sub(services.time.now_ms()) < milliseconds(limits::CERTIFICATE_SOON)
            });
            services.metrics.set_warning(Warning::CertificateExpires, soon.is_some());
            if let Some(expires_at) = soon {
                // operator: no client can connect once the certificate of `network.tls` has
                // expired. Renew it and reload the configuration
                tracing::warn!(at = date(expires_at), "the certificate expires soon");
            }
            drop(timeout(limits::CERTIFICATE_CHECKED_EVERY, certificate.changed()).await);
        }
    };
    let stop = services.lifecycle.soft.clone();
    stop.run_until_cancelled(warn).await;
}

/// Shares out the file descriptors that the system allows.
fn allocate_descriptors(config: &Config) -> Result<FdBudget, TooFewDescriptors> {
    let descriptors = fd_limits::raise_limit();
    let wanted = usize::try_from(config.limits.connections).unwrap_or(usize::MAX);
    let budget = fd_limits::allocate(descriptors, wanted)?;
    if budget.connections < wanted {
        let connections = budget.connections;
        // operator: there are too few file descriptors for `limits.connections`. Raise `ulimit -n`
        tracing::warn!(descriptors, connections, wanted, "file descriptors limit the connections");
    }
    Ok(budget)
}

/// Waits until the disk has space, then restarts the server within the process.
async fn restart_when_space(data: PathBuf, lifecycle: Lifecycle, restarts: Arc<AtomicBool>) {
    while lifecycle.soft.run_until_cancelled(sleep(limits::FULL_DISK_CHECK_EVERY)).await.is_some() {
        let data = data.clone();
        let check = move || files::has_free_space(&data, limits::START_FREE_BYTES);
        if WorkPool::Threads.run(check).await.unwrap_or(false) {
            // operator: end of `disk full`: the server restarts with write access
            tracing::info!("disk has space again, restarting");
            restarts.store(true, Ordering::Relaxed);
            // New connections wait for the restart.
            lifecycle.ended.cancel();
            lifecycle.soft.cancel();
        }
    }
}

/// The signals of the process, and the requests of operators that stand for one.
#[derive(Debug)]
struct OperatorSignals<S> {
    signals: S,
    reloads: Option<ReloadRequests>,
    waiting: Arc<Mutex<Option<ReloadAnswer>>>,
}

impl<S: Signals> Signals for OperatorSignals<S> {
    async fn next(&mut self) -> SignalRequest {
        let asked = async {
            match &mut self.reloads {
                Some(reloads) => reloads.recv().await,
                None => None,
            }
        };
        tokio::select! {
            biased;
            request = self.signals.next() => request,
            Some(operator) = asked => {
                *self.waiting.lock() = Some(operator);
                SignalRequest::Reload
            }
        }
    }
}

/// A running server.
#[derive(Debug)]
pub struct App {
    /// The address that the server listens on.
    pub address: SocketAddr,
    /// Stops the server.
    pub lifecycle: Lifecycle,
    store: Store,
    time: TimeSource,
    port: KeptPort,
    certificate: Option<Certificate>,
    admitted: Admitted,
    talk: TalkService,
    limits: LimitsInForce,
    metrics: Arc<Metrics>,
    /// The configuration in force.
    config: Mutex<Config>,
    /// The operators who ask for a reload, until the server runs.
    reloads: Mutex<Option<ReloadRequests>>,
    /// The operator who waits for the reload that is under way.
    waiting: Arc<Mutex<Option<ReloadAnswer>>>,
    /// Whether the server stops in order to restart within the process.
    restarts: Arc<AtomicBool>,
}

impl App {
    /// Starts the server. When this returns, it accepts connections and every live game continues,
    /// or can be read if the store is read-only.
    pub async fn start(config: &Config) -> Result<Self, StartError> {
        Self::start_on(config, None).await
    }

    /// Starts the server on the port of one that has stopped to restart.
    pub async fn start_on(config: &Config, kept: Option<KeptPort>) -> Result<Self, StartError> {
        // The port first: a second server on it fails before it touches the store.
        let budget = allocate_descriptors(config)?;
        let mut port = TakenPort::take(config.network.listen, kept)?;
        let address = port.address();
        let server = Server::load(&config.network)?;
        if config.store.database.is_none() {
            // Clients wait for a server that is alone. Those of a node go to another one meanwhile.
            port = port.listen()?;
        }
        let scheme = if server.certificate().is_some() { "wss" } else { "ws" };
        let (services, store, time) = Box::pin(Self::begin(config)).await?;
        let listener = port.into_listener()?;
        let port = KeptPort::of(&listener).map_err(StartError::Address)?;
        let lifecycle = services.lifecycle.clone();
        let reads_only = store.backend.read_only();
        let (certificate, admitted) = (server.certificate().cloned(), server.admitted().clone());
        let (talk, limits) = (services.talk.clone(), services.limits.clone());
        let metrics = Arc::clone(&services.metrics);
        let restarts = Arc::new(AtomicBool::new(false));
        if let Some(why) = reads_only {
            // operator: see "Damage" and "Disk full"
            tracing::error!(%why, "store is read-only");
        }
        lifecycle.tasks.spawn(watch_disk(config.store.data.clone(), lifecycle.clone()));
        if reads_only == Some(ReadOnlyReason::DiskFull) {
            let data = config.store.data.clone();
            let awaiting = restart_when_space(data, lifecycle.clone(), Arc::clone(&restarts));
            lifecycle.tasks.spawn(awaiting);
        }
        Box::pin(admin::end_passed_maintenance(&services)).await?;
        let (ask_to_reload, reloads) = mpsc::channel(1);
        if let Some(socket) = AdminSocket::bind(config)? {
            lifecycle.tasks.spawn(socket.serve(Arc::clone(&services), ask_to_reload));
        }
        if let Some(certificate) = &certificate {
            let watching = watch_certificate(certificate.subscribe(), Arc::clone(&services));
            lifecycle.tasks.spawn(watching);
        }
        lifecycle.port.spawn(server.serve(listener, services, budget));
        let url = format!("{scheme}://{address}{}", adamant_protocol::WEBSOCKET_PATH);
        // operator: the server accepts connections
        tracing::info!(%url, "listening");
        let (config, reloads) = (Mutex::new(config.clone()), Mutex::new(Some(reloads)));
        let waiting = Arc::default();
        Ok(Self {
            address,
            lifecycle,
            store,
            time,
            port,
            certificate,
            admitted,
            talk,
            limits,
            metrics,
            config,
            reloads,
            waiting,
            restarts,
        })
    }

    /// Opens the store and builds the services. If the disk turns out to be full, or a game's chain
    /// to be broken, it starts again read-only.
    async fn begin(config: &Config) -> Result<(Arc<Services>, Store, TimeSource), StartError> {
        prepare_searches(config)?;
        let (lifecycle, metrics) = (Lifecycle::default(), Arc::new(Metrics::default()));
        let (opened, environment) = open_store(config, &metrics).await?;
        let time = environment.time.clone();
        let store = opened.store.clone();
        let writes = store.backend.read_only().is_none();
        let built = build_services(config, &lifecycle, environment.clone(), metrics, opened).await;
        let why = match (built, store.backend.read_only().filter(|_| writes)) {
            // A running server may find damage at any time.
            (Ok(services), _) => return Ok((services, store, time)),
            (Err(_), Some(found)) => found,
            (Err(error), None) if writes && error.is_disk_full() => {
                // operator: the server starts read-only; see "Disk full". Free space
                tracing::error!(%error, "disk full");
                ReadOnlyReason::DiskFull
            }
            (Err(error), None) => return Err(error),
        };
        lifecycle.soft.cancel();
        lifecycle.run(NoSignals).await;
        drop(store);
        let opened = Sqlite::open_read_only(&config.store, why)?;
        let opened = OpenedStore::from(opened);
        let store = opened.store.clone();
        let metrics = Arc::new(Metrics::default());
        let services =
            build_services(config, &Lifecycle::default(), environment, metrics, opened).await?;
        Ok((services, store, time))
    }

    /// Returns why the store is read-only; `None` if it is not.
    pub fn read_only(&self) -> Option<String> {
        self.store.backend.read_only().map(|why| why.to_string())
    }

    /// Applies the settings that can change at run time: certificate and key for new connections,
    /// hosts, origins and proxies, and the talk settings. The caller sets the filter of the log.
    /// Returns what has changed, and what needs a restart.
    pub fn reload(&self, config: &Config) -> Result<Reloaded, String> {
        match (&self.certificate, &config.network.tls) {
            (Some(certificate), Some(tls)) => {
                certificate.replace(tls.load().map_err(|error| error.to_string())?);
            }
            (None, None) => {}
            (Some(_), None) | (None, Some(_)) => {
                return Err("network.tls: switching TLS on or off needs a restart".to_owned());
            }
        }
        self.talk.reload(config.talk.clone());
        self.limits.replace(&config.limits);
        warn_of_plain_text(&config.network, &self.metrics);
        let (talk, store, metrics) =
            (config.talk.clone(), self.store.clone(), Arc::clone(&self.metrics));
        self.lifecycle.tasks.spawn(async move {
            if let Err(error) = warn_of_moderators(&talk, &store, &metrics).await {
                // operator: the store failed; `doctor` says whether each moderator has an account
                tracing::warn!(%error, "looking for the moderators failed");
            }
        });
        self.admitted.replace(&config.network);
        let mut present = self.config.lock();
        let reloaded = settings_changed(&present, config);
        let listen = present.network.listen;
        present.network = NetworkConfig { listen, ..config.network.clone() };
        present.talk = config.talk.clone();
        present.limits = Limits::clone(&self.limits.get());
        present.log.filter.clone_from(&config.log.filter);
        Ok(reloaded)
    }

    /// Tells the operator who has asked for a reload what became of it.
    pub fn answer_reload(&self, outcome: Result<Reloaded, String>) {
        if let Some(operator) = self.waiting.lock().take() {
            // The operator may have stopped waiting.
            drop(operator.send(outcome));
        }
    }

    /// Returns the port if the server has stopped to restart.
    pub fn restarts(self) -> Option<KeptPort> {
        self.restarts.load(Ordering::Relaxed).then_some(self.port)
    }

    /// Waits for a stop, lets other nodes take over the clients if there are any, drains, and
    /// returns when the last task has ended. Calls `on_signal` for each signal before the stop.
    pub async fn run(
        &self,
        signals: impl Signals,
        on_signal: impl FnMut(SignalRequest),
    ) -> ExitCode {
        let has_others = || self.store.backend.other_nodes() > 0;
        let (reloads, waiting) = (self.reloads.lock().take(), Arc::clone(&self.waiting));
        let signals = OperatorSignals { signals, reloads, waiting };
        self.lifecycle.run_with(signals, on_signal, has_others).await
    }

    /// Writes the last heartbeat, and waits until all writes are durable and copied into the
    /// database. Until then monitors receive answers.
    pub async fn close(&self) {
        self.store.backend.close(self.time.now_ms()).await;
        self.lifecycle.end().await;
    }
}

/// Opens the store that the configuration names. The server is to go by the time of the returned
/// environment, from its first decision on.
async fn open_store(
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
        Err(error) if error.is_malformed() => ReadOnlyReason::Malformed,
        Err(OpenError::Found(what)) => {
            // operator: an earlier run found it; the file `damage-found` has it too. See "Damage"
            tracing::error!(what, "the store is damaged");
            ReadOnlyReason::Malformed
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
    if ahead_ms.unsigned_abs() > limits::CLOCK_AHEAD_MAX_MS {
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
