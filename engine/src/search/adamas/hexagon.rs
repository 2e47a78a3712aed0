//! Boards by their side: cells, their names, and what lies along the six lines from each.

use std::{
    ops::{BitAnd, BitOr},
    sync::LazyLock,
};

use adamant_rules::Position;

/// The smallest side of a board, and the number of sides.
const SIDE_MIN: u8 = 2;
const SIDES: usize = 7;

/// Words that hold a set of cells on every board.
const WORDS: usize = 3;

/// Directions. In the first half cells have higher numbers than the one that looks, in the second
/// half lower ones.
pub(super) const DIRECTIONS: usize = 6;
pub(super) const AHEAD: usize = 3;

/// All boards, the smallest first.
static HEXAGONS: LazyLock<[Hexagon; SIDES]> = LazyLock::new(|| {
    let mut sides = SIDE_MIN..;
    std::array::from_fn(|_| Hexagon::new(sides.next().expect("it has no end")))
});

/// A set of cells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Cells<const W: usize>([u64; W]);

impl<const W: usize> Cells<W> {
    pub(super) const EMPTY: Self = Self([0; W]);

    #[inline]
    pub(super) fn is_empty(self) -> bool {
        self.0.iter().all(|&word| word == 0)
    }

    #[inline]
    pub(super) fn len(self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    #[inline]
    pub(super) const fn contains(self, cell: usize) -> bool {
        self.0[cell / 64] >> (cell % 64) & 1 != 0
    }

    #[inline]
    pub(super) const fn insert(&mut self, cell: usize) {
        self.0[cell / 64] |= 1 << (cell % 64);
    }

    #[inline]
    pub(super) const fn remove(&mut self, cell: usize) {
        self.0[cell / 64] &= !(1 << (cell % 64));
    }

    /// The cell with the lowest number.
    #[inline]
    pub(super) fn first(self) -> Option<usize> {
        let word = self.0.iter().position(|&word| word != 0)?;
        Some(word * 64 + self.0[word].trailing_zeros() as usize)
    }

    /// The cell with the highest number.
    #[inline]
    pub(super) fn last(self) -> Option<usize> {
        let word = self.0.iter().rposition(|&word| word != 0)?;
        Some(word * 64 + self.0[word].ilog2() as usize)
    }

    /// The first 32 cells as bits.
    #[inline]
    pub(super) fn low(self) -> u32 {
        u32::try_from(self.0[0] & u64::from(u32::MAX)).unwrap_or(u32::MAX)
    }

    /// The cells of this set that are not in another.
    #[inline]
    pub(super) fn without(self, other: Self) -> Self {
        Self(std::array::from_fn(|word| self.0[word] & !other.0[word]))
    }
}

impl<const W: usize> IntoIterator for Cells<W> {
    type Item = usize;
    type IntoIter = Iter<W>;

    #[inline]
    fn into_iter(self) -> Iter<W> {
        Iter(self)
    }
}

/// The cells of a set, in their order.
#[derive(Debug)]
pub(super) struct Iter<const W: usize>(Cells<W>);

impl<const W: usize> Iterator for Iter<W> {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        let cell = self.0.first()?;
        self.0.0[cell / 64] &= self.0.0[cell / 64] - 1;
        Some(cell)
    }
}

impl<const W: usize> BitAnd for Cells<W> {
    type Output = Self;
    #[inline]
    fn bitand(self, other: Self) -> Self {
        Self(std::array::from_fn(|word| self.0[word] & other.0[word]))
    }
}

impl<const W: usize> BitOr for Cells<W> {
    type Output = Self;
    #[inline]
    fn bitor(self, other: Self) -> Self {
        Self(std::array::from_fn(|word| self.0[word] | other.0[word]))
    }
}

/// A board. Its cells are numbered row by row from the bottom, each from the left.
#[derive(Debug)]
pub(super) struct Hexagon {
    side: u8,
    cells: Vec<Place>,
    /// The cell at each number that `rules` gives one.
    numbers: [u8; 256],
}

/// A cell.
#[derive(Debug)]
struct Place {
    name: String,
    /// The number that `rules` gives it.
    number: u8,
    /// The cells that lie that way.
    rays: [[u64; WORDS]; DIRECTIONS],
    near: [u64; WORDS],
}

/// The steps by row and slanted column.
const STEPS: [(i8, i8); DIRECTIONS] = [(0, 1), (1, 0), (1, 1), (0, -1), (-1, 0), (-1, -1)];

