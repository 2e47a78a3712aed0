//! The only file that constructs everything.

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
    queries::{people::UserQueries, positions::PositionPages},
    quotas::Quotas,
    room::{ClaimAfter, ParkedGames, RoomContext, live_feed::LiveFeed, registry::RoomRegistry},
    runtime::{
        fd_limits::{self, TooFew},
        files,
        metrics::{Metrics, Warning},
        shutdown::{Lifecycle, NoSignals},
        time::{TimeSource, milliseconds},
    },
    session::{Services, UserRateLimits},
    signing::{Signing, SigningError},
    store::{ReadOnlyReason, RecoveredState, Sqlite, StoreError, Swept, sqlite::OpenError},
    talk::TalkService,
};

/// Why the server did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// Nobody could connect.
    #[error(transparent)]
    Descriptors(#[from] TooFew),
    /// The store cannot be opened.
    #[error(transparent)]
    Store(#[from] OpenError),
    /// The store cannot be read or written.
    #[error(transparent)]
    StoreUse(#[from] StoreError),
    /// There is no key to sign records with.
    #[error(transparent)]
    Signing(#[from] SigningError),
    /// The port cannot be served.
    #[error(transparent)]
    Bind(#[from] BindError),
    /// The account of a house player cannot be used.
    #[error("a house player has no account: {0}")]
    House(#[from] AuthError),
    /// The operating system does not tell the address.
    #[error("the address that is listened on is unknown: {0}")]
    Address(std::io::Error),
}

impl StartError {
    /// Whether it comes of a disk without room.
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

/// Forgets what nobody has any use for, now and once a day.
async fn sweep(
    accounts: Accounts,
    lobby: Lobby,
    unused_guests_after: Duration,
    lifecycle: Lifecycle,
) {
    loop {
        if let Err(error) = accounts.record_uses(lobby.open_tokens()).await {
            tracing::warn!(%error, "which tokens are in use could not be noted");
        }
        match accounts.sweep(unused_guests_after).await {
            Ok(Swept { tokens: 0, guests: 0 }) => {}
            Ok(Swept { tokens, guests }) => {
                tracing::info!(tokens, guests, "expired tokens and unused guests forgotten");
            }
            Err(error) => tracing::warn!(%error, "expired tokens and unused guests remain"),
        }
        if lifecycle.soft.run_until_cancelled(sleep(SWEEP_EVERY)).await.is_none() {
            return;
        }
    }
}

/// Opens the games and starts what looks after them. When this returns, every live game goes on.
pub(crate) async fn build_services(
    config: &Config,
    lifecycle: &Lifecycle,
    time: TimeSource,
    metrics: Arc<Metrics>,
    (store, found): (Sqlite, RecoveredState),
) -> Result<Arc<Services>, StartError> {
    let live_feed = LiveFeed::default();
    let reads_only = store.read_only();
    // After the store, whose lock keeps the directory to one server.
    let signing = match reads_only {
        None => Signing::open(&config.store.data)?,
        Some(_) => Signing::open_read_only(&config.store.data)?,
    };
    log_warnings(&found, &signing, time, &metrics);
    let signing = Arc::new(signing);
    let claim_after =
        ClaimAfter { timed: config.games.claim_after, untimed: config.games.claim_after_untimed };
    let quotas = Arc::new(Quotas::new(&config.limits));
    let context = RoomContext {
        quotas: Arc::clone(&quotas),
        slots: Arc::default(),
        journal: Arc::new(store.clone()),
        time,
        metrics: Arc::clone(&metrics),
        live_feed: live_feed.clone(),
        lifecycle: lifecycle.clone(),
        park_after: config.games.park_after,
        claim_after,
        parked: Arc::new(ParkedGames::default()),
        opened_at: time.now_ms(),
        outages: Arc::default(),
        reads_only: reads_only.is_some(),
        fork_told: Arc::default(),
    };
    tracing::info!(data = %config.store.data.display(), "store opened");
    let rooms = RoomRegistry::recover(context, store.clone(), found).await?;
    let accounts = Accounts::new(store.clone(), time, &config.limits, Arc::clone(&quotas));
    let writes = reads_only.is_none();
    if writes {
        lifecycle.tasks.spawn(rooms.clone().run_deadlines());
        lifecycle.tasks.spawn(rooms.clone().run_heartbeat());
    }
    let plays = config.games.house && writes;
    let house = if plays { house::players(&accounts).await? } else { Vec::new() };
    let listed = house.iter().map(house::HouseBot::listed).collect();
    let enforced = config.limits.enforced;
    let lobby = Lobby::open(rooms.clone(), accounts.clone(), time, listed, enforced).await?;
    lifecycle.tasks.spawn(lobby.clone().broadcast_changes(lifecycle.soft.clone()));
    if writes {
        let after = config.limits.unused_guests_after;
        let sweeping = sweep(accounts.clone(), lobby.clone(), after, lifecycle.clone());
        lifecycle.tasks.spawn(sweeping);
    }
    let user_queries = UserQueries::new(store, lobby.clone());
    let talk = TalkService::new(rooms.clone(), lobby.clone(), time, config.talk.clone(), enforced);
    let live_lists = LiveLists::new(rooms.clone(), live_feed, time);
    lifecycle.tasks.spawn(live_lists.clone().run(lifecycle.soft.clone()));
    let services = Arc::new(Services {
        lobby,
        user_queries,
        live_lists,
        position_pages: PositionPages::new(rooms.clone()),
        talk,
        rooms,
        accounts,
        signing,
        time,
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
        tracing::warn!("LIMITS ARE OFF: rates and per-address caps are not enforced");
    }
    Ok(services)
}

/// Warns of what speaks for a mistake with the data directory or the machine.
fn log_warnings(found: &RecoveredState, signing: &Signing, time: TimeSource, metrics: &Metrics) {
    if found.is_new && signing.was_there() {
        metrics.warned(Warning::NewDatabase);
        tracing::warn!(
            "the database is new, but the signing key beside it is not: if there were games here, \
             the database is missing"
        );
    }
    if signing.is_exposed() {
        metrics.warned(Warning::KeyExposed);
    }
    let behind_ms = found.last_activity().unwrap_or_default().saturating_sub(time.now_ms());
    if behind_ms > milliseconds(CLOCK_BEHIND_MAX) {
        metrics.warned(Warning::ClockBehind);
        tracing::warn!(
            behind_s = behind_ms / 1000,
            "the clock of this machine is behind the newest record: clocks of games stand until it \
             has caught up"
        );
    }
}

/// Opens the store; to read it alone if nothing can or may be written.
fn open_store(
    config: &config::StoreConfig,
    metrics: &Arc<Metrics>,
) -> Result<(Sqlite, RecoveredState), OpenError> {
    let why = match Sqlite::open(config, Arc::clone(metrics)) {
        Err(OpenError::Damaged(loss)) => {
            metrics.lost(loss.frames, loss.commits);
            ReadOnlyReason::Damaged(loss)
        }
        Err(error) if error.is_disk_full() => {
            tracing::error!(%error, "there is no room on the disk");
            ReadOnlyReason::DiskFull
        }
        opened => return opened,
    };
    Sqlite::open_read_only(config, why)
}

/// Warns of a disk that fills, once each time it does.
async fn watch_disk(data: PathBuf, lifecycle: Lifecycle) {
    let mut was_low = false;
    loop {
        let free = files::free_bytes(&data);
        let is_low = free.is_some_and(|free| free < DISK_LOW_BYTES);
        if is_low && !was_low {
            tracing::warn!(free, below = DISK_LOW_BYTES, "the disk of the data directory fills");
        }
        was_low = is_low;
        if lifecycle.soft.run_until_cancelled(sleep(DISK_CHECK_EVERY)).await.is_none() {
            return;
        }
    }
}

/// Looks for room on the disk until there is some, then has the server begin anew.
async fn restart_when_space(data: PathBuf, lifecycle: Lifecycle, restarts: Arc<AtomicBool>) {
    while lifecycle.soft.run_until_cancelled(sleep(FULL_DISK_CHECK_EVERY)).await.is_some() {
        let data = data.clone();
        let look = move || files::has_room(&data, START_FREE_BYTES);
        if tokio::task::spawn_blocking(look).await.unwrap_or(false) {
            tracing::info!("there is room on the disk: the server begins anew");
            restarts.store(true, Ordering::Relaxed);
            lifecycle.soft.cancel();
        }
    }
}

/// Notes that the server was alive until now, and waits until everything that was handed to the
/// store is durable and in its file.
pub(crate) async fn close(store: &Sqlite, time: TimeSource) {
    if store.read_only().is_some() {
        return;
    }
    if let Err(error) = store.record_heartbeat(time.now_ms()).await {
        tracing::warn!(%error, "the mark of life could not be stored");
    }
    store.close().await;
}

/// A server that runs.
#[derive(Debug)]
pub struct App {
    /// Where it listens.
    pub address: SocketAddr,
    /// How to stop it.
    pub lifecycle: Lifecycle,
    store: Sqlite,
    time: TimeSource,
    port: KeptPort,
    certificate: Option<Certificate>,
    talk: TalkService,
    /// Whether it stops because it could now do more than it does.
    restarts: Arc<AtomicBool>,
}

impl App {
    /// Starts everything. When this returns, connections are accepted and every live game goes on,
    /// or can be read if nothing can be written.
    pub async fn start(config: &Config) -> Result<Self, StartError> {
        Self::start_on(config, None).await
    }

    /// The same on the port of a server that has stopped to begin anew.
    pub async fn start_on(config: &Config, kept: Option<KeptPort>) -> Result<Self, StartError> {
        // The port first: a second server on it should fail before it touches the store.
        let descriptors = fd_limits::raise();
        let wanted = usize::try_from(config.limits.connections).unwrap_or(usize::MAX);
        let shares = fd_limits::share_out(descriptors, wanted)?;
        if shares.connections < wanted {
            let connections = shares.connections;
            tracing::warn!(descriptors, connections, wanted, "descriptors limit the connections");
        }
        let server = Server::bind(&config.network, kept)?;
        let address = server.address().map_err(StartError::Address)?;
        let port = server.keep().map_err(StartError::Address)?;
        let scheme = if server.certificate().is_some() { "wss" } else { "ws" };
        let time = TimeSource::from_system();

        let (services, store) = Self::begin(config, time).await?;
        let (lifecycle, metrics) = (services.lifecycle.clone(), &services.metrics);
        let reads_only = store.read_only();
        for name in ReadOnlyReason::NAMES {
            metrics.reads_only(name, reads_only.is_some_and(|why| why.name() == name));
        }
        let certificate = server.certificate().cloned();
        let talk = services.talk.clone();
        let restarts = Arc::new(AtomicBool::new(false));
        if let Some(why) = reads_only {
            tracing::error!("{why}");
        }
        lifecycle.tasks.spawn(watch_disk(config.store.data.clone(), lifecycle.clone()));
        if reads_only == Some(ReadOnlyReason::DiskFull) {
            let data = config.store.data.clone();
            let awaiting = restart_when_space(data, lifecycle.clone(), Arc::clone(&restarts));
            lifecycle.tasks.spawn(awaiting);
        }
        lifecycle.tasks.spawn(server.serve(services, shares));
        tracing::info!("listening on {scheme}://{address}{}", adamant_protocol::WEBSOCKET_PATH);
        Ok(Self { address, lifecycle, store, time, port, certificate, talk, restarts })
    }

    /// Everything but the port. Where there turns out to be no room it begins once more, to be read.
    async fn begin(
        config: &Config,
        time: TimeSource,
    ) -> Result<(Arc<Services>, Sqlite), StartError> {
        let (lifecycle, metrics) = (Lifecycle::default(), Arc::new(Metrics::default()));
        let (store, found) = open_store(&config.store, &metrics)?;
        let writes = store.read_only().is_none();
        let opened = (store.clone(), found);
        let error = match build_services(config, &lifecycle, time, metrics, opened).await {
            Ok(services) => return Ok((services, store)),
            Err(error) if writes && error.is_disk_full() => error,
            Err(error) => return Err(error),
        };
        tracing::error!(%error, "there is no room on the disk");
        lifecycle.soft.cancel();
        lifecycle.run(NoSignals).await;
        drop(store);
        let (store, found) = Sqlite::open_read_only(&config.store, ReadOnlyReason::DiskFull)?;
        let metrics = Arc::new(Metrics::default());
        let opened = (store.clone(), found);
        let services = build_services(config, &Lifecycle::default(), time, metrics, opened).await?;
        Ok((services, store))
    }

    /// Why nothing is written; `None` if all is well.
    pub fn read_only(&self) -> Option<String> {
        self.store.read_only().map(|why| why.to_string())
    }

    /// Takes over what can be changed while the server runs: certificate and key, for connections to
    /// come, and who may talk and moderate.
    pub fn reload(&self, config: &Config) -> Result<(), String> {
        match (&self.certificate, &config.network.tls) {
            (Some(certificate), Some(tls)) => {
                certificate.replace(tls.load().map_err(|error| error.to_string())?);
            }
            (None, None) => {}
            (Some(_), None) | (None, Some(_)) => {
                return Err("network.tls: encryption is switched on or off by a restart".to_owned());
            }
        }
        self.talk.reload(config.talk.clone());
        Ok(())
    }

    /// The port, if the server has stopped to begin anew.
    pub fn restarts(self) -> Option<KeptPort> {
        self.restarts.load(Ordering::Relaxed).then_some(self.port)
    }

    /// Notes that the server was alive until now, and waits until everything that was handed to
    /// the store is durable and in its file.
    pub async fn close_store(&self) {
        close(&self.store, self.time).await;
    }
}
