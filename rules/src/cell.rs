//! Cells of a board and their names, which every game numbers in its own way.

use std::fmt;

/// A cell of a board, by the game's own numbering. Names are given and read by the position.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Cell(pub u16);

/// The name of a cell, such as `c3`.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct CellName(arrayvec::ArrayString<8>);

impl CellName {
    /// Writes a name; the longest of any game is well below eight characters.
    pub fn new(name: fmt::Arguments<'_>) -> Self {
        let mut text = arrayvec::ArrayString::new();
        fmt::Write::write_fmt(&mut text, name).expect("cell names are short");
        Self(text)
    }

    /// Returns the placeholder for a cell that the board does not have.
    pub(crate) fn unknown() -> Self {
        Self::new(format_args!("?"))
    }

    /// Returns the written name of a cell that does not exist, cut to the capacity.
    pub(crate) fn as_written(name: &str) -> Self {
        Self::new(format_args!("{name:.8}"))
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for CellName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl fmt::Debug for CellName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
