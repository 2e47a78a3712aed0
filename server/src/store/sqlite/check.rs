//! Checks a database: its pages, its WAL, the records of every game, and the ratings. A server may
//! be running. A backup is a checked copy of the database as it is at one moment.

use std::{
    collections::HashMap,
    fs::{self, File, OpenOptions},
    io,
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
};

use adamant_protocol::{EventFrame, GameId, UserName};
use rusqlite::{Connection, OpenFlags, TransactionBehavior};

use super::{
    arrivals,
    connection::{self, configure, open_any, open_existing},
    errors::OpenError,
    live::{OpenGameRow, arrived},
    migration::Versions,
    place::{DATABASE_FILE, DirectoryLock},
    wal::{self, Loss},
};
use crate::{
    limits::{CHECK_FINDINGS_MAX, CHECK_STEPS_AT_ONCE, CHECK_STEPS_PER_PAGE, WAL_READS},
    runtime::files,
    store::{
        check::{self, ArrivedRecords, CheckStep, Progress, RatingsMode, RatingsReport},
        findings::IntegrityReport,
        glance::{Glance, glance},
        sql::{Embedded, Sql as _, SqlResult, at_once, params},
    },
};

/// Returns the database of a data directory; a file is itself the database.
pub(crate) fn database_of(data: &Path) -> PathBuf {
    if data.is_file() { data.to_owned() } else { data.join(DATABASE_FILE) }
}

pub(crate) fn check_integrity(
    database: &Path,
    progress: &mut Progress<'_>,
) -> Result<IntegrityReport, OpenError> {
    let mut report = IntegrityReport::default();
    check_wal(database, &mut report)?;
    let (mut connection, is_newest) = open_any(database)?;
    bound_steps(&mut connection)?;
    // One transaction, so that the check sees no changes of a running server.
    let transaction = connection.transaction()?;
    check_pages(&transaction, &mut report, progress);
    let copy = || Versions::known().migrated_copy(database);
    let migrated = match (!is_newest).then(copy).transpose() {
        // What is wrong with its pages is listed already.
        Err(error) if error.is_malformed() && report.found > 0 => return Ok(report),
        migrated => migrated?,
    };
    let readable = migrated.as_ref().unwrap_or(&transaction);
    let (known, arrived) = check_records(readable, &mut report, progress);
    if let Some(arrived) = arrived {
        check_part(&mut report, "the tables results and ratings", |report| {
            let arrivals = |game: &GameId| arrived.records(readable, game);
            at_once(check::check_rated(&Embedded(readable), &arrivals, known, report, progress))
        });
    }
    Ok(report)
}

/// Looks at a database that a server may use. Changes nothing.
pub(crate) fn look_at(database: &Path, moderators: &[UserName]) -> Result<Glance, OpenError> {
    let connection = open_existing(database)?;
    Ok(at_once(glance(&Embedded(&connection), moderators))?)
}

/// Returns the time of the newest record, in epoch milliseconds.
pub(crate) fn last_record_at(database: &Path) -> Result<Option<u64>, OpenError> {
    let connection = open_existing(database)?;
    let sql = Embedded(&connection);
    let archived = at_once(sql.first("SELECT MAX(last_at) FROM journal", &[]))?;
    let archived: Option<u64> = archived.map(|mut row| row.get(0)).transpose()?.flatten();
    let select = "SELECT record FROM arrivals ORDER BY id DESC LIMIT 1";
    let arrived: Option<Vec<u8>> =
        at_once(sql.first(select, &[]))?.map(|mut row| row.get(0)).transpose()?;
    let arrived = arrived.and_then(|record| EventFrame::from_bytes(&record).ok());
    Ok(archived.max(arrived.map(|record| record.at)))
}

pub(super) fn check_games(
    connection: &Connection,
    report: &mut IntegrityReport,
    progress: &mut Progress<'_>,
) {
    check_pages(connection, report, progress);
    check_records(connection, report, progress);
}

/// Replays every game. Records that have arrived and cannot be read hide no others. Returns which
/// records have arrived, unless that cannot be read.
fn check_records(
    connection: &Connection,
    report: &mut IntegrityReport,
    progress: &mut Progress<'_>,
) -> (check::RecordedResults, Option<ArrivedRows>) {
    let (mut results, mut arrived) = (check::RecordedResults::new(), None);
    check_part(report, "the table arrivals", |report| check_arrivals(connection, report));
    check_part(report, "the table arrivals", |_| {
        arrived = Some(ArrivedRows::read(connection)?);
        Ok(())
    });
    check_part(report, "the tables games and journal", |report| {
        let sql = Embedded(connection);
        let arrivals = |game: &GameId| match &arrived {
            Some(arrived) => arrived.records(connection, game),
            None => Ok(ArrivedRecords::default()),
        };
        results = at_once(check::check_games(&sql, &arrivals, report, progress))?;
        Ok(())
    });
    (results, arrived)
}

