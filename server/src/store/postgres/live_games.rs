//! Questions about live games. The list entry of a live game has the seats; its moves and times are
//! in the game's last row of the journal.

use adamant_protocol::{GameId, UserName, to_client::GameEntry};
use adamant_rules::Kind;
use futures::FutureExt as _;
use tokio_postgres::types::ToSql;

use super::{
    connection::{Transaction, to_sql},
    postgres::Postgres,
};
use crate::{
    limits::ACTIVE_GAMES_SEARCHED,
    store::{
        DueGames, GameFilter, GamesPage, ListKey, LiveState, StoreError,
        games::read_entry,
        sql::{Sql, SqlResult, params, rows_of},
    },
};

/// The columns of a list entry that change with moves.
const LAST_ROW: &str = "CROSS JOIN LATERAL (
        SELECT journal.ply, journal.to_move, journal.last_at FROM journal
        WHERE journal.game = games.game ORDER BY journal.seq DESC LIMIT 1
    ) AS last";

/// Returns the query for a page. It searches an index and reads as many rows as the page has, with
/// any filter: it has only the conditions that apply. Its parameters are the limit, the time and
/// the game after which the page begins, then the user, and then the kinds and their numbers of
/// players.
pub(super) fn list_query(of_user: bool, of_kinds: bool, unlisted: bool) -> String {
    let (table, state) = if of_user {
        ("game_users", "listed.user_name = $4 AND listed.ended_at IS NULL")
    } else {
        ("games", "listed.finished = false")
    };
    let unlisted = if unlisted { "" } else { " AND NOT listed.unlisted" };
    let kind = if of_kinds {
        " AND listed.rules = kind.rules AND listed.players = kind.players"
    } else {
        ""
    };
    let page = format!(
        "SELECT listed.game, listed.started_at AS at FROM {table} AS listed
         WHERE {state}{unlisted}{kind} AND (listed.started_at, listed.game) < ($2, $3)
         ORDER BY listed.started_at DESC, listed.game DESC LIMIT $1"
    );
    // There are few kinds: reads a page of each and merges them.
    let page = if of_kinds {
        let (rules, players) = if of_user { ("$5", "$6") } else { ("$4", "$5") };
        format!(
            "SELECT page.game, page.at
             FROM unnest({rules}::text[], {players}::int8[]) AS kind (rules, players)
                 CROSS JOIN LATERAL ({page}) AS page
             ORDER BY page.at DESC, page.game DESC LIMIT $1"
        )
    } else {
        page
    };
    format!(
        "SELECT games.entry, last.ply, last.to_move, last.last_at
         FROM ({page}) AS page JOIN games ON games.game = page.game {LAST_ROW}
         ORDER BY page.at DESC, page.game DESC"
    )
}

async fn read_page(
    transaction: &Transaction,
    filter: &GameFilter,
    after: Option<&ListKey>,
    limit: i64,
) -> SqlResult<Vec<GameEntry>> {
    let user = filter.user.as_ref().map(UserName::folded);
    let user = user.as_ref().map(UserName::as_str);
    let kinds = filter.kinds();
    let of_kinds = kinds.is_some();
    let query = list_query(user.is_some(), of_kinds, filter.unlisted);
    let (rules, players): (Vec<&str>, Vec<i64>) =
        kinds.into_iter().flatten().map(|(rules, players)| (rules, to_sql(players as u64))).unzip();
    // A key behind all games.
    let (at, game) = after.map_or((i64::MAX, ""), |key| (to_sql(key.at), key.game.as_str()));
    let mut parameters: Vec<&(dyn ToSql + Sync)> = vec![&limit, &at, &game];
    if let Some(user) = &user {
        parameters.push(user);
    }
    if of_kinds {
        parameters.extend([&rules as &(dyn ToSql + Sync), &players]);
    }
    let mut rows = rows_of(&transaction.query(&query, &parameters).await?)?;
    rows.iter_mut().filter_map(|row| read_entry(row).transpose()).collect()
}

async fn live_state(transaction: &Transaction, game: &GameId) -> SqlResult<Option<LiveState>> {
    let select = format!(
        "SELECT games.delay, last.to_move IS NULL FROM games {LAST_ROW}
         WHERE games.game = $1 AND NOT games.finished"
    );
    let found = transaction.first(&select, params![game.as_str()]).await?;
    found.map(|mut row| Ok(LiveState { delay: row.get(0)?, ended: row.get(1)? })).transpose()
}

async fn live_games_of(sql: &impl Sql, user: &UserName) -> SqlResult<Vec<GameId>> {
    // A game that has ended is not archived yet if its node ended at that moment.
    let select = "SELECT game_users.game FROM game_users CROSS JOIN LATERAL (
            SELECT to_move FROM journal WHERE journal.game = game_users.game
            ORDER BY seq DESC LIMIT 1
        ) AS last
        WHERE user_name = $1 AND ended_at IS NULL AND last.to_move IS NOT NULL
        ORDER BY started_at, game_users.game";
    let mut rows = sql.query(select, params![user.as_str()]).await?;
    rows.iter_mut().map(|row| row.parse(0)).collect()
}

async fn count_live_of(sql: &impl Sql, user: &UserName) -> SqlResult<usize> {
    let count = "SELECT COUNT(*) FROM game_users WHERE user_name = $1 AND ended_at IS NULL";
    sql.count(count, params![user.as_str()]).await
}

impl Postgres {
    /// Returns a page of live games by start, the newest first, and whether there are more.
    pub(in crate::store) async fn live_games(
        &self,
        filter: &GameFilter,
        after: Option<&ListKey>,
        limit: usize,
    ) -> Result<GamesPage, StoreError> {
        let one_more = to_sql(limit as u64).saturating_add(1);
        let read = self.pool().read_list((filter, after), move |sql, (filter, after)| {
            read_page(sql, filter, *after, one_more).boxed()
        });
        let mut games = read.await?;
        let more = games.len() > limit;
        games.truncate(limit);
        Ok((games, more))
    }

    /// Returns those with the latest events among those that began last.
    pub(in crate::store) async fn active_games(
        &self,
        kind: Option<Kind>,
        limit: usize,
    ) -> Result<Vec<GameEntry>, StoreError> {
        let rules = kind.map(|kind| kind.name().into());
        let filter = GameFilter { rules, ..GameFilter::default() };
        let read = self.pool().read_list(filter, |sql, filter| {
            read_page(sql, filter, None, ACTIVE_GAMES_SEARCHED).boxed()
        });
        let mut games = read.await?;
        games.sort_unstable_by(|a, b| (b.last_at, &b.game).cmp(&(a.last_at, &a.game)));
        games.truncate(limit);
        Ok(games)
    }

    pub(in crate::store) async fn live_state(
        &self,
        game: &GameId,
    ) -> Result<Option<LiveState>, StoreError> {
        self.pool().read_confirmed(game, |sql, game| live_state(sql, game).boxed()).await
    }

    pub(in crate::store) async fn live_games_of(
        &self,
        user: &UserName,
    ) -> Result<Vec<GameId>, StoreError> {
        let user = user.folded();
        self.pool().read_confirmed(user, |sql, user| live_games_of(sql, user).boxed()).await
    }

    pub(in crate::store) async fn count_live_of(
        &self,
        user: &UserName,
    ) -> Result<usize, StoreError> {
        let user = user.folded();
        self.pool().read_confirmed(user, |sql, user| count_live_of(sql, user).boxed()).await
    }

    pub(in crate::store) async fn claim_due(&self, max: usize) -> Result<DueGames, StoreError> {
        self.journal().wake_times().claim_due(max).await
    }
}
