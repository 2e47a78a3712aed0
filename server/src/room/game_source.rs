//! Reads games from the store, and remembers those whose records are damaged.

use std::sync::Arc;

use adamant_protocol::GameId;
use adamant_record::RecordError;
use bytes::Bytes;

use super::{
    damaged::DamagedGames,
    game_reader::{GameReader, ReadError, ReadFor, RecordSource},
    loaded::{GameLoader, LoadedGame},
};
use crate::{address::ClientAddress, error::Denial, runtime::work_pool::WorkPool, store::Store};

/// The games of the store. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct GameSource {
    store: Store,
    reader: GameReader,
    damaged: Arc<DamagedGames>,
}

impl GameSource {
    /// Returns the games of this store.
    pub(crate) fn new(store: Store, work: WorkPool) -> Self {
        let reader = GameReader::new(Arc::clone(&store.journal), work);
        Self { store, reader, damaged: Arc::default() }
    }

    /// Loads a game whose room opens, as of the seq `until`.
    pub(crate) async fn load(
        &self,
        game: &GameId,
        until: u64,
        reason: ReadFor,
    ) -> Result<LoadedGame, Denial> {
        let mut loaded = self.replay_until(game, until, reason).await?;
        if let Some(shared) = &self.store.presence {
            // Without an answer the players are unknown until the next audit, and a claim asks.
            let found = shared.at_games(vec![game.clone()]).await.unwrap_or_default();
            loaded.present = found.into_iter().next().unwrap_or_default();
        }
        self.store.backend.room_opens(loaded.entry());
        Ok(loaded)
    }

    /// Replays a game on behalf of a client at this address.
    pub(super) async fn replay(
        &self,
        game: &GameId,
        from: Option<ClientAddress>,
    ) -> Result<LoadedGame, Denial> {
        self.replay_until(game, u64::MAX, ReadFor::Client(from)).await
    }

    async fn replay_until(
        &self,
        game: &GameId,
        until: u64,
        reason: ReadFor,
    ) -> Result<LoadedGame, Denial> {
        let not_found = || Denial::NotFound(format!("game {game}"));
        let loader = self.read(game, until, reason, GameLoader::default(), GameLoader::push);
        loader.await?.finish().ok_or_else(not_found)
    }

    /// Folds the records of a game up to and including the seq `until`.
    pub(super) async fn read<T: Send + 'static>(
        &self,
        game: &GameId,
        until: u64,
        reason: ReadFor,
        initial: T,
        step: fn(&mut T, &Bytes) -> Result<(), RecordError>,
    ) -> Result<T, Denial> {
        self.is_sound(game)?;
        let source = RecordSource::Store(game);
        // Boxed, since this rare future would otherwise enlarge every idle session.
        let result = Box::pin(self.reader.fold(source, until, reason, initial, step)).await;
        result.map_err(|error| {
            if let ReadError::Damaged(error) = &error {
                self.damaged.record(game, error);
            }
            error.into_denial(game)
        })
    }

    /// Returns the reader.
    pub(super) const fn reader(&self) -> &GameReader {
        &self.reader
    }

    /// Returns an error if the game's records are known to be damaged.
    pub(super) fn is_sound(&self, game: &GameId) -> Result<(), Denial> {
        if self.damaged.contains(game) { Err(Denial::Damaged(game.clone())) } else { Ok(()) }
    }

    /// Records that a game's records are damaged.
    pub(super) fn record_damage(&self, game: &GameId, error: &RecordError) {
        self.damaged.record(game, error);
    }

    /// Number of games with damaged records.
    pub(super) fn damaged_count(&self) -> usize {
        self.damaged.count()
    }
}
