//! Answers questions about games. The list entry of a live game has the seats; its moves and times
//! are in the game's last row of the journal.

use adamant_protocol::{GameId, UserName, to_client::GameEntry};
use adamant_rules::Kind;
use futures::{FutureExt as _, future::BoxFuture};
use tokio::time::timeout;
use tokio_postgres::{Row, types::ToSql};

use super::{
    failure::Failure,
    list_query::{LAST_ROW, ListOrder, ListQuery},
    postgres::Postgres,
    transaction::Transaction,
    values::{from_sql, parse, to_sql},
};
use crate::{
    limits::{ACTIVE_GAMES_SEARCHED, LIST_WAIT_MAX},
    store::{DueGames, GameFilter, Games, GamesPage, ListKey, LiveState, StoreError},
};

/// Reads `games.entry, last.ply, last.to_move, last.last_at`. An unreadable entry is left out.
fn read_entry(row: &Row) -> Result<Option<GameEntry>, Failure> {
    let entry: Result<GameEntry, _> = serde_json::from_str(row.try_get(0)?);
    let Ok(mut entry) =
        entry.inspect_err(|error| tracing::error!(%error, "a stored game entry is unreadable"))
    else {
        return Ok(None);
    };
    if let Some(ply) = row.try_get::<_, Option<i32>>(1)? {
        let to_move: Option<i16> = row.try_get(2)?;
        entry.ply = u32::try_from(ply).unwrap_or(0);
        entry.to_move = to_move.and_then(|seat| u8::try_from(seat).ok());
        entry.last_at = from_sql(row.try_get(3)?);
    }
    Ok(Some(entry))
}

fn read_entries(rows: &[Row]) -> Result<Vec<GameEntry>, Failure> {
    rows.iter().filter_map(|row| read_entry(row).transpose()).collect()
}

/// A page of a list to read.
#[derive(Debug)]
struct PageRequest {
    filter: GameFilter,
    order: ListOrder,
    after: Option<ListKey>,
    limit: i64,
}

async fn read_page(
    transaction: &Transaction,
    page: &PageRequest,
) -> Result<Vec<GameEntry>, Failure> {
    let PageRequest { filter, order, after, limit } = page;
    let user = filter.user.as_ref().map(UserName::folded);
    let user = user.as_ref().map(UserName::as_str);
    let kinds = filter.kinds();
    let query = ListQuery {
        order: *order,
        of_user: user.is_some(),
        of_kinds: kinds.is_some(),
        unlisted: filter.unlisted,
    };
    let (rules, players): (Vec<&str>, Vec<i16>) = kinds
        .into_iter()
        .flatten()
        .map(|(rules, players)| (rules, i16::try_from(players).unwrap_or(i16::MAX)))
        .unzip();
    // A key behind all games.
    let (at, game) =
        after.as_ref().map_or((i64::MAX, ""), |key| (to_sql(key.at), key.game.as_str()));
    let mut parameters: Vec<&(dyn ToSql + Sync)> = vec![limit, &at, &game];
    if let Some(user) = &user {
        parameters.push(user);
    }
    if query.of_kinds {
        parameters.extend([&rules as &(dyn ToSql + Sync), &players]);
    }
    read_entries(&transaction.query(&query.text(), &parameters).await?)
}

impl Postgres {
    /// Reads a page. Only a few lists are read at the same time, so that they do not delay rooms
    /// and log-ins.
    async fn read_list(
        &self,
        filter: GameFilter,
        order: ListOrder,
        after: Option<ListKey>,
        limit: i64,
    ) -> Result<Vec<GameEntry>, StoreError> {
        let _place = timeout(LIST_WAIT_MAX, self.list_places().acquire())
            .await
            .map_err(|_| StoreError::Busy)?
            .map_err(|_| StoreError::Stopped)?;
        let page = PageRequest { filter, order, after, limit };
        self.pool()
            .read_confirmed(page, |transaction, page| read_page(transaction, page).boxed())
            .await
    }

    async fn list_live(
        &self,
        filter: &GameFilter,
        after: Option<&ListKey>,
        limit: usize,
    ) -> Result<GamesPage, StoreError> {
        let one_more = i64::try_from(limit).unwrap_or(i64::MAX).saturating_add(1);
        let (filter, after) = (filter.clone(), after.cloned());
        let mut games = self.read_list(filter, ListOrder::Live, after, one_more).await?;
        let more = games.len() > limit;
        games.truncate(limit);
        Ok((games, more))
    }

    /// Those with the latest events among those that began last.
    async fn list_active(
        &self,
        kind: Option<Kind>,
        limit: usize,
    ) -> Result<Vec<GameEntry>, StoreError> {
        let filter =
            GameFilter { rules: kind.map(|kind| kind.name().into()), ..GameFilter::default() };
        let mut games =
            self.read_list(filter, ListOrder::Live, None, ACTIVE_GAMES_SEARCHED).await?;
        games.sort_unstable_by(|a, b| (b.last_at, &b.game).cmp(&(a.last_at, &a.game)));
        games.truncate(limit);
        Ok(games)
    }

