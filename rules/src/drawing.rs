//! Boards drawn with characters, and marks on their cells. Each game draws its own board.

use std::fmt;

use crate::{cell::Cell, seat::Seat};

/// What to point out in a drawing. Of several marks on one cell, the last of this order is drawn.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Mark {
    /// The last move took pieces from here.
    From,
    /// The last move put pieces here.
    To,
    /// The last move captured here.
    Captured,
    /// The chosen pieces may go here.
    Target,
    /// What stands here could be captured.
    Threatened,
    /// The player has chosen this cell.
    Chosen,
    /// The player's cursor is here.
    Cursor,
}

impl Mark {
    /// The one that is drawn of a cell, if there is any.
    pub(crate) fn of(cell: Cell, marks: &[(Cell, Self)]) -> Option<Self> {
        marks.iter().filter(|&&(marked, _)| marked == cell).map(|&(_, mark)| mark).max()
    }

    /// How it is drawn.
    const fn sign(self) -> char {
        match self {
            Self::From => '-',
            Self::To => '+',
            Self::Captured => '*',
            Self::Target => ':',
            Self::Threatened => '!',
            Self::Chosen => '=',
            Self::Cursor => '>',
        }
    }
}

/// How a cell with this mark is pointed out; a blank if it has none.
pub(crate) fn sign(mark: Option<Mark>) -> char {
    mark.map_or(' ', Mark::sign)
}

/// One run of characters of a drawing, so that a terminal can colour it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Span {
    /// The characters.
    pub text: String,
    /// The seat whose piece they show, if any.
    pub seat: Option<Seat>,
    /// The cell they belong to, if any.
    pub cell: Option<Cell>,
    /// What to point out about that cell, if anything.
    pub mark: Option<Mark>,
}

impl Span {
    /// Characters that show nothing but themselves.
    pub(crate) fn plain(text: impl Into<String>) -> Self {
        Self { text: text.into(), seat: None, cell: None, mark: None }
    }
}

/// A board drawn with characters, line by line. Plain text is the spans' texts in a row.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Drawing {
    /// The lines from the top.
    pub lines: Vec<Vec<Span>>,
}

impl fmt::Display for Drawing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for line in &self.lines {
            let text: String = line.iter().map(|span| span.text.as_str()).collect();
            writeln!(f, "{}", text.trim_end())?;
        }
        Ok(())
    }
}
