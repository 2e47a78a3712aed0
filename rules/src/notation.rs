//! Canonical notation as text. It is written without the formatter, because a server lists hundreds
//! of moves at a time.

use std::fmt;

/// Something with a canonical notation.
pub trait Notation {
    /// Appends the notation to a text. Fails only where the text has no room.
    fn write_to(&self, text: &mut impl fmt::Write) -> fmt::Result;
}

/// A list that takes moves one by one.
pub trait MoveSink {
    /// Adds a move.
    fn push(&mut self, mv: &impl Notation);

    /// Drops all moves that were added.
    fn clear(&mut self);
}

/// Appends the name of a cell: its letter and its number.
#[inline]
pub(crate) fn write_cell(text: &mut impl fmt::Write, letter: char, number: u8) -> fmt::Result {
    text.write_char(letter)?;
    write_number(text, number)
}

/// Appends a number. Those in notation nearly always have one digit or two.
#[inline]
pub(crate) fn write_number(text: &mut impl fmt::Write, number: u8) -> fmt::Result {
    if number >= 100 {
        text.write_char(char::from(b'0' + number / 100))?;
    }
    if number >= 10 {
        text.write_char(char::from(b'0' + number / 10 % 10))?;
    }
    text.write_char(char::from(b'0' + number % 10))
}
