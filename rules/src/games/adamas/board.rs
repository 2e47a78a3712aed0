//! Stacks on a hexagon, and what each of them sees. Whose turn it is and what may be done is not
//! known here.

use std::fmt;

use crate::{
    cell::{Cell, CellName},
    hashing::mix,
    notation,
    seat::{SEATS_MAX, Seat},
};

/// Pieces of one colour, at the most; no stack is higher.
pub(super) const PIECES_MAX: u8 = 99;

/// What a cell holds: pieces of one colour, or nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Stack {
    height: u8,
    owner: Seat,
}

impl Stack {
    const EMPTY: Self = Self { height: 0, owner: Seat::FIRST };
    /// Stands on every spot that is not a cell, so that walks need no other test to stop.
    const OUTSIDE: Self = Self { height: u8::MAX, owner: Seat::FIRST };

    /// How many pieces it has.
    pub(super) const fn height(self) -> u8 {
        self.height
    }

    /// Whose it is; nobody's if it is empty.
    pub(super) fn owner(self) -> Option<Seat> {
        (self.height != 0).then_some(self.owner)
    }

    /// Whether there is no piece at all.
    pub(super) const fn is_empty(self) -> bool {
        self.height == 0
    }
}

/// Stacks on a hexagon.
///
/// A live game keeps one for as long as it lasts, and each move is tried out on a copy: heights and
/// owners stand apart, so that a cell takes ten bits.
#[derive(Clone, PartialEq)]
pub(super) struct Board {
    hexagon: Hexagon,
    heights: [u8; SPOTS],
    /// The owner of each stack, [`OWNER_BITS`] each.
    owners: [u64; SPOTS / OWNERS_PER_WORD],
    pieces: [u8; SEATS_MAX],
    hash: u64,
}

const OWNER_BITS: usize = 2;
const OWNERS_PER_WORD: usize = 64 / OWNER_BITS;
const _: () = assert!(SEATS_MAX <= 1 << OWNER_BITS, "an owner fits its bits");

impl Board {
    /// A board without pieces.
    pub(super) fn empty(hexagon: Hexagon) -> Self {
        let mut heights = [Stack::OUTSIDE.height; SPOTS];
        for spot in hexagon.spots() {
            heights[spot.index()] = 0;
        }
        let owners = [0; SPOTS / OWNERS_PER_WORD];
        Self { hexagon, heights, owners, pieces: [0; SEATS_MAX], hash: 0 }
    }

    /// What stands on a spot.
    pub(super) fn stack(&self, spot: Spot) -> Stack {
        let word = self.owners[spot.index() / OWNERS_PER_WORD];
        let bits = word >> (spot.index() % OWNERS_PER_WORD * OWNER_BITS);
        let owner = Seat::new((bits & ((1 << OWNER_BITS) - 1)) as usize);
        Stack { height: self.height(spot), owner: owner.unwrap_or(Seat::FIRST) }
    }

    /// How many pieces stand on a spot.
    const fn height(&self, spot: Spot) -> u8 {
        self.heights[spot.index()]
    }

    /// Its shape.
    pub(super) const fn hexagon(&self) -> Hexagon {
        self.hexagon
    }

    /// How many pieces a seat has on it.
    pub(super) const fn pieces(&self, seat: Seat) -> u8 {
        self.pieces[seat.index()]
    }

    /// How many pieces all seats have on it.
    pub(super) fn pieces_of_all(&self) -> u16 {
        self.pieces.iter().copied().map(u16::from).sum()
    }

    /// Every stack with its cell, in the order of the cells.
    pub(super) fn stacks(&self) -> impl Iterator<Item = (Spot, Seat, u8)> {
        self.hexagon.spots().filter_map(|spot| {
            let stack = self.stack(spot);
            stack.owner().map(|seat| (spot, seat, stack.height))
        })
    }

    /// The stacks of one seat with their heights, in the order of the cells.
    pub(super) fn stacks_of(&self, seat: Seat) -> impl Iterator<Item = (Spot, u8)> {
        self.stacks().filter(move |&(_, owner, _)| owner == seat).map(|(spot, _, h)| (spot, h))
    }

    /// Takes pieces off a stack that has at least as many.
    pub(super) fn take(&mut self, spot: Spot, pieces: u8) {
        let Stack { height, owner } = self.stack(spot);
        self.set(spot, Stack { height: height - pieces, owner });
    }

    /// Adds pieces to a stack of the same seat, or puts them in the place of what was there.
    pub(super) fn land(&mut self, spot: Spot, seat: Seat, pieces: u8) {
        let before = self.stack(spot);
        let joined = if before.owner() == Some(seat) { before.height } else { 0 };
        self.set(spot, Stack { height: joined + pieces, owner: seat });
    }

