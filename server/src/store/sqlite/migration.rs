//! The versions of the tables. A server leads an older store to its own version, after a copy of it
//! is made; a task that only reads leads a temporary copy there.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
};

use rusqlite::{Connection, config::DbConfig};
use tokio::time::Instant;

use super::{errors::OpenError, place::DATABASE_FILE};
use crate::{limits::MIGRATION_SPACE_FACTOR, runtime::files, store::schema};

/// The number by which `file` and other programs know a database of this server: "Adam" in ASCII.
const APPLICATION_ID: i32 = 0x4164_616d;

/// The statements that create the first version of the tables, and those that lead from each
/// version to the next.
pub(super) struct Versions(Vec<String>);

impl Versions {
    /// Those that this server knows.
    pub(super) fn known() -> Self {
        Self(schema::sqlite())
    }

    fn newest(&self) -> usize {
        self.0.len()
    }

    /// Creates the tables of the newest version in an empty database.
    pub(super) fn create(&self, connection: &mut Connection) -> rusqlite::Result<()> {
        self.lead(connection, 0, self.newest())
    }

    fn lead(&self, connection: &mut Connection, from: usize, to: usize) -> rusqlite::Result<()> {
        let transaction = connection.transaction()?;
        for statements in &self.0[from..to] {
            transaction.execute_batch(statements)?;
        }
        transaction.pragma_update(None, "user_version", i64::try_from(to).unwrap_or(i64::MAX))?;
        transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
        transaction.commit()
    }

    /// Returns the version of a database. Refuses one whose tables are of none of these versions.
    /// Nobody knows how long a read of others would take: any name may be a view.
    fn of(&self, connection: &Connection) -> Result<usize, OpenError> {
        if application_id(connection)? != APPLICATION_ID {
            return Err(OpenError::Foreign);
        }
        let found = version(connection)?;
        if (1..=self.newest()).contains(&found) {
            let mut empty = Connection::open_in_memory()?;
            self.lead(&mut empty, 0, found)?;
            if definitions(connection)? == definitions(&empty)? {
                return Ok(found);
            }
        }
        Err(OpenError::OtherTables { found, known: self.newest() })
    }

    /// Whether a database has the newest version; `false` if an older one.
    pub(super) fn is_newest(&self, connection: &Connection) -> Result<bool, OpenError> {
        Ok(self.of(connection)? == self.newest())
    }

    /// Leads a store to the newest version. Copies it aside first, unless told otherwise.
    pub(super) fn migrate(
        &self,
        connection: &mut Connection,
        directory: &Path,
        without_copy: bool,
    ) -> Result<(), OpenError> {
        let (from, to) = (self.of(connection)?, self.newest());
        if from == to {
            return Ok(());
        }
        let begun = Instant::now();
        let copy = if without_copy {
            None
        } else {
            Some(copy_aside(connection, directory, from, files::free_bytes(directory))?)
        };
        self.lead(connection, from, to)?;
        let copy = copy.map(|copy| copy.display().to_string());
        let seconds = begun.elapsed().as_secs_f64();
        // operator: the store has the tables of this version of the server now. To go back, put
        // the copy in the place of `adamant.db`
        tracing::info!(from, to, copy, seconds, "the store was migrated");
        Ok(())
    }

    /// Returns a temporary copy of an older database, which has the newest version.
    pub(super) fn migrated_copy(&self, database: &Path) -> Result<Connection, OpenError> {
        // `SQLite` deletes it when it is closed.
        let mut copy = Connection::open("")?;
        // The old database stays as it is when this connection closes.
        copy.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
        let path = database.to_str().ok_or_else(|| {
            OpenError::Database(rusqlite::Error::InvalidPath(database.to_owned()))
        })?;
        copy.execute("ATTACH ?1 AS old", [path])?;
        copy.execute_batch("BEGIN")?;
        let select = "SELECT type = 'table', name, sql FROM old.sqlite_schema
             WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY type DESC";
        let parts: Vec<(bool, String, String)> = copy
            .prepare(select)?
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
            .collect::<rusqlite::Result<_>>()?;
        for (is_table, name, sql) in parts {
            copy.execute_batch(&sql)?;
            if is_table {
                copy.execute_batch(&format!("INSERT INTO main.{name} SELECT * FROM old.{name}"))?;
            }
        }
        let from: i64 = copy.query_row("PRAGMA old.user_version", [], |row| row.get(0))?;
        copy.execute_batch("COMMIT; DETACH old")?;
        let from = usize::try_from(from).unwrap_or(self.newest());
        self.lead(&mut copy, from.min(self.newest()), self.newest())?;
        Ok(copy)
    }
}

/// Returns the version of the schema; 0 if there are no tables.
pub(super) fn version(connection: &Connection) -> rusqlite::Result<usize> {
    let version: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    Ok(usize::try_from(version).unwrap_or(usize::MAX))
}

pub(super) fn application_id(connection: &Connection) -> rusqlite::Result<i32> {
    connection.pragma_query_value(None, "application_id", |row| row.get(0))
}

/// Returns the statements that have made the tables, indices, views and triggers.
pub(super) fn definitions(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    // What `PRAGMA optimize` collects for the planner changes nothing.
    let select = "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL
         AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name";
    connection.prepare(select)?.query_map([], |row| row.get(0))?.collect()
}

