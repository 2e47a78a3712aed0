//! Octagons and squares: their names, what touches what, the edges to connect, and the pieces on them
//! with their chains. Whose turn it is and what may be done is not known here.
//!
//! A cell's number is thirteen times its column plus half its row, so that one step in any
//! direction adds the same number everywhere. The largest board has twelve octagons in a column;
//! the thirteenth place belongs to no board, so that a step beyond an end of a column never arrives
//! at a cell of another one.

use std::{array, fmt, iter, ops::BitOr};

use crate::{
    cell::{Cell, CellName},
    hashing::mix,
    notation::{self, Notation},
    seat::Seat,
};

/// The smallest and the largest number of octagons along a side.
pub(super) const SIZE_MIN: u8 = 3;
pub(super) const SIZE_MAX: u8 = 12;

/// Numbers from one column to the next.
const COLUMN: u16 = SIZE_MAX as u16 + 1;

const UP: i16 = 1;
const RIGHT: i16 = COLUMN.cast_signed();

/// From an octagon to the squares that touch it, in the order of the cells.
const OCTAGON_TO_SQUARES: [i16; 4] = [-RIGHT - UP, -RIGHT, RIGHT - UP, RIGHT];
/// From a square to the octagons that touch it.
const SQUARE_TO_OCTAGONS: [i16; 4] = [-RIGHT, -RIGHT + UP, RIGHT, RIGHT + UP];
/// From an octagon to the octagons that touch it.
const OCTAGON_TO_OCTAGONS: [i16; 4] = [-2 * RIGHT, -UP, UP, 2 * RIGHT];

/// A cell, or a place just outside the board.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Spot(u16);

impl Spot {
    pub(super) const fn new(index: u16) -> Self {
        Self(index)
    }

    pub(super) const fn index(self) -> usize {
        self.0 as usize
    }

    const fn column(self) -> u16 {
        self.0 / COLUMN
    }

    const fn row(self) -> u16 {
        self.0 % COLUMN * 2 + self.column() % 2
    }

    /// The letter of its column and the number of its row, whatever the size of the board.
    fn label(self) -> (char, u8) {
        let column = u8::try_from(self.column()).expect("columns are few");
        let number = u8::try_from(self.row() + 1).expect("rows are few");
        (char::from(b'a' + column), number)
    }

    /// How many rows or columns a cell is from the edge that a seat's chain begins at: the lowest
    /// row for the first seat, the leftmost column for the second.
    pub(super) fn lines_from_edge(self, seat: Seat) -> u16 {
        if seat == Seat::FIRST { self.row() } else { self.column() }
    }

    /// Whether it is an octagon, not a square.
    pub(super) const fn is_octagon(self) -> bool {
        self.column().is_multiple_of(2)
    }

    /// The four places for cells of the other shape that touch this one, in the order of the cells.
    pub(super) fn touching(self) -> impl Iterator<Item = Self> {
        let steps = if self.is_octagon() { &OCTAGON_TO_SQUARES } else { &SQUARE_TO_OCTAGONS };
        self.walk(steps)
    }

    /// All places for cells that a chain can go on to from here.
    pub(super) fn neighbours(self) -> impl Iterator<Item = Self> {
        let steps: &[_] = if self.is_octagon() { &OCTAGON_TO_OCTAGONS } else { &[] };
        self.touching().chain(self.walk(steps))
    }

    fn walk(self, steps: &'static [i16]) -> impl Iterator<Item = Self> {
        // Below the first number it wraps round to one that no board reaches.
        steps.iter().map(move |&step| Self(self.0.wrapping_add_signed(step)))
    }
}

impl From<Spot> for Cell {
    fn from(spot: Spot) -> Self {
        Self(spot.0)
    }
}

impl From<Spot> for CellName {
    fn from(spot: Spot) -> Self {
        let (letter, number) = spot.label();
        Self::lettered(letter, number)
    }
}

impl Notation for Spot {
    fn write_to(&self, text: &mut impl fmt::Write) -> fmt::Result {
        let (letter, number) = self.label();
        notation::write_cell(text, letter, number)
    }
}

/// A board by the number of octagons along its side.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Lattice {
    size: u8,
}

impl Lattice {
    /// The board with this side, if it can be played on.
    pub(super) fn new(size: u32) -> Option<Self> {
        let size = u8::try_from(size).ok()?;
        (SIZE_MIN..=SIZE_MAX).contains(&size).then_some(Self { size })
    }

    /// Octagons along a side.
    pub(super) const fn size(self) -> u8 {
        self.size
    }

    /// How many columns there are, and how many rows.
    pub(super) const fn lines(self) -> u16 {
        2 * self.size as u16 - 1
    }

