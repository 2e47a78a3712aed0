//! Open challenges and rematches as they are stored.

use adamant_protocol::{ChallengeId, GameId};
use futures::future::BoxFuture;

use super::{StoreError, StoredChallenge};

/// Stores open challenges, and which game is whose rematch.
pub(crate) trait Challenges: std::fmt::Debug + Send + Sync + 'static {
    /// Stores an open challenge.
    fn add_challenge(&self, challenge: StoredChallenge) -> BoxFuture<'_, Result<(), StoreError>>;

    /// Updates a challenge if it is still open; returns whether it is.
    fn update_challenge(
        &self,
        challenge: StoredChallenge,
    ) -> BoxFuture<'_, Result<bool, StoreError>>;

    /// Returns the rematch of a game, if one has started.
    fn rematch_of(&self, game: GameId) -> BoxFuture<'_, Result<Option<GameId>, StoreError>>;

    /// Deletes a challenge; returns whether it was open.
    fn delete_challenge(&self, id: ChallengeId) -> BoxFuture<'_, Result<bool, StoreError>>;

    /// Returns all open challenges.
    fn challenges(&self) -> BoxFuture<'_, Result<Vec<StoredChallenge>, StoreError>>;
}
