//! Checks a database: the records of every game, and the ratings. Writes nothing.

use adamant_protocol::GameId;
use adamant_record::{RecordError, Replay};

use super::{
    columns::{SqlResult, read_u64},
    failure::Failure,
    ratings_check,
    record_reads::split_lines,
    task_transaction::TaskTransaction,
    transaction::Transaction,
    values::from_sql,
};
use crate::{
    limits::{CHECK_FINDINGS_MAX, TRANSFER_GAMES_AT_ONCE},
    store::{
        StoreError,
        check_report::{CheckStep, GameFault, IntegrityReport, Progress, RatingsMode},
    },
};

/// The next games with the rows of their journal.
const GAMES: &str = "SELECT games.game, rows.seqs, rows.events, rows.chains, rows.records
    FROM games CROSS JOIN LATERAL (
        SELECT COALESCE(array_agg(seq ORDER BY seq), '{}') AS seqs,
            COALESCE(array_agg(events::bigint ORDER BY seq), '{}') AS events,
            COALESCE(array_agg(chain ORDER BY seq), '{}') AS chains,
            COALESCE(array_agg(records ORDER BY seq), '{}') AS records
        FROM journal WHERE journal.game = games.game) AS rows
    WHERE games.game > $1 ORDER BY games.game LIMIT $2";

/// Games of which only the journal knows.
const UNLISTED: &str = "SELECT DISTINCT game FROM journal
    WHERE NOT EXISTS (SELECT 1 FROM games WHERE games.game = journal.game) ORDER BY game LIMIT $1";

/// A row of the journal. Its columns say what its records are.
#[derive(Debug)]
struct JournalRow {
    seq: u64,
    events: u64,
    chain: Vec<u8>,
    records: Vec<u8>,
}

/// What is wrong with a game.
#[derive(Debug, thiserror::Error)]
enum GameRowsFault {
    #[error(transparent)]
    Game(#[from] GameFault),
    #[error("the row of the journal at record {seq} does not describe its records")]
    Row { seq: u64 },
}

impl From<RecordError> for GameRowsFault {
    fn from(error: RecordError) -> Self {
        Self::Game(error.into())
    }
}

async fn games_after(tx: &Transaction, after: &str) -> SqlResult<Vec<(String, Vec<JournalRow>)>> {
    let limit = i64::try_from(TRANSFER_GAMES_AT_ONCE).unwrap_or(i64::MAX);
    let found = tx.query(GAMES, &[&after, &limit]).await?;
    found
        .iter()
        .map(|row| {
            let (seqs, events): (Vec<i64>, Vec<i64>) = (row.try_get(1)?, row.try_get(2)?);
            let (chains, records): (Vec<Vec<u8>>, Vec<Vec<u8>>) =
                (row.try_get(3)?, row.try_get(4)?);
            let numbers = seqs.into_iter().zip(events);
            let rows = numbers.zip(chains.into_iter().zip(records)).map(
                |((seq, events), (chain, records))| {
                    let (seq, events) = (from_sql(seq), from_sql(events));
                    JournalRow { seq, events, chain, records }
                },
            );
            Ok((row.try_get(0)?, rows.collect()))
        })
        .collect()
}

/// Replays a game like a room that opens.
fn replay_game(id: &str, rows: &[JournalRow], replay: &mut Replay) -> Result<(), GameRowsFault> {
    let game: GameId = id.parse().map_err(|_| GameFault::Name)?;
    for row in rows {
        let first = replay.seq() + 1;
        for record in split_lines(&row.records) {
            replay.push(&record)?;
        }
        let described = (first, replay.seq() + 1 - first, &replay.chain().0[..]);
        if (row.seq, row.events, &row.chain[..]) != described {
            return Err(GameRowsFault::Row { seq: row.seq });
        }
    }
    Ok(GameFault::check_name(replay, &game)?)
}

async fn check_games(
    tx: &Transaction,
    total: u64,
    report: &mut IntegrityReport,
    progress: &mut Progress<'_>,
) -> SqlResult<()> {
    let mut after = String::new();
    loop {
        let page = games_after(tx, &after).await?;
        let Some((last, _)) = page.last() else { break };
        after.clone_from(last);
        for (id, rows) in &page {
            let mut replay = Replay::new();
            if let Err(fault) = replay_game(id, rows, &mut replay) {
                report.add(format!("game {id}: {fault}"));
            }
            report.games += 1;
            report.records += replay.seq();
        }
        progress(CheckStep::Games, report.games, total);
    }
    let limit = i64::try_from(CHECK_FINDINGS_MAX).unwrap_or(i64::MAX);
    for row in tx.query(UNLISTED, &[&limit]).await? {
        let id: &str = row.try_get(0)?;
        report.add(format!("game {id}: it has records, and is not listed"));
    }
    Ok(())
}

async fn check(tx: &Transaction, progress: &mut Progress<'_>) -> SqlResult<IntegrityReport> {
    let mut report = IntegrityReport::default();
    progress(CheckStep::Games, 0, 0);
    let count = tx.query_one("SELECT count(*) FROM games", &[]).await?;
    check_games(tx, read_u64(&count, 0)?, &mut report, progress).await?;
    progress(CheckStep::Ratings, 0, 0);
    let mut rated = |done, total| progress(CheckStep::Ratings, done, total);
    let ratings = ratings_check::compare(tx, RatingsMode::Check, &mut rated).await?;
    report.add_ratings(ratings);
    Ok(report)
}

impl TaskTransaction {
    /// Replays every game, and rates every result again.
    pub(crate) async fn check(
        &self,
        progress: &mut Progress<'_>,
    ) -> Result<IntegrityReport, StoreError> {
        check(self.transaction(), progress).await.map_err(Failure::into_error)
    }
}