    /// Takes all pieces of a seat off.
    pub(super) fn clear_seat(&mut self, seat: Seat) {
        for spot in self.hexagon.spots() {
            if self.stack(spot).owner() == Some(seat) {
                self.set(spot, Stack::EMPTY);
            }
        }
    }

    fn set(&mut self, spot: Spot, stack: Stack) {
        // An empty cell has no owner, or equal boards would differ.
        let stack = if stack.is_empty() { Stack::EMPTY } else { stack };
        let before = self.stack(spot);
        self.heights[spot.index()] = stack.height;
        let shift = spot.index() % OWNERS_PER_WORD * OWNER_BITS;
        let changed = (before.owner.index() ^ stack.owner.index()) as u64;
        self.owners[spot.index() / OWNERS_PER_WORD] ^= changed << shift;
        self.pieces[before.owner.index()] -= before.height;
        self.pieces[stack.owner.index()] += stack.height;
        self.hash ^= stack_key(spot, before) ^ stack_key(spot, stack);
    }

    /// The first stack that is seen from a cell that way.
    pub(super) fn first_seen(&self, from: Spot, direction: Direction) -> Option<(Spot, Stack)> {
        let mut spot = from.step(direction);
        while self.height(spot) == 0 {
            spot = spot.step(direction);
        }
        (self.height(spot) != Stack::OUTSIDE.height).then(|| (spot, self.stack(spot)))
    }

    /// The first stack between two cells, going that way from the one to the other.
    pub(super) fn between(&self, from: Spot, to: Spot, direction: Direction) -> Option<Spot> {
        let mut spot = from.step(direction);
        while spot != to {
            if self.height(spot) != 0 {
                return Some(spot);
            }
            spot = spot.step(direction);
        }
        None
    }

    /// How many pieces of other colours a seat's stack on this cell sees: the heights of the first
    /// stacks on its six lines.
    pub(super) fn enemies_seen(&self, from: Spot, seat: Seat) -> u8 {
        // Two opponents have at most 198 pieces.
        DIRECTIONS
            .iter()
            .filter_map(|&direction| self.first_seen(from, direction))
            .filter(|(_, stack)| stack.owner != seat)
            .map(|(_, stack)| stack.height)
            .sum()
    }

    /// Covers which stacks stand where; kept up to date piece by piece.
    pub(super) const fn hash(&self) -> u64 {
        self.hash
    }

    /// The same value computed again.
    pub(super) fn hash_from_scratch(&self) -> u64 {
        self.hexagon.spots().fold(0, |hash, spot| hash ^ stack_key(spot, self.stack(spot)))
    }
}

impl fmt::Debug for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let stacks = self.stacks().map(|(spot, seat, height)| {
            (self.hexagon.name(spot), format_args!("{height} of {seat:?}").to_string())
        });
        f.debug_map().entries(stacks).finish()
    }
}

fn stack_key(spot: Spot, stack: Stack) -> u64 {
    if stack.is_empty() {
        return 0;
    }
    let number = (spot.index() << 16) | (stack.owner.index() << 8) | usize::from(stack.height);
    mix(number as u64)
}

// The shape of the board: cells, their names, directions and lines. What stands on the cells is
// not known here.
//
// A cell is a row from the bottom and a slanted column, four bits each, so that one step in any of
// the six directions adds the same number everywhere. The largest board has 15 rows and columns;
// the sixteenth of each belongs to no board and stops every walk that leaves one, even where the
// number wraps round.

/// The smallest and the largest side of a board.
pub(super) const SIZE_MIN: u8 = 2;
pub(super) const SIZE_MAX: u8 = 8;

/// How many numbers a [`Spot`] can have, cells of the board or not.
const SPOTS: usize = 256;

/// A cell, or a place just outside the board.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Spot(u8);

impl Spot {
    const fn new(row: u8, column: u8) -> Self {
        Self(row << 4 | column)
    }

    const fn row(self) -> u8 {
        self.0 >> 4
    }

    const fn column(self) -> u8 {
        self.0 & 0xf
    }

    /// The number of this spot, below [`SPOTS`].
    pub(super) const fn index(self) -> usize {
        self.0 as usize
    }

    /// The next spot that way.
    pub(super) const fn step(self, direction: Direction) -> Self {
        Self(self.0.wrapping_add(direction.0))
    }

    /// The way from here to another spot, if the two are on one line.
    pub(super) fn direction_to(self, to: Self) -> Option<Direction> {
        let rows = to.row().cast_signed() - self.row().cast_signed();
        let columns = to.column().cast_signed() - self.column().cast_signed();
        let in_line = rows == 0 || columns == 0 || rows == columns;
        (in_line && self != to)
            .then(|| Direction((rows.signum() * 16 + columns.signum()).cast_unsigned()))
    }
}

