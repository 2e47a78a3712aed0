//! Answers questions about games: about live ones from memory, and about others by a read.

use adamant_protocol::{GameId, UserName, to_client::GameEntry};
use adamant_rules::Kind;
use futures::{
    FutureExt as _,
    future::{BoxFuture, ready},
};
use rusqlite::Connection;

use super::{
    database::Sqlite,
    games::{self, Order},
};
use crate::store::{GameFilter, Games, GamesPage, ListKey, LiveState, StoreError};

impl Sqlite {
    async fn list_live(
        &self,
        filter: &GameFilter,
        after: Option<&ListKey>,
        limit: usize,
    ) -> Result<GamesPage, StoreError> {
        let (keys, more) = self.live.list(filter, after, limit);
        let open = |key: ListKey| {
            let entry = self.live.with(&key.game, |live| live.entry.clone());
            entry.ok_or(key.game)
        };
        let entries: Vec<_> = keys.into_iter().map(open).collect();
        if entries.iter().all(Result::is_ok) {
            return Ok((entries.into_iter().flatten().collect(), more));
        }
        // Entries of parked games are in the database. A game that has just ended is left out: it
        // is in the list of finished games.
        let read = move |connection: &Connection| {
            let entry = |found: Result<GameEntry, GameId>| match found {
                Ok(entry) => Ok(Some(entry)),
                Err(game) => games::entry(connection, &game),
            };
            let entries: Vec<Option<GameEntry>> =
                entries.into_iter().map(entry).collect::<rusqlite::Result<_>>()?;
            Ok(entries.into_iter().flatten().filter(|entry| entry.result.is_none()).collect())
        };
        Ok((self.read_with(read).await?, more))
    }

    fn list_finished(
        &self,
        filter: GameFilter,
        order: Order,
        after: Option<ListKey>,
        limit: u32,
    ) -> BoxFuture<'_, Result<Vec<GameEntry>, StoreError>> {
        let list = move |connection: &Connection| {
            games::list_finished(connection, &filter, order, after.as_ref(), limit)
        };
        self.readers.run_list(list).boxed()
    }
}

impl Games for Sqlite {
    fn live_state<'a>(
        &'a self,
        game: &'a GameId,
    ) -> BoxFuture<'a, Result<Option<LiveState>, StoreError>> {
        ready(Ok(self.live.state(game))).boxed()
    }

    fn live_games_of<'a>(
        &'a self,
        user: &'a UserName,
    ) -> BoxFuture<'a, Result<Vec<GameId>, StoreError>> {
        ready(Ok(self.live.of_user(user))).boxed()
    }

    fn count_live_of<'a>(&'a self, user: &'a UserName) -> BoxFuture<'a, Result<usize, StoreError>> {
        ready(Ok(self.live.count_of_user(user))).boxed()
    }

    fn entry<'a>(
        &'a self,
        game: &'a GameId,
    ) -> BoxFuture<'a, Result<Option<GameEntry>, StoreError>> {
        if let Some(entry) = self.live.with(game, |live| live.entry.clone()) {
            return ready(Ok(Some(entry))).boxed();
        }
        let game = game.clone();
        self.read_with(move |connection| games::entry(connection, &game)).boxed()
    }

    fn live_games<'a>(
        &'a self,
        filter: &'a GameFilter,
        after: Option<&'a ListKey>,
        limit: usize,
    ) -> BoxFuture<'a, Result<GamesPage, StoreError>> {
        self.list_live(filter, after, limit).boxed()
    }

    /// Those with a room are being played.
    fn active_games(
        &self,
        kind: Option<Kind>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<GameEntry>, StoreError>> {
        ready(Ok(self.live.active(kind, limit))).boxed()
    }

    fn finished_games(
        &self,
        filter: GameFilter,
        after: Option<ListKey>,
        limit: u32,
    ) -> BoxFuture<'_, Result<Vec<GameEntry>, StoreError>> {
        self.list_finished(filter, Order::Start, after, limit)
    }

    fn history(
        &self,
        filter: GameFilter,
        after: Option<ListKey>,
        limit: u32,
    ) -> BoxFuture<'_, Result<Vec<GameEntry>, StoreError>> {
        self.list_finished(filter, Order::End, after, limit)
    }

    fn list_key_by_start(
        &self,
        game: GameId,
    ) -> BoxFuture<'_, Result<Option<ListKey>, StoreError>> {
        if let Some(key) = self.live.key_of(&game) {
            return ready(Ok(Some(key))).boxed();
        }
        self.read_with(move |connection| games::list_key(connection, &game, Order::Start)).boxed()
    }

    fn list_key_by_end(&self, game: GameId) -> BoxFuture<'_, Result<Option<ListKey>, StoreError>> {
        self.read_with(move |connection| games::list_key(connection, &game, Order::End)).boxed()
    }
}
