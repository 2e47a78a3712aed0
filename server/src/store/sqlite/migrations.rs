//! The database's tables, and the settings that make a commit mean what it says.

use std::path::Path;

use rusqlite::{Connection, ErrorCode, config::DbConfig, ffi};

use super::{Loss, record_blocks, users};
use crate::{
    limits::{FILLING_CACHE_KIB, STATEMENTS_KEPT, WAL_SPACE_FACTOR},
    runtime::files,
};

/// How the tables came to be: entry n takes a database from version n to n + 1. Entries are only
/// ever added, so that every older database finds its way.
const MIGRATIONS: &[&str] = &[
    FIRST_TABLES,
    RATINGS,
    DEADLINES_OUTAGES_REMATCHES,
    TALK,
    ACCOUNTS,
    LEFT_OVERS,
    ACCOUNT_AGE,
    PIECES,
    LISTS_BY_KIND,
];

/// Why a database could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The directory or the lock file cannot be used.
    #[error("{path}: {error}")]
    Directory {
        /// Which.
        path: String,
        /// Why.
        error: std::io::Error,
    },
    /// Another server has it.
    #[error("{path} is in use by another server")]
    InUse {
        /// Which.
        path: String,
    },
    /// A newer server has written it.
    #[error("the store has version {found}, this server knows versions up to {known}")]
    Newer {
        /// Its version.
        found: usize,
        /// The newest version that this server knows.
        known: usize,
    },
    /// An older server has written it, and no newer one has opened it yet.
    #[error(
        "the store has version {found}, not {known}: start the server once to bring it up to date"
    )]
    Older {
        /// Its version.
        found: usize,
        /// The version that this server knows.
        known: usize,
    },
    /// Its log cannot be looked at.
    #[error("{path}: {error}")]
    Log {
        /// The log, or where it is kept aside.
        path: String,
        /// Why.
        error: std::io::Error,
    },
    /// Its log was damaged: acknowledged commits are lost.
    #[error("the log was damaged: {0}")]
    Damaged(Loss),
    /// It is damaged, or not a database.
    #[error("the store cannot be opened: {0}")]
    Database(#[from] rusqlite::Error),
}

impl OpenError {
    /// Whether it comes of a disk without room.
    pub(crate) fn is_for_want_of_room(&self) -> bool {
        match self {
            Self::Directory { error, .. } | Self::Log { error, .. } => {
                files::is_for_want_of_room(error)
            }
            Self::Database(error) => error.sqlite_error().is_some_and(|error| {
                error.code == ErrorCode::DiskFull
                    || [ffi::SQLITE_IOERR_WRITE, ffi::SQLITE_IOERR_SHMSIZE]
                        .contains(&error.extended_code)
            }),
            Self::InUse { .. } | Self::Newer { .. } | Self::Older { .. } | Self::Damaged(_) => {
                false
            }
        }
    }
}

/// Sets what every connection needs. With WAL and synchronous FULL a commit returns only after the
/// log has been synced; readers never wait for the writer.
pub(super) fn prepare(connection: &Connection) -> rusqlite::Result<()> {
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "foreign_keys", "ON")?;
    prepare_any(connection)
}

/// The same for a connection that must not change anything, not even by being the last one.
pub(super) fn prepare_to_read(connection: &Connection) -> rusqlite::Result<()> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    connection.pragma_update(None, "query_only", "ON")?;
    prepare_any(connection)
}

fn prepare_any(connection: &Connection) -> rusqlite::Result<()> {
    // No file is needed that is not open already: descriptors and room may have run out.
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    // A statement that is kept is not to be planned anew for what is looked for with it.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS_KEPT);
    connection.busy_timeout(std::time::Duration::from_secs(5))
}

/// Bounds the memory in which a connection keeps parts of the database, beside the operating
/// system, which keeps them, too.
pub(super) fn keep_in_memory(connection: &Connection, kib: i64) -> rusqlite::Result<()> {
    connection.pragma_update(None, "cache_size", -kib)
}

