//! The tables of this process: those that are part of the program, and larger ones from a folder.

use std::{
    fs::File,
    io::{self, BufReader},
    path::{Path, PathBuf},
    sync::{Arc, LazyLock, PoisonError, RwLock},
};

use thiserror::Error;

use super::{
    super::{super::Verdict, board::Board},
    file::TableFault,
    table::Endgame,
};

/// The tables that are part of the program, as `adamant engine tables make` writes them: of side 2
/// with up to 8 pieces, and of side 3 with up to 7.
const BUILT_IN: [&[u8]; 2] = [include_bytes!("adamas-2.table"), include_bytes!("adamas-3.table")];

/// The tables of all boards.
#[derive(Debug)]
pub(in super::super) struct Tables(Vec<Arc<Endgame>>);

static TABLES: LazyLock<RwLock<Arc<Tables>>> = LazyLock::new(|| {
    let tables = built_in_tables().into_iter().map(Arc::new);
    RwLock::new(Arc::new(Tables(tables.collect())))
});

impl Tables {
    /// The tables that searches use from now on.
    pub(in super::super) fn now() -> Arc<Self> {
        TABLES.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The table of a board.
    pub(in super::super) fn of_side(&self, side: u8) -> Option<&Endgame> {
        self.0.iter().find(|table| table.side() == side).map(AsRef::as_ref)
    }

    /// What perfect play comes to in a position that a table knows.
    pub(in super::super) fn verdict<const W: usize>(&self, board: &Board<W>) -> Option<Verdict> {
        self.of_side(board.hexagon.side())?.verdict_of(board)
    }
}

/// The file of a table in a folder of tables.
pub fn table_file(folder: &Path, side: u8) -> PathBuf {
    folder.join(format!("adamas-{side}.table"))
}

/// Reads the tables of a folder. Searches that begin later use each that knows more than the one
/// that they have. Returns the files that are used.
///
/// # Errors
///
/// The file that is no table, and why, or the folder without any. Then nothing changes.
pub fn use_tables(folder: &Path) -> Result<Vec<PathBuf>, BadTable> {
    let mut tables = Tables::now().0.clone();
    let (mut used, mut is_empty) = (Vec::new(), true);
    for table in &mut tables {
        let path = table_file(folder, table.side());
        let Some(larger) = read_table(&path)? else { continue };
        is_empty = false;
        if larger.side() != table.side() {
            return Err(BadTable { file: path, why: TableFault::Other });
        }
        if larger.pieces() > table.pieces() {
            *table = Arc::new(larger);
            used.push(path);
        }
    }
    if is_empty {
        return Err(BadTable { file: folder.to_owned(), why: TableFault::Missing });
    }
    *TABLES.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(Tables(tables));
    Ok(used)
}

/// Reads a table from a file; none if there is no such file.
pub fn read_table(path: &Path) -> Result<Option<Endgame>, BadTable> {
    let read = match File::open(path) {
        Ok(file) => Endgame::read(&mut BufReader::new(file)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => Err(error.into()),
    };
    read.map(Some).map_err(|why| BadTable { file: path.to_owned(), why })
}

/// The tables that are part of the program.
pub fn built_in_tables() -> Vec<Endgame> {
    let read = |mut bytes: &[u8]| Endgame::read(&mut bytes).expect("a test reads them");
    BUILT_IN.into_iter().map(read).collect()
}

/// A file that is no table.
#[derive(Debug, Error)]
#[error("{}: {why}", file.display())]
pub struct BadTable {
    /// The file.
    pub file: PathBuf,
    /// What is wrong with it.
    pub why: TableFault,
}
