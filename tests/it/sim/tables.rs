//! The tables of a server that is down, as text.

use std::{fs, path::Path};

use rusqlite::{Connection, OpenFlags, types::ValueRef};

/// Returns every row of every table of a database, one a line. The database stays as it is, and so
/// does its WAL: a copy in `aside` is read.
pub(super) fn dump(data: &Path, aside: &Path) -> Vec<String> {
    copy(data, aside);
    let path = aside.join("adamant.db");
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE;
    let database = Connection::open_with_flags(path, flags).expect("the copy can be opened");
    let names = "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name";
    let mut names = database.prepare(names).expect("a database lists its tables");
    let names = names.query_map([], |row| row.get::<_, String>(0)).expect("a query");
    let names: Vec<String> = names.collect::<Result<_, _>>().expect("tables have names");
    names.iter().flat_map(|name| rows(&database, name)).collect()
}

fn rows(database: &Connection, table: &str) -> Vec<String> {
    let mut select = database.prepare(&format!("SELECT * FROM \"{table}\"")).expect("a table");
    let columns = select.column_count();
    let line = |row: &rusqlite::Row<'_>| {
        let values = (0..columns).map(|column| Ok(text(row.get_ref(column)?)));
        let values: rusqlite::Result<Vec<String>> = values.collect();
        Ok(format!("   row of {table}: {}", values?.join(" | ")))
    };
    let rows = select.query_map([], line).expect("a query");
    rows.collect::<Result<_, _>>().expect("a row can be read")
}

fn text(value: ValueRef<'_>) -> String {
    match value {
        ValueRef::Null => "-".to_owned(),
        ValueRef::Integer(number) => number.to_string(),
        ValueRef::Real(number) => number.to_string(),
        ValueRef::Text(text) => String::from_utf8_lossy(text).into_owned(),
        ValueRef::Blob(bytes) => format!("{bytes:02x?}"),
    }
}

/// Replaces one directory by a copy of the other.
pub(super) fn copy(from: &Path, to: &Path) {
    // The directory may not exist yet.
    drop(fs::remove_dir_all(to));
    fs::create_dir_all(to).expect("there is room for a copy");
    let Ok(files) = fs::read_dir(from) else { return };
    for file in files {
        let file = file.expect("the directory can be read");
        fs::copy(file.path(), to.join(file.file_name())).expect("there is room for a copy");
    }
}
