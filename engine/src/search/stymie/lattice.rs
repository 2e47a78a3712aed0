//! The cells of a board by small numbers, row by row from the bottom, and what touches what.

#![expect(
    clippy::cast_possible_truncation,
    reason = "a board has at most 265 cells and some thousand placements"
)]

/// Words of a set of cells on boards of up to eight octagons along a side, and on all others.
pub(super) const SMALL: usize = 2;
pub(super) const LARGE: usize = 5;

/// The number of a cell in `rules` grows by this from one column to the next.
const RULES_COLUMN: u16 = 13;

/// Some cells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Set<const W: usize>(pub(super) [u64; W]);

impl<const W: usize> Set<W> {
    /// No cell.
    pub(super) const EMPTY: Self = Self([0; W]);

    pub(super) const fn has(&self, cell: u16) -> bool {
        self.0[cell as usize / 64] >> (cell % 64) & 1 != 0
    }

    pub(super) const fn add(&mut self, cell: u16) {
        self.0[cell as usize / 64] |= 1 << (cell % 64);
    }

    pub(super) const fn take(&mut self, cell: u16) {
        self.0[cell as usize / 64] &= !(1 << (cell % 64));
    }

    pub(super) fn and(&self, other: &Self) -> Self {
        Self(std::array::from_fn(|word| self.0[word] & other.0[word]))
    }

    pub(super) fn join(&mut self, other: &Self) {
        for (word, more) in self.0.iter_mut().zip(other.0) {
            *word |= more;
        }
    }

    pub(super) fn meets(&self, other: &Self) -> bool {
        self.0.iter().zip(other.0).any(|(word, other)| word & other != 0)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.iter().all(|&word| word == 0)
    }

    pub(super) fn len(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// They, in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = u16> + use<W> {
        let mut words = self.0;
        let mut at = 0;
        std::iter::from_fn(move || {
            while at < W && words[at] == 0 {
                at += 1;
            }
            let word = words.get_mut(at)?;
            let bit = word.trailing_zeros();
            *word &= *word - 1;
            Some(u16::try_from(at * 64).expect("words are few") + bit as u16)
        })
    }
}

/// The cells that a move puts pieces on: the first `len` of `cells`, ascending as `rules` writes
/// them. None is a swap.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Placement {
    pub(super) cells: [u16; 3],
    pub(super) len: u8,
}

impl Placement {
    /// The move that changes the players' seats.
    pub(super) const SWAP: Self = Self { cells: [0; 3], len: 0 };

    pub(super) fn cells(&self) -> &[u16] {
        &self.cells[..usize::from(self.len)]
    }
}

/// All that is asked about a board of one size, worked out once for a search.
#[derive(Debug)]
pub(super) struct Lattice<const W: usize> {
    pub(super) size: u8,
    /// By cell: its column and its row.
    pub(super) places: Vec<(u8, u8)>,
    /// By cell: those that a chain can go on to, as a list and as a set.
    pub(super) neighbours: Vec<Vec<u16>>,
    pub(super) near: Vec<Set<W>>,
    /// By cell: those of the other shape that touch it.
    pub(super) touching: Vec<Set<W>>,
    /// By seat: its first edge and its other edge.
    pub(super) edges: [[Set<W>; 2]; 2],
    pub(super) singles: usize,
    pub(super) pairs: usize,
    /// Every placement: single cells, then pairs, then triples.
    pub(super) placements: Vec<Placement>,
}

