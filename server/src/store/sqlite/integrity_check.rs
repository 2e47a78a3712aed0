//! Whether a database is whole: its pages, its log, the records of every game, and the ratings.
//! Nothing is written, and a server may be running.

use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
};

use adamant_protocol::GameId;
use adamant_record::{RecordError, Replay};
use rusqlite::{Connection, params};

use super::{
    file_names::DATABASE_FILE,
    open_error::OpenError,
    open_mode::open_existing,
    ratings_check::{self, RatingsMode},
    record_blocks,
    rows::from_sql,
    wal::{self, Loss},
};
use crate::limits::{CHECK_FINDINGS_MAX, RECORDS_PER_BLOCK, WAL_READS};

/// What is being done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CheckStep {
    /// The database is copied.
    Copy,
    /// `SQLite` checks its pages.
    Pages,
    /// The records of the games are replayed.
    Games,
    /// The ratings are computed anew.
    Ratings,
}

/// Hears how many of how many are done in a step; 0 of 0 if that is not known.
pub(crate) type Progress<'a> = dyn FnMut(CheckStep, u64, u64) + 'a;

/// What was found.
#[derive(Debug, Default)]
pub(crate) struct IntegrityReport {
    /// Games whose records were read.
    pub games: u64,
    /// Records that continue the chain of their game.
    pub records: u64,
    /// What is wrong, in sentences: the first few of it.
    pub findings: Vec<String>,
    /// How much is wrong.
    pub found: u64,
}

impl IntegrityReport {
    fn add(&mut self, finding: String) {
        self.found += 1;
        if self.findings.len() < CHECK_FINDINGS_MAX {
            self.findings.push(finding);
        }
    }

    /// Does a part of the report. What `SQLite` cannot read of it is a finding, too.
    fn check_part(&mut self, what: &str, check: impl FnOnce(&mut Self) -> rusqlite::Result<()>) {
        if let Err(error) = check(self) {
            self.add(format!("{what}: {error}"));
        }
    }
}

/// The database of a data directory, or a file that is one.
pub(crate) fn database_of(data: &Path) -> PathBuf {
    if data.is_file() { data.to_owned() } else { data.join(DATABASE_FILE) }
}

/// Looks at a database, its log and its ratings.
pub(crate) fn check_integrity(
    database: &Path,
    progress: &mut Progress<'_>,
) -> Result<IntegrityReport, OpenError> {
    let mut report = IntegrityReport::default();
    check_wal(database, &mut report)?;
    let mut connection = open_existing(database)?;
    // One transaction: whatever a running server does meanwhile is not seen.
    let transaction = connection.transaction()?;
    check_games(&transaction, &mut report, progress);
    progress(CheckStep::Ratings, 0, 0);
    report.check_part("the ratings", |report| {
        let ratings =
            ratings_check::compare(&transaction, RatingsMode::Check, &mut |done, total| {
                progress(CheckStep::Ratings, done, total);
            })?;
        let unnamed = ratings.found - ratings.differences.len() as u64;
        ratings.differences.into_iter().for_each(|difference| report.add(difference));
        report.found += unnamed;
        Ok(())
    });
    Ok(report)
}

/// Notes a log that cuts commits off.
pub(super) fn check_wal(database: &Path, report: &mut IntegrityReport) -> Result<(), OpenError> {
    let mut log = database.as_os_str().to_owned();
    log.push("-wal");
    let log = PathBuf::from(log);
    let failed = |error| OpenError::Wal { path: log.display().to_string(), error };
    match loss_of(&log, database) {
        Ok(Some(loss)) => report.add(format!("the WAL is damaged: {loss}")),
        Ok(None) => {}
        // There is none, or a server has just stopped.
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(failed(error)),
    }
    Ok(())
}

/// What a log has lost. A running server writes it and begins it anew, and a frame that is being
/// written looks like a damaged one: so a loss counts if it is seen each time in one generation.
fn loss_of(log: &Path, database: &Path) -> io::Result<Option<Loss>> {
    let generation = wal::generation(log)?;
    let mut seen = None;
    for _ in 0..WAL_READS {
        seen = wal::examine(log, database)?;
        if seen.is_none() || wal::generation(log)? != generation {
            return Ok(None);
        }
    }
    Ok(seen)
}

