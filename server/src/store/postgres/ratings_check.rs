//! Recomputes the ratings from the records of rated games, and compares them with the stored ones
//! or replaces these.

use adamant_protocol::GameId;
use bytes::Bytes;
use tokio_postgres::Row;

use super::{
    columns::{SqlResult, read_u64},
    failure::Failure,
    record_reads::split_lines,
    results,
    standings::{RATING_COLUMNS, RATING_COLUMNS_COUNT, read_rating},
    task_transaction::TaskTransaction,
    transaction::Transaction,
    values::parse,
};
use crate::{
    limits::TRANSFER_RESULTS_AT_ONCE,
    ratings::Pool,
    store::{
        StoreError,
        check_report::RatingsMode,
        rated_results::{StoredRating, seats_text},
        ratings_replay::{RatingTable, RatingsReplay, RatingsReport, StoredResult, recorded},
    },
};

/// The next results in the order in which they were rated, with the records of their games.
const RATED: &str = "SELECT results.game, COALESCE(NOT games.finished, false),
        ARRAY(SELECT records FROM journal WHERE journal.game = results.game ORDER BY seq),
        id, pool, seats
    FROM results LEFT JOIN games ON games.game = results.game
    WHERE id > $1 ORDER BY id LIMIT $2";

/// Opens a cursor over finished games with a recorded rating but without a stored result, in the
/// order in which they ended.
const UNRATED: &str = "DECLARE unrated NO SCROLL CURSOR FOR SELECT game, false,
        ARRAY(SELECT records FROM journal WHERE journal.game = games.game ORDER BY seq)
    FROM games
    WHERE finished AND entry::json ->> 'ratings' IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM results WHERE results.game = games.game)
    ORDER BY ended_at, game";

/// A game that counts.
#[derive(Debug)]
struct RatedGame {
    game: GameId,
    is_live: bool,
    records: Vec<Bytes>,
}

fn read_rated(row: &Row) -> SqlResult<RatedGame> {
    let blocks: Vec<&[u8]> = row.try_get(2)?;
    let records = blocks.into_iter().flat_map(split_lines).collect();
    Ok(RatedGame { game: parse(row, 0)?, is_live: row.try_get(1)?, records })
}

fn read_stored(row: &Row, game: &GameId) -> SqlResult<StoredResult> {
    let unreadable = || Failure::fault(format!("the result of game {game} is unreadable"));
    let pool = Pool::parse(row.try_get(4)?).ok_or_else(unreadable)?;
    let seats = serde_json::from_str(row.try_get(5)?).map_err(|_| unreadable())?;
    Ok(StoredResult { pool, seats })
}

async fn all_ratings(tx: &Transaction) -> SqlResult<RatingTable> {
    let select = format!("SELECT {RATING_COLUMNS}, pool, user_name FROM ratings");
    let rows = tx.query(&select, &[]).await?;
    rows.iter()
        .map(|row| {
            let (first, stored): (usize, StoredRating) =
                (RATING_COLUMNS_COUNT, read_rating(row, 0)?);
            Ok(((row.try_get(first)?, parse(row, first + 1)?), stored))
        })
        .collect()
}

/// Rates every result again, in order. `progress` receives the number done and the total.
pub(super) async fn compare(
    tx: &Transaction,
    mode: RatingsMode,
    progress: &mut dyn FnMut(u64, u64),
) -> SqlResult<RatingsReport> {
    let count = tx.query_one("SELECT count(*) FROM results", &[]).await?;
    let total = read_u64(&count, 0)?;
    let mut check = RatedResultsCheck { tx, mode, replay: RatingsReplay::default() };
    check.rate_listed(total, progress).await?;
    check.rate_unlisted().await?;
    check.replay.compare_ratings(all_ratings(tx).await?);
    if mode == RatingsMode::Rebuild {
        results::replace_ratings(tx, check.replay.table()).await?;
    }
    Ok(check.replay.into_report())
}

struct RatedResultsCheck<'a> {
    tx: &'a Transaction,
    mode: RatingsMode,
    replay: RatingsReplay,
}

impl RatedResultsCheck<'_> {
    async fn rate_listed(
        &mut self,
        total: u64,
        progress: &mut dyn FnMut(u64, u64),
    ) -> SqlResult<()> {
        let limit = i64::try_from(TRANSFER_RESULTS_AT_ONCE).unwrap_or(i64::MAX);
        let mut after: i64 = 0;
        loop {
            let page = self.tx.query(RATED, &[&after, &limit]).await?;
            let Some(last) = page.last() else { return Ok(()) };
            after = last.try_get(3)?;
            for row in &page {
                let rated = read_rated(row)?;
                let stored = read_stored(row, &rated.game)?;
                if let Some(computed) = self.rate(&rated, Some(&stored)) {
                    let update = "UPDATE results SET pool = $2, seats = $3 WHERE game = $1";
                    self.store(update, &rated.game, &computed).await?;
                }
            }
            progress(self.replay.results(), total);
        }
    }

    async fn rate_unlisted(&mut self) -> SqlResult<()> {
        self.tx.execute(UNRATED, &[]).await?;
        let fetch = format!("FETCH {TRANSFER_RESULTS_AT_ONCE} FROM unrated");
        loop {
            let page = self.tx.query(&fetch, &[]).await?;
            if page.is_empty() {
                return Ok(());
            }
            for row in &page {
                let rated = read_rated(row)?;
                if let Some(computed) = self.rate(&rated, None) {
                    let insert = "INSERT INTO results (game, pool, seats) VALUES ($1, $2, $3)";
                    self.store(insert, &rated.game, &computed).await?;
                }
            }
        }
    }

    /// Rates a game again and compares. Returns the computed result if it is to be stored.
    fn rate(&mut self, rated: &RatedGame, stored: Option<&StoredResult>) -> Option<StoredResult> {
        let RatedGame { game, is_live, records } = rated;
        let differs = self.replay.rate(game, recorded(records), stored, *is_live);
        differs.filter(|_| self.mode == RatingsMode::Rebuild)
    }

    async fn store(&self, statement: &str, game: &GameId, result: &StoredResult) -> SqlResult<()> {
        let (pool, seats) = (result.pool.to_string(), seats_text(&result.seats));
        self.tx.execute(statement, &[&game.as_str(), &pool, &seats]).await?;
        Ok(())
    }
}

impl TaskTransaction {
    /// Rates every result again, in order, and stores the differences if the mode says so.
    pub(crate) async fn check_ratings(
        self,
        mode: RatingsMode,
        progress: &mut dyn FnMut(u64, u64),
    ) -> Result<RatingsReport, StoreError> {
        let checked = async {
            let report = compare(self.transaction(), mode, progress).await?;
            if mode == RatingsMode::Rebuild {
                self.commit().await?;
            }
            Ok(report)
        };
        checked.await.map_err(Failure::into_error)
    }
}
