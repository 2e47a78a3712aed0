//! Whether the database is in the file in which the server last had it.

use std::{io, path::Path};

use rusqlite::{Connection, OptionalExtension as _};

use super::place;
use crate::runtime::files;

/// What a file keeps when the machine starts again, and a copy does not have: its number, but not
/// that of its device. In the layers of a container a copy has the number of the original, so that
/// a number counts as negative there.
pub(super) fn number(file: &Path) -> io::Result<i64> {
    let inode = place::identity(file)?.inode.cast_signed();
    Ok(if files::is_layered(file) { -inode } else { inode })
}

/// Notes the number of the database's file. Returns whether it was another one at the last start:
/// then the database is a copy, and whoever has the original may have gone on with the same games.
pub(super) fn move_in(connection: &Connection, number: i64) -> rusqlite::Result<bool> {
    let known: Option<i64> =
        connection.query_row("SELECT inode FROM home", [], |row| row.get(0)).optional()?;
    if known != Some(number) {
        let note = "INSERT OR REPLACE INTO home (one, inode) VALUES (1, ?1)";
        connection.execute(note, [number])?;
    }
    Ok(known.is_some_and(|known| known != number))
}
