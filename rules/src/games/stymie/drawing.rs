//! The board as characters: octagons between upright bars, squares in the gaps between the
//! octagons' upper and lower sides.
//!
//! Each row of cells is one line. An octagon is five characters wide with a bar on either side, and
//! a square three, in line with the bars above and below it. The letter of a piece stands in the
//! middle, after a sign that points it out or a blank; in an empty cell the sign takes its place.
//! Numbers stand at both ends of each row, letters above and below the columns.

use super::{
    game::{LETTERS, Stymie},
    lattice::{Lattice, Spot},
};
use crate::{
    cell::Cell,
    drawing::{Drawing, Mark, Span, sign},
};

/// The upper side of an octagon and the lower side of the one above.
const SIDE: &str = "---";

impl Stymie {
    /// The board with the given cells pointed out.
    pub(super) fn drawing(&self, marks: &[(Cell, Mark)]) -> Drawing {
        let lattice = self.board.lattice();
        let rows = (0..lattice.lines()).rev().map(|row| self.draw_row(row, marks));
        let mut lines = vec![letter_line(lattice), border(lattice)];
        lines.extend(rows);
        lines.extend([border(lattice), letter_line(lattice)]);
        Drawing { lines }
    }

    fn draw_row(&self, row: u16, marks: &[(Cell, Mark)]) -> Vec<Span> {
        let of_octagons = row.is_multiple_of(2);
        let (start, gap, end) =
            if of_octagons { ("|", "|", "|") } else { ("  ---", SIDE, "---  ") };
        let mut line = vec![Span::plain(format!("{:>2} {start}", row + 1))];
        for (index, spot) in self.board.lattice().row(row).enumerate() {
            if index > 0 {
                line.push(Span::plain(gap));
            }
            line.push(self.draw_cell(spot, marks));
        }
        line.push(Span::plain(format!("{end} {}", row + 1)));
        line
    }

    fn draw_cell(&self, spot: Spot, marks: &[(Cell, Mark)]) -> Span {
        let cell = Cell::from(spot);
        let mark = Mark::of(cell, marks);
        let seat = self.board.owner(spot);
        let sign = sign(mark);
        let shown = match seat {
            Some(seat) => [sign, LETTERS[seat.index()]],
            None => [' ', sign],
        };
        let shown = String::from_iter(shown);
        let text = if spot.is_octagon() { format!(" {shown}  ") } else { format!("{shown} ") };
        Span { text, seat, cell: Some(cell), mark }
    }
}

/// The letters of the columns, each above or below the middle of its cells.
fn letter_line(lattice: Lattice) -> Vec<Span> {
    let letters = (b'A'..).take(lattice.lines().into()).map(char::from);
    std::iter::once(Span::plain("     "))
        .chain(letters.map(|letter| Span::plain(format!(" {letter} "))))
        .collect()
}

/// The sides of the outermost octagons.
fn border(lattice: Lattice) -> Vec<Span> {
    vec![Span::plain(format!("     {}", vec![SIDE; lattice.size().into()].join("   ")))]
}
