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
        game_reader::{GameReader, ReadError, ReadFor, RecordSource, cores},
        registry::RoomRegistry,
    },
    runtime::time::milliseconds,
    store::{OpenGameRow, RecoveredState, Sqlite, StoreError, TimedGame},
};

impl RoomRegistry {
    /// Opens the rooms of games that were found in the journal, and serves games from then on. A
    /// game whose records are damaged is left alone and named in the log; the others are not held
    /// up by it.
    pub(crate) async fn recover(
        context: RoomContext,
        store: Sqlite,
        found: RecoveredState,
    ) -> Result<Self, StoreError> {
        let reader = GameReader::new(store.clone());
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
        let mut replayed = replays.buffered(cores());
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
            // Games are shown as they stand: their rooms open when they are asked for.
            tracing::info!(live = live.len(), parked = found.parked, "games recovered to be read");
            return Ok(rooms);
        }
        // What comes before this was the outage; what comes after it the players answer for.
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
            let deadline = outages.fold(deadline, |at, outage| outage.moves(at, last_at));
            rooms.context.parked.set_deadline(&game, deadline);
        }
        tracing::info!(live = live_games, parked, "games recovered");
        Ok(rooms)
    }

    /// A game that ended shortly before the server did.
    async fn archive_finished(&self, game: &GameId, loaded: LoadedGame) {
        if let Err(error) =
            Box::pin(room::archive_finished(Arc::clone(&self.context), loaded)).await
        {
            tracing::warn!(%game, %error, "a finished game could not be rated and folded");
        }
    }

    /// Moves the mark of life on as long as the server runs, so that the next one knows for how
    /// long there was none.
    pub(crate) async fn run_heartbeat(self) {
        let RoomContext { time, lifecycle, .. } = &*self.context;
        loop {
            tokio::select! {
                () = lifecycle.soft.cancelled() => return,
                () = sleep(HEARTBEAT_EVERY) => {}
            }
            // Without games nobody loses time, and the disk may rest; unless it failed, and somebody
            // has to find out that it does no longer.
            let is_due = !self.store.live().is_empty() || !self.store.is_healthy();
            match if is_due { self.store.record_heartbeat(time.now_ms()).await } else { Ok(()) } {
                // That nothing can be stored stands in the log already.
                Ok(()) | Err(StoreError::ReadOnly) => {}
                Err(error) => tracing::warn!(%error, "the mark of life could not be stored"),
            }
        }
    }

    /// Opens the room of every parked game whose clock runs out, until the server stops. What
    /// follows from that is the room's to decide.
    pub(crate) async fn run_deadlines(self) {
        let RoomContext { parked, time, lifecycle, .. } = &*self.context;
        loop {
            tokio::select! {
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
                tracing::debug!(%game, "a parked game's clock runs out");
                match self.get_or_open(&game, None).await {
                    Ok(_) => {}
                    Err(Denial::Damaged(_)) => parked.forget(&game),
                    Err(denial) => {
                        tracing::warn!(%game, %denial, "a parked game could not be loaded");
                        parked.set_deadline(&game, now.saturating_add(milliseconds(WAKE_AGAIN)));
                    }
                }
            }
        }
    }
}

/// Replays a game that was found in the journal.
async fn replay_recovered(
    reader: GameReader,
    game: OpenGameRow,
) -> (OpenGameRow, Result<Option<LoadedGame>, ReadError>) {
    let loader = GameLoader::default();
    let source = RecordSource::Recovered(&game);
    let loader = reader.fold(source, u64::MAX, ReadFor::Startup, loader, GameLoader::push).await;
    (game, loader.map(GameLoader::finish))
}