/// Reports games whose archived records are not those that they have archived, and records that
/// have arrived for games that are not listed.
fn check_arrivals(connection: &Connection, report: &mut IntegrityReport) -> SqlResult<()> {
    let sql = Embedded(connection);
    let differing = "SELECT game FROM games WHERE archived_seq <> COALESCE(
             (SELECT seq + events - 1 FROM journal WHERE journal.game = games.game
              ORDER BY seq DESC LIMIT 1), 0)
         ORDER BY game LIMIT $1";
    let unlisted = "SELECT DISTINCT game FROM arrivals
         WHERE NOT EXISTS (SELECT 1 FROM games WHERE games.game = arrivals.game)
         ORDER BY game LIMIT $1";
    for (select, what) in [
        (differing, "its archived records are not those that it has archived"),
        (unlisted, "it has records, and is not listed"),
    ] {
        for mut row in at_once(sql.query(select, params![CHECK_FINDINGS_MAX]))? {
            let game: String = row.get(0)?;
            report.add(format!("game {game}: {what}"));
        }
    }
    Ok(())
}

fn check_part(
    report: &mut IntegrityReport,
    what: &str,
    check: impl FnOnce(&mut IntegrityReport) -> SqlResult<()>,
) {
    if let Err(error) = check(report) {
        report.add(format!("{what}: {error}"));
    }
}

/// Aborts what takes more steps than a database of this size can need.
fn bound_steps(connection: &mut Connection) -> rusqlite::Result<()> {
    let pages: i64 = connection.pragma_query_value(None, "page_count", |row| row.get(0))?;
    let at_once = u64::from(CHECK_STEPS_AT_ONCE.unsigned_abs());
    let mut left = pages.unsigned_abs().saturating_mul(CHECK_STEPS_PER_PAGE) / at_once + 1;
    connection.progress_handler(
        CHECK_STEPS_AT_ONCE,
        Some(move || {
            left = left.saturating_sub(1);
            left == 0
        }),
    )
}

/// Which records have arrived.
struct ArrivedRows {
    later: HashMap<GameId, OpenGameRow>,
    /// The seqs and the rows of those that are archived, too.
    stale: HashMap<GameId, Vec<(u64, i64)>>,
}

impl ArrivedRows {
    fn read(connection: &Connection) -> SqlResult<Self> {
        let mut stale = HashMap::<_, Vec<_>>::new();
        let later = arrived(connection, |id, game, seq| {
            stale.entry(game.clone()).or_default().push((seq, id));
        })?;
        Ok(Self { later, stale })
    }

    fn records(&self, connection: &Connection, game: &GameId) -> SqlResult<ArrivedRecords> {
        let rows = self.later.get(game).map(|game| game.row_ids.as_slice()).unwrap_or_default();
        let later = arrivals::read(connection, rows)?.unwrap_or_default();
        let stale = self.stale.get(game).map(Vec::as_slice).unwrap_or_default();
        let (seqs, rows): (Vec<_>, Vec<_>) = stale.iter().copied().unzip();
        let stale = arrivals::read(connection, &rows)?.unwrap_or_default();
        Ok(ArrivedRecords { later, stale: seqs.into_iter().zip(stale).collect() })
    }
}

/// Checks the pages. `SQLite` names the root of a tree, or nothing: what it finds is looked for again
/// in each table.
fn check_pages(connection: &Connection, report: &mut IntegrityReport, progress: &mut Progress<'_>) {
    progress(CheckStep::Pages, 0, 0);
    let all = page_faults(connection, "PRAGMA integrity_check");
    if all.is_empty() {
        return;
    }
    let before = report.found;
    for table in tables(connection).unwrap_or_default() {
        let found = page_faults(connection, &format!("PRAGMA integrity_check('{table}')"));
        for line in found {
            report.add(format!("the table {table}: {line}"));
        }
    }
    // Such as a page that no table has.
    if report.found == before {
        for line in all {
            report.add(format!("the database: {line}"));
        }
    }
}

/// Returns what a check of pages finds, with the error that has ended it, if so.
fn page_faults(connection: &Connection, pragma: &str) -> Vec<String> {
    let mut found = Vec::new();
    let read = |found: &mut Vec<String>| {
        let mut pages = connection.prepare(pragma)?;
        let mut lines = pages.query([])?;
        while let Some(line) = lines.next()? {
            let line = String::from_utf8_lossy(line.get_ref(0)?.as_bytes()?).into_owned();
            if line != "ok" {
                found.push(line);
            }
        }
        Ok::<_, rusqlite::Error>(())
    };
    let ended = read(&mut found);
    found.extend(ended.err().map(|error| error.to_string()));
    found
}

