//! The board as characters: a star with a letter for each piece.
//!
//! Columns are as wide as one character; their letters stand above and below, row numbers on both
//! sides. The character before a point is always free, and holds the sign that points it out.

use super::{
    game::{Hexma, LETTERS},
    star_board::{COLUMNS, ROWS, Spot, column_letter},
};
use crate::{
    cell::Cell,
    drawing::{Drawing, Mark, Span, sign},
};

/// Characters of a row's number.
const NUMBER: usize = 2;

/// Characters between the first column and the row's number, the last of which can hold a sign, and
/// as many on the other side.
const GAP: usize = 3;

/// Characters before the first column.
const MARGIN: usize = NUMBER + GAP;

impl Hexma {
    /// The board with the given cells pointed out.
    pub(super) fn drawing(&self, marks: &[(Cell, Mark)]) -> Drawing {
        let mut lines = vec![letter_line(), stroke_line()];
        lines.extend((0..ROWS).map(|row| self.draw_row(row, marks)));
        lines.extend([stroke_line(), letter_line()]);
        Drawing { lines }
    }

    fn draw_row(&self, row: u8, marks: &[(Cell, Mark)]) -> Vec<Span> {
        let spots: Vec<_> = Spot::all().filter(|spot| spot.place().1 == row).collect();
        // Rows are symmetric; the sign of the first point takes one of the blanks before it.
        let blanks = GAP + usize::from(spots[0].place().0);
        let number = row + 1;
        let mut line = vec![Span::plain(format!("{number:>NUMBER$}{:1$}", "", blanks - 1))];
        line.extend(spots.into_iter().map(|spot| self.draw_spot(spot, marks)));
        line.push(Span::plain(format!("{:blanks$}{number}", "")));
        line
    }

    fn draw_spot(&self, spot: Spot, marks: &[(Cell, Mark)]) -> Span {
        let cell = Cell::from(spot);
        let mark = Mark::of(cell, marks);
        let sign = sign(mark);
        let seat = self.board.owner(spot);
        let letter = seat.map_or('.', |seat| LETTERS[seat.index()]);
        Span { text: format!("{sign}{letter}"), seat, cell: Some(cell), mark }
    }
}

/// The letters of the columns, above the board and below it.
fn letter_line() -> Vec<Span> {
    let letters: String = (0..COLUMNS).map(column_letter).collect();
    vec![Span::plain(format!("{:MARGIN$}{letters}", ""))]
}

/// A stroke for every other column, from its letter towards the board.
fn stroke_line() -> Vec<Span> {
    let strokes = ["|"; (COLUMNS as usize).div_ceil(2)].join(" ");
    vec![Span::plain(format!("{:MARGIN$}{strokes}", ""))]
}