/// Lets a writer's log grow to some size until it is copied into the database, and makes it so large
/// at once: to sync a file that has grown takes half as long again as one that has been as large
/// before. A disk may have no room to spare for that, and nothing depends on it. `log` is its file.
pub(super) fn keep_in_log(connection: &Connection, mib: u32, log: &Path) -> rusqlite::Result<()> {
    let page_bytes: i64 = connection.pragma_query_value(None, "page_size", |row| row.get(0))?;
    let bytes = i64::from(mib) * 1024 * 1024;
    let let_grow = |bytes: i64| {
        connection.pragma_update(None, "wal_autocheckpoint", (bytes / page_bytes).max(1))
    };
    let_grow(bytes)?;
    let wanted = bytes.cast_unsigned();
    if std::fs::metadata(log).is_ok_and(|found| found.len() >= wanted) {
        return Ok(());
    }
    let free = log.parent().and_then(files::free_bytes);
    if free.is_some_and(|free| free / WAL_SPACE_FACTOR < wanted) {
        tracing::warn!(?free, wanted, "too little room to make the log as large as it may become");
        // Copied before it has taken all that the database needs to grow.
        let share = free.map_or(0, |free| free / (WAL_SPACE_FACTOR * WAL_SPACE_FACTOR));
        let_grow(i64::try_from(share).unwrap_or(bytes))?;
    } else if let Err(error) = grow_log(connection, bytes) {
        tracing::warn!(%error, "the log was not made as large as it may become");
        // What it has taken it gives back.
        connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
    }
    Ok(())
}

/// Copies what the log has into the database and begins it with other salts, so that nothing of what
/// it had is taken for a part of it any more.
pub(super) fn begin_log_anew(connection: &Connection) -> rusqlite::Result<()> {
    let busy: bool =
        connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
    if busy {
        let why = "the log cannot be begun anew while another process reads it".to_owned();
        return Err(rusqlite::Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_BUSY), Some(why)));
    }
    Ok(())
}

/// What does not fit into a connection's memory is written to the log before it is committed, and of
/// what is taken back then nothing remains but the room that it took there.
fn grow_log(connection: &Connection, bytes: i64) -> rusqlite::Result<()> {
    // Copies what a crash has left there, so that the log begins anew.
    connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()))?;
    keep_in_memory(connection, FILLING_CACHE_KIB)?;
    let transaction = connection.unchecked_transaction()?;
    transaction.execute_batch("CREATE TABLE filling (bytes BLOB)")?;
    transaction.execute("INSERT INTO filling VALUES (zeroblob(?1))", [bytes])?;
    transaction.rollback()
}

pub(super) fn version(connection: &Connection) -> rusqlite::Result<usize> {
    let version: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    Ok(usize::try_from(version).unwrap_or(usize::MAX))
}

/// Refuses a database that is not up to date.
pub(super) fn expect_current(connection: &Connection) -> Result<(), OpenError> {
    let (found, known) = (version(connection)?, MIGRATIONS.len());
    match found.cmp(&known) {
        std::cmp::Ordering::Less => Err(OpenError::Older { found, known }),
        std::cmp::Ordering::Equal => Ok(()),
        std::cmp::Ordering::Greater => Err(OpenError::Newer { found, known }),
    }
}

/// What was there before the tables were brought up to date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Migrated {
    /// Nothing: they were made.
    FromNothing,
    /// Older tables, or the present ones.
    FromTables,
}

/// Makes the tables, or brings older ones up to date, all in one transaction.
pub(super) fn migrate(connection: &mut Connection) -> Result<Migrated, OpenError> {
    let found = version(connection)?;
    let known = MIGRATIONS.len();
    let missing = MIGRATIONS.get(found..).ok_or(OpenError::Newer { found, known })?;
    if missing.is_empty() {
        return Ok(Migrated::FromTables);
    }
    add(connection, missing)?;
    Ok(if found == 0 { Migrated::FromNothing } else { Migrated::FromTables })
}

/// Makes the tables where there are none.
pub(super) fn make(connection: &mut Connection) -> rusqlite::Result<()> {
    add(connection, MIGRATIONS)
}