/// Copies a store before it is migrated. A copy that an earlier attempt has left is replaced.
fn copy_aside(
    connection: &Connection,
    directory: &Path,
    version: usize,
    free: Option<u64>,
) -> Result<PathBuf, OpenError> {
    let pragma = |name| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    let bytes = pragma("page_count")?.unsigned_abs() * pragma("page_size")?.unsigned_abs();
    let needed = bytes * MIGRATION_SPACE_FACTOR;
    if let Some(free) = free.filter(|free| *free < needed) {
        let path = directory.display().to_string();
        let [needed_mib, free_mib] = [needed, free].map(|bytes| bytes >> 20);
        return Err(OpenError::NoSpaceForCopy { path, needed_mib, free_mib });
    }
    let copy = directory.join(format!("{DATABASE_FILE}.version-{version}"));
    let failed = |error| OpenError::Directory { path: copy.display().to_string(), error };
    let draft = files::temporary_path(&copy);
    // An empty file, which nobody else may read.
    files::create_private(&draft).map_err(failed)?;
    let name = draft.to_str().ok_or_else(|| rusqlite::Error::InvalidPath(draft.clone()))?;
    connection.execute("VACUUM INTO ?1", [name])?;
    let done = File::open(&draft).and_then(|file| file.sync_all());
    let done = done.and_then(|()| fs::rename(&draft, &copy));
    done.and_then(|()| files::sync_parent_directory(&copy)).map_err(failed)?;
    Ok(copy)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::sqlite::{
        check_integrity,
        connection::configure,
        tests::{DataDirectory, Played},
    };

    /// A second version that no server has.
    fn two() -> Versions {
        let second = "ALTER TABLE talk ADD COLUMN edited_at INTEGER;
             CREATE INDEX talk_by_edit ON talk (edited_at);
             UPDATE outages SET from_at = from_at + 1";
        Versions(schema::sqlite().into_iter().chain([second.to_owned()]).collect())
    }

    /// A store of the first version with two games.
    async fn first() -> DataDirectory {
        let (directory, store) = DataDirectory::with_store();
        for game in ["aaaaaaaa", "bbbbbbbb"] {
            Played::new(game, &["ann", "bob"], &[1, 2]).end(&store).await;
        }
        directory
    }

    fn open(directory: &DataDirectory) -> Connection {
        let connection = Connection::open(directory.0.path().join(DATABASE_FILE)).unwrap();
        configure(&connection).unwrap();
        connection
    }

    fn arrivals(connection: &Connection) -> i64 {
        connection.query_row("SELECT COUNT(*) FROM arrivals", [], |row| row.get(0)).unwrap()
    }

    #[tokio::test]
    async fn an_older_store_is_migrated_and_its_copy_is_as_it_was() {
        let directory = first().await;
        let mut connection = open(&directory);
        connection.execute("INSERT INTO outages (until_at, from_at) VALUES (9, 1)", []).unwrap();
        let before = arrivals(&connection);
        two().migrate(&mut connection, directory.0.path(), false).unwrap();
        assert!(two().is_newest(&connection).unwrap());
        assert_eq!(arrivals(&connection), before);
        let outage = "SELECT from_at FROM outages WHERE until_at = 9";
        let moved = |connection: &Connection| {
            connection.query_row(outage, [], |row| row.get::<_, i64>(0)).unwrap()
        };
        assert_eq!(moved(&connection), 2);
        let mut fresh = Connection::open_in_memory().unwrap();
        two().create(&mut fresh).unwrap();
        assert_eq!(definitions(&connection).unwrap(), definitions(&fresh).unwrap());
        // An older server refuses it, and changes nothing.
        assert!(matches!(
            Versions::known().is_newest(&connection),
            Err(OpenError::OtherTables { found: 2, known: 1 })
        ));

        let copy = directory.0.path().join("adamant.db.version-1");
        let report = check_integrity(&copy, &mut |_, _, _| {}).unwrap();
        assert_eq!(report.games, 2);
        let copied = Connection::open(copy).unwrap();
        assert!(Versions::known().is_newest(&copied).unwrap());
        assert_eq!((arrivals(&copied), moved(&copied)), (before, 1));
    }

    #[tokio::test]
    async fn a_task_reads_an_older_store_and_leaves_it_as_it_is() {
        let directory = first().await;
        let connection = open(&directory);
        let path = directory.0.path().join(DATABASE_FILE);
        let copy = two().migrated_copy(&path).unwrap();
        assert!(two().is_newest(&copy).unwrap());
        assert_eq!(arrivals(&copy), arrivals(&connection));
        assert!(Versions::known().is_newest(&connection).unwrap());
    }

    #[tokio::test]
    async fn without_space_for_a_copy_nothing_happens_unless_told_so() {
        let directory = first().await;
        let mut connection = open(&directory);
        let refused = copy_aside(&connection, directory.0.path(), 1, Some(1000)).unwrap_err();
        let refused = refused.to_string();
        assert!(refused.contains("--migrate-without-copy"), "{refused}");
        assert!(!directory.0.path().join("adamant.db.version-1").exists());
        two().migrate(&mut connection, directory.0.path(), true).unwrap();
        assert!(two().is_newest(&connection).unwrap());
        assert!(!directory.0.path().join("adamant.db.version-1").exists());
    }

    #[tokio::test]
    async fn a_migration_that_fails_changes_nothing() {
        let directory = first().await;
        let mut connection = open(&directory);
        let Versions(mut statements) = two();
        statements[1].push_str("; DROP TABLE nosuch");
        let broken = Versions(statements);
        assert!(broken.migrate(&mut connection, directory.0.path(), false).is_err());
        assert!(Versions::known().is_newest(&connection).unwrap());
    }
}
