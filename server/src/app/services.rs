//! Constructs all services, and starts their tasks.

use std::sync::{Arc, atomic::AtomicU64};

use adamant_engine::search::{BadTable, set_default_hash, use_tables};
use tokio::{sync::mpsc, time::sleep};

use super::cluster_events::{dispatch, read_announced};
use crate::{
    accounts::{Accounts, AuthError},
    admin::AdminSocketError,
    cluster::{Cluster, ClusterEvent, HeardEvents, StartedGame},
    config::{Config, LimitsInForce, NetworkConfig, TalkConfig},
    downloads::{DownloadFiles, Publisher},
    house,
    http::BindError,
    limits::{CLOCK_BEHIND_MAX, CLUSTER_EVENTS_MAX, SEARCHES_AT_ONCE_MAX, SWEEP_EVERY},
    live::LiveLists,
    lobby::Lobby,
    notify::{NotificationChannels, Notifier, PushKeyError},
    occasions::Occasions,
    policy::Policy,
    queries::{
        analysis::Analysis,
        game_analysis::GameAnalyses,
        people::UserQueries,
        positions::PositionPages,
        rerating::{self, Annulled},
        stats,
    },
    quotas::Quotas,
    relations::RelationService,
    reports::ReportService,
    room::{
        ClaimAfter, Outages, RoomContext, Substitutes, live_feed::LiveFeed, registry::RoomRegistry,
    },
    runtime::{
        entropy::Entropy,
        environment::Environment,
        fd_limits::TooFewDescriptors,
        logging::RateLimitedLog,
        metrics::{Metrics, Warning},
        shutdown::Lifecycle,
        time::{TimeSource, milliseconds},
    },
    session::{Services, UserRateLimits},
    signing::{Signing, SigningError},
    store::{
        OpenedStore, PostgresError, Recovery, SharedWork, Store, StoreError, Swept, or_default_if,
        sqlite::OpenError,
    },
    talk::TalkService,
};

/// Records that the tokens of open sessions are used, now and once a day.
async fn record_token_uses(accounts: Accounts, lobby: Lobby, lifecycle: Lifecycle) {
    loop {
        if let Err(error) = accounts.record_uses(lobby.open_tokens()).await {
            // operator: the store failed; the server retries at the next log-in or clean-up
            tracing::warn!(%error, "recording token uses failed");
        }
        if lifecycle.soft.run_until_cancelled(sleep(SWEEP_EVERY)).await.is_none() {
            return;
        }
    }
}

/// Deletes expired tokens and unused guests, now and once a day.
async fn sweep(accounts: Accounts, limits: LimitsInForce, work: SharedWork, lifecycle: Lifecycle) {
    while lifecycle.soft.run_until_cancelled(work.taken()).await.is_some() {
        match accounts.sweep(limits.get().unused_guests_after).await {
            Ok(Swept { tokens: 0, guests: 0 }) => {}
            Ok(Swept { tokens, guests }) => {
                // operator: the daily clean-up, also at the start
                tracing::info!(tokens, guests, "deleted expired tokens and unused guests");
            }
            Err(error) => {
                // operator: the store failed; the server retries at the next clean-up
                tracing::warn!(%error, "deleting expired tokens and unused guests failed");
            }
        }
        if lifecycle.soft.run_until_cancelled(sleep(SWEEP_EVERY)).await.is_none() {
            return;
        }
    }
}

/// Starts the tasks that count and publish finished games, and close and delete what has expired.
fn start_upkeep(
    config: &Config,
    store: &Store,
    lobby: &Lobby,
    (accounts, limits): (&Accounts, &LimitsInForce),
    time: &TimeSource,
    lifecycle: &Lifecycle,
) {
    let shared = |name| SharedWork::new(&store.backend, lobby.cluster(), name);
    lifecycle.tasks.spawn(lobby.clone().run_expiry(lifecycle.soft.clone()));
    let counting = stats::count_games(store.clone(), shared("counting"), lifecycle.soft.clone());
    lifecycle.tasks.spawn(counting);
    let recording = record_token_uses(accounts.clone(), lobby.clone(), lifecycle.clone());
    lifecycle.tasks.spawn(recording);
    let sweeping = sweep(accounts.clone(), limits.clone(), shared("sweep"), lifecycle.clone());
    lifecycle.tasks.spawn(sweeping);
    if config.downloads.enabled {
        let publisher = Publisher::new(store.clone(), time.clone(), config.downloads.every);
        lifecycle.tasks.spawn(publisher.run(shared("downloads"), lifecycle.clone()));
    }
}

