//! Whether the database is in the file in which the server last had it.

use rusqlite::{Connection, OptionalExtension as _};

use super::place::Identity;

/// Notes the file of the database. Returns whether it was another one at the last start: then the
/// database is a copy, and whoever has the original may have gone on with the same games.
///
/// Only the number of the file counts: that of the device may change whenever the machine starts.
pub(super) fn move_in(connection: &Connection, file: Identity) -> rusqlite::Result<bool> {
    let inode = file.inode.cast_signed();
    let known: Option<i64> =
        connection.query_row("SELECT inode FROM home", [], |row| row.get(0)).optional()?;
    if known != Some(inode) {
        let note = "INSERT OR REPLACE INTO home (one, inode) VALUES (1, ?1)";
        connection.execute(note, [inode])?;
    }
    Ok(known.is_some_and(|known| known != inode))
}
