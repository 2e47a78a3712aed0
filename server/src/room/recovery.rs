//! Loads live games at startup, and stores a heartbeat.

use std::sync::Arc;

use futures::{StreamExt as _, stream};
use tokio::time::sleep;

use super::{
    game_reader::{GameReader, ReadError, ReadFor, RecordSource},
    game_source::GameSource,
    loaded::{GameLoader, LoadedGame},
    loops::{LoopServices, LoopStart, RoomLoops, complete},
    registry::RoomRegistry,
    state::RoomContext,
};
use crate::{
    limits::HEARTBEAT_EVERY,
    runtime::{environment::Environment, shutdown::Lifecycle},
    store::{OpenGameRow, RecoveredState, Sqlite, StoreError, TimedGame},
};

impl RoomRegistry {
    /// Starts the loops with the rooms of the games in the journal, and returns the registry. A
    /// game with damaged records is logged and skipped. No loop count starts a loop for each core.
    pub(crate) async fn recover(
        context: RoomContext,
        store: Sqlite,
        found: RecoveredState,
        environment: &Environment,
        lifecycle: &Lifecycle,
        loops: Option<usize>,
    ) -> Result<Self, StoreError> {
        let context = Arc::new(context);
        let Environment { time, entropy, work } = environment.clone();
        let source = GameSource::new(store.clone(), work.clone());
        let mut last_event = None;
        let mut settled = found.timed.iter().map(|game| game.last_at).min();
        let mut live = Vec::with_capacity(found.open.len());
        let reader = source.reader().clone();
        let replays = stream::iter(found.open).map(|game| replay_recovered(reader.clone(), game));
        let mut replayed = replays.buffered(work.parallelism());
        while let Some((game, loaded)) = replayed.next().await {
            match loaded {
                Ok(Some(loaded)) => {
                    store.restore(game, loaded.entry());
                    last_event = last_event.max(Some(loaded.last_at()));
                    if loaded.is_over() && !context.reads_only {
                        // Boxed, since this is rare.
                        Box::pin(complete(Arc::clone(&context), &store, time, loaded)).await;
                        continue;
                    }
                    if loaded.is_timed() {
                        settled = Some(settled.unwrap_or(u64::MAX).min(loaded.last_at()));
                    }
                    live.push(loaded);
                }
                Ok(None) => {}
                Err(ReadError::Damaged(error)) => source.record_damage(&game.game, &error),
                Err(ReadError::Store(error)) => return Err(error),
                Err(ReadError::Work(_)) => return Err(StoreError::Stopped),
            }
        }
        let (live_games, parked) = (live.len(), found.parked);
        let mut start = LoopStart::default();
        let absent_since = time.now_ms();
        if context.reads_only {
            // Games cannot change. Their rooms open on request.
            tracing::info!(live = live_games, parked, "games recovered read-only");
        } else {
            // The outage ends here. From now on the clocks run.
            let outages = store.begin_serving(last_event, settled, absent_since).await?;
            context.outages.extend(outages);
            start.live = live;
            start.deadlines = found
                .timed
                .into_iter()
                .map(|TimedGame { game, last_at, deadline }| {
                    (game, context.outages.shift_deadline(deadline, last_at))
                })
                .collect();
            tracing::info!(live = live_games, parked, "games recovered");
        }
        let services = LoopServices {
            context: Arc::clone(&context),
            journal: Arc::new(store.clone()),
            source: source.clone(),
            time,
            absent_since,
        };
        let count = loops.unwrap_or_else(|| work.parallelism());
        let loops = RoomLoops::start(count, &Arc::new(services), lifecycle, start);
        Ok(Self { context, loops, store, source, time, entropy, texts: Arc::default() })
    }

    /// Stores a heartbeat regularly until shutdown, so that the next process can measure the
    /// outage.
    pub(crate) async fn run_heartbeat(self, lifecycle: Lifecycle) {
        loop {
            tokio::select! {
                biased;
                () = lifecycle.soft.cancelled() => return,
                () = sleep(HEARTBEAT_EVERY) => {}
            }
            // Without live games no clock runs, and the disk may sleep. An unhealthy store is still
            // tried, to find out whether it has recovered.
            let is_due = !self.store.live().is_empty() || !self.store.is_healthy();
            match if is_due {
                self.store.record_heartbeat(self.time.now_ms()).await
            } else {
                Ok(())
            } {
                // The store has logged this already.
                Ok(()) | Err(StoreError::ReadOnly) => {}
                Err(error) => tracing::warn!(%error, "heartbeat write failed"),
            }
        }
    }
}

/// Loads a game of the journal.
async fn replay_recovered(
    reader: GameReader,
    game: OpenGameRow,
) -> (OpenGameRow, Result<Option<LoadedGame>, ReadError>) {
    let loader = GameLoader::default();
    let source = RecordSource::Recovered(&game);
    let loader = reader.fold(source, u64::MAX, ReadFor::Startup, loader, GameLoader::push).await;
    (game, loader.map(GameLoader::finish))
}