    async fn list_key(
        &self,
        game: GameId,
        select: &'static str,
    ) -> Result<Option<ListKey>, StoreError> {
        let at = self.pool().read_confirmed((game.clone(), select), |transaction, question| {
            let (game, select) = question;
            async move {
                let row = transaction.query_opt(select, &[&game.as_str()]).await?;
                row.map(|row| Ok(from_sql(row.try_get(0)?))).transpose()
            }
            .boxed()
        });
        Ok(at.await?.map(|at| ListKey { at, game }))
    }
}

async fn live_state(
    transaction: &Transaction,
    game: &GameId,
) -> Result<Option<LiveState>, Failure> {
    let select = format!(
        "SELECT games.delay, last.to_move IS NULL FROM games {LAST_ROW}
         WHERE games.game = $1 AND NOT games.finished"
    );
    let Some(row) = transaction.query_opt(&select, &[&game.as_str()]).await? else {
        return Ok(None);
    };
    let delay: i16 = row.try_get(0)?;
    Ok(Some(LiveState { ended: row.try_get(1)?, delay: u8::try_from(delay).unwrap_or(0) }))
}

async fn live_games_of(transaction: &Transaction, user: &UserName) -> Result<Vec<GameId>, Failure> {
    // A game that has ended is not archived yet if its node ended at that moment.
    let select = "SELECT game_users.game FROM game_users CROSS JOIN LATERAL (
            SELECT to_move FROM journal WHERE journal.game = game_users.game
            ORDER BY seq DESC LIMIT 1
        ) AS last
        WHERE user_name = $1 AND ended_at IS NULL AND last.to_move IS NOT NULL
        ORDER BY started_at, game_users.game";
    let rows = transaction.query(select, &[&user.as_str()]).await?;
    rows.iter().map(|row| parse(row, 0)).collect()
}

async fn count_live_of(transaction: &Transaction, user: &UserName) -> Result<usize, Failure> {
    let select = "SELECT count(*) FROM game_users WHERE user_name = $1 AND ended_at IS NULL";
    let row = transaction.query_one(select, &[&user.as_str()]).await?;
    Ok(usize::try_from(row.try_get::<_, i64>(0)?).unwrap_or(0))
}

async fn entry(transaction: &Transaction, game: &GameId) -> Result<Option<GameEntry>, Failure> {
    let select = format!(
        "SELECT games.entry, last.ply, last.to_move, last.last_at FROM games {LAST_ROW}
         WHERE games.game = $1"
    );
    let row = transaction.query_opt(&select, &[&game.as_str()]).await?;
    row.map_or(Ok(None), |row| read_entry(&row))
}

impl Games for Postgres {
    fn live_state<'a>(
        &'a self,
        game: &'a GameId,
    ) -> BoxFuture<'a, Result<Option<LiveState>, StoreError>> {
        self.pool()
            .read_confirmed(game.clone(), |transaction, game| live_state(transaction, game).boxed())
            .boxed()
    }

    fn live_games_of<'a>(
        &'a self,
        user: &'a UserName,
    ) -> BoxFuture<'a, Result<Vec<GameId>, StoreError>> {
        self.pool()
            .read_confirmed(user.folded(), |transaction, user| {
                live_games_of(transaction, user).boxed()
            })
            .boxed()
    }

    fn count_live_of<'a>(&'a self, user: &'a UserName) -> BoxFuture<'a, Result<usize, StoreError>> {
        self.pool()
            .read_confirmed(user.folded(), |transaction, user| {
                count_live_of(transaction, user).boxed()
            })
            .boxed()
    }

    fn entry<'a>(
        &'a self,
        game: &'a GameId,
    ) -> BoxFuture<'a, Result<Option<GameEntry>, StoreError>> {
        self.pool()
            .read_confirmed(game.clone(), |transaction, game| entry(transaction, game).boxed())
            .boxed()
    }

    fn live_games<'a>(
        &'a self,
        filter: &'a GameFilter,
        after: Option<&'a ListKey>,
        limit: usize,
    ) -> BoxFuture<'a, Result<GamesPage, StoreError>> {
        self.list_live(filter, after, limit).boxed()
    }

    fn active_games(
        &self,
        kind: Option<Kind>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<GameEntry>, StoreError>> {
        self.list_active(kind, limit).boxed()
    }

    fn claim_due(&self, max: usize) -> BoxFuture<'_, Result<DueGames, StoreError>> {
        self.journal().wake_times().claim_due(max).boxed()
    }

    fn finished_games(
        &self,
        filter: GameFilter,
        after: Option<ListKey>,
        limit: u32,
    ) -> BoxFuture<'_, Result<Vec<GameEntry>, StoreError>> {
        self.read_list(filter, ListOrder::FinishedByStart, after, limit.into()).boxed()
    }

    fn history(
        &self,
        filter: GameFilter,
        after: Option<ListKey>,
        limit: u32,
    ) -> BoxFuture<'_, Result<Vec<GameEntry>, StoreError>> {
        self.read_list(filter, ListOrder::FinishedByEnd, after, limit.into()).boxed()
    }

    fn list_key_by_start(
        &self,
        game: GameId,
    ) -> BoxFuture<'_, Result<Option<ListKey>, StoreError>> {
        self.list_key(game, "SELECT started_at FROM games WHERE game = $1").boxed()
    }

    fn list_key_by_end(&self, game: GameId) -> BoxFuture<'_, Result<Option<ListKey>, StoreError>> {
        self.list_key(game, "SELECT ended_at FROM games WHERE game = $1 AND finished").boxed()
    }
}
