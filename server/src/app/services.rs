//! Constructs all services, and starts their tasks.

use std::{
    sync::{Arc, atomic::AtomicU64},
    time::Duration,
};

use tokio::{sync::mpsc, time::sleep};

use super::{
    cluster_events::{dispatch, read_announced},
    start_error::StartError,
};
use crate::{
    accounts::Accounts,
    cluster::{ClusterEvent, HeardEvents},
    config::Config,
    downloads::{DownloadFiles, Publisher},
    house,
    limits::{CLOCK_BEHIND_MAX, CLUSTER_EVENTS_MAX, SWEEP_EVERY},
    live::LiveLists,
    lobby::Lobby,
    notify::{NotificationChannels, Notifier},
    occasions::{Occasion, Occasions},
    policy::Policy,
    queries::{analysis::Analysis, counting, people::UserQueries, positions::PositionPages},
    quotas::Quotas,
    relations::RelationService,
    room::{ClaimAfter, Outages, RoomContext, live_feed::LiveFeed, registry::RoomRegistry},
    runtime::{
        environment::Environment,
        logging::RateLimitedLog,
        metrics::{Metrics, StartWarning},
        shutdown::Lifecycle,
        time::{TimeSource, milliseconds},
    },
    session::{Services, UserRateLimits},
    signing::Signing,
    store::{OpenedStore, Recovery, SharedWork, Store, StoreError, Swept},
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
async fn sweep(
    accounts: Accounts,
    unused_guests_after: Duration,
    work: SharedWork,
    lifecycle: Lifecycle,
) {
    while lifecycle.soft.run_until_cancelled(work.taken()).await.is_some() {
        match accounts.sweep(unused_guests_after).await {
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

/// Starts the notifier, unless nobody is notified.
fn start_notifier(
    notifier: Option<Notifier>,
    reported: mpsc::Receiver<Occasion>,
    lifecycle: &Lifecycle,
) {
    if let Some(notifier) = notifier {
        lifecycle.tasks.spawn(notifier.run(reported, lifecycle.clone()));
    }
}

/// Starts the tasks that count finished games, and close and delete what has expired.
fn start_upkeep(
    config: &Config,
    store: &Store,
    lobby: &Lobby,
    accounts: &Accounts,
    lifecycle: &Lifecycle,
) {
    lifecycle.tasks.spawn(lobby.clone().run_expiry(lifecycle.soft.clone()));
    let work = SharedWork::new(&store.backend, lobby.cluster(), "counting");
    let counting = counting::count_games(store.clone(), work, lifecycle.soft.clone());
    lifecycle.tasks.spawn(counting);
    let after = config.limits.unused_guests_after;
    let recording = record_token_uses(accounts.clone(), lobby.clone(), lifecycle.clone());
    lifecycle.tasks.spawn(recording);
    let work = SharedWork::new(&store.backend, lobby.cluster(), "sweep");
    let sweeping = sweep(accounts.clone(), after, work, lifecycle.clone());
    lifecycle.tasks.spawn(sweeping);
}

/// Returns the files of finished games, if the server offers downloads.
fn download_files(config: &Config, store: &Store, signing: &Arc<Signing>) -> Option<DownloadFiles> {
    config.downloads.enabled.then(|| DownloadFiles::new(store.clone(), Arc::clone(signing)))
}

/// Starts to publish finished games, if the server offers downloads.
fn start_publisher(
    config: &Config,
    store: &Store,
    lobby: &Lobby,
    time: &TimeSource,
    lifecycle: &Lifecycle,
) {
    if config.downloads.enabled {
        let publisher = Publisher::new(store.clone(), time.clone(), config.downloads.every);
        let work = SharedWork::new(&store.backend, lobby.cluster(), "downloads");
        lifecycle.tasks.spawn(publisher.run(work, lifecycle.clone()));
    }
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
    let time = environment.time.clone();
    let OpenedStore { store, recovery, cluster, heard } = opened;
    let live_feed = LiveFeed::default();
    let reads_only = store.backend.read_only();
    // After the store: its lock reserves the directory for one server.
    let signing = match reads_only {
        None => Signing::open(&config.store.data, &mut entropy.clone())?,
        Some(_) => Signing::open_read_only(&config.store.data)?,
    };
    log_warnings(recovery.as_ref(), &signing, &time, &metrics);
    let signing = Arc::new(signing);
    register_keys(&store, &signing, time.now_ms()).await?;
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
        cluster: cluster.clone(),
        presence: store.presence.clone(),
    };
    // operator: the server holds the data directory
    tracing::info!(data = %config.store.data.display(), "store opened");
    let recovers = recovery.is_some();
    let loops = config.games.loops.map(usize::from);
    let rooms =
        RoomRegistry::start_rooms(context, store.clone(), recovery, &environment, lifecycle, loops)
            .await?;
    let accounts = Accounts::new(store.clone(), &environment, &config.limits, Arc::clone(&quotas));
    let policy = Box::pin(Policy::open(store.clone(), time.clone())).await?;
    let writes = reads_only.is_none();
    if writes {
        start_room_tasks(&rooms, recovers, lifecycle);
    }
    let plays = config.games.house && writes;
    let house = if plays { house::players(&accounts, cluster.node()).await? } else { Vec::new() };
    let listed = house.iter().map(house::HouseBot::listed).collect();
    let enforced = config.limits.enforced;
    let lobby = {
        let (rooms, accounts) = (rooms.clone(), accounts.clone());
        Lobby::open(store.clone(), rooms, accounts, &environment, listed, enforced, cluster).await?
    };
    lifecycle.tasks.spawn(lobby.clone().broadcast_changes(lifecycle.soft.clone()));
    if writes {
        start_upkeep(config, &store, &lobby, &accounts, lifecycle);
        start_publisher(config, &store, &lobby, &time, lifecycle);
    }
    let notifications = NotificationChannels::open(&store, config, &environment, writes).await?;
    let notifier = Notifier::new(&notifications, &lobby, &environment, &metrics);
    start_notifier(may_notify.then_some(notifier), reported, lifecycle);
    let user_queries = UserQueries::new(store.clone(), lobby.clone());
    let talk = TalkService::new(
        store.clone(),
        rooms.clone(),
        lobby.clone(),
        time.clone(),
        config.talk.clone(),
        enforced,
    );
    let relations = RelationService::new(store.clone(), lobby.clone(), time.clone());
    let live_lists = LiveLists::new(rooms.clone(), store.clone(), live_feed, time.clone());
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
        downloads: download_files(config, &store, &signing),
        store,
        rooms,
        accounts,
        policy,
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
    start_tasks(config, &services, house, heard);
    Ok(services)
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
    house: Vec<house::HouseBot>,
    heard: Option<HeardEvents>,
) {
    let lifecycle = &services.lifecycle;
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
    for player in house {
        lifecycle.tasks.spawn(house::play(Arc::clone(services), player, config.games.clone()));
    }
    if !config.limits.enforced {
        // operator: `--no-limits` is set: rates and caps per address are not enforced. Never use it
        // on a public server
        tracing::warn!("limits are off");
    }
    if config.network.is_plain_text() {
        services.metrics.warn(StartWarning::PlainText);
        // operator: the server listens on an address of the network, and neither `network.tls` nor
        // `network.trusted_proxies` is set
        tracing::warn!("passwords cross the network unencrypted");
    }
}

/// Stores the public keys of this node for the others, and reads theirs.
async fn register_keys(store: &Store, signing: &Signing, now_ms: u64) -> Result<(), StoreError> {
    if let Some(keys) = &store.keys {
        keys.register_keys(signing.own_keys(), now_ms).await?;
        signing.set_elsewhere(keys.signing_keys().await?);
    }
    Ok(())
}

/// Warns of likely mistakes with the data directory or the machine.
fn log_warnings(
    recovery: Option<&Recovery>,
    signing: &Signing,
    time: &TimeSource,
    metrics: &Metrics,
) {
    if signing.is_exposed() {
        metrics.warn(StartWarning::KeyExposed);
    }
    let Some(recovery) = recovery else { return };
    if recovery.is_new && signing.existed() {
        metrics.warn(StartWarning::NewDatabase);
        // operator: the database is missing, usually because a volume is not mounted. Stop the
        // server and look for it
        tracing::warn!("new database beside an older signing key");
    }
    let behind_ms = recovery.last_activity.unwrap_or_default().saturating_sub(time.now_ms());
    if behind_ms > milliseconds(CLOCK_BEHIND_MAX) {
        metrics.warn(StartWarning::ClockBehind);
        // operator: game clocks stand still until the machine's clock catches up. Set the clock
        tracing::warn!(behind_s = behind_ms / 1000, "system clock is behind the newest record");
    }
}