fn add(connection: &mut Connection, missing: &[&str]) -> rusqlite::Result<()> {
    let newest = i64::try_from(MIGRATIONS.len()).expect("there are few migrations");
    let transaction = connection.transaction()?;
    for tables in missing {
        transaction.execute_batch(tables)?;
        if *tables == PIECES {
            record_blocks::cut(&transaction)?;
        }
    }
    users::fill_skeletons(&transaction)?;
    transaction.pragma_update(None, "user_version", newest)?;
    transaction.commit()?;
    // What was written anew may have made the log as large as the database.
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
    Ok(())
}

// The journal is written in arrival order: a key on (game, seq) would cost more than all the rest
// of a move. Where a live game's rows are is remembered in memory.
const FIRST_TABLES: &str = "
CREATE TABLE journal (
    id     INTEGER PRIMARY KEY,
    game   TEXT NOT NULL,
    seq    INTEGER NOT NULL,
    record BLOB NOT NULL
);
CREATE TABLE games (
    id         TEXT PRIMARY KEY,
    state      TEXT NOT NULL CHECK (state IN ('parked', 'finished')),
    rules      TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    last_seq   INTEGER NOT NULL,
    entry      TEXT NOT NULL,
    records    BLOB NOT NULL
) WITHOUT ROWID;
CREATE INDEX games_by_time ON games (state, started_at, id);
CREATE TABLE game_users (
    user       TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    game       TEXT NOT NULL REFERENCES games (id) ON DELETE CASCADE,
    PRIMARY KEY (user, started_at, game)
) WITHOUT ROWID;
CREATE TABLE users (
    id            INTEGER PRIMARY KEY,
    name          TEXT NOT NULL,
    folded        TEXT NOT NULL UNIQUE,
    password_hash TEXT,
    house         INTEGER NOT NULL DEFAULT 0,
    created_at    INTEGER NOT NULL
);
CREATE TABLE tokens (
    digest     BLOB PRIMARY KEY,
    user       INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    label      TEXT NOT NULL,
    bot        INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER
) WITHOUT ROWID;
CREATE INDEX tokens_by_user ON tokens (user, created_at);
CREATE TABLE challenges (
    id         TEXT PRIMARY KEY,
    bots       TEXT NOT NULL,
    challenged TEXT NOT NULL,
    created_at INTEGER NOT NULL
) WITHOUT ROWID;
";

// `results` has the games that count in the order in which they were rated, which is that of the
// journal: a row is written with the record of the end, or not at all. `ratings` is what they add
// up to; `rank_key` sorts the strongest first. A user's finished games are listed by their end.
const RATINGS: &str = "
CREATE TABLE results (
    id    INTEGER PRIMARY KEY,
    game  TEXT NOT NULL UNIQUE,
    pool  TEXT NOT NULL,
    seats TEXT NOT NULL
);
CREATE TABLE ratings (
    pool       TEXT NOT NULL,
    user       TEXT NOT NULL,
    rank_key   INTEGER NOT NULL,
    rating     INTEGER NOT NULL,
    deviation  INTEGER NOT NULL,
    volatility INTEGER NOT NULL,
    games      INTEGER NOT NULL,
    wins       INTEGER NOT NULL,
    draws      INTEGER NOT NULL,
    losses     INTEGER NOT NULL,
    PRIMARY KEY (user, pool)
) WITHOUT ROWID;
CREATE INDEX ratings_by_rank ON ratings (pool, rank_key, user);
CREATE INDEX games_by_rules ON games (rules, state, started_at, id);
ALTER TABLE game_users ADD COLUMN ended_at INTEGER;
UPDATE game_users SET ended_at =
    (SELECT json_extract(entry, '$.last_at') FROM games WHERE id = game AND state = 'finished');
CREATE INDEX game_users_by_end ON game_users (user, ended_at, game) WHERE ended_at IS NOT NULL;
";

