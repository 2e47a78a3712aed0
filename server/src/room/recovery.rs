//! Starts the rooms, with the games that the embedded store recovers, and stores heartbeats.

use std::sync::Arc;

use futures::{StreamExt as _, stream};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::{
    game_reader::{GameReader, ReadError, ReadFor, RecordSource},
    game_source::GameSource,
    loaded::{GameLoader, LoadedGame},
    loops::{LoopServices, LoopStart, RoomLoops, complete},
    registry::RoomRegistry,
    state::RoomContext,
};
use crate::{
    cache::Cache,
    limits::{CLOCK_AHEAD_MAX_MS, CLOCK_AHEAD_WARN_MS, STALL_OUTAGE_MS, TEXT_CACHE_BYTES_MAX},
    runtime::{environment::Environment, shutdown::Lifecycle, time::Stall},
    store::{Backend, Heartbeat, Outage, RecoveredGame, Recovery, Store, StoreError, TimedGame},
};

/// What a server starts with: the games of its journal, replayed.
#[derive(Debug, Default)]
struct RecoveredRooms {
    live: Vec<LoadedGame>,
    /// Number of parked games.
    parked: usize,
    /// The parked games with running clocks.
    timed: Vec<TimedGame>,
    /// The time of the last event, in epoch milliseconds.
    last_event: Option<u64>,
    /// Every game has been credited with the outages until this time, in epoch milliseconds.
    settled: Option<u64>,
}

impl RoomRegistry {
    /// Starts the loops, with the rooms of the games that the store has recovered, and returns the
    /// registry. No loop count starts a loop for each core.
    pub(crate) async fn start_rooms(
        context: RoomContext,
        store: Store,
        recovery: Option<Recovery>,
        environment: &Environment,
        lifecycle: &Lifecycle,
        loops: Option<usize>,
    ) -> Result<Self, StoreError> {
        let context = Arc::new(context);
        let Environment { time, entropy, work } = environment.clone();
        let source = GameSource::new(store.clone(), work.clone());
        let recovered = match recovery {
            Some(recovery) => replay(recovery, &context, &store, &source, environment).await?,
            None => RecoveredRooms::default(),
        };
        let RecoveredRooms { live, parked, timed, last_event, settled } = recovered;
        let live_games = live.len();
        let mut start = LoopStart::default();
        let absent_since = time.now_ms();
        if context.reads_only {
            // Games cannot change. Their rooms open on request.
            // operator: the numbers of live and of parked games on a read-only server
            tracing::info!(live = live_games, parked, "games recovered read-only");
        } else {
            // The outage ends here. From now on the clocks run.
            let outages = store.backend.begin_serving(last_event, settled, absent_since).await?;
            context.outages.extend(outages);
            context.outages.note_start();
            if !context.cluster.is_alone() {
                let (now, every) = (time.now_ms(), store.backend.heartbeat_every());
                context.outages.note_heartbeat(absent_since, now, every);
            }
            start.live = live;
            start.deadlines = timed
                .into_iter()
                .map(|TimedGame { game, last_at, deadline }| {
                    (game, context.outages.shift_deadline(deadline, last_at))
                })
                .collect();
            // operator: the numbers of live and of parked games
            tracing::info!(live = live_games, parked, "games recovered");
        }
        let heard = Arc::clone(&context);
        let backend = Arc::clone(&store.backend);
        time.on_stall(move |stall| heard_stall(&heard, &*backend, stall));
        let services = LoopServices {
            context: Arc::clone(&context),
            journal: Arc::clone(&store.journal),
            source: source.clone(),
            time: time.clone(),
            absent_since,
        };
        let count = loops.unwrap_or_else(|| work.parallelism());
        let loops = RoomLoops::start(count, &Arc::new(services), lifecycle, start);
        let texts = Arc::new(Cache::new(TEXT_CACHE_BYTES_MAX));
        Ok(Self { context, loops, store, source, time, entropy, texts })
    }

    /// Notices, until shutdown, when this process stands still. A simulation never does.
    pub(crate) async fn run_pulse(self, stop: CancellationToken) {
        if self.time.is_real() {
            let beating = self.time.beat(self.context.cluster.is_alone());
            stop.run_until_cancelled(beating).await;
        }
    }

