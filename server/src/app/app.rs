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

use parking_lot::Mutex;
use tokio::{sync::mpsc, time::sleep};

use super::{open_store::open_store, services::build_services, start_error::StartError};
use crate::{
    admin::{self, AdminSocket, ReloadAnswer, ReloadRequests, Reloaded, settings_changed},
    config::{Config, NetworkConfig},
    http::{Admitted, Certificate, KeptPort, Server, TakenPort},
    limits::{DISK_CHECK_EVERY, DISK_LOW_BYTES, FULL_DISK_CHECK_EVERY, START_FREE_BYTES},
    runtime::{
        fd_limits, files,
        metrics::Metrics,
        shutdown::{Lifecycle, NoSignals, SignalRequest, Signals},
        time::TimeSource,
        work_pool::WorkPool,
    },
    session::Services,
    store::{OpenedStore, ReadOnlyReason, Sqlite, Store},
    talk::TalkService,
};

/// Logs that disk space is low, once until there is more.
async fn watch_disk(data: PathBuf, lifecycle: Lifecycle) {
    let mut was_low = false;
    loop {
        let free = files::free_bytes(&data);
        let is_low = free.is_some_and(|free| free < DISK_LOW_BYTES);
        if is_low && !was_low {
            // operator: less than 1 GiB is free. Logged once, until there is more. Free space
            tracing::warn!(free, below = DISK_LOW_BYTES, "disk space low");
        }
        was_low = is_low;
        if lifecycle.soft.run_until_cancelled(sleep(DISK_CHECK_EVERY)).await.is_none() {
            return;
        }
    }
}

/// Waits until the disk has space, then restarts the server within the process.
async fn restart_when_space(data: PathBuf, lifecycle: Lifecycle, restarts: Arc<AtomicBool>) {
    while lifecycle.soft.run_until_cancelled(sleep(FULL_DISK_CHECK_EVERY)).await.is_some() {
        let data = data.clone();
        let check = move || files::has_free_space(&data, START_FREE_BYTES);
        if WorkPool::Threads.run(check).await.unwrap_or(false) {
            // operator: end of `disk full`: the server starts anew with write access
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
        let descriptors = fd_limits::raise_limit();
        let wanted = usize::try_from(config.limits.connections).unwrap_or(usize::MAX);
        let budget = fd_limits::allocate(descriptors, wanted)?;
        if budget.connections < wanted {
            let connections = budget.connections;
            // operator: there are too few file descriptors for `limits.connections`. Raise `ulimit
            // -n`
            tracing::warn!(
                descriptors,
                connections,
                wanted,
                "file descriptors limit the connections"
            );
        }
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
        let (lifecycle, metrics) = (services.lifecycle.clone(), &services.metrics);
        let reads_only = store.backend.read_only();
        for name in ReadOnlyReason::NAMES {
            metrics.set_read_only(name, reads_only.is_some_and(|why| why.name() == name));
        }
        let (certificate, admitted) = (server.certificate().cloned(), server.admitted().clone());
        let talk = services.talk.clone();
        let restarts = Arc::new(AtomicBool::new(false));
        if let Some(why) = reads_only {
            // operator: see "A damaged WAL" and "Disk full"
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
            config,
            reloads,
            waiting,
            restarts,
        })
    }

    /// Opens the store and builds the services. If the disk turns out to be full, it starts again
    /// read-only.
    async fn begin(config: &Config) -> Result<(Arc<Services>, Store, TimeSource), StartError> {
        let (lifecycle, metrics) = (Lifecycle::default(), Arc::new(Metrics::default()));
        let (opened, environment) = open_store(config, &metrics).await?;
        let time = environment.time.clone();
        let store = opened.store.clone();
        let writes = store.backend.read_only().is_none();
        let error =
            match build_services(config, &lifecycle, environment.clone(), metrics, opened).await {
                Ok(services) => return Ok((services, store, time)),
                Err(error) if writes && error.is_disk_full() => error,
                Err(error) => return Err(error),
            };
        // operator: the server starts read-only; see "Disk full". Free space
        tracing::error!(%error, "disk full");
        lifecycle.soft.cancel();
        lifecycle.run(NoSignals).await;
        drop(store);
        let opened = Sqlite::open_read_only(&config.store, ReadOnlyReason::DiskFull)?;
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
        self.admitted.replace(&config.network);
        let mut present = self.config.lock();
        let reloaded = settings_changed(&present, config);
        let listen = present.network.listen;
        present.network = NetworkConfig { listen, ..config.network.clone() };
        present.talk = config.talk.clone();
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