// Whoever waits for the clocks of parked games wants them in the order of their deadlines, and the
// server has to know for how long it was not there. Of one game comes one rematch, however often it is asked
// for.
const DEADLINES_OUTAGES_REMATCHES: &str = "
ALTER TABLE games ADD COLUMN deadline INTEGER;
CREATE TABLE alive (
    one      INTEGER PRIMARY KEY CHECK (one = 1),
    alive_at INTEGER NOT NULL
);
CREATE TABLE outages (
    until_at INTEGER PRIMARY KEY,
    from_at  INTEGER NOT NULL
);
CREATE TABLE rematches (
    game TEXT PRIMARY KEY,
    next TEXT NOT NULL
) WITHOUT ROWID;
";

// A line that was taken back keeps its number and loses its text.
const TALK: &str = "
CREATE TABLE talk (
    game TEXT NOT NULL,
    room TEXT NOT NULL CHECK (room IN ('players', 'spectators')),
    n    INTEGER NOT NULL,
    at   INTEGER NOT NULL,
    user TEXT NOT NULL COLLATE NOCASE,
    req  TEXT NOT NULL,
    text TEXT,
    PRIMARY KEY (game, room, n)
) WITHOUT ROWID;
CREATE UNIQUE INDEX talk_requests ON talk (game, user, req);
CREATE TABLE mutes (
    user  INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    muted INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    PRIMARY KEY (user, muted)
) WITHOUT ROWID;
CREATE INDEX mutes_by_muted ON mutes (muted);
";

// A name's skeleton is made by code, so older rows get theirs right after this. It is not unique
// because older names may look alike; new ones are compared before they are stored.
const ACCOUNTS: &str = "
ALTER TABLE users ADD COLUMN skeleton TEXT;
ALTER TABLE users ADD COLUMN owner INTEGER REFERENCES users (id);
CREATE INDEX users_by_skeleton ON users (skeleton);
CREATE INDEX users_by_owner ON users (owner);
ALTER TABLE tokens ADD COLUMN used_at INTEGER;
";

// The tables are as before, but in the journal there may be records that rest in their game's row
// already. A server that takes these for a live game must not have the database.
const LEFT_OVERS: &str = "";

// When a guest became an account. An account that has been one from the beginning has none, and
// neither has one from before this column: then it is as old as the user.
const ACCOUNT_AGE: &str = "
ALTER TABLE users ADD COLUMN account_since INTEGER;
";

// A game's records in rows of so many each. They are filled by code, from the column that the next
// version has no more.
const PIECES: &str = "
CREATE TABLE pieces (
    id      INTEGER PRIMARY KEY,
    game    TEXT NOT NULL,
    first   INTEGER NOT NULL,
    records BLOB NOT NULL
);
CREATE UNIQUE INDEX pieces_by_game ON pieces (game, first);
";

// Every list of finished games follows an index, whatever it is of.
const LISTS_BY_KIND: &str = "
ALTER TABLE games DROP COLUMN records;
ALTER TABLE games ADD COLUMN players INTEGER NOT NULL DEFAULT 0;
UPDATE games SET players = json_array_length(entry, '$.seats');
DROP INDEX games_by_rules;
CREATE INDEX games_by_kind ON games (rules, players, state, started_at, id);
ALTER TABLE game_users ADD COLUMN rules TEXT NOT NULL DEFAULT '';
ALTER TABLE game_users ADD COLUMN players INTEGER NOT NULL DEFAULT 0;
UPDATE game_users SET (rules, players) =
    (SELECT games.rules, games.players FROM games WHERE games.id = game_users.game);
CREATE INDEX game_users_by_kind_and_start ON game_users (user, rules, players, started_at, game)
    WHERE ended_at IS NOT NULL;
CREATE INDEX game_users_by_kind_and_end ON game_users (user, rules, players, ended_at, game)
    WHERE ended_at IS NOT NULL;
";

#[cfg(test)]
mod tests {
    use rusqlite::params;

    use super::*;

    /// A database as the first version of the server wrote it.
    fn first_version() -> Connection {
        let connection = Connection::open_in_memory().unwrap();
        connection.execute_batch(FIRST_TABLES).unwrap();
        connection.pragma_update(None, "user_version", 1).unwrap();
        connection
    }

