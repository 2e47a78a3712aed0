//! Results that operators annul, and the ratings that are computed again.
//!
//! An annulled result keeps its place among the results and changes no rating. Every later result of
//! its pool may follow from it, so these are rated again in the order in which they were rated, some
//! at a time, and the entries of their games in lists are changed with them. The last step writes
//! the ratings. Until then the pool has a row that says where to begin: whoever finds it begins
//! there, and what has been rated again already stays as it is. Games that end meanwhile are rated
//! as ever, and rated again in their turn. No record changes.

use std::collections::{BTreeMap, BTreeSet};

use adamant_protocol::{
    GameId, UserName,
    to_client::{GameEntry, Notice, NoticeKind},
};
use futures::future::try_join_all;

use super::{
    games::{entry_text, parse_entry, records},
    operators::{Act, note_act},
    ratings::{
        ResultSeat, StoredRating, pool_key, rank_key, rated_again, seats_text, stored_rating,
        write_change,
    },
    sql::{Row, Sql, SqlResult, params},
    statistics::{CountedGame, UncountedGame, subtract},
    store::operations,
    user_notices::leave_notices,
};
use crate::{limits::OPENING_RECORDS, ratings::Rating};

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum AnnulOutcome {
    /// What the players are told.
    Annulled(Vec<(UserName, Notice)>),
    NotFound,
    Live,
    /// It never counted.
    NotRated,
    AlreadyAnnulled,
}

/// The result of a game as it counts now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CountingResult {
    pub seats: Vec<ResultSeat>,
    pub annulled: bool,
    /// Whether later results of its pool are being rated again.
    pub pool_is_rerated: bool,
}

/// A pool whose results are rated again, and how far that is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Rerating {
    pool: String,
    version: u64,
    /// The last result that has been looked at.
    after: i64,
    /// The ratings of all whose results were looked at.
    ratings: BTreeMap<UserName, Rating>,
    /// Those of them that are not stored yet.
    unstored: BTreeSet<UserName>,
}

impl Rerating {
    /// The pool, as the store writes it.
    pub(crate) fn pool(&self) -> &str {
        &self.pool
    }
}

/// What a step of a [`Rerating`] has found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ReratingStep {
    /// `None` if nothing is left to do, or another annulment has come.
    pub next: Option<Rerating>,
    /// The results that say something else than before.
    pub changed: u64,
}

/// Takes a game out of the ratings, the statistics and the standings, in one transaction with what
/// its players are told. Later results are rated again afterwards.
async fn annul<S: Sql>(
    sql: &S,
    game: &GameId,
    count: fn(UncountedGame) -> CountedGame,
    act: &Act,
) -> SqlResult<AnnulOutcome> {
    // Whoever rates results again locks the pool before any game.
    let select = "SELECT pool FROM results WHERE game = $1";
    let pool: Option<String> =
        sql.first(select, params![game.as_str()]).await?.map(|mut row| row.get(0)).transpose()?;
    if let Some(pool) = &pool {
        sql.lock(vec![pool_key(pool)]).await?;
    }
    let select =
        format!("SELECT finished, counted, entry FROM games WHERE game = $1{}", S::FOR_UPDATE);
    let Some(mut row) = sql.first(&select, params![game.as_str()]).await? else {
        return Ok(AnnulOutcome::NotFound);
    };
    if !row.get::<bool>(0)? {
        return Ok(AnnulOutcome::Live);
    }
    let (is_counted, entry): (bool, Box<str>) = (row.get(1)?, row.get(2)?);
    let select = "SELECT id, seats, annulled FROM results WHERE game = $1";
    let found = sql.first(select, params![game.as_str()]).await?;
    let (Some(pool), Some(mut row)) = (pool, found) else { return Ok(AnnulOutcome::NotRated) };
    if row.get::<bool>(2)? {
        return Ok(AnnulOutcome::AlreadyAnnulled);
    }
    let (id, seats): (i64, Vec<ResultSeat>) = (row.get(0)?, row.json(1)?);
    let update = "UPDATE results SET annulled = true WHERE id = $1";
    sql.execute(update, params![id]).await?;
    let places: Vec<u8> = seats.iter().map(|seat| seat.place).collect();
    for seat in seats.iter().filter(|seat| !seat.unrated) {
        take_from_score(sql, &pool, seat, &places).await?;
    }
    let begin = "INSERT INTO reratings (pool, from_id, version) VALUES ($1, $2, 1)
         ON CONFLICT (pool) DO UPDATE SET version = reratings.version + 1,
             from_id = CASE WHEN excluded.from_id < reratings.from_id
                 THEN excluded.from_id ELSE reratings.from_id END";
    sql.execute(begin, params![&pool, id]).await?;
    if let Some(entry) = parse_entry(&entry) {
        if is_counted {
            let records = records(sql, game, 1, OPENING_RECORDS).await?;
            let (game, entry) = (game.clone(), Some(Box::new(entry.clone())));
            subtract(sql, &count(UncountedGame { game, entry, records })).await?;
        }
        let entry = GameEntry { ratings: None, annulled: true, ..entry };
        let update = "UPDATE games SET entry = $2, counted = true WHERE game = $1";
        sql.execute(update, params![game.as_str(), entry_text(&entry)]).await?;
    }
    note_act(sql, act).await?;
    let users: Vec<UserName> = seats.into_iter().map(|seat| seat.user).collect();
    let notice = Notice {
        game: Some(game.clone()),
        text: act.reason.clone().map(Into::into),
        ..Notice::new(NoticeKind::GameAnnulled, 0)
    };
    Ok(AnnulOutcome::Annulled(leave_notices(sql, &users, &notice, act.at).await?))
}

