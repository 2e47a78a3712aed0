//! Fills the tables in memory with what is stored.

use rusqlite::Connection;

use super::{challenges, invites, open_tables, seeks};

/// Creates the tables of what is open and fills them.
pub(super) fn load(connection: &Connection) -> rusqlite::Result<()> {
    open_tables::create(connection)?;
    for challenge in challenges::all(connection)? {
        open_tables::insert_challenge(connection, &challenge)?;
    }
    for invite in invites::all_open(connection)? {
        open_tables::insert_invite(connection, &invite)?;
    }
    for seek in seeks::all_lasting(connection)? {
        open_tables::insert_seek(connection, &seek)?;
    }
    Ok(())
}
