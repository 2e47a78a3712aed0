//! Constructs all services and starts the server.

use std::{
    net::SocketAddr,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use tokio::time::sleep;

use crate::{
    accounts::{Accounts, AuthError},
    config::{self, Config},
    house,
    http::{BindError, Certificate, KeptPort, Server},
    limits::{
        CLOCK_BEHIND_MAX, DISK_CHECK_EVERY, DISK_LOW_BYTES, FULL_DISK_CHECK_EVERY,
        START_FREE_BYTES, SWEEP_EVERY,
    },
    live::LiveLists,
    lobby::Lobby,
    notify::{NotificationChannels, Notifier},
    occasions::Occasions,
    queries::{analysis::Analysis, people::UserQueries, positions::PositionPages},
    quotas::Quotas,
    relations::RelationService,
    room::{ClaimAfter, Outages, RoomContext, live_feed::LiveFeed, registry::RoomRegistry},
    runtime::{
        environment::Environment,
        fd_limits::{self, TooFewDescriptors},
        files,
        logging::RateLimitedLog,
        metrics::{Metrics, StartWarning},
        shutdown::{Lifecycle, NoSignals},
        time::{TimeSource, milliseconds},
        work_pool::WorkPool,
    },
    session::{Services, UserRateLimits},
    signing::{Signing, SigningError},
    store::{ReadOnlyReason, RecoveredState, Sqlite, Store, StoreError, Swept, sqlite::OpenError},
    talk::TalkService,
};

/// Why the server did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// There are too few file descriptors.
    #[error(transparent)]
    Descriptors(#[from] TooFewDescriptors),
    /// The store cannot be opened.
    #[error(transparent)]
    Store(#[from] OpenError),
    /// The store cannot be read or written.
    #[error(transparent)]
    StoreUse(#[from] StoreError),
    /// The signing key cannot be used.
    #[error(transparent)]
    Signing(#[from] SigningError),
    /// The server cannot listen on its address.
    #[error(transparent)]
    Bind(#[from] BindError),
    /// The account of a server bot cannot be used.
    #[error("a server bot has no account: {0}")]
    House(#[from] AuthError),
    /// The operating system does not report the address.
    #[error("cannot read the bound address: {0}")]
    Address(std::io::Error),
}

impl StartError {
    /// Returns whether the disk is full.
    fn is_disk_full(&self) -> bool {
        match self {
            Self::Store(error) => error.is_disk_full(),
            Self::Signing(error) => error.is_disk_full(),
            Self::StoreUse(error) => matches!(error, StoreError::ReadOnly),
            Self::House(error) => matches!(error, AuthError::Store(StoreError::ReadOnly)),
            Self::Descriptors(_) | Self::Bind(_) | Self::Address(_) => false,
        }
    }
}

/// Deletes expired tokens and unused guests, now and once a day.
async fn sweep(
    accounts: Accounts,
    lobby: Lobby,
    unused_guests_after: Duration,
    lifecycle: Lifecycle,
) {
    loop {
        if let Err(error) = accounts.record_uses(lobby.open_tokens()).await {
            tracing::warn!(%error, "recording token uses failed");
        }
        match accounts.sweep(unused_guests_after).await {
            Ok(Swept { tokens: 0, guests: 0 }) => {}
            Ok(Swept { tokens, guests }) => {
                tracing::info!(tokens, guests, "deleted expired tokens and unused guests");
            }
            Err(error) => {
                tracing::warn!(%error, "deleting expired tokens and unused guests failed");
            }
        }
        if lifecycle.soft.run_until_cancelled(sleep(SWEEP_EVERY)).await.is_none() {
            return;
        }
    }
}

/// Builds every service and starts its tasks. When this returns, every live game continues.
pub(crate) async fn build_services(
    config: &Config,
    lifecycle: &Lifecycle,
    environment: Environment,
    metrics: Arc<Metrics>,
    (store, found): (Sqlite, RecoveredState),
) -> Result<Arc<Services>, StartError> {
    let Environment { time, ref entropy, .. } = environment;
    let live_feed = LiveFeed::default();
    let reads_only = store.read_only();
    // After the store: its lock reserves the directory for one server.
    let signing = match reads_only {
        None => Signing::open(&config.store.data, &mut entropy.clone())?,
        Some(_) => Signing::open_read_only(&config.store.data)?,
    };
    log_warnings(&found, &signing, time, &metrics);
    let signing = Arc::new(signing);
    let claim_after =
        ClaimAfter { timed: config.games.claim_after, untimed: config.games.claim_after_untimed };
    let quotas = Arc::new(Quotas::new(&config.limits));
    let may_notify = config.notifications.enabled() && reads_only.is_none();
    let (occasions, reported) = Occasions::queue(may_notify, &metrics);
    let context = RoomContext {
        quotas: Arc::clone(&quotas),
        metrics: Arc::clone(&metrics),
        live_feed: live_feed.clone(),
        park_after: config.games.park_after,
        claim_after,
        outages: Outages::default(),
        occasions,
        reads_only: reads_only.is_some(),
        fork_log: RateLimitedLog::default(),
    };
    tracing::info!(data = %config.store.data.display(), "store opened");
    let loops = config.games.loops.map(usize::from);
    let rooms =
        RoomRegistry::recover(context, store.clone(), found, &environment, lifecycle, loops)
            .await?;
    let areas = Store::from(store.clone());
    let accounts = Accounts::new(areas.clone(), &environment, &config.limits, Arc::clone(&quotas));
    let writes = reads_only.is_none();
    if writes {
        lifecycle.tasks.spawn(rooms.clone().run_heartbeat(lifecycle.clone()));
    }
    let plays = config.games.house && writes;
    let house = if plays { house::players(&accounts).await? } else { Vec::new() };
    let listed = house.iter().map(house::HouseBot::listed).collect();
    let enforced = config.limits.enforced;
    let lobby =
        Lobby::open(areas.clone(), rooms.clone(), accounts.clone(), &environment, listed, enforced)
            .await?;
    lifecycle.tasks.spawn(lobby.clone().broadcast_changes(lifecycle.soft.clone()));
    if writes {
        lifecycle.tasks.spawn(lobby.clone().run_expiry(lifecycle.soft.clone()));
        let after = config.limits.unused_guests_after;
        let sweeping = sweep(accounts.clone(), lobby.clone(), after, lifecycle.clone());
        lifecycle.tasks.spawn(sweeping);
    }
    let notifications =
        NotificationChannels::open(areas.notifications.clone(), config, &environment, writes)?;
    let notifier = Notifier::new(&notifications, &lobby, &environment, &metrics);
    lifecycle.tasks.spawn(notifier.run(reported, lifecycle.soft.clone()));
    let user_queries = UserQueries::new(areas.clone(), lobby.clone());
    let talk = TalkService::new(
        areas.clone(),
        rooms.clone(),
        lobby.clone(),
        time,
        config.talk.clone(),
        enforced,
    );
    let relations = RelationService::new(areas.clone(), lobby.clone(), time);
    let live_lists = LiveLists::new(rooms.clone(), live_feed, time);
    lifecycle.tasks.spawn(live_lists.clone().run(lifecycle.soft.clone()));
    let services = Arc::new(Services {
        lobby,
        user_queries,
        live_lists,
        position_pages: PositionPages::new(rooms.clone()),
        analysis: Analysis::new(rooms.clone()),
        talk,
        notifications,
        relations,
        games: areas.games,
        store,
        rooms,
        accounts,
        signing,
        time,
        entropy: environment.entropy,
        work: environment.work,
        limits: Arc::new(config.limits.clone()),
        quotas,
        user_rate_limits: Arc::new(UserRateLimits::new(&config.limits)),
        claim_after,
        lifecycle: lifecycle.clone(),
        metrics,
        last_session: Arc::new(AtomicU64::new(0)),
    });
    for player in house {
        lifecycle.tasks.spawn(house::play(Arc::clone(&services), player, config.games.clone()));
    }
    if !enforced {
        tracing::warn!("limits are off");
    }
    Ok(services)
}

/// Warns of likely mistakes with the data directory or the machine.
fn log_warnings(found: &RecoveredState, signing: &Signing, time: TimeSource, metrics: &Metrics) {
    if found.is_new && signing.existed() {
        metrics.warn(StartWarning::NewDatabase);
        tracing::warn!("new database beside an older signing key");
    }
    if signing.is_exposed() {
        metrics.warn(StartWarning::KeyExposed);
    }
    let behind_ms = found.last_activity().unwrap_or_default().saturating_sub(time.now_ms());
    if behind_ms > milliseconds(CLOCK_BEHIND_MAX) {
        metrics.warn(StartWarning::ClockBehind);
        tracing::warn!(behind_s = behind_ms / 1000, "system clock is behind the newest record");
    }
}

/// Opens the store, or opens it read-only if it is damaged or its disk is full.
fn open_store(
    config: &config::StoreConfig,
    metrics: &Arc<Metrics>,
) -> Result<(Sqlite, RecoveredState), OpenError> {
    let why = match Sqlite::open(config, Arc::clone(metrics)) {
        Err(OpenError::Damaged(loss)) => {
            metrics.set_wal_loss(loss.frames, loss.commits);
            ReadOnlyReason::Damaged(loss)
        }
        Err(error) if error.is_disk_full() => {
            tracing::error!(%error, "disk full");
            ReadOnlyReason::DiskFull
        }
        opened => return opened,
    };
    Sqlite::open_read_only(config, why)
}

/// Logs that disk space is low, once until there is more.
async fn watch_disk(data: PathBuf, lifecycle: Lifecycle) {
    let mut was_low = false;
    loop {
        let free = files::free_bytes(&data);
        let is_low = free.is_some_and(|free| free < DISK_LOW_BYTES);
        if is_low && !was_low {
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
            tracing::info!("disk has space again, restarting");
            restarts.store(true, Ordering::Relaxed);
            lifecycle.soft.cancel();
        }
    }
}

/// Writes the last heartbeat, then waits until every write is durable and in the database file.
pub(crate) async fn close(store: &Sqlite, time: TimeSource) {
    if store.read_only().is_some() {
        return;
    }
    if let Err(error) = store.record_heartbeat(time.now_ms()).await {
        tracing::warn!(%error, "heartbeat write failed");
    }
    store.close().await;
}

/// A running server.
#[derive(Debug)]
pub struct App {
    /// The address that the server listens on.
    pub address: SocketAddr,
    /// Stops the server.
    pub lifecycle: Lifecycle,
    store: Sqlite,
    time: TimeSource,
    port: KeptPort,
    certificate: Option<Certificate>,
    talk: TalkService,
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
            tracing::warn!(
                descriptors,
                connections,
                wanted,
                "file descriptors limit the connections"
            );
        }
        let server = Server::bind(&config.network, kept)?;
        let address = server.address().map_err(StartError::Address)?;
        let port = server.keep().map_err(StartError::Address)?;
        let scheme = if server.certificate().is_some() { "wss" } else { "ws" };
        let environment = Environment::system();
        let time = environment.time;

        let (services, store) = Self::begin(config, environment).await?;
        let (lifecycle, metrics) = (services.lifecycle.clone(), &services.metrics);
        let reads_only = store.read_only();
        for name in ReadOnlyReason::NAMES {
            metrics.set_read_only(name, reads_only.is_some_and(|why| why.name() == name));
        }
        let certificate = server.certificate().cloned();
        let talk = services.talk.clone();
        let restarts = Arc::new(AtomicBool::new(false));
        if let Some(why) = reads_only {
            tracing::error!(%why, "store is read-only");
        }
        lifecycle.tasks.spawn(watch_disk(config.store.data.clone(), lifecycle.clone()));
        if reads_only == Some(ReadOnlyReason::DiskFull) {
            let data = config.store.data.clone();
            let awaiting = restart_when_space(data, lifecycle.clone(), Arc::clone(&restarts));
            lifecycle.tasks.spawn(awaiting);
        }
        lifecycle.tasks.spawn(server.serve(services, budget));
        let url = format!("{scheme}://{address}{}", adamant_protocol::WEBSOCKET_PATH);
        tracing::info!(%url, "listening");
        Ok(Self { address, lifecycle, store, time, port, certificate, talk, restarts })
    }

    /// Opens the store and builds the services. If the disk turns out to be full, it starts again
    /// read-only.
    async fn begin(
        config: &Config,
        environment: Environment,
    ) -> Result<(Arc<Services>, Sqlite), StartError> {
        let (lifecycle, metrics) = (Lifecycle::default(), Arc::new(Metrics::default()));
        let (store, found) = open_store(&config.store, &metrics)?;
        let writes = store.read_only().is_none();
        let opened = (store.clone(), found);
        let error =
            match build_services(config, &lifecycle, environment.clone(), metrics, opened).await {
                Ok(services) => return Ok((services, store)),
                Err(error) if writes && error.is_disk_full() => error,
                Err(error) => return Err(error),
            };
        tracing::error!(%error, "disk full");
        lifecycle.soft.cancel();
        lifecycle.run(NoSignals).await;
        drop(store);
        let (store, found) = Sqlite::open_read_only(&config.store, ReadOnlyReason::DiskFull)?;
        let metrics = Arc::new(Metrics::default());
        let opened = (store.clone(), found);
        let services =
            build_services(config, &Lifecycle::default(), environment, metrics, opened).await?;
        Ok((services, store))
    }

    /// Returns why the store is read-only; `None` if it is not.
    pub fn read_only(&self) -> Option<String> {
        self.store.read_only().map(|why| why.to_string())
    }

    /// Applies the settings that can change at run time: certificate and key for new connections,
    /// and the talk settings.
    pub fn reload(&self, config: &Config) -> Result<(), String> {
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
        Ok(())
    }

    /// Returns the port if the server has stopped to restart.
    pub fn restarts(self) -> Option<KeptPort> {
        self.restarts.load(Ordering::Relaxed).then_some(self.port)
    }

    /// Writes the last heartbeat, and waits until all writes are durable and copied into the
    /// database.
    pub async fn close_store(&self) {
        close(&self.store, self.time).await;
    }
}
