//! Creates the tables of a new database, and refuses a database that has others.

use rusqlite::Connection;

use super::open_error::OpenError;
use crate::store::schema;

/// The number by which `file` and other programs know a database of this server: "Adam" in ASCII.
const APPLICATION_ID: i32 = 0x4164_616d;

/// The database before it was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Found {
    /// It was empty.
    Empty,
    /// It had the tables.
    Tables,
}

/// Creates the tables in a database that is empty, and refuses one that has others.
pub(super) fn create_or_expect(connection: &mut Connection) -> Result<Found, OpenError> {
    if application_id(connection)? == 0 && definitions(connection)?.is_empty() {
        create(connection)?;
        return Ok(Found::Empty);
    }
    expect(connection)?;
    Ok(Found::Tables)
}

/// Creates the tables in an empty database.
pub(super) fn create(connection: &mut Connection) -> rusqlite::Result<()> {
    let transaction = connection.transaction()?;
    transaction.execute_batch(&schema::sqlite())?;
    transaction.pragma_update(None, "user_version", schema::VERSION)?;
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    transaction.commit()
}

/// Refuses a database whose tables are not those of this server. Nobody knows how long a read of
/// others would take: any name may be a view.
pub(super) fn expect(connection: &Connection) -> Result<(), OpenError> {
    if application_id(connection)? != APPLICATION_ID {
        return Err(OpenError::Foreign);
    }
    let known = schema::VERSION;
    let found = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let mut empty = Connection::open_in_memory()?;
    create(&mut empty)?;
    if found == known && definitions(connection)? == definitions(&empty)? {
        return Ok(());
    }
    Err(OpenError::OtherTables { found, known })
}

fn application_id(connection: &Connection) -> rusqlite::Result<i32> {
    connection.pragma_query_value(None, "application_id", |row| row.get(0))
}

/// Returns the statements that have made the tables, indices, views and triggers.
fn definitions(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    // What `PRAGMA optimize` collects for the planner changes nothing.
    let select = "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL
         AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name";
    connection.prepare(select)?.query_map([], |row| row.get(0))?.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_database_with_other_tables_is_refused_and_unchanged() {
        let mut foreign = Connection::open_in_memory().unwrap();
        foreign.execute_batch("CREATE TABLE notes (text TEXT); PRAGMA user_version = 1").unwrap();
        assert!(matches!(create_or_expect(&mut foreign), Err(OpenError::Foreign)));
        assert_eq!(definitions(&foreign).unwrap().len(), 1);
        let mut ours = Connection::open_in_memory().unwrap();
        assert_eq!(create_or_expect(&mut ours).unwrap(), Found::Empty);
        assert_eq!(create_or_expect(&mut ours).unwrap(), Found::Tables);
        for change in [
            "PRAGMA user_version = 19",
            "PRAGMA user_version = 1; ALTER TABLE talk ADD COLUMN more TEXT",
            "DROP TABLE talk; CREATE VIEW talk AS SELECT 1",
        ] {
            ours.execute_batch(change).unwrap();
            let refused = create_or_expect(&mut ours).unwrap_err();
            assert!(matches!(refused, OpenError::OtherTables { .. }), "{change}: {refused}");
        }
    }
}