/// Looks at the pages of a database, and replays every game.
pub(super) fn check_games(
    connection: &Connection,
    report: &mut IntegrityReport,
    progress: &mut Progress<'_>,
) {
    progress(CheckStep::Pages, 0, 0);
    report.check_part("the database", |report| {
        let mut pages = connection.prepare("PRAGMA integrity_check")?;
        let mut lines = pages.query([])?;
        while let Some(line) = lines.next()? {
            let line = line.get_ref(0)?.as_str()?;
            if line != "ok" {
                report.add(format!("the database: {line}"));
            }
        }
        Ok(())
    });
    progress(CheckStep::Games, 0, 0);
    let mut journal = BTreeMap::new();
    report.check_part("the journal", |_| {
        journal = rows_in_journal(connection)?;
        Ok(())
    });
    report.check_part("the games", |report| {
        let count = |what| connection.query_row(what, [], |row| row.get(0)).map(from_sql);
        let kept = count("SELECT count(*) FROM games")?;
        let both = "SELECT count(DISTINCT game) FROM journal WHERE game IN (SELECT id FROM games)
                      AND seq > (SELECT last_seq FROM games WHERE games.id = game)";
        let total = kept + journal.len() as u64 - count(both)?;
        let mut check = |id: &str, last_seq, rows: &[i64]| {
            check_game(connection, id, last_seq, rows, report);
            progress(CheckStep::Games, report.games, total);
        };
        let mut select = connection.prepare("SELECT id, last_seq FROM games ORDER BY id")?;
        let mut games = select.query([])?;
        while let Some(game) = games.next()? {
            let id = game.get_ref(0)?.as_str()?;
            let rows = journal.remove(id).unwrap_or_default();
            check(id, from_sql(game.get(1)?), &rows);
        }
        for (id, rows) in &journal {
            check(id, 0, rows);
        }
        Ok(())
    });
}

/// Where the records are that have yet to leave the journal, in their order.
fn rows_in_journal(connection: &Connection) -> rusqlite::Result<BTreeMap<String, Vec<i64>>> {
    let mut select = connection.prepare(
        "SELECT id, game FROM journal
         WHERE seq > COALESCE((SELECT last_seq FROM games WHERE games.id = game), 0) ORDER BY id",
    )?;
    let mut rows = select.query([])?;
    let mut games: BTreeMap<String, Vec<i64>> = BTreeMap::new();
    while let Some(row) = rows.next()? {
        let (id, game) = (row.get(0)?, row.get_ref(1)?.as_str()?);
        if let Some(ids) = games.get_mut(game) {
            ids.push(id);
        } else {
            games.insert(game.to_owned(), vec![id]);
        }
    }
    Ok(games)
}

/// Why the records of a game cannot be served.
#[derive(Debug, thiserror::Error)]
enum Fault {
    #[error("this is no name of a game")]
    Name,
    #[error("{found} records are kept where there should be {wanted}")]
    Count { found: u64, wanted: u64 },
    #[error("its records are those of game {0}")]
    OtherGame(GameId),
    #[error(transparent)]
    Record(#[from] RecordError),
    #[error("its records cannot be read: {0}")]
    Database(#[from] rusqlite::Error),
}

fn check_game(
    connection: &Connection,
    id: &str,
    last_seq: u64,
    rows: &[i64],
    report: &mut IntegrityReport,
) {
    let mut replay = Replay::new();
    if let Err(fault) = replay_game(connection, id, last_seq, rows, &mut replay) {
        report.add(format!("game {id}: {fault}"));
    }
    report.games += 1;
    report.records += replay.seq();
}

/// Replays a game as a room does that opens: its pieces first, then what is in the journal. Only one
/// piece is in memory at a time.
fn replay_game(
    connection: &Connection,
    id: &str,
    last_seq: u64,
    rows: &[i64],
    replay: &mut Replay,
) -> Result<(), Fault> {
    let game: GameId = id.parse().map_err(|_| Fault::Name)?;
    let max = usize::try_from(RECORDS_PER_BLOCK).unwrap_or(usize::MAX);
    loop {
        let records = record_blocks::read(connection, &game, replay.seq() + 1, max)?;
        for record in &records {
            replay.push(record)?;
        }
        if records.is_empty() {
            break;
        }
    }
    if replay.seq() != last_seq {
        return Err(Fault::Count { found: replay.seq(), wanted: last_seq });
    }
    let mut select = connection.prepare_cached("SELECT record FROM journal WHERE id = ?1")?;
    for row in rows {
        let record: Vec<u8> = select.query_row(params![row], |row| row.get(0))?;
        replay.push(&record)?;
    }
    match replay.game() {
        Some(named) if *named == game => Ok(()),
        Some(named) => Err(Fault::OtherGame(named.clone())),
        None => Err(Fault::Count { found: 0, wanted: 1 }),
    }
}
