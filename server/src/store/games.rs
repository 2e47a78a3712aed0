//! Games as lists show them, live and finished.

use adamant_protocol::{GameId, UserName, to_client::GameEntry};
use adamant_rules::Kind;
use futures::{
    FutureExt as _,
    future::{BoxFuture, ready},
};

use super::{GameFilter, ListKey, StoreError};

/// What is known of a live game without its records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LiveState {
    /// Whether the game has ended. It is live until it is archived.
    pub ended: bool,
    /// The delay for spectators, in moves.
    pub delay: u8,
}

/// A page of a list, and whether there are more games.
pub(crate) type GamesPage = (Vec<GameEntry>, bool);

/// Games whose time to look at them has come.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct DueGames {
    /// Those whose room is to be opened: they are over and not archived, or a clock has run out.
    pub due: Vec<GameId>,
    /// The number of games that were looked at.
    pub looked_at: usize,
}

/// Answers questions about games.
pub(crate) trait Games: std::fmt::Debug + Send + Sync + 'static {
    /// Returns the state of a live game; `None` if it is not live.
    fn live_state<'a>(
        &'a self,
        game: &'a GameId,
    ) -> BoxFuture<'a, Result<Option<LiveState>, StoreError>>;

    /// Returns the live games of a user, the oldest first.
    fn live_games_of<'a>(
        &'a self,
        user: &'a UserName,
    ) -> BoxFuture<'a, Result<Vec<GameId>, StoreError>>;

    /// Returns the number of live games of a user.
    fn count_live_of<'a>(&'a self, user: &'a UserName) -> BoxFuture<'a, Result<usize, StoreError>>;

    /// Returns the list entry of a game, live or finished; `None` if there is no such game.
    fn entry<'a>(
        &'a self,
        game: &'a GameId,
    ) -> BoxFuture<'a, Result<Option<GameEntry>, StoreError>>;

    /// Returns live games by start, the newest first.
    fn live_games<'a>(
        &'a self,
        filter: &'a GameFilter,
        after: Option<&'a ListKey>,
        limit: usize,
    ) -> BoxFuture<'a, Result<GamesPage, StoreError>>;

    /// Returns listed games that are being played, of a kind or of all. Those with the latest
    /// events come first.
    fn active_games(
        &self,
        kind: Option<Kind>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<GameEntry>, StoreError>>;

    /// Looks at the `max` games without a room that have waited longest, if their time has come,
    /// and returns those whose room is to be opened. No other node gets these for a while. A store
    /// whose games are recovered at the start has none.
    fn claim_due(&self, _max: usize) -> BoxFuture<'_, Result<DueGames, StoreError>> {
        ready(Ok(DueGames::default())).boxed()
    }

    /// Returns finished games by start, the newest first.
    fn finished_games(
        &self,
        filter: GameFilter,
        after: Option<ListKey>,
        limit: u32,
    ) -> BoxFuture<'_, Result<Vec<GameEntry>, StoreError>>;

    /// Returns the finished games of the filter's user by end, the newest first.
    fn history(
        &self,
        filter: GameFilter,
        after: Option<ListKey>,
        limit: u32,
    ) -> BoxFuture<'_, Result<Vec<GameEntry>, StoreError>>;

    /// Returns the position of a game in a list by start; `None` if there is no such game.
    fn list_key_by_start(&self, game: GameId)
    -> BoxFuture<'_, Result<Option<ListKey>, StoreError>>;

    /// Returns the position of a finished game in a list by end; `None` if there is none.
    fn list_key_by_end(&self, game: GameId) -> BoxFuture<'_, Result<Option<ListKey>, StoreError>>;
}