/// Shares out the memory for searches, and reads the endgame tables that the operator has made.
pub(super) fn prepare_searches(config: &Config) -> Result<(), BadTable> {
    set_default_hash(usize::from(config.games.search_memory_mb) / SEARCHES_AT_ONCE_MAX);
    for file in config.games.tables.as_deref().map(use_tables).transpose()?.unwrap_or_default() {
        // operator: searches use this table from `games.tables`
        tracing::info!(file = %file.display(), "endgame table read");
    }
    Ok(())
}

/// Builds every service and starts its tasks. When this returns, every live game continues.
pub(crate) async fn build_services(
    config: &Config,
    lifecycle: &Lifecycle,
    environment: Environment,
    metrics: Arc<Metrics>,
    opened: OpenedStore,
) -> Result<Arc<Services>, StartError> {
    let Environment { ref entropy, .. } = environment;
    let (time, live_feed) = (environment.time.clone(), LiveFeed::default());
    let OpenedStore { store, recovery, cluster, heard } = opened;
    let reads_only = store.backend.read_only();
    let signing = Arc::new(open_signing(config, &store, entropy, &time).await?);
    log_warnings(recovery.as_ref(), &signing, &time, &metrics);
    warn_of_moderators(&config.talk, &store, &metrics).await?;
    let claim_after =
        ClaimAfter { timed: config.games.claim_after, untimed: config.games.claim_after_untimed };
    let limits = LimitsInForce::from(&config.limits);
    let quotas = Arc::new(Quotas::new(&limits));
    let may_notify = config.notifications.enabled() && reads_only.is_none();
    let (occasions, reported) = Occasions::queue(may_notify, &metrics);
    let (substitutes, seated) = Substitutes::queue();
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
        cluster: cluster.clone(),
        substitutes,
        presence: store.presence.clone(),
    };
    // operator: the server holds the data directory
    tracing::info!(data = %config.store.data.display(), "store opened");
    let recovers = recovery.is_some();
    let loops = config.games.loops.map(usize::from);
    let rooms =
        RoomRegistry::start_rooms(context, store.clone(), recovery, &environment, lifecycle, loops)
            .await?;
    let accounts = Accounts::new(store.clone(), &environment, limits.clone(), Arc::clone(&quotas));
    let policy = Box::pin(Policy::open(store.clone(), time.clone())).await?;
    let writes = reads_only.is_none();
    if writes {
        start_room_tasks(&rooms, recovers, lifecycle);
    }
    let house = open_house(config, writes, &accounts, &cluster).await?;
    let listed = house::listed(&house);
    let enforced = config.limits.enforced;
    let lobby = {
        let (rooms, accounts) = (rooms.clone(), accounts.clone());
        Lobby::open(store.clone(), rooms, accounts, &environment, listed, enforced, cluster).await?
    };
    lifecycle.tasks.spawn(lobby.clone().broadcast_changes(lifecycle.soft.clone()));
    if writes {
        start_upkeep(config, &store, &lobby, (&accounts, &limits), &time, lifecycle);
    }
    let notifications = NotificationChannels::open(&store, config, &environment, writes).await?;
    let notifier = Notifier::new(&notifications, &lobby, &environment, &metrics);
    if may_notify {
        lifecycle.tasks.spawn(notifier.run(reported, lifecycle.clone()));
    }
    let user_queries = UserQueries::new(store.clone(), lobby.clone());
    let talk = {
        let (rooms, lobby, rules) = (rooms.clone(), lobby.clone(), config.talk.clone());
        TalkService::new(store.clone(), rooms, lobby, time.clone(), rules, enforced)
    };
    let relations = RelationService::new(store.clone(), lobby.clone(), time.clone());
    let live_lists = LiveLists::new(rooms.clone(), store.clone(), live_feed, time.clone());
    let files = || DownloadFiles::new(store.clone(), Arc::clone(&signing));
    let services = Arc::new(Services {
        lobby,
        user_queries,
        live_lists,
        position_pages: PositionPages::new(rooms.clone()),
        analysis: Analysis::new(rooms.clone()),
        game_analyses: GameAnalyses::new(rooms.clone(), Arc::clone(&metrics), enforced),
        talk,
        notifications,
        relations,
        annulled: Annulled::default(),
        reports: ReportService::new(store.clone(), time.clone(), enforced, Arc::clone(&metrics)),
        downloads: config.downloads.enabled.then(files),
        store,
        rooms,
        accounts,
        policy,
        signing,
        time,
        entropy: environment.entropy,
        work: environment.work,
        user_rate_limits: Arc::new(UserRateLimits::new(&limits)),
        limits,
        quotas,
        claim_after,
        lifecycle: lifecycle.clone(),
        metrics,
        last_session: Arc::new(AtomicU64::new(0)),
    });
    start_tasks(config, &services, (house, seated), heard);
    Ok(services)
}