impl Hexagon {
    fn new(side: u8) -> Self {
        let rows = (2 * side - 1).cast_signed();
        let middle = side.cast_signed();
        let is_inside = |row: i8, column: i8| {
            let range = 0..rows;
            range.contains(&row) && range.contains(&column) && (row - column).abs() < middle
        };
        let all: Vec<(i8, i8)> = (0..rows)
            .flat_map(|row| (0..rows).map(move |column| (row, column)))
            .filter(|&(row, column)| is_inside(row, column))
            .collect();
        let mut numbers = [u8::MAX; 256];
        let number = |row: i8, column: i8| (row << 4 | column).cast_unsigned();
        for (cell, &(row, column)) in (0..).zip(&all) {
            numbers[usize::from(number(row, column))] = cell;
        }
        let place = |&(row, column): &(i8, i8)| {
            let (mut rays, mut near) = ([Cells([0; WORDS]); DIRECTIONS], Cells([0; WORDS]));
            for (ray, (up, right)) in rays.iter_mut().zip(STEPS) {
                let (mut row, mut column) = (row + up, column + right);
                while is_inside(row, column) {
                    let cell = usize::from(numbers[usize::from(number(row, column))]);
                    if ray.is_empty() {
                        near.insert(cell);
                    }
                    ray.insert(cell);
                    (row, column) = (row + up, column + right);
                }
            }
            let letter = char::from(b'a' + row.cast_unsigned());
            let in_row = column - (row - (middle - 1)).max(0) + 1;
            Place {
                name: format!("{letter}{in_row}"),
                number: number(row, column),
                rays: rays.map(|ray| ray.0),
                near: near.0,
            }
        };
        Self { side, cells: all.iter().map(place).collect(), numbers }
    }

    /// The board of a side.
    pub(super) fn of_side(side: u8) -> Option<&'static Self> {
        HEXAGONS.get(usize::from(side.checked_sub(SIDE_MIN)?))
    }

    /// The turns and reflections of the board: where each leads each cell. The first leads nowhere
    /// else. For boards of at most `N` cells.
    pub(super) fn symmetries<const N: usize>(&self) -> Vec<[u8; N]> {
        let middle = self.side.cast_signed() - 1;
        let turn = |(row, column): (i8, i8)| (column, column - row);
        let symmetry = |turns: u8, is_reflected: bool| {
            let mut to = [0; N];
            for (place, to) in self.cells.iter().zip(&mut to) {
                let (row, column) = (place.number >> 4, place.number & 15);
                let mut at = (row.cast_signed() - middle, column.cast_signed() - middle);
                if is_reflected {
                    at = (at.1, at.0);
                }
                at = (0..turns).fold(at, |at, _| turn(at));
                let number = (at.0 + middle) << 4 | (at.1 + middle);
                *to = self.numbers[usize::from(number.cast_unsigned())];
            }
            to
        };
        [false, true]
            .iter()
            .flat_map(|&flag| (0..6).map(move |turns| symmetry(turns, flag)))
            .collect()
    }

    /// The board of a position.
    pub(super) fn of(position: &Position) -> Option<&'static Self> {
        let cells = position.layout().cells.len();
        HEXAGONS.iter().find(|hexagon| hexagon.cells.len() == cells)
    }

    pub(super) const fn side(&self) -> u8 {
        self.side
    }

    pub(super) const fn len(&self) -> usize {
        self.cells.len()
    }

    /// The cell that `rules` gives this number.
    pub(super) fn cell(&self, number: u16) -> Option<usize> {
        let cell = usize::from(*self.numbers.get(usize::from(number))?);
        (cell < self.cells.len()).then_some(cell)
    }

    /// The number that `rules` gives a cell.
    #[inline]
    pub(super) fn number(&self, cell: usize) -> u8 {
        self.cells[cell].number
    }

    pub(super) fn name(&self, cell: usize) -> &str {
        &self.cells[cell].name
    }

    /// The cells that lie in a direction from a cell.
    #[inline]
    pub(super) fn ray<const W: usize>(&self, cell: usize, direction: usize) -> Cells<W> {
        narrow(&self.cells[cell].rays[direction])
    }

    /// The neighbours of a cell.
    #[inline]
    pub(super) fn near<const W: usize>(&self, cell: usize) -> Cells<W> {
        narrow(&self.cells[cell].near)
    }
}

#[inline]
fn narrow<const W: usize>(words: &[u64; WORDS]) -> Cells<W> {
    Cells(std::array::from_fn(|word| words[word]))
}
