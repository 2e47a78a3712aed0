//! Brings a database to this server's version of the schema.

use adamant_protocol::UserName;
use rusqlite::{Connection, params};

use super::{
    connection::version,
    open_error::OpenError,
    record_blocks,
    rows::read_name,
    schema::{APPLICATION_ID, MIGRATIONS, PIECES},
};
use crate::store::names::skeleton;

/// Rejects a database of another program: it may have tables of the same names.
fn expect_ours(connection: &Connection) -> Result<(), OpenError> {
    let id: i32 = connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
    let tables = || {
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get::<_, i64>(0))
    };
    if id == APPLICATION_ID || (id == 0 && tables()? == 0) {
        Ok(())
    } else {
        Err(OpenError::Foreign)
    }
}

/// Rejects a database of another program or version.
pub(super) fn expect_current(connection: &Connection) -> Result<(), OpenError> {
    expect_ours(connection)?;
    let (found, known) = (version(connection)?, MIGRATIONS.len());
    match found.cmp(&known) {
        std::cmp::Ordering::Less => Err(OpenError::Older { found, known }),
        std::cmp::Ordering::Equal => Ok(()),
        std::cmp::Ordering::Greater => Err(OpenError::Newer { found, known }),
    }
}

/// The database before a migration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Migrated {
    /// It was empty.
    FromEmpty,
    /// It had tables of this version or an older one.
    FromTables,
}

/// Creates or migrates the tables in one transaction.
pub(super) fn migrate(connection: &mut Connection) -> Result<Migrated, OpenError> {
    expect_ours(connection)?;
    let found = version(connection)?;
    let known = MIGRATIONS.len();
    let missing = MIGRATIONS.get(found..).ok_or(OpenError::Newer { found, known })?;
    if missing.is_empty() {
        return Ok(Migrated::FromTables);
    }
    add(connection, missing)?;
    Ok(if found == 0 { Migrated::FromEmpty } else { Migrated::FromTables })
}

/// Creates the tables in an empty database.
pub(super) fn create(connection: &mut Connection) -> rusqlite::Result<()> {
    add(connection, MIGRATIONS)
}

fn add(connection: &mut Connection, missing: &[&str]) -> rusqlite::Result<()> {
    let newest = i64::try_from(MIGRATIONS.len()).expect("there are few migrations");
    let transaction = connection.transaction()?;
    for tables in missing {
        transaction.execute_batch(tables)?;
        if *tables == PIECES {
            record_blocks::split_rows(&transaction)?;
        }
    }
    fill_skeletons(&transaction)?;
    transaction.pragma_update(None, "user_version", newest)?;
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    transaction.commit()?;
    // The migration may have grown the WAL to the size of the database.
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
    Ok(())
}

/// Computes the missing skeletons: older databases have none.
fn fill_skeletons(connection: &Connection) -> rusqlite::Result<()> {
    let mut select = connection.prepare("SELECT id, name FROM users WHERE skeleton IS NULL")?;
    let mut update = connection.prepare("UPDATE users SET skeleton = ?2 WHERE id = ?1")?;
    let missing: Vec<(i64, UserName)> = select
        .query_map([], |row| Ok((row.get(0)?, read_name(row, 1)?)))?
        .collect::<Result<_, _>>()?;
    for (id, name) in missing {
        update.execute(params![id, skeleton(&name)])?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::sqlite::schema::FIRST_TABLES;

    /// Returns a database of version 1.
    fn first_version() -> Connection {
        let connection = Connection::open_in_memory().unwrap();
        connection.execute_batch(FIRST_TABLES).unwrap();
        connection.pragma_update(None, "user_version", 1).unwrap();
        connection.pragma_update(None, "application_id", APPLICATION_ID).unwrap();
        connection
    }

    #[test]
    fn a_migration_computes_skeletons_even_of_lookalikes() {
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
    fn a_migration_splits_records_into_blocks_and_fills_kinds() {
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
    fn a_database_of_another_program_is_rejected_and_unchanged() {
        let mut connection = Connection::open_in_memory().unwrap();
        connection
            .execute_batch("CREATE TABLE notes (text TEXT); PRAGMA user_version = 18")
            .unwrap();
        assert!(matches!(migrate(&mut connection), Err(OpenError::Foreign)));
        assert!(matches!(expect_current(&connection), Err(OpenError::Foreign)));
        let tables = "SELECT count(*) FROM sqlite_schema";
        assert_eq!(connection.query_row(tables, [], |row| row.get::<_, u32>(0)).unwrap(), 1);
    }

    #[test]
    fn a_newer_database_is_rejected() {
        let mut connection = first_version();
        connection.pragma_update(None, "user_version", 999).unwrap();
        let refused = migrate(&mut connection).unwrap_err();
        assert!(matches!(refused, OpenError::Newer { found: 999, .. }), "{refused}");
    }
}
