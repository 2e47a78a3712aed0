//! The board as characters: octagons between upright bars, squares in the gaps between the
//! octagons' upper and lower sides.
//!
//! Each row of cells is one line. An octagon is five characters wide with a bar on either side, and
//! a square three, in line with the bars above and below it. The letter of a piece stands in the
//! middle, after a sign that points it out or a blank; in an empty cell the sign takes its place.
//! Numbers stand at both ends of each row, letters above and below the columns.

use super::{
    LETTERS, Stymie,
    lattice::{Lattice, Spot},
};
use crate::{
    cell::Cell,
    game::{Drawing, Mark, Span},
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
        let mut line = vec![plain(format!("{:>2} {start}", row + 1))];
        for (index, spot) in self.board.lattice().row(row).enumerate() {
            if index > 0 {
                line.push(plain(gap));
            }
            line.push(self.draw_cell(spot, marks));
        }
        line.push(plain(format!("{end} {}", row + 1)));
        line
    }

    fn draw_cell(&self, spot: Spot, marks: &[(Cell, Mark)]) -> Span {
        let cell = Cell::from(spot);
        let mark = marks
            .iter()
            .filter(|&&(marked, _)| marked == cell)
            .map(|&(_, mark)| mark)
            .max_by_key(|&mark| rank(mark));
        let seat = self.board.owner(spot);
        let sign = mark.map_or(' ', sign);
        let shown = match seat {
            Some(seat) => [sign, LETTERS[seat.index()]],
            None => [' ', sign],
        };
        let shown = String::from_iter(shown);
        let text = if spot.is_octagon() { format!(" {shown}  ") } else { format!("{shown} ") };
        Span { text, seat, cell: Some(cell), mark }
    }
}

/// How a mark is drawn.
const fn sign(mark: Mark) -> char {
    match mark {
        Mark::From => '-',
        Mark::To => '+',
        Mark::Captured => '*',
        Mark::Cursor => '>',
        Mark::Chosen => '=',
        Mark::Target => ':',
    }
}

/// Of several marks on one cell, the one with the highest rank is drawn.
const fn rank(mark: Mark) -> u8 {
    match mark {
        Mark::From => 0,
        Mark::To => 1,
        Mark::Captured => 2,
        Mark::Target => 3,
        Mark::Chosen => 4,
        Mark::Cursor => 5,
    }
}

/// The letters of the columns, each above or below the middle of its cells.
fn letter_line(lattice: Lattice) -> Vec<Span> {
    let letters = (b'A'..).take(lattice.lines().into()).map(char::from);
    std::iter::once(plain("     "))
        .chain(letters.map(|letter| plain(format!(" {letter} "))))
        .collect()
}

/// The sides of the outermost octagons.
fn border(lattice: Lattice) -> Vec<Span> {
    vec![plain(format!("     {}", vec![SIDE; lattice.size().into()].join("   ")))]
}

fn plain(text: impl Into<String>) -> Span {
    Span { text: text.into(), seat: None, cell: None, mark: None }
}