    #[test]
    fn older_users_get_their_skeletons_even_if_they_look_alike() {
        let mut connection = first_version();
        for name in ["Mary", "rnary", "house"] {
            let folded = name.to_ascii_lowercase();
            connection
                .execute(
                    "INSERT INTO users (name, folded, created_at) VALUES (?1, ?2, 1)",
                    [name, &folded],
                )
                .unwrap();
        }
        migrate(&mut connection).unwrap();
        migrate(&mut connection).unwrap();
        let skeletons: Vec<String> = connection
            .prepare("SELECT skeleton FROM users ORDER BY id")
            .unwrap()
            .query_map([], |row| row.get(0))
            .unwrap()
            .collect::<Result<_, _>>()
            .unwrap();
        assert_eq!(skeletons, ["rnary", "rnary", "house"]);
        let version: u32 =
            connection.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap();
        assert_eq!(usize::try_from(version).unwrap(), MIGRATIONS.len());
    }

    #[test]
    fn the_records_of_older_games_are_cut_into_pieces_and_their_lists_know_their_kinds() {
        let mut connection = first_version();
        for tables in &MIGRATIONS[1..6] {
            connection.execute_batch(tables).unwrap();
        }
        connection.pragma_update(None, "user_version", 6).unwrap();
        connection.pragma_update(None, "foreign_keys", "ON").unwrap();
        let lines = |records: u64| (1..=records).map(|seq| format!("{{\"seq\":{seq}}}\n"));
        let games = [("short", "finished", 3, 2), ("long", "parked", 1000, 3)];
        for (game, state, records, players) in games {
            let entry = serde_json::json!({ "seats": vec!["x"; players] }).to_string();
            let records: String = lines(records).collect();
            connection
                .execute(
                    "INSERT INTO games (id, state, rules, started_at, last_seq, entry, records)
                     VALUES (?1, ?2, 'adamas', 1, 2, ?3, ?4)",
                    params![game, state, entry, records.as_bytes()],
                )
                .unwrap();
            let add = "INSERT INTO game_users (user, started_at, game) VALUES ('ann', 1, ?1)";
            connection.execute(add, [game]).unwrap();
        }
        migrate(&mut connection).unwrap();
        for (game, _, records, players) in games {
            let found = record_blocks::read_all(&connection, &game.parse().unwrap()).unwrap();
            let expected: Vec<String> = lines(records).collect();
            assert!(found.iter().eq(expected.iter().map(|line| line.trim_end())), "{game}");
            for table in ["games WHERE id = ?1", "game_users WHERE game = ?1"] {
                let kind: (String, u32) = connection
                    .query_row(&format!("SELECT rules, players FROM {table}"), [game], |row| {
                        Ok((row.get(0)?, row.get(1)?))
                    })
                    .unwrap();
                assert_eq!(kind, ("adamas".to_owned(), u32::try_from(players).unwrap()));
            }
        }
    }

    #[test]
    fn without_room_the_log_stays_small_and_the_store_can_be_used() {
        let directory = tempfile::tempdir().unwrap();
        let mut connection = Connection::open(directory.path().join("a.db")).unwrap();
        let log = directory.path().join("a.db-wal");
        prepare(&connection).unwrap();
        migrate(&mut connection).unwrap();
        let pages: i64 =
            connection.pragma_query_value(None, "page_count", |row| row.get(0)).unwrap();
        connection.pragma_update(None, "max_page_count", pages + 100).unwrap();
        assert!(grow_log(&connection, 1024 * 1024).is_err());
        keep_in_log(&connection, 1, &log).unwrap();
        assert!(connection.is_autocommit(), "it has been taken back");
        assert_eq!(std::fs::metadata(&log).unwrap().len(), 0, "and the room is given back");
        connection.execute("INSERT INTO alive VALUES (1, 2)", []).unwrap();
    }

    #[test]
    fn a_newer_database_is_left_alone() {
        let mut connection = first_version();
        connection.pragma_update(None, "user_version", 999).unwrap();
        let refused = migrate(&mut connection).unwrap_err();
        assert!(matches!(refused, OpenError::Newer { found: 999, .. }), "{refused}");
    }
}