    const fn contains(self, spot: Spot) -> bool {
        spot.column() < self.lines() && spot.row() < self.lines()
    }

    /// The cell in a column and a row, both from 0, if there is one.
    fn at(self, column: u16, row: u16) -> Option<Spot> {
        let lines = self.lines();
        (column < lines && row < lines && column % 2 == row % 2)
            .then(|| Spot(column * COLUMN + row / 2))
    }

    /// Every cell, column by column from the left, each from the bottom.
    pub(super) fn spots(self) -> impl Iterator<Item = Spot> {
        (0..self.lines() * COLUMN).map(Spot).filter(move |&spot| self.contains(spot))
    }

    /// The cells at the edge that a seat's chain begins at, all of them octagons.
    pub(super) fn first_line(self, seat: Seat) -> impl Iterator<Item = Spot> {
        let lines = (0..self.lines()).step_by(2);
        lines.filter_map(move |line| match seat {
            Seat::FIRST => self.at(line, 0),
            _ => self.at(0, line),
        })
    }

    /// The cells of one row, from the left.
    pub(super) fn row(self, row: u16) -> impl Iterator<Item = Spot> {
        (0..self.lines()).filter_map(move |column| self.at(column, row))
    }

    /// The spot of a cell, if this board has it.
    pub(super) fn spot(self, cell: Cell) -> Option<Spot> {
        Some(Spot(cell.0)).filter(|&spot| self.contains(spot))
    }

    /// The cell of that name, in any case.
    pub(super) fn find(self, name: &str) -> Option<Spot> {
        let (&letter, digits) = name.as_bytes().split_first()?;
        let column = letter.to_ascii_lowercase().checked_sub(b'a')?;
        let number = match *digits {
            [ones @ b'1'..=b'9'] => ones - b'0',
            [tens @ b'1'..=b'2', ones @ b'0'..=b'9'] => (tens - b'0') * 10 + (ones - b'0'),
            _ => return None,
        };
        self.at(u16::from(column), u16::from(number) - 1)
    }

    /// Where the middle of a cell lies from the middle of the board, rightwards and downwards, with
    /// neighbouring octagons at a distance of 1.
    pub(super) fn place(self, spot: Spot) -> (f64, f64) {
        let from_middle = |line| (f64::from(line) - f64::from(self.size - 1)) / 2.0;
        (from_middle(spot.column()), -from_middle(spot.row()))
    }
}

/// Words of a set: the last cell of the largest board has the number 297.
const WORDS: usize = 5;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct CellSet([u64; WORDS]);

impl CellSet {
    /// No cell.
    pub(super) const EMPTY: Self = Self([0; WORDS]);

    /// Whether a cell is among them; a place outside the board never is.
    pub(super) fn contains(&self, spot: Spot) -> bool {
        self.0.get(spot.index() / 64).is_some_and(|word| word >> (spot.index() % 64) & 1 != 0)
    }

    /// Adds a cell.
    pub(super) const fn insert(&mut self, spot: Spot) {
        self.0[spot.index() / 64] |= 1 << (spot.index() % 64);
    }

    /// Leaves a cell out.
    pub(super) const fn remove(&mut self, spot: Spot) {
        self.0[spot.index() / 64] &= !(1 << (spot.index() % 64));
    }

    /// Leaves a place out; whether it was among them.
    pub(super) fn take(&mut self, spot: Spot) -> bool {
        let taken = self.contains(spot);
        if taken {
            self.remove(spot);
        }
        taken
    }

    /// Number of elements.
    pub(super) fn len(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    pub(super) fn is_empty(&self) -> bool {
        *self == Self::EMPTY
    }

    /// Removes and returns the first element.
    pub(super) fn pop(&mut self) -> Option<Spot> {
        let (index, word) = (0_u16..).zip(&mut self.0).find(|(_, word)| **word != 0)?;
        let bit = word.trailing_zeros();
        *word &= *word - 1;
        Some(Spot::new(index * 64 + u16::try_from(bit).expect("a word has 64 bits")))
    }

    /// They, in order.
    pub(super) fn iter(mut self) -> impl Iterator<Item = Spot> {
        iter::from_fn(move || self.pop())
    }
}

impl BitOr for CellSet {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self(array::from_fn(|word| self.0[word] | other.0[word]))
    }
}

impl FromIterator<Spot> for CellSet {
    fn from_iter<I: IntoIterator<Item = Spot>>(spots: I) -> Self {
        let mut all = Self::EMPTY;
        for spot in spots {
            all.insert(spot);
        }
        all
    }
}

/// How many play.
pub(super) const PLAYERS: usize = 2;