/// Takes a result out of the numbers of games of a user, who has no rating without one.
async fn take_from_score(
    sql: &impl Sql,
    pool: &str,
    seat: &ResultSeat,
    places: &[u8],
) -> SqlResult<()> {
    let user = seat.user.as_str();
    let Some(StoredRating { score, .. }) = stored_rating(sql, pool, &seat.user).await? else {
        return Ok(());
    };
    let score = score.without(seat.place, places);
    if score.games == 0 {
        let delete = "DELETE FROM ratings WHERE user_name = $1 AND pool = $2";
        sql.execute(delete, params![user, pool]).await?;
        return Ok(());
    }
    let update = "UPDATE ratings SET games = $3, wins = $4, draws = $5, losses = $6
         WHERE user_name = $1 AND pool = $2";
    let params = params![user, pool, score.games, score.wins, score.draws, score.losses];
    sql.execute(update, params).await?;
    Ok(())
}

async fn reratings(sql: &impl Sql) -> SqlResult<Vec<Rerating>> {
    let select = "SELECT pool, version, from_id FROM reratings ORDER BY pool";
    let mut found = sql.query(select, &[]).await?;
    let rerating = found.iter_mut().map(|row| {
        Ok(Rerating {
            pool: row.get(0)?,
            version: row.get(1)?,
            after: row.get::<i64>(2)? - 1,
            ratings: BTreeMap::new(),
            unstored: BTreeSet::new(),
        })
    });
    rerating.collect()
}

/// Rates some results again, then stores some ratings. Nobody rates a result of the pool meanwhile.
async fn rerate<S: Sql>(sql: &S, rerating: &Rerating, max: u32) -> SqlResult<ReratingStep> {
    let mut next = rerating.clone();
    let pool = rerating.pool.as_str();
    sql.lock(vec![pool_key(pool)]).await?;
    let select = "SELECT version FROM reratings WHERE pool = $1";
    let version: Option<u64> =
        sql.first(select, params![pool]).await?.map(|mut row| row.get(0)).transpose()?;
    if version != Some(rerating.version) {
        return Ok(ReratingStep { next: None, changed: 0 });
    }
    let (looked_at, changed) = rerate_some(sql, &mut next, max).await?;
    if looked_at == max {
        return Ok(ReratingStep { next: Some(next), changed });
    }
    let stored = next.unstored.iter().take(max as usize).cloned().collect::<Vec<_>>();
    try_join_all(stored.iter().map(|user| store_rating(sql, pool, user, next.ratings[user])))
        .await?;
    for user in stored {
        next.unstored.remove(&user);
    }
    if !next.unstored.is_empty() {
        return Ok(ReratingStep { next: Some(next), changed });
    }
    sql.execute("DELETE FROM reratings WHERE pool = $1", params![pool]).await?;
    Ok(ReratingStep { next: None, changed })
}

