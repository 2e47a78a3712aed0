//! Which players are at their games, over all nodes. Nothing of this is durable.

use std::fmt;

use adamant_protocol::{GameId, UserName};
use futures::future::BoxFuture;

use super::StoreError;
use crate::cluster::NodeId;

/// A player's presence at a game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PlayerAtGame {
    pub user: UserName,
    /// The nodes at which the player has a session at the game, this one included.
    pub nodes: Vec<NodeId>,
    /// The time at which the player's last session left the game, in epoch milliseconds; `None` if
    /// none is known.
    pub left_at: Option<u64>,
    /// Whether it left because its node died.
    pub is_cut_off: bool,
}

/// The presence that all nodes share.
pub(crate) trait SharedPresence: fmt::Debug + Send + Sync + 'static {
    /// Notes whether a player has a session at a game on this node, since `at` in epoch
    /// milliseconds. Never waits.
    fn note(&self, game: &GameId, user: &UserName, here: bool, at: u64);

    /// Returns the players of which anything is known, for each game. Fails with
    /// [`StoreError::Busy`] while some node has not noted its sessions yet, so that a player who is
    /// not named may be present.
    fn at_games(
        &self,
        games: Vec<GameId>,
    ) -> BoxFuture<'static, Result<Vec<Vec<PlayerAtGame>>, StoreError>>;
}