impl From<Spot> for Cell {
    fn from(spot: Spot) -> Self {
        Self(u16::from(spot.0))
    }
}

/// One of the six ways along a line; what a step adds to a spot's number, wrapping.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Direction(u8);

/// The six ways, the row's own first.
pub(super) const DIRECTIONS: [Direction; 6] = [
    Direction(1),
    Direction(1_u8.wrapping_neg()),
    Direction(16),
    Direction(16_u8.wrapping_neg()),
    Direction(17),
    Direction(17_u8.wrapping_neg()),
];

/// A hexagonal board by its side.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Hexagon {
    size: u8,
}

impl Hexagon {
    /// The board with this side, if it can be played on.
    pub(super) fn new(size: u32) -> Option<Self> {
        let size = u8::try_from(size).ok()?;
        (SIZE_MIN..=SIZE_MAX).contains(&size).then_some(Self { size })
    }

    /// Cells per side.
    pub(super) const fn size(self) -> u8 {
        self.size
    }

    pub(super) const fn rows(self) -> u8 {
        2 * self.size - 1
    }

    /// The slanted column in which a row begins at its left end.
    const fn first_column(self, row: u8) -> u8 {
        row.saturating_sub(self.size - 1)
    }

    /// How many cells a row has.
    pub(super) const fn row_length(self, row: u8) -> u8 {
        self.rows() - row.abs_diff(self.size - 1)
    }

    /// The cells of one row, from the left.
    pub(super) fn row(self, row: u8) -> impl Iterator<Item = Spot> {
        let first = self.first_column(row);
        (first..first + self.row_length(row)).map(move |column| Spot::new(row, column))
    }

    /// Every cell, row by row from the bottom, each from the left.
    pub(super) fn spots(self) -> impl Iterator<Item = Spot> {
        (0..self.rows()).flat_map(move |row| self.row(row))
    }

    /// Whether the spot is a cell of this board.
    pub(super) const fn contains(self, spot: Spot) -> bool {
        let (row, column) = (spot.row(), spot.column());
        row < self.rows() && column < self.rows() && row.abs_diff(column) < self.size
    }

    /// The spot of a cell, if this board has it.
    pub(super) fn spot(self, cell: Cell) -> Option<Spot> {
        u8::try_from(cell.0).ok().map(Spot).filter(|&spot| self.contains(spot))
    }

    pub(super) fn row_letter(row: u8) -> char {
        char::from(b'a' + row)
    }

    /// The name of a cell, such as `c3`.
    pub(super) fn name(self, spot: Spot) -> CellName {
        CellName::lettered(Self::row_letter(spot.row()), self.number_in_row(spot))
    }

    /// Appends the name of a cell to a text.
    pub(super) fn write_name(self, text: &mut impl fmt::Write, spot: Spot) -> fmt::Result {
        notation::write_cell(text, Self::row_letter(spot.row()), self.number_in_row(spot))
    }

    /// The number of a cell in its row, from 1 at the left end.
    const fn number_in_row(self, spot: Spot) -> u8 {
        spot.column() + 1 - self.first_column(spot.row())
    }

    /// The cell of that name, in any case.
    pub(super) fn find(self, name: &str) -> Option<Spot> {
        let (&letter, digits) = name.as_bytes().split_first()?;
        let row = letter.to_ascii_lowercase().checked_sub(b'a')?;
        let number = match *digits {
            [ones @ b'1'..=b'9'] => ones - b'0',
            [b'1', ones @ b'0'..=b'9'] => 10 + ones - b'0',
            _ => return None,
        };
        (row < self.rows() && number <= self.row_length(row))
            .then(|| Spot::new(row, self.first_column(row) + number - 1))
    }

    /// The corner at the left end of the longest row.
    pub(super) const fn left(self) -> Spot {
        Spot::new(self.size - 1, 0)
    }

    /// The corner at the right end of the longest row.
    pub(super) const fn right(self) -> Spot {
        Spot::new(self.size - 1, self.rows() - 1)
    }

    /// The corner at the right end of the topmost row.
    pub(super) const fn top_right(self) -> Spot {
        Spot::new(self.rows() - 1, self.rows() - 1)
    }

    /// The corner at the right end of the lowest row.
    pub(super) const fn bottom_right(self) -> Spot {
        Spot::new(0, self.size - 1)
    }

    /// Where the middle of a cell lies from the middle of the board, rightwards and downwards, with
    /// neighbours at a distance of 1.
    pub(super) fn place(self, spot: Spot) -> (f64, f64) {
        let middle = f64::from(self.size - 1);
        let row = f64::from(spot.row()) - middle;
        let column = f64::from(spot.column()) - middle;
        (column - row / 2.0, -row * (3.0_f64.sqrt() / 2.0))
    }
}