/// Returns the server's bots, if the house plays on this server.
async fn open_house(
    config: &Config,
    writes: bool,
    accounts: &Accounts,
    cluster: &Cluster,
) -> Result<Vec<house::HouseBot>, AuthError> {
    if config.games.house && writes {
        house::players(accounts, cluster.node()).await
    } else {
        Ok(Vec::new())
    }
}

/// Starts the tasks that keep games going. A store whose games were not recovered names those that
/// are due.
fn start_room_tasks(rooms: &RoomRegistry, were_recovered: bool, lifecycle: &Lifecycle) {
    lifecycle.tasks.spawn(rooms.clone().run_heartbeat(lifecycle.clone()));
    lifecycle.tasks.spawn(rooms.clone().run_pulse(lifecycle.soft.clone()));
    if !were_recovered {
        lifecycle.tasks.spawn(rooms.clone().run_due_games(lifecycle.soft.clone()));
    }
}

/// Starts the tasks that use all services.
fn start_tasks(
    config: &Config,
    services: &Arc<Services>,
    (house, seated): (Vec<house::HouseBot>, mpsc::Receiver<StartedGame>),
    heard: Option<HeardEvents>,
) {
    let lifecycle = &services.lifecycle;
    services.rooms.substitutes().open(services.lobby.house().into());
    let seating = services.lobby.clone().seat_substitutes(seated, lifecycle.soft.clone());
    lifecycle.tasks.spawn(seating);
    lifecycle.tasks.spawn(services.live_lists.clone().run(lifecycle.soft.clone()));
    lifecycle.tasks.spawn(services.game_analyses.clone().run(lifecycle.soft.clone()));
    if services.store.backend.read_only().is_none() {
        services.accounts.start_mail(config, &services.metrics, lifecycle);
        let (store, annulled) = (services.store.clone(), services.annulled.clone());
        let work = SharedWork::new(&store.backend, services.lobby.cluster(), "rating_again");
        let stop = lifecycle.soft.clone();
        lifecycle.tasks.spawn(rerating::rate_again(store, annulled, work, stop));
    }
    if let Some(heard) = heard {
        services.lobby.cluster().publish(|| ClusterEvent::KeysChanged);
        let (readers, announced) = mpsc::channel(CLUSTER_EVENTS_MAX);
        lifecycle.tasks.spawn(read_announced(Arc::clone(services), announced));
        let checks = services.lobby.clone().run_token_checks(lifecycle.soft.clone());
        lifecycle.tasks.spawn(checks);
        let (services, stop) = (Arc::clone(services), lifecycle.soft.clone());
        let dispatching = dispatch(services, heard, readers, stop);
        lifecycle.tasks.spawn(dispatching);
    }
    let searches = house::Searches::default();
    for player in house {
        let (services, games) = (Arc::clone(services), config.games.clone());
        lifecycle.tasks.spawn(house::play(services, player, games, searches.clone()));
    }
    if !config.limits.enforced {
        // operator: `--no-limits` is set: rates and caps per address are not enforced. Never use it
        // on a public server
        tracing::warn!("limits are off");
    }
    warn_of_plain_text(&config.network, &services.metrics);
}