/// Pieces on a lattice.
#[derive(Clone, PartialEq)]
pub(super) struct Board {
    lattice: Lattice,
    /// The cells without a piece. Places outside the board are never among them.
    free: CellSet,
    pieces: [CellSet; PLAYERS],
    /// The pieces of each seat that hang together with its first edge. As pieces never leave, each
    /// is added once at the most, so that a whole game costs no more than one search of the board.
    reached: [CellSet; PLAYERS],
    /// The seat that has connected both edges. Chains cannot cross, so at most one seat has.
    winner: Option<Seat>,
    hash: u64,
}

impl Board {
    /// A board without pieces.
    pub(super) fn empty(lattice: Lattice) -> Self {
        Self {
            lattice,
            free: lattice.spots().collect(),
            pieces: [CellSet::EMPTY; PLAYERS],
            reached: [CellSet::EMPTY; PLAYERS],
            winner: None,
            hash: 0,
        }
    }

    /// Its shape.
    pub(super) const fn lattice(&self) -> Lattice {
        self.lattice
    }

    /// The cells without a piece.
    pub(super) const fn free(&self) -> &CellSet {
        &self.free
    }

    pub(super) const fn pieces_of(&self, seat: Seat) -> &CellSet {
        &self.pieces[seat.index()]
    }

    /// Whose piece stands on a cell.
    pub(super) fn owner(&self, spot: Spot) -> Option<Seat> {
        Seat::all(PLAYERS).find(|seat| self.pieces[seat.index()].contains(spot))
    }

    /// Every piece with its cell, in the order of the cells.
    pub(super) fn pieces(&self) -> impl Iterator<Item = (Spot, Seat)> {
        self.lattice.spots().filter_map(|spot| self.owner(spot).map(|seat| (spot, seat)))
    }

    /// Returns the seat that has connected both edges.
    pub(super) const fn winner(&self) -> Option<Seat> {
        self.winner
    }

    /// Puts a piece on an empty cell.
    pub(super) fn put(&mut self, spot: Spot, seat: Seat) {
        self.free.remove(spot);
        self.pieces[seat.index()].insert(spot);
        self.hash ^= piece_key(spot, seat);
        self.reach(spot, seat);
    }

    /// Follows what a new piece connects with the first edge.
    fn reach(&mut self, new: Spot, seat: Seat) {
        let pieces = &self.pieces[seat.index()];
        let reached = &mut self.reached[seat.index()];
        let touches = |spot: Spot| spot.neighbours().any(|next| reached.contains(next));
        if new.lines_from_edge(seat) != 0 && !touches(new) {
            return;
        }
        reached.insert(new);
        let mut ends = CellSet::from_iter([new]);
        while let Some(spot) = ends.pop() {
            if spot.lines_from_edge(seat) == self.lattice.lines() - 1 {
                self.winner = Some(seat);
            }
            for next in spot.neighbours() {
                if pieces.contains(next) && !reached.contains(next) {
                    reached.insert(next);
                    ends.insert(next);
                }
            }
        }
    }

    /// The cells of a shortest chain between the edges of a seat, in order; empty if there is no
    /// chain.
    pub(super) fn shortest_chain(&self, seat: Seat) -> Vec<Spot> {
        let mut unseen = self.pieces[seat.index()];
        let first = self.lattice.first_line(seat).filter(|&spot| unseen.take(spot));
        // Each cell found so far with the place of the one before it.
        let mut found: Vec<(Spot, Option<usize>)> = first.map(|spot| (spot, None)).collect();
        let mut place = 0;
        while let Some(&(spot, _)) = found.get(place) {
            if spot.lines_from_edge(seat) == self.lattice.lines() - 1 {
                let chain = iter::successors(Some(place), |&place| found[place].1);
                return chain.map(|place| found[place].0).collect::<CellSet>().iter().collect();
            }
            let next = spot.neighbours().filter(|&next| unseen.take(next));
            found.extend(next.map(|next| (next, Some(place))));
            place += 1;
        }
        Vec::new()
    }

    /// Covers which pieces stand where; kept up to date piece by piece.
    pub(super) const fn hash(&self) -> u64 {
        self.hash
    }

    /// The same value computed again.
    pub(super) fn hash_from_scratch(&self) -> u64 {
        self.pieces().fold(0, |hash, (spot, seat)| hash ^ piece_key(spot, seat))
    }
}

impl fmt::Debug for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pieces = self.pieces().map(|(spot, seat)| (CellName::from(spot), seat));
        f.debug_map().entries(pieces).finish()
    }
}

const fn piece_key(spot: Spot, seat: Seat) -> u64 {
    mix((spot.index() << 8 | seat.index()) as u64)
}