impl<const W: usize> Lattice<W> {
    pub(super) fn new(size: u8) -> Self {
        let lines = 2 * size - 1;
        let row = |row: u8| (row % 2..lines).step_by(2).map(move |column| (column, row));
        let places: Vec<(u8, u8)> = (0..lines).flat_map(row).collect();
        let at = |column: i16, row: i16| {
            let place = (u8::try_from(column).ok()?, u8::try_from(row).ok()?);
            places.iter().position(|&known| known == place).map(|cell| cell as u16)
        };
        let around = |cell: usize, steps: &[(i16, i16)]| -> Vec<u16> {
            let (column, row) = places[cell];
            let (column, row) = (i16::from(column), i16::from(row));
            steps.iter().filter_map(|&(right, up)| at(column + right, row + up)).collect()
        };
        let diagonal = [(-1, -1), (1, -1), (-1, 1), (1, 1)];
        let straight = [(-2, 0), (2, 0), (0, -2), (0, 2)];
        let is_octagon = |cell: usize| places[cell].1.is_multiple_of(2);
        let (mut neighbours, mut near, mut touching) = (Vec::new(), Vec::new(), Vec::new());
        for cell in 0..places.len() {
            let touched = around(cell, &diagonal);
            let mut all = touched.clone();
            if is_octagon(cell) {
                all.extend(around(cell, &straight));
            }
            near.push(set(&all));
            touching.push(set(&touched));
            neighbours.push(all);
        }
        let line = |is_row: bool, line: u8| {
            let on_line = |&cell: &u16| {
                let (column, row) = places[usize::from(cell)];
                (if is_row { row } else { column }) == line
            };
            set(&(0..places.len() as u16).filter(on_line).collect::<Vec<_>>())
        };
        let edges = [true, false].map(|is_row| [line(is_row, 0), line(is_row, lines - 1)]);
        let mut lattice = Self {
            size,
            places,
            neighbours,
            near,
            touching,
            edges,
            singles: 0,
            pairs: 0,
            placements: Vec::new(),
        };
        lattice.list_placements();
        lattice
    }

    fn list_placements(&mut self) {
        let cells = 0..self.places.len() as u16;
        let mut all: Vec<Placement> = cells.clone().map(|cell| self.placement(&[cell])).collect();
        self.singles = all.len();
        for cell in cells.clone().filter(|&cell| self.is_octagon(cell)) {
            let touching = self.touching[usize::from(cell)].iter();
            all.extend(touching.map(|other| self.placement(&[cell, other])));
        }
        self.pairs = all.len() - self.singles;
        for cell in cells {
            let touching: Vec<u16> = self.touching[usize::from(cell)].iter().collect();
            for (index, &first) in touching.iter().enumerate() {
                let later = touching[index + 1..].iter();
                all.extend(later.map(|&second| self.placement(&[cell, first, second])));
            }
        }
        self.placements = all;
    }

    /// The number of cells.
    pub(super) const fn len(&self) -> usize {
        self.places.len()
    }

    pub(super) fn is_octagon(&self, cell: u16) -> bool {
        self.places[usize::from(cell)].1.is_multiple_of(2)
    }

    /// The number of a cell in `rules`.
    pub(super) fn rules_index(&self, cell: u16) -> u16 {
        let (column, row) = self.places[usize::from(cell)];
        u16::from(column) * RULES_COLUMN + u16::from(row / 2)
    }

    /// The cell with a number of `rules`.
    pub(super) fn of_rules(&self, index: u16) -> Option<u16> {
        (0..self.len() as u16).find(|&cell| self.rules_index(cell) == index)
    }

    /// The move that puts pieces on these cells.
    pub(super) fn placement(&self, cells: &[u16]) -> Placement {
        let mut placement = Placement { cells: [0; 3], len: cells.len() as u8 };
        placement.cells[..cells.len()].copy_from_slice(cells);
        placement.cells[..cells.len()].sort_unstable_by_key(|&cell| self.rules_index(cell));
        placement
    }

    /// The canonical notation of a move.
    pub(super) fn text(&self, placement: Placement) -> String {
        if placement.len == 0 {
            return "swap".to_owned();
        }
        let name = |&cell: &u16| {
            let (column, row) = self.places[usize::from(cell)];
            format!("{}{}", char::from(b'a' + column), row + 1)
        };
        placement.cells().iter().map(name).collect::<Vec<_>>().join(",")
    }
}

fn set<const W: usize>(cells: &[u16]) -> Set<W> {
    let mut set = Set::EMPTY;
    for &cell in cells {
        set.add(cell);
    }
    set
}
