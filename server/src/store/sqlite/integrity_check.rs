//! Checks a database: its pages, its WAL, the records of every game, and the ratings. Writes
//! nothing. A server may be running.

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
    ratings_check, record_blocks,
    rows::from_sql,
    wal::{self, Loss},
};
use crate::{
    limits::{RECORDS_PER_BLOCK, WAL_READS},
    store::check_report::{CheckStep, GameFault, IntegrityReport, Progress, RatingsMode},
};

/// Runs a part of the check. An error of `SQLite` is a finding, too.
pub(super) fn check_part(
    report: &mut IntegrityReport,
    what: &str,
    check: impl FnOnce(&mut IntegrityReport) -> rusqlite::Result<()>,
) {
    if let Err(error) = check(report) {
        report.add(format!("{what}: {error}"));
    }
}

/// Returns the database of a data directory; a file is itself the database.
pub(crate) fn database_of(data: &Path) -> PathBuf {
    if data.is_file() { data.to_owned() } else { data.join(DATABASE_FILE) }
}

/// Checks a database, its WAL and its ratings.
pub(crate) fn check_integrity(
    database: &Path,
    progress: &mut Progress<'_>,
) -> Result<IntegrityReport, OpenError> {
    let mut report = IntegrityReport::default();
    check_wal(database, &mut report)?;
    let mut connection = open_existing(database)?;
    // One transaction, so that the check sees no changes of a running server.
    let transaction = connection.transaction()?;
    check_games(&transaction, &mut report, progress);
    progress(CheckStep::Ratings, 0, 0);
    check_part(&mut report, "the ratings", |report| {
        let ratings =
            ratings_check::compare(&transaction, RatingsMode::Check, &mut |done, total| {
                progress(CheckStep::Ratings, done, total);
            })?;
        report.add_ratings(ratings);
        Ok(())
    });
    Ok(report)
}

/// Reports a damaged WAL.
pub(super) fn check_wal(database: &Path, report: &mut IntegrityReport) -> Result<(), OpenError> {
    let mut path = database.as_os_str().to_owned();
    path.push("-wal");
    let path = PathBuf::from(path);
    let failed = |error| OpenError::Wal { path: path.display().to_string(), error };
    match loss_of(&path, database) {
        Ok(Some(loss)) => report.add(format!("the WAL is damaged: {loss}")),
        Ok(None) => {}
        // There is no WAL, or a server has just stopped.
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(failed(error)),
    }
    Ok(())
}

/// Returns what a WAL has lost. A frame that a running server is writing looks damaged. Therefore a
/// loss counts if each of several reads in one generation finds it.
fn loss_of(path: &Path, database: &Path) -> io::Result<Option<Loss>> {
    let generation = wal::generation(path)?;
    let mut seen = None;
    for _ in 0..WAL_READS {
        seen = wal::examine(path, database)?;
        if seen.is_none() || wal::generation(path)? != generation {
            return Ok(None);
        }
    }
    Ok(seen)
}

/// Checks the pages of a database, and replays every game.
pub(super) fn check_games(
    connection: &Connection,
    report: &mut IntegrityReport,
    progress: &mut Progress<'_>,
) {
    progress(CheckStep::Pages, 0, 0);
    check_part(report, "the database", |report| {
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
    check_part(report, "the journal", |_| {
        journal = rows_in_journal(connection)?;
        Ok(())
    });
    check_part(report, "the games", |report| {
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

/// Returns the journal rows that are not stale, in order, by game.
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

/// What is wrong with the records of a game.
#[derive(Debug, thiserror::Error)]
enum Fault {
    #[error(transparent)]
    Game(#[from] GameFault),
    #[error("its records are unreadable: {0}")]
    Database(#[from] rusqlite::Error),
}

impl From<RecordError> for Fault {
    fn from(error: RecordError) -> Self {
        Self::Game(error.into())
    }
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

/// Replays a game like a room that starts: first its blocks, then its journal rows. One block is in
/// memory at a time.
fn replay_game(
    connection: &Connection,
    id: &str,
    last_seq: u64,
    rows: &[i64],
    replay: &mut Replay,
) -> Result<(), Fault> {
    let game: GameId = id.parse().map_err(|_| GameFault::Name)?;
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
        return Err(GameFault::Count { found: replay.seq(), wanted: last_seq }.into());
    }
    let mut select = connection.prepare_cached("SELECT record FROM journal WHERE id = ?1")?;
    for row in rows {
        let record: Vec<u8> = select.query_row(params![row], |row| row.get(0))?;
        replay.push(&record)?;
    }
    Ok(GameFault::check_name(replay, &game)?)
}
