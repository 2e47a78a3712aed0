//! Cells of a board and their names, which every game numbers in its own way.

use std::fmt;

use arrayvec::ArrayString;

use crate::notation;

/// A cell of a board, by the game's own numbering. Names are given and read by the position.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Cell(pub u16);

/// The name of a cell, such as `c3`.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct CellName(ArrayString<NAME_BYTES_MAX>);

/// Room for a name: the longest of any game is well below it.
const NAME_BYTES_MAX: usize = 8;

impl CellName {
    pub(crate) fn lettered(letter: char, number: u8) -> Self {
        let mut name = ArrayString::new();
        notation::write_cell(&mut name, letter, number).expect("cell names are short");
        Self(name)
    }

    pub(crate) fn numbered(number: u8) -> Self {
        let mut name = ArrayString::new();
        notation::write_number(&mut name, number).expect("cell names are short");
        Self(name)
    }

    /// Returns the placeholder for a cell that the board does not have.
    pub(crate) fn unknown() -> Self {
        Self::as_written("?")
    }

    /// Returns the written name of a cell that does not exist, cut to the capacity.
    pub(crate) fn as_written(name: &str) -> Self {
        let mut text = ArrayString::new();
        for letter in name.chars() {
            if text.try_push(letter).is_err() {
                break;
            }
        }
        Self(text)
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
