//! The boards of Adamas as masks of cells: rows from the bottom, each from the left, as `rules`
//! lists them.

/// Sides of the smallest and the largest board.
pub(super) const SIDE_MIN: usize = 2;
pub(super) const SIDE_MAX: usize = 5;

/// Cells of the largest board.
pub(super) const CELLS_MAX: usize = 61;

/// The ways along lines. The first three go to later cells, the others to earlier ones.
const WAYS: [(isize, isize); 6] = [(0, 1), (1, 0), (1, 1), (0, -1), (-1, 0), (-1, -1)];

/// Ways to later cells.
const LATER: usize = 3;

/// A board.
#[derive(Debug)]
pub(super) struct Geometry {
    side: usize,
    cells: usize,
    /// Row and slanted column of each cell, four bits each: the number that `rules` gives it.
    spots: [u8; CELLS_MAX],
    /// The cells along each way.
    rays: [[u64; 6]; CELLS_MAX],
    /// The cells beside each one.
    beside: [u64; CELLS_MAX],
}

static BOARDS: [Geometry; SIDE_MAX - SIDE_MIN + 1] =
    [Geometry::new(2), Geometry::new(3), Geometry::new(4), Geometry::new(5)];

impl Geometry {
    /// The board of that side.
    pub(super) fn of(side: u8) -> &'static Self {
        &BOARDS[usize::from(side) - SIDE_MIN]
    }

    /// The side of the board with so many cells.
    pub(super) fn side_of(cells: usize) -> Option<u8> {
        let board = BOARDS.iter().find(|board| board.cells == cells)?;
        u8::try_from(board.side).ok()
    }

    #[expect(clippy::cast_possible_truncation, reason = "rows and columns are below 16")]
    #[expect(clippy::cast_sign_loss, reason = "cells of the board are not negative")]
    #[expect(clippy::cast_possible_wrap, reason = "a side is below 16")]
    const fn new(side: usize) -> Self {
        let mut board = Self {
            side,
            cells: 0,
            spots: [0; CELLS_MAX],
            rays: [[0; 6]; CELLS_MAX],
            beside: [0; CELLS_MAX],
        };
        let rows = 2 * side as isize - 1;
        let mut spot = 0;
        while spot < rows * rows {
            let (row, column) = (spot / rows, spot % rows);
            if board.contains(row, column) {
                board.spots[board.cells] = (row << 4 | column) as u8;
                board.cells += 1;
            }
            spot += 1;
        }
        let mut cell = 0;
        while cell < board.cells {
            let mut way = 0;
            while way < WAYS.len() {
                let (up, right) = WAYS[way];
                let mut row = (board.spots[cell] >> 4) as isize + up;
                let mut column = (board.spots[cell] & 0xf) as isize + right;
                let mut is_first = true;
                while board.contains(row, column) {
                    let bit = 1 << board.find((row << 4 | column) as u8);
                    board.rays[cell][way] |= bit;
                    if is_first {
                        board.beside[cell] |= bit;
                    }
                    is_first = false;
                    row += up;
                    column += right;
                }
                way += 1;
            }
            cell += 1;
        }
        board
    }

    #[expect(clippy::cast_possible_wrap, reason = "a side is below 16")]
    const fn contains(&self, row: isize, column: isize) -> bool {
        let rows = 2 * self.side as isize - 1;
        row >= 0
            && column >= 0
            && row < rows
            && column < rows
            && (row - column).abs() < self.side as isize
    }

    const fn find(&self, spot: u8) -> usize {
        let mut cell = 0;
        while self.spots[cell] != spot {
            cell += 1;
        }
        cell
    }

    /// The cell that `rules` gives this number.
    pub(super) fn cell(&self, spot: u16) -> Option<usize> {
        self.spots[..self.cells].iter().position(|&known| u16::from(known) == spot)
    }

    /// The cells.
    pub(super) const fn cells(&self) -> usize {
        self.cells
    }

    /// The number that `rules` gives a cell.
    pub(super) const fn spot(&self, cell: usize) -> u8 {
        self.spots[cell]
    }

    /// The name of a cell.
    pub(super) fn name(&self, cell: usize) -> String {
        let (row, column) = (self.spots[cell] >> 4, self.spots[cell] & 0xf);
        let first = usize::from(row).saturating_sub(self.side - 1);
        format!("{}{}", char::from(b'a' + row), usize::from(column) + 1 - first)
    }

    /// The cells beside one.
    pub(super) const fn beside(&self, cell: usize) -> u64 {
        self.beside[cell]
    }

    /// The first stacks that are seen from a cell, and all cells that are seen, theirs included.
    #[inline]
    pub(super) fn look(&self, cell: usize, occupied: u64) -> (u64, u64) {
        let (mut stacks, mut seen) = (0, 0);
        for (way, &ray) in self.rays[cell].iter().enumerate() {
            let there = ray & occupied;
            if there == 0 {
                seen |= ray;
            } else if way < LATER {
                let first = there & there.wrapping_neg();
                stacks |= first;
                seen |= ray & (first | (first - 1));
            } else {
                let first = 1 << there.ilog2();
                stacks |= first;
                seen |= ray & !(first - 1);
            }
        }
        (stacks, seen)
    }

    /// The first stacks that are seen from a cell.
    #[inline]
    pub(super) fn first_seen(&self, cell: usize, occupied: u64) -> u64 {
        let mut stacks = 0;
        for (way, &ray) in self.rays[cell].iter().enumerate() {
            let there = ray & occupied;
            if there != 0 {
                stacks |=
                    if way < LATER { there & there.wrapping_neg() } else { 1 << there.ilog2() };
            }
        }
        stacks
    }
}

/// The cells of a mask, in order.
pub(super) struct Cells(pub(super) u64);

impl Iterator for Cells {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        if self.0 == 0 {
            return None;
        }
        let cell = self.0.trailing_zeros() as usize;
        self.0 &= self.0 - 1;
        Some(cell)
    }
}