/// Looks at the next results, of all pools; returns their number and that of the changed ones.
async fn rerate_some<S: Sql>(sql: &S, rerating: &mut Rerating, max: u32) -> SqlResult<(u32, u64)> {
    let select = "SELECT id, game, pool, seats, annulled FROM results
         WHERE id > $1 ORDER BY id LIMIT $2";
    let mut rows = sql.query(select, params![rerating.after, max]).await?;
    let ratings = &mut rerating.ratings;
    let mut changed: Vec<(GameId, Vec<ResultSeat>, bool)> = Vec::new();
    for row in &mut rows {
        rerating.after = row.get(0)?;
        if row.get::<String>(2)? != rerating.pool {
            continue;
        }
        let (game, seats, is_annulled): (GameId, Vec<ResultSeat>, bool) =
            (row.parse(1)?, row.json(3)?, row.get(4)?);
        let before = seats.iter().map(|seat| *ratings.get(&seat.user).unwrap_or(&seat.before));
        let again = rated_again(&seats, &before.collect::<Vec<_>>(), is_annulled);
        for seat in again.iter().filter(|seat| !seat.unrated) {
            ratings.insert(seat.user.clone(), seat.after);
            rerating.unstored.insert(seat.user.clone());
        }
        if again != seats {
            changed.push((game, again, is_annulled));
        }
    }
    let writes = changed
        .iter()
        .map(|(game, seats, is_annulled)| store_result(sql, game, seats, *is_annulled));
    try_join_all(writes).await?;
    Ok((u32::try_from(rows.len()).unwrap_or(max), changed.len() as u64))
}

/// Stores a result that was rated again. A game that is not archived yet gets it in its entry then.
async fn store_result<S: Sql>(
    sql: &S,
    game: &GameId,
    seats: &[ResultSeat],
    is_annulled: bool,
) -> SqlResult<()> {
    let update = "UPDATE results SET seats = $2, rated_again = true WHERE game = $1";
    sql.execute(update, params![game.as_str(), seats_text(seats)]).await?;
    if is_annulled {
        return Ok(());
    }
    let select = format!("SELECT entry FROM games WHERE game = $1 AND finished{}", S::FOR_UPDATE);
    let Some(mut row) = sql.first(&select, params![game.as_str()]).await? else { return Ok(()) };
    let Some(entry) = parse_entry(&row.get::<Box<str>>(0)?) else { return Ok(()) };
    write_change(sql, entry, seats).await
}

/// Stores the rating of a user who still has one.
async fn store_rating(
    sql: &impl Sql,
    pool: &str,
    user: &UserName,
    rating: Rating,
) -> SqlResult<()> {
    let update = "UPDATE ratings SET rank_key = $3, rating = $4, deviation = $5, volatility = $6
         WHERE user_name = $1 AND pool = $2
           AND NOT (rating = $4 AND deviation = $5 AND volatility = $6)";
    let Rating { milli, deviation_milli: deviation, volatility_nano: volatility } = rating;
    let key = rank_key(rating);
    let params = params![user.as_str(), pool, key, milli, deviation, volatility];
    sql.execute(update, params).await?;
    Ok(())
}

async fn is_annulled(sql: &impl Sql, game: &GameId) -> SqlResult<bool> {
    let select = "SELECT 1 FROM results WHERE game = $1 AND annulled";
    sql.exists(select, params![game.as_str()]).await
}

async fn counting_result(sql: &impl Sql, game: &GameId) -> SqlResult<Option<CountingResult>> {
    let select = "SELECT seats, annulled, reratings.pool IS NOT NULL
         FROM results LEFT JOIN reratings ON reratings.pool = results.pool
         WHERE results.game = $1";
    let found = sql.first(select, params![game.as_str()]).await?;
    let read = |mut row: Row| {
        Ok(CountingResult {
            seats: row.json(0)?,
            annulled: row.get(1)?,
            pool_is_rerated: row.get(2)?,
        })
    };
    found.map(read).transpose()
}

operations! {
    /// Annuls the result of a game; `count` says what the game has added to the statistics.
    fn annul(game: GameId, count: fn(UncountedGame) -> CountedGame, act: Act) -> AnnulOutcome =
        transact(annul(game, *count, act));
    /// Returns the pools whose results are to be rated again, from the beginning.
    fn reratings() -> Vec<Rerating> = read_unconfirmed(reratings());
    /// Rates at most `max` results again, or stores as many ratings.
    fn rerate(rerating: Rerating, max: u32) -> ReratingStep = transact(rerate(rerating, *max));
    fn is_annulled(game: GameId) -> bool = read_unconfirmed(is_annulled(game));
    /// Returns the result of a game as it counts now; `None` if it was never rated.
    fn counting_result(game: GameId) -> Option<CountingResult> = list(counting_result(game));
}