fn tables(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let select = "SELECT name FROM sqlite_schema WHERE type = 'table'";
    connection.prepare(select)?.query_map([], |row| row.get(0))?.collect()
}

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

/// Rates every result again, in order. `progress` receives the number done and the total.
pub(crate) fn check_ratings(
    directory: &Path,
    mode: RatingsMode,
    mut progress: impl FnMut(u64, u64),
) -> Result<RatingsReport, OpenError> {
    let database = directory.join(DATABASE_FILE);
    let (_lock, mut connection) = match mode {
        RatingsMode::Check => (None, open_existing(&database)?),
        RatingsMode::Rebuild => {
            let lock = DirectoryLock::acquire(directory)?;
            let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
            let connection = Connection::open_with_flags(database, flags)?;
            configure(&connection)?;
            connection::expect(&connection)?;
            (Some(lock), connection)
        }
    };
    let behavior = match mode {
        RatingsMode::Check => TransactionBehavior::Deferred,
        RatingsMode::Rebuild => TransactionBehavior::Immediate,
    };
    // One transaction, so that the check sees no changes of a running server.
    let transaction = connection.transaction_with_behavior(behavior)?;
    let report = {
        let arrived = ArrivedRows::read(&transaction)?;
        let arrivals = |game: &GameId| arrived.records(&transaction, game);
        let sql = Embedded(&transaction);
        at_once(check::check_ratings(
            &sql,
            mode,
            &arrivals,
            check::RecordedResults::new(),
            &mut progress,
        ))?
    };
    transaction.commit()?;
    Ok(report)
}

#[derive(Debug)]
pub(crate) struct BackupReport {
    /// The copy: the target, or `TARGET.damaged` if the check found anything.
    pub path: PathBuf,
    pub report: IntegrityReport,
}

/// Copies a database to a file that does not exist yet. A server may be running: the copy does not
/// take its lock. A damaged copy is kept as `TARGET.damaged`.
pub(crate) fn copy(
    database: &Path,
    target: &Path,
    progress: &mut Progress<'_>,
) -> Result<BackupReport, OpenError> {
    let failed =
        |path: &Path, error| OpenError::Directory { path: path.display().to_string(), error };
    let target = std::path::absolute(target).map_err(|error| failed(target, error))?;
    expect_free(&target).map_err(|error| failed(&target, error))?;
    let draft = files::temporary_path(&target);
    make_draft(&draft).map_err(|error| failed(&draft, error))?;
    let copied = fill(database, &draft, progress).and_then(|report| {
        let path = if report.found == 0 { target } else { damaged(&target) };
        finish(&draft, &path).map_err(|error| failed(&path, error))?;
        Ok(BackupReport { path, report })
    });
    if copied.is_err() {
        // If the file cannot be removed, the next backup reports it.
        drop(fs::remove_file(&draft));
    }
    copied
}

fn damaged(target: &Path) -> PathBuf {
    let mut path = target.to_owned();
    path.add_extension("damaged");
    path
}

fn expect_free(path: &Path) -> io::Result<()> {
    if path.symlink_metadata().is_ok() {
        let why = "this file exists already; a backup overwrites nothing";
        return Err(io::Error::new(io::ErrorKind::AlreadyExists, why));
    }
    Ok(())
}

/// Creates the empty file for the copy. Two backups never write the same one.
fn make_draft(draft: &Path) -> io::Result<()> {
    let made = OpenOptions::new().write(true).create_new(true).mode(0o600).open(draft);
    made.map(drop).map_err(|error| {
        if error.kind() != io::ErrorKind::AlreadyExists {
            return error;
        }
        let why = "another backup is being written here, or one was stopped: then remove it";
        io::Error::new(error.kind(), why)
    })
}

fn fill(
    database: &Path,
    draft: &Path,
    progress: &mut Progress<'_>,
) -> Result<IntegrityReport, OpenError> {
    let mut report = IntegrityReport::default();
    progress(CheckStep::Copy, 0, 0);
    check_wal(database, &mut report)?;
    let (source, _) = open_any(database)?;
    let name = draft.to_str().ok_or_else(|| rusqlite::Error::InvalidPath(draft.to_owned()))?;
    // `query_only` forbids writes to other files, too.
    source.pragma_update(None, "query_only", "OFF")?;
    source.execute("VACUUM INTO ?1", [name])?;
    drop(source);
    check_games(&open_existing(draft)?, &mut report, progress);
    Ok(report)
}

fn finish(draft: &Path, path: &Path) -> io::Result<()> {
    File::open(draft)?.sync_all()?;
    fs::rename(draft, path)?;
    files::sync_parent_directory(path)
}
