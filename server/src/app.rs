//! The only file that constructs everything.

use std::{
    net::SocketAddr,
    sync::{Arc, atomic::AtomicU64},
    time::Duration,
};

use tokio::time::sleep;

use crate::{
    accounts::Accounts,
    config::Config,
    descriptors::{self, TooFew},
    directory::Directory,
    display::Display,
    edge::{Edge, EdgeError},
    gallery::Gallery,
    house,
    lifecycle::Lifecycle,
    limits::SWEEP_EVERY,
    lobby::Lobby,
    metrics::Metrics,
    quotas::Quotas,
    review::Review,
    room::{ClaimAfter, Parked, RoomContext},
    rooms::Rooms,
    session::{Allowances, Services},
    signing::{Signing, SigningError},
    store::{Found, Sqlite, StoreError, Swept, sqlite::OpenError},
    talk::Talk,
    time::TimeSource,
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
    Edge(#[from] EdgeError),
    /// The account of a house player cannot be used.
    #[error("a house player has no account: {0}")]
    House(#[from] crate::accounts::AuthError),
    /// The operating system does not tell the address.
    #[error("the address that is listened on is unknown: {0}")]
    Address(std::io::Error),
}

/// Forgets what nobody has any use for, now and once a day.
async fn sweep(accounts: Accounts, unused_guests_after: Duration, lifecycle: Lifecycle) {
    loop {
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
pub(crate) async fn furnish(
    config: &Config,
    lifecycle: &Lifecycle,
    time: TimeSource,
    metrics: Arc<Metrics>,
    (store, found): (Sqlite, Found),
) -> Result<Arc<Services>, StartError> {
    let gallery = Gallery::default();
    // After the store, whose lock keeps the directory to one server.
    let signing = Arc::new(Signing::open(&config.store.data)?);
    let claim_after =
        ClaimAfter { timed: config.games.claim_after, untimed: config.games.claim_after_untimed };
    let quotas = Arc::new(Quotas::new(&config.limits));
    let context = RoomContext {
        quotas: Arc::clone(&quotas),
        slots: Arc::default(),
        journal: Arc::new(store.clone()),
        time,
        metrics: Arc::clone(&metrics),
        gallery: gallery.clone(),
        lifecycle: lifecycle.clone(),
        park_after: config.games.park_after,
        claim_after,
        parked: Arc::new(Parked::default()),
        opened_at: time.now_ms(),
        outages: Arc::default(),
    };
    tracing::info!(data = %config.store.data.display(), "store opened");
    let rooms = Rooms::recover(context, store.clone(), found).await?;
    lifecycle.tasks.spawn(rooms.clone().keep_deadlines());
    lifecycle.tasks.spawn(rooms.clone().keep_alive_mark());

    let accounts = Accounts::new(store.clone(), time, &config.limits, Arc::clone(&quotas));
    let house = if config.games.house { house::players(&accounts).await? } else { Vec::new() };
    let listed = house.iter().map(house::Player::listed).collect();
    let enforced = config.limits.enforced;
    let lobby = Lobby::open(rooms.clone(), accounts.clone(), time, listed, enforced).await?;
    lifecycle.tasks.spawn(lobby.clone().tell_changes(lifecycle.soft.clone()));
    let directory = Directory::new(store, lobby.clone());
    let talk = Talk::new(rooms.clone(), lobby.clone(), time, config.talk.clone(), enforced);
    let display = Display::new(rooms.clone(), gallery, time);
    lifecycle.tasks.spawn(display.clone().run(lifecycle.soft.clone()));
    let services = Arc::new(Services {
        lobby,
        directory,
        display,
        review: Review::new(rooms.clone()),
        talk,
        rooms,
        accounts,
        signing,
        time,
        limits: Arc::new(config.limits.clone()),
        quotas,
        allowances: Arc::new(Allowances::new(&config.limits)),
        claim_after,
        lifecycle: lifecycle.clone(),
        metrics,
        last_session: Arc::new(AtomicU64::new(0)),
    });
    for player in house {
        lifecycle.tasks.spawn(house::play(Arc::clone(&services), player));
    }
    let sweeping =
        sweep(services.accounts.clone(), config.limits.unused_guests_after, lifecycle.clone());
    lifecycle.tasks.spawn(sweeping);
    if !enforced {
        tracing::warn!("LIMITS ARE OFF: rates and per-address caps are not enforced");
    }
    Ok(services)
}

/// Notes that the server was alive until now, and waits until everything that was handed to the
/// store is durable and in its file.
pub(crate) async fn close(store: &Sqlite, time: TimeSource) {
    if let Err(error) = store.mark_alive(time.now_ms()).await {
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
}

impl App {
    /// Starts everything. When this returns, connections are accepted and every live game goes on.
    pub async fn start(config: &Config) -> Result<Self, StartError> {
        // The port first: a second server on it should fail before it touches the store.
        let descriptors = descriptors::raise();
        let wanted = usize::try_from(config.limits.connections).unwrap_or(usize::MAX);
        let shares = descriptors::share_out(descriptors, wanted)?;
        if shares.connections < wanted {
            let connections = shares.connections;
            tracing::warn!(descriptors, connections, wanted, "descriptors limit the connections");
        }
        let edge = Edge::bind(&config.network)?;
        let address = edge.address().map_err(StartError::Address)?;
        let scheme = if edge.is_encrypted() { "wss" } else { "ws" };
        let lifecycle = Lifecycle::default();
        let time = TimeSource::from_system();

        let metrics = Arc::new(Metrics::default());
        let (store, found) = Sqlite::open(&config.store, Arc::clone(&metrics))?;
        let services = furnish(config, &lifecycle, time, metrics, (store.clone(), found)).await?;
        lifecycle.tasks.spawn(edge.serve(services, shares));
        tracing::info!("listening on {scheme}://{address}{}", adamant_protocol::WEBSOCKET_PATH);
        Ok(Self { address, lifecycle, store, time })
    }

    /// Notes that the server was alive until now, and waits until everything that was handed to
    /// the store is durable and in its file.
    pub async fn close_store(&self) {
        close(&self.store, self.time).await;
    }
}
