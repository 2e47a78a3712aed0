//! Checks a store: the records of every game, and the ratings. Writes nothing, except for ratings
//! that are to be stored anew.

use adamant_protocol::GameId;
use adamant_record::{RecordError, Replay};
use bytes::Bytes;
use futures::future::join_all;

use super::{
    check_report::{CheckStep, GameFault, IntegrityReport, Progress, RatingsMode},
    games::{parse_entry, records, split_lines},
    rated_results::seats_text,
    ratings_replay::{RatingTable, RatingsReplay, RatingsReport, StoredResult, recorded},
    sql::{Row, Sql, SqlError, SqlResult, params},
    stored_ratings::{
        RATING_COLUMNS, RATING_COLUMNS_COUNT, read_pool, read_rating, replace_ratings,
    },
};
use crate::limits::{CHECK_FINDINGS_MAX, TRANSFER_GAMES_AT_ONCE, TRANSFER_RESULTS_AT_ONCE};

/// Returns the records of a game that are not in the rows of the journal, because they have arrived
/// since it was last archived. A shared database has none.
pub(super) type Arrivals<'a> = dyn Fn(&GameId) -> SqlResult<Vec<Bytes>> + 'a;

/// A row of the journal. Its columns say what its records are.
#[derive(Debug)]
struct JournalRow {
    seq: u64,
    events: u64,
    chain: Vec<u8>,
    records: Bytes,
}

/// What is wrong with a game.
#[derive(Debug, thiserror::Error)]
enum Fault {
    #[error(transparent)]
    Game(#[from] GameFault),
    #[error("the row of the journal at record {seq} does not describe its records")]
    Row { seq: u64 },
    #[error("its records are unreadable: {0}")]
    Database(#[from] SqlError),
}

impl From<RecordError> for Fault {
    fn from(error: RecordError) -> Self {
        Self::Game(error.into())
    }
}

/// Returns the error of a shared database, on which nothing more can be read then. That of a file
/// is a finding.
fn unless_found(error: SqlError) -> Result<SqlError, SqlError> {
    if matches!(error, SqlError::Postgres(_)) { Err(error) } else { Ok(error) }
}

/// Replays every game.
pub(super) async fn check_games(
    sql: &impl Sql,
    arrivals: &Arrivals<'_>,
    report: &mut IntegrityReport,
    progress: &mut Progress<'_>,
) -> SqlResult<()> {
    progress(CheckStep::Games, 0, 0);
    let total = sql.count("SELECT COUNT(*) FROM games", &[]).await? as u64;
    let mut after = String::new();
    loop {
        let select = "SELECT game, archived_seq FROM games WHERE game > $1 ORDER BY game LIMIT $2";
        let mut page = sql.query(select, params![&after, TRANSFER_GAMES_AT_ONCE]).await?;
        let page: Vec<(String, u64)> =
            page.iter_mut().map(|row| Ok((row.get(0)?, row.get(1)?))).collect::<SqlResult<_>>()?;
        let Some((last, _)) = page.last() else { break };
        after.clone_from(last);
        let rows = join_all(page.iter().map(|(game, _)| rows_of(sql, game))).await;
        for ((game, archived_seq), rows) in page.iter().zip(rows) {
            let mut replay = Replay::new();
            let rows = rows.map_err(unless_found);
            let replayed = match rows {
                Ok(rows) => replay_game(game, *archived_seq, &rows, arrivals, &mut replay),
                Err(Ok(found)) => Err(found.into()),
                Err(Err(error)) => return Err(error),
            };
            if let Err(fault) = replayed {
                report.add(format!("game {game}: {fault}"));
            }
            report.games += 1;
            report.records += replay.seq();
        }
        progress(CheckStep::Games, report.games, total);
    }
    let unlisted = "SELECT DISTINCT game FROM journal
         WHERE NOT EXISTS (SELECT 1 FROM games WHERE games.game = journal.game)
         ORDER BY game LIMIT $1";
    for row in &mut sql.query(unlisted, params![CHECK_FINDINGS_MAX]).await? {
        let game: String = row.get(0)?;
        report.add(format!("game {game}: it has records, and is not listed"));
    }
    Ok(())
}

async fn rows_of(sql: &impl Sql, game: &str) -> SqlResult<Vec<JournalRow>> {
    let select = "SELECT seq, events, chain, records FROM journal WHERE game = $1 ORDER BY seq";
    let read = |row: &mut Row| {
        let records: Vec<u8> = row.get(3)?;
        let (seq, events, chain) = (row.get(0)?, row.get(1)?, row.get(2)?);
        Ok(JournalRow { seq, events, chain, records: records.into() })
    };
    sql.query(select, params![game]).await?.iter_mut().map(read).collect()
}

/// Replays a game like a room that opens.
fn replay_game(
    id: &str,
    archived_seq: u64,
    rows: &[JournalRow],
    arrivals: &Arrivals<'_>,
    replay: &mut Replay,
) -> Result<(), Fault> {
    let game: GameId = id.parse().map_err(|_| GameFault::Name)?;
    for row in rows {
        let first = replay.seq() + 1;
        for record in split_lines(&row.records) {
            replay.push(&record)?;
        }
        let described = (first, replay.seq() + 1 - first, &replay.chain().0[..]);
        if (row.seq, row.events, &row.chain[..]) != described {
            return Err(Fault::Row { seq: row.seq });
        }
    }
    if replay.seq() < archived_seq {
        return Err(GameFault::Count { found: replay.seq(), wanted: archived_seq }.into());
    }
    for record in arrivals(&game)? {
        replay.push(&record)?;
    }
    Ok(GameFault::check_name(replay, &game)?)
}

/// Rates every result again, in the order in which they were rated, and compares them with what is
/// stored or replaces that. `progress` receives the number done and the total.
pub(super) async fn check_ratings(
    sql: &impl Sql,
    mode: RatingsMode,
    arrivals: &Arrivals<'_>,
    progress: &mut dyn FnMut(u64, u64),
) -> SqlResult<RatingsReport> {
    let total = sql.count("SELECT COUNT(*) FROM results", &[]).await? as u64;
    let mut check = RatingsCheck { sql, mode, arrivals, replay: RatingsReplay::default() };
    check.rate_listed(&mut |done| progress(done, total)).await?;
    check.rate_unlisted().await?;
    check.replay.compare_ratings(all_ratings(sql).await?);
    if mode == RatingsMode::Rebuild {
        replace_ratings(sql, check.replay.table()).await?;
    }
    Ok(check.replay.into_report())
}

async fn all_ratings(sql: &impl Sql) -> SqlResult<RatingTable> {
    let select = format!("SELECT {RATING_COLUMNS}, pool, user_name FROM ratings");
    let first = RATING_COLUMNS_COUNT;
    let read = |row: &mut Row| {
        let rating = read_rating(row, 0)?;
        Ok(((row.get(first)?, row.parse(first + 1)?), rating))
    };
    sql.query(&select, &[]).await?.iter_mut().map(read).collect()
}

struct RatingsCheck<'a, S> {
    sql: &'a S,
    mode: RatingsMode,
    arrivals: &'a Arrivals<'a>,
    replay: RatingsReplay,
}

impl<S: Sql> RatingsCheck<'_, S> {
    async fn rate_listed(&mut self, progress: &mut dyn FnMut(u64)) -> SqlResult<()> {
        let select = "SELECT results.id, results.game, COALESCE(NOT games.finished, false), pool,
                 seats
             FROM results LEFT JOIN games ON games.game = results.game
             WHERE results.id > $1 ORDER BY results.id LIMIT $2";
        let mut after: i64 = 0;
        loop {
            let page = self.sql.query(select, params![after, TRANSFER_RESULTS_AT_ONCE]).await?;
            if page.is_empty() {
                return Ok(());
            }
            for mut row in page {
                after = row.get(0)?;
                let game: GameId = row.parse(1)?;
                let stored = StoredResult { pool: read_pool(&mut row, 3)?, seats: row.json(4)? };
                if let Some(computed) = self.rate(&game, row.get(2)?, Some(&stored)).await? {
                    let update = "UPDATE results SET pool = $2, seats = $3 WHERE game = $1";
                    self.store(update, &game, &computed).await?;
                }
            }
            progress(self.replay.results());
        }
    }

