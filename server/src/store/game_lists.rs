//! Lists of games.
//!
//! Of a live game the embedded store knows everything in memory, and a shared database has it in
//! its rows.

use adamant_protocol::{GameId, UserName, to_client::GameEntry};
use adamant_rules::Kind;

use super::{
    DueGames, GameFilter, GamesPage, ListKey, LiveState, Store, StoreError,
    games::{entry, parse_entry},
    sql::{Row, Sql, SqlResult, Value, params},
    store::{Database, on_database, operations},
};

/// The order of a list of finished games, newest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    Start,
    /// By end; only with a user.
    End,
}

/// Returns the query for a page of finished games. It searches an index and reads as many rows as
/// the page has, with any filter: it has only the conditions that apply.
pub(super) fn list_query(of_user: bool, of_kind: bool, unlisted: bool, order: Order) -> String {
    let key = if order == Order::End { "ended_at" } else { "started_at" };
    let (table, state) = if of_user {
        ("game_users", "listed.user_name = $4 AND listed.ended_at IS NOT NULL")
    } else {
        ("games", "listed.finished = true")
    };
    let unlisted = if unlisted { "" } else { " AND NOT listed.unlisted" };
    let kind = match (of_kind, of_user) {
        (false, _) => "",
        (true, false) => " AND listed.rules = $4 AND listed.players = $5",
        (true, true) => " AND listed.rules = $5 AND listed.players = $6",
    };
    format!(
        "SELECT page.at, page.game, games.entry FROM (
             SELECT listed.{key} AS at, listed.game FROM {table} AS listed
             WHERE {state}{unlisted}{kind} AND (listed.{key}, listed.game) < ($1, $2)
             ORDER BY listed.{key} DESC, listed.game DESC LIMIT $3
         ) AS page CROSS JOIN games WHERE games.game = page.game
         ORDER BY page.at DESC, page.game DESC"
    )
}

/// The position of a row in its list, and its entry as JSON.
type Listed = ((u64, Box<str>), Box<str>);

async fn page(
    sql: &impl Sql,
    filter: &GameFilter,
    order: Order,
    after: Option<&ListKey>,
    limit: u32,
) -> SqlResult<Vec<GameEntry>> {
    let kinds = filter.kinds();
    let mut rows: Vec<Listed> = Vec::new();
    // There are few kinds: reads a page of each and merges them.
    for kind in kinds.iter().flatten().map(Some).chain(kinds.is_none().then_some(None)) {
        let user = filter.user.as_ref().map(UserName::folded);
        let query = list_query(user.is_some(), kind.is_some(), filter.unlisted, order);
        // A key behind all games.
        let (at, game) =
            after.map_or((i64::MAX, ""), |key| (key.at.cast_signed(), key.game.as_str()));
        let mut params: Vec<Value> = vec![at.into(), game.into(), limit.into()];
        params.extend(user.as_ref().map(|user| Value::from(user.as_str())));
        if let Some((rules, players)) = kind {
            params.extend([Value::from(*rules), Value::from(*players)]);
        }
        let listed = |row: &mut Row| Ok(((row.get(0)?, row.get(1)?), row.get(2)?));
        let found: SqlResult<Vec<Listed>> =
            sql.query(&query, &params).await?.iter_mut().map(listed).collect();
        rows.extend(found?);
    }
    if kinds.is_some() {
        rows.sort_unstable_by(|a, b| b.0.cmp(&a.0));
        rows.truncate(limit as usize);
    }
    Ok(rows.iter().filter_map(|(_, entry)| parse_entry(entry)).collect())
}

async fn list_key(sql: &impl Sql, game: &GameId, order: Order) -> SqlResult<Option<ListKey>> {
    let select = match order {
        Order::Start => "SELECT started_at FROM games WHERE game = $1",
        Order::End => "SELECT ended_at FROM games WHERE game = $1 AND finished",
    };
    let found = sql.first(select, params![game.as_str()]).await?;
    found.map(|mut row| Ok(ListKey { at: row.get(0)?, game: game.clone() })).transpose()
}

operations! {
    /// Returns finished games by start, the newest first.
    fn finished_games(filter: GameFilter, after: Option<ListKey>, limit: u32) -> Vec<GameEntry> =
        list(page(filter, Order::Start, after.as_ref(), *limit));
    /// Returns the finished games of the filter's user by end, the newest first.
    fn history(filter: GameFilter, after: Option<ListKey>, limit: u32) -> Vec<GameEntry> =
        list(page(filter, Order::End, after.as_ref(), *limit));
    fn list_key_by_start(game: GameId) -> Option<ListKey> = read(list_key(game, Order::Start));
    /// Returns the position of a finished game in a list by end; `None` if there is none.
    fn list_key_by_end(game: GameId) -> Option<ListKey> = read(list_key(game, Order::End));
}

impl Store {
    /// Returns the state of a live game; `None` if it is not live.
    pub(crate) async fn live_state(&self, game: &GameId) -> Result<Option<LiveState>, StoreError> {
        match &self.database {
            Database::Sqlite(sqlite) => Ok(sqlite.live().state(game)),
            Database::Postgres(postgres) => postgres.live_state(game).await,
        }
    }

    /// Returns the live games of a user, the oldest first.
    pub(crate) async fn live_games_of(&self, user: &UserName) -> Result<Vec<GameId>, StoreError> {
        match &self.database {
            Database::Sqlite(sqlite) => Ok(sqlite.live().of_user(user)),
            Database::Postgres(postgres) => postgres.live_games_of(user).await,
        }
    }

    pub(crate) async fn count_live_of(&self, user: &UserName) -> Result<usize, StoreError> {
        match &self.database {
            Database::Sqlite(sqlite) => Ok(sqlite.live().count_of_user(user)),
            Database::Postgres(postgres) => postgres.count_live_of(user).await,
        }
    }

    /// Returns the list entry of a game, live or finished; `None` if there is no such game.
    pub(crate) async fn game_entry(&self, game: &GameId) -> Result<Option<GameEntry>, StoreError> {
        if let Database::Sqlite(sqlite) = &self.database
            && let Some(entry) = sqlite.live().entry(game)
        {
            return Ok(Some(entry));
        }
        on_database!(read, &self.database, game.clone(), |sql, game| entry(sql, game))
    }

    /// Returns live games by start, the newest first.
    pub(crate) async fn live_games(
        &self,
        filter: &GameFilter,
        after: Option<&ListKey>,
        limit: usize,
    ) -> Result<GamesPage, StoreError> {
        match &self.database {
            Database::Sqlite(sqlite) => sqlite.live_games(filter, after, limit).await,
            Database::Postgres(postgres) => postgres.live_games(filter, after, limit).await,
        }
    }

    /// Returns listed games that are being played, of a kind or of all. Those with the latest
    /// events come first.
    pub(crate) async fn active_games(
        &self,
        kind: Option<Kind>,
        limit: usize,
    ) -> Result<Vec<GameEntry>, StoreError> {
        match &self.database {
            // Those with a room are being played.
            Database::Sqlite(sqlite) => Ok(sqlite.live().active(kind, limit)),
            Database::Postgres(postgres) => postgres.active_games(kind, limit).await,
        }
    }

    /// Looks at the `max` games without a room that have waited longest, if their time has come,
    /// and returns those whose room is to be opened. No other node gets these for a while. A store
    /// whose games are recovered at the start has none.
    pub(crate) async fn claim_due(&self, max: usize) -> Result<DueGames, StoreError> {
        match &self.database {
            Database::Sqlite(_) => Ok(DueGames::default()),
            Database::Postgres(postgres) => postgres.claim_due(max).await,
        }
    }
}
