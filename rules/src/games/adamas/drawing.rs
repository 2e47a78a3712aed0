//! The board as characters: a hexagon with a letter and a height for each stack.
//!
//! Every cell is four characters wide: a sign that points it out or a blank, then up to three for
//! the stack. Each row begins with its letter and ends with the name of its last cell; numbers
//! stand above and below, in line with the slanted rows of cells that they number.

use super::{
    game::{Adamas, LETTERS},
    hexagon::{Hexagon, Spot},
};
use crate::{
    cell::Cell,
    drawing::{Drawing, Mark, Span, sign},
};

const CELL_WIDTH: usize = 4;

impl Adamas {
    /// The board with the given cells pointed out.
    pub(super) fn drawing(&self, marks: &[(Cell, Mark)]) -> Drawing {
        let hexagon = self.board.hexagon();
        let rows = (0..hexagon.rows()).rev().map(|row| self.draw_row(row, marks));
        let numbers = || std::iter::once(number_line(hexagon));
        Drawing { lines: numbers().chain(rows).chain(numbers()).collect() }
    }

    fn draw_row(&self, row: u8, marks: &[(Cell, Mark)]) -> Vec<Span> {
        let hexagon = self.board.hexagon();
        let letter = Hexagon::row_letter(row);
        let length = hexagon.row_length(row);
        let indent = usize::from(hexagon.rows() - length) * CELL_WIDTH / 2;
        let mut line = vec![Span::plain(format!("{:indent$}{letter} ", ""))];
        line.extend(hexagon.row(row).map(|spot| self.draw_cell(spot, marks)));
        line.push(Span::plain(format!(" {letter}{length}")));
        line
    }

    fn draw_cell(&self, spot: Spot, marks: &[(Cell, Mark)]) -> Span {
        let cell = Cell::from(spot);
        let mark = Mark::of(cell, marks);
        let sign = sign(mark);
        let stack = self.board[spot];
        let seat = stack.owner();
        let text = match (seat, stack.height()) {
            (None, _) => format!("{sign}.  "),
            (Some(seat), 1) => format!("{sign}{}  ", LETTERS[seat.index()]),
            (Some(seat), height) => format!("{sign}{}{height:<2}", LETTERS[seat.index()]),
        };
        Span { text, seat, cell: Some(cell), mark }
    }
}

/// The numbers above the top row and, as the board is symmetric, below the lowest one. Each stands
/// half a cell to the right of the cell that it numbers, where the slanted row of cells points.
fn number_line(hexagon: Hexagon) -> Vec<Span> {
    let size = hexagon.size();
    let indent = usize::from(size - 1) * CELL_WIDTH / 2 + "a ".len() + CELL_WIDTH / 2;
    let numbers = (1..=size).map(|number| Span::plain(format!(" {number:<3}")));
    std::iter::once(Span::plain(" ".repeat(indent))).chain(numbers).collect()
}