    /// Rates finished games with a recorded rating but without a stored result, in the order in
    /// which they ended.
    async fn rate_unlisted(&mut self) -> SqlResult<()> {
        let select = "SELECT game, entry FROM games
             WHERE finished AND entry LIKE '%\"ratings\":%'
               AND NOT EXISTS (SELECT 1 FROM results WHERE results.game = games.game)
             ORDER BY ended_at, game";
        for mut row in self.sql.query(select, &[]).await? {
            let (game, entry): (GameId, Box<str>) = (row.parse(0)?, row.get(1)?);
            if parse_entry(&entry).is_none_or(|entry| entry.ratings.is_none()) {
                continue;
            }
            if let Some(computed) = self.rate(&game, false, None).await? {
                let insert = "INSERT INTO results (game, pool, seats) VALUES ($1, $2, $3)";
                self.store(insert, &game, &computed).await?;
            }
        }
        Ok(())
    }

    /// Rates a game again and compares. Returns the computed result if it is to be stored.
    async fn rate(
        &mut self,
        game: &GameId,
        is_live: bool,
        stored: Option<&StoredResult>,
    ) -> SqlResult<Option<StoredResult>> {
        let mut all = records(self.sql, game, 1, usize::MAX).await?;
        all.extend((self.arrivals)(game)?);
        let differs = self.replay.rate(game, recorded(&all), stored, is_live);
        Ok(differs.filter(|_| self.mode == RatingsMode::Rebuild))
    }

    async fn store(&self, statement: &str, game: &GameId, result: &StoredResult) -> SqlResult<()> {
        let (pool, seats) = (result.pool.to_string(), seats_text(&result.seats));
        self.sql.execute(statement, params![game.as_str(), pool, seats]).await?;
        Ok(())
    }
}

/// Compares the ratings with the results.
pub(super) async fn check_rated(
    sql: &impl Sql,
    arrivals: &Arrivals<'_>,
    report: &mut IntegrityReport,
    progress: &mut Progress<'_>,
) -> SqlResult<()> {
    progress(CheckStep::Ratings, 0, 0);
    let mut rated = |done, total| progress(CheckStep::Ratings, done, total);
    let ratings = check_ratings(sql, RatingsMode::Check, arrivals, &mut rated).await?;
    report.add_ratings(ratings);
    Ok(())
}
