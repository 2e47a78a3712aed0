//! Loads live games at startup, and opens parked games at their deadlines.

use std::sync::Arc;

use adamant_protocol::GameId;
use futures::{StreamExt as _, stream};
use tokio::{sync::OnceCell, time::sleep};

use crate::{
    error::Denial,
    limits::{HEARTBEAT_EVERY, WAKE_AGAIN},
    room::{
        self, GameLoader, LoadedGame, RoomContext,
        game_reader::{GameReader, ReadError, ReadFor, RecordSource},
        registry::RoomRegistry,
    },
    runtime::time::milliseconds,
    store::{OpenGameRow, RecoveredState, Sqlite, StoreError, TimedGame},
};

impl RoomRegistry {
    /// Opens the rooms of the games in the journal and returns the registry. A game with damaged
    /// records is logged and skipped.
    pub(crate) async fn recover(
        context: RoomContext,
        store: Sqlite,
        found: RecoveredState,
    ) -> Result<Self, StoreError> {
        let reader = GameReader::new(store.clone(), context.work.clone());
        let mut rooms = Self {
            context: Arc::new(context),
            store,
            reader,
            texts: Arc::default(),
            damaged: Arc::default(),
        };
        let mut last_event = None;
        let mut settled = found.timed.iter().map(|game| game.last_at).min();
        let mut live = Vec::with_capacity(found.open.len());
        let reader = rooms.reader.clone();
        let replays = stream::iter(found.open).map(|game| replay_recovered(reader.clone(), game));
        let mut replayed = replays.buffered(rooms.context.work.parallelism());
        while let Some((game, loaded)) = replayed.next().await {
            match loaded {
                Ok(Some(loaded)) => {
                    let id = game.game.clone();
                    rooms.store.restore(game, loaded.entry());
                    last_event = last_event.max(Some(loaded.last_at()));
                    if loaded.is_over() && !rooms.context.reads_only {
                        rooms.archive_finished(&id, loaded).await;
                        continue;
                    }
                    if loaded.is_timed() {
                        settled = Some(settled.unwrap_or(u64::MAX).min(loaded.last_at()));
                    }
                    live.push((id, loaded));
                }
                Ok(None) => {}
                Err(ReadError::Damaged(error)) => rooms.damaged.record(&game.game, &error),
                Err(ReadError::Store(error)) => return Err(error),
                Err(ReadError::Busy) => return Err(StoreError::Stopped),
            }
        }
        if rooms.context.reads_only {
            // Games cannot change. Their rooms open on request.
            tracing::info!(live = live.len(), parked = found.parked, "games recovered read-only");
            return Ok(rooms);
        }
        // The outage ends here. From now on the clocks run.
        let context = Arc::make_mut(&mut rooms.context);
        context.opened_at = context.time.now_ms();
        let outages = rooms.store.begin_serving(last_event, settled, context.opened_at).await?;
        context.outages = outages.into();
        let (live_games, parked) = (live.len(), found.parked);
        for (game, loaded) in live {
            let room = room::open(Arc::clone(&rooms.context), loaded);
            rooms.context.slots.insert(game, Arc::new(OnceCell::from(room)));
        }
        for TimedGame { game, last_at, deadline } in found.timed {
            let outages = rooms.context.outages.iter();
            let deadline = outages.fold(deadline, |at, outage| outage.shift_deadline(at, last_at));
            rooms.context.parked.set_deadline(&game, deadline);
        }
        tracing::info!(live = live_games, parked, "games recovered");
        Ok(rooms)
    }

    /// Completes a game that ended shortly before the server stopped.
    async fn archive_finished(&self, game: &GameId, loaded: LoadedGame) {
        if let Err(error) =
            Box::pin(room::archive_finished(Arc::clone(&self.context), loaded)).await
        {
            tracing::warn!(%game, %error, "rating and archiving failed");
        }
    }

    /// Stores a heartbeat regularly until shutdown, so that the next process can measure the
    /// outage.
    pub(crate) async fn run_heartbeat(self) {
        let RoomContext { time, lifecycle, .. } = &*self.context;
        loop {
            tokio::select! {
                biased;
                () = lifecycle.soft.cancelled() => return,
                () = sleep(HEARTBEAT_EVERY) => {}
            }
            // Without live games no clock runs, and the disk may sleep. An unhealthy store is still
            // tried, to find out whether it has recovered.
            let is_due = !self.store.live().is_empty() || !self.store.is_healthy();
            match if is_due { self.store.record_heartbeat(time.now_ms()).await } else { Ok(()) } {
                // The store has logged this already.
                Ok(()) | Err(StoreError::ReadOnly) => {}
                Err(error) => tracing::warn!(%error, "heartbeat write failed"),
            }
        }
    }

    /// Opens the rooms of parked games at their deadlines, until shutdown. The room decides the
    /// rest.
    pub(crate) async fn run_deadlines(self) {
        let RoomContext { parked, time, lifecycle, .. } = &*self.context;
        loop {
            tokio::select! {
                biased;
                () = lifecycle.soft.cancelled() => return,
                () = parked.changed() => continue,
                () = parked.session_closed() => {
                    parked.sweep(time.now_ms());
                    continue;
                }
                () = time.reaches(parked.next_deadline()) => {}
            }
            let now = time.now_ms();
            for game in parked.due(now) {
                tracing::debug!(%game, "parked game's deadline passed");
                match self.get_or_open(&game, None).await {
                    Ok(_) => {}
                    Err(Denial::Damaged(_)) => parked.forget(&game),
                    Err(denial) => {
                        tracing::warn!(%game, %denial, "opening a parked game failed");
                        parked.set_deadline(&game, now.saturating_add(milliseconds(WAKE_AGAIN)));
                    }
                }
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