    /// Stores a heartbeat regularly until shutdown, so that the outage after it can be measured.
    pub(crate) async fn run_heartbeat(self, lifecycle: Lifecycle) {
        let backend = &self.store.backend;
        let mut was_apart = false;
        let mut stored = self.context.outages.count();
        loop {
            tokio::select! {
                biased;
                () = lifecycle.soft.cancelled() => return,
                () = sleep(backend.heartbeat_every()) => {}
            }
            if self.context.cluster.is_alone() {
                stored = self.store_outages(stored).await;
            }
            let sent = self.time.now_ms();
            match backend.heartbeat(sent).await {
                Ok(Heartbeat { outages, ahead_ms }) => {
                    self.context.outages.extend(outages);
                    if !self.context.cluster.is_alone() {
                        let (now, every) = (self.time.now_ms(), backend.heartbeat_every());
                        self.context.outages.note_heartbeat(sent, now, every);
                    }
                    if let Some(ahead_ms) = ahead_ms {
                        was_apart = self.follow_clock(ahead_ms, was_apart);
                    }
                }
                // The store has logged this already.
                Err(StoreError::ReadOnly) => {}
                // operator: usually after a failed commit. A crash now would credit players with
                // more thinking time than the outage took
                Err(error) => tracing::warn!(%error, "heartbeat write failed"),
            }
        }
    }

    /// Stores the outages that this process has found while it ran, for games that are parked until
    /// after a restart. Returns how many outages are stored.
    async fn store_outages(&self, mut stored: u32) -> u32 {
        while let Some(outage) = self.context.outages.get(stored) {
            if let Err(error) = self.store.backend.record_outage(outage).await {
                tracing::warn!(%error, "heartbeat write failed");
                break;
            }
            stored += 1;
        }
        stored
    }

    /// Approaches the store's clock, unless one of the two is wrong. Warns of a large difference
    /// once. Returns whether there is one.
    fn follow_clock(&self, ahead_ms: i64, was_apart: bool) -> bool {
        self.context.metrics.set_clock_ahead(ahead_ms);
        let apart = ahead_ms.unsigned_abs();
        let is_apart = apart > CLOCK_AHEAD_WARN_MS;
        if is_apart && !was_apart {
            // operator: the node follows by at most 5 ms a second, and not at all beyond a second.
            // Check the time service of both machines
            tracing::warn!(ahead_ms, "clock differs from the store's");
        }
        if apart <= CLOCK_AHEAD_MAX_MS {
            self.time.adjust(ahead_ms);
        }
        is_apart
    }
}

/// Notes a stall of this process. A long one is an outage of a server with a store of its own.
fn heard_stall(context: &RoomContext, backend: &dyn Backend, stall: Stall) {
    let Stall { from, until } = stall;
    let lasted_ms = until.saturating_sub(from);
    if lasted_ms < STALL_OUTAGE_MS || !context.cluster.is_alone() {
        return context.outages.add_stall(stall);
    }
    // operator: the process did not run for a second or longer: the machine slept, was moved or had
    // no core to spare. Running clocks get the time back
    tracing::warn!(lasted_ms, "the server stood still: games are credited the time");
    let outage = Outage { from, until };
    context.outages.extend([outage]);
    backend.note_outage(outage);
}

/// Replays the games of the journal. A game with damaged records is logged and skipped, and a game
/// that is over is completed.
async fn replay(
    recovery: Recovery,
    context: &Arc<RoomContext>,
    store: &Store,
    source: &GameSource,
    environment: &Environment,
) -> Result<RecoveredRooms, StoreError> {
    let Environment { time, work, .. } = environment;
    let Recovery { games, timed, parked, .. } = recovery;
    let mut last_event = None;
    let mut settled = timed.iter().map(|game| game.last_at).min();
    let mut live = Vec::with_capacity(games.len());
    let reader = source.reader();
    let replays = stream::iter(games).map(|game| replay_recovered(reader.clone(), game));
    let mut replayed = replays.buffered(work.parallelism());
    while let Some((game, loaded)) = replayed.next().await {
        match loaded {
            Ok(Some(loaded)) => {
                game.restore(loaded.entry());
                last_event = last_event.max(Some(loaded.last_at()));
                if loaded.is_over() && !context.reads_only {
                    // Boxed, since this is rare.
                    let completed = complete(Arc::clone(context), &*store.journal, time, loaded);
                    Box::pin(completed).await;
                    continue;
                }
                if loaded.is_timed() {
                    settled = Some(settled.unwrap_or(u64::MAX).min(loaded.last_at()));
                }
                live.push(loaded);
            }
            Ok(None) => {}
            Err(ReadError::Damaged(error)) => source.record_damage(game.game(), &error),
            Err(ReadError::Store(error)) => return Err(error),
            Err(ReadError::Work(_)) => return Err(StoreError::Stopped),
        }
    }
    Ok(RecoveredRooms { live, parked, timed, last_event, settled })
}

/// Loads a game of the journal.
async fn replay_recovered(
    reader: GameReader,
    game: RecoveredGame,
) -> (RecoveredGame, Result<Option<LoadedGame>, ReadError>) {
    let loader = GameLoader::default();
    let source = RecordSource::Recovered(&game);
    let loader = reader.fold(source, u64::MAX, ReadFor::Startup, loader, GameLoader::push).await;
    (game, loader.map(GameLoader::finish))
}