/// Warns of passwords that everybody on the way can read.
pub(super) fn warn_of_plain_text(network: &NetworkConfig, metrics: &Metrics) {
    metrics.set_warning(Warning::PlainText, network.is_plain_text());
    if network.is_plain_text() {
        // operator: the server listens on an address of the network, and neither `network.tls` nor
        // `network.trusted_proxies` is set
        tracing::warn!("passwords cross the network unencrypted");
    }
}

/// Opens the signing key after the store, whose lock reserves the directory for one server. Stores
/// the public keys of this node for the others, and reads theirs.
async fn open_signing(
    config: &Config,
    store: &Store,
    entropy: &Entropy,
    time: &TimeSource,
) -> Result<Signing, StartError> {
    let signing = match store.backend.read_only() {
        None => Signing::open(&config.store.data, &mut entropy.clone())?,
        Some(_) => Signing::open_read_only(&config.store.data)?,
    };
    if let Some(keys) = &store.keys {
        keys.register_keys(signing.own_keys(), time.now_ms()).await?;
        signing.set_elsewhere(keys.signing_keys().await?);
    }
    Ok(signing)
}

/// Warns of likely mistakes with the data directory or the machine.
fn log_warnings(
    recovery: Option<&Recovery>,
    signing: &Signing,
    time: &TimeSource,
    metrics: &Metrics,
) {
    if signing.is_exposed() {
        metrics.warn(Warning::KeyExposed);
    }
    let Some(recovery) = recovery else { return };
    if recovery.is_new && signing.existed() {
        metrics.warn(Warning::NewDatabase);
        // operator: `--new-database` is in effect. Remove the option
        tracing::warn!("new database beside an older signing key");
    }
    let behind_ms = recovery.last_activity.unwrap_or_default().saturating_sub(time.now_ms());
    if behind_ms > milliseconds(CLOCK_BEHIND_MAX) {
        metrics.warn(Warning::ClockBehind);
        // operator: game clocks stand still until the machine's clock catches up. Set the clock
        tracing::warn!(behind_s = behind_ms / 1000, "system clock is behind the newest record");
    }
}

/// Warns of moderators whose names no account has: whoever takes one moderates.
pub(super) async fn warn_of_moderators(
    talk: &TalkConfig,
    store: &Store,
    metrics: &Metrics,
) -> Result<(), StoreError> {
    let is_read_only = store.backend.read_only().is_some();
    let found = store.without_account(talk.moderator_names()).await;
    metrics.set_warning(Warning::ModeratorUnknown, false);
    for name in or_default_if(is_read_only, found)? {
        metrics.warn(Warning::ModeratorUnknown);
        // operator: whoever signs up under the name moderates. Sign up, or take the name out of
        // `talk.moderators`
        tracing::warn!(%name, "a moderator has no account");
    }
    Ok(())
}

/// Why the server did not start.
#[expect(missing_docs, reason = "each message says it")]
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error(transparent)]
    Descriptors(#[from] TooFewDescriptors),
    #[error(transparent)]
    Store(#[from] OpenError),
    #[error(transparent)]
    Database(#[from] PostgresError),
    #[error("the machine has no host name: set cluster.node to the name of this node")]
    NoNodeName,
    #[error(transparent)]
    StoreUse(#[from] StoreError),
    #[error(transparent)]
    Signing(#[from] SigningError),
    #[error(transparent)]
    PushKey(#[from] PushKeyError),
    #[error(transparent)]
    Bind(#[from] BindError),
    #[error("games.tables: {0}")]
    Tables(#[from] BadTable),
    #[error("a server bot has no account: {0}")]
    House(#[from] AuthError),
    #[error(transparent)]
    Admin(#[from] AdminSocketError),
    #[error("cannot read the bound address: {0}")]
    Address(std::io::Error),
}

impl StartError {
    pub(super) fn is_disk_full(&self) -> bool {
        match self {
            Self::Store(error) => error.is_disk_full(),
            Self::Signing(error) => error.is_disk_full(),
            Self::PushKey(error) => error.is_disk_full(),
            Self::StoreUse(error) => matches!(error, StoreError::ReadOnly),
            Self::House(error) => matches!(error, AuthError::Store(StoreError::ReadOnly)),
            _ => false,
        }
    }
}
