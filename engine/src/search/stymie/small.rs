//! A small board in single words: a set of cells is a number.

use std::sync::OnceLock;

use super::{
    super::native::mix,
    lattice::{Lattice, Placement, SMALL, Set},
};

/// Cells by their bits, on boards with fewer than 64.
pub(super) type Cells = u64;

/// What no cell is outside of. It has bits of no cell, too.
pub(super) const WHOLE: Cells = Cells::MAX;

/// More than any way to connect two edges costs.
const NO_WAY: i32 = 1_000;

/// All that is asked about a small board.
#[derive(Debug)]
pub(super) struct SmallLattice {
    pub(super) all: Cells,
    octagons: Cells,
    /// By cell: those that a chain can go on to, and those of the other shape that touch it.
    near: Vec<Cells>,
    touching: Vec<Cells>,
    /// By seat: its first edge and its other edge.
    edges: [[Cells; 2]; 2],
    /// The moves of one, two and three pieces.
    moves: [Vec<Cells>; 3],
    /// Each two cells of one shape that a third one touches, and all that touch both.
    astride: Vec<(Cells, Cells)>,
    /// By seat: the board from its side, and the same three times mirrored.
    images: [[Image; 4]; 2],
}

/// A board turned and mirrored so that positions that are alike look the same.
#[derive(Debug)]
struct Image {
    /// By cell: where it goes, and where it comes from.
    to: Vec<u8>,
    from: Vec<u8>,
    /// By cell: the number that a piece of the seat itself and of the other has in a hash.
    keys: Vec<[u64; 2]>,
}

/// The hash of a position and of those that are alike, with the image whose hash it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Key {
    pub(super) hash: u64,
    pub(super) image: u8,
}

/// The hashes of a position in each image.
pub(super) type Hashes = [u64; 4];

static BY_SIZE: [OnceLock<SmallLattice>; SIZE_MAX + 1] = [const { OnceLock::new() }; SIZE_MAX + 1];

/// The largest board with fewer than 64 cells.
const SIZE_MAX: usize = 6;

impl SmallLattice {
    /// The board of a lattice with fewer than 64 cells.
    pub(super) fn of(lattice: &Lattice<SMALL>) -> &'static Self {
        BY_SIZE[usize::from(lattice.size)].get_or_init(|| Self::new(lattice))
    }

    fn new(lattice: &Lattice<SMALL>) -> Self {
        let word = |set: &Set<SMALL>| set.0[0];
        let pieces = |placement: &Placement| {
            placement.cells().iter().fold(0, |pieces, cell| pieces | 1 << cell)
        };
        let (singles, triples) = (lattice.singles, lattice.singles + lattice.pairs);
        let all = &lattice.placements;
        let moves = [&all[..singles], &all[singles..triples], &all[triples..]];
        let touching: Vec<_> = lattice.touching.iter().map(word).collect();
        let cells = lattice.len();
        let pairs = (0..cells).flat_map(|one| (one + 1..cells).map(move |other| (one, other)));
        let astride = pairs
            .map(|(one, other)| (1 << one | 1 << other, touching[one] & touching[other]))
            .filter(|&(_, between)| between != 0)
            .collect();
        Self {
            all: (1 << cells) - 1,
            octagons: (0..)
                .zip(&lattice.places)
                .filter(|(_, place)| place.1 % 2 == 0)
                .fold(0, |all, (cell, _)| all | 1 << cell),
            near: lattice.near.iter().map(word).collect(),
            touching,
            edges: lattice.edges.map(|edges| edges.map(|edge| word(&edge))),
            moves: moves.map(|moves| moves.iter().map(pieces).collect()),
            astride,
            images: [0, 1].map(|seat| [0, 1, 2, 3].map(|mirror| Image::new(lattice, seat, mirror))),
        }
    }

    /// The legal moves of one, two and, where they are allowed, three pieces.
    pub(super) fn moves(&self, free: Cells, triples: bool) -> impl Iterator<Item = Cells> {
        let [one, two, three] = &self.moves;
        let three = if triples { &three[..] } else { &[] };
        two.iter().chain(three).chain(one).copied().filter(move |pieces| pieces & !free == 0)
    }

    /// Whether a free cell touches another one.
    pub(super) fn is_paired(&self, cell: Cells, free: Cells) -> bool {
        bits(cell).any(|cell| self.touching[cell] & free != 0)
    }

    /// Each two free cells of one shape that have cells between them which touch both, none of them
    /// free.
    pub(super) fn astride(&self, free: Cells) -> impl Iterator<Item = Cells> {
        let is_open =
            move |(ends, between): &(Cells, Cells)| ends & !free == 0 && between & free == 0;
        self.astride.iter().copied().filter(is_open).map(|(ends, _)| ends)
    }

    /// The cells from which a chain can go on to one of these.
    fn around(&self, cells: Cells) -> Cells {
        bits(cells).fold(0, |around, cell| around | self.near[cell])
    }

    /// Passes on from cells in reach over pieces.
    fn spread(&self, pieces: Cells, passed: &mut Cells, reach: &mut Cells) {
        while *reach & pieces & !*passed != 0 {
            let fresh = *reach & pieces & !*passed;
            *passed |= fresh;
            *reach |= self.around(fresh);
        }
    }

    /// The cells of a move with which a seat connects its edges at once. It has as few pieces as it can.
    pub(super) fn win(&self, own: Cells, free: Cells, seat: usize, triples: bool) -> Option<Cells> {
        let [one, other] = self.edges[seat].map(|mut reach| {
            self.spread(own, &mut 0, &mut reach);
            reach & free
        });
        if one & other != 0 {
            return Some(lowest(one & other));
        }
        if one == 0 || other == 0 {
            return None;
        }
        let pair = |cell: usize| {
            let second = self.touching[cell] & other;
            (second != 0).then(|| 1 << cell | lowest(second))
        };
        let three = |cell: usize| {
            let (first, second) = (self.touching[cell] & one, self.touching[cell] & other);
            (first != 0 && second != 0).then(|| 1 << cell | lowest(first) | lowest(second))
        };
        let found = bits(one).find_map(pair);
        if found.is_none() && triples { bits(free).find_map(three) } else { found }
    }

    /// What the shortest way to connect the edges of a seat costs: a square one and an octagon two,
    /// because a move has one of each. [`NO_WAY`] if there is none.
    pub(super) fn way(&self, own: Cells, free: Cells, seat: usize) -> i32 {
        let [edge, goal] = self.edges[seat];
        let (mut passed, mut reach, mut due) = (0, edge, 0);
        for cost in 0..NO_WAY {
            self.spread(own, &mut passed, &mut reach);
            if passed & goal != 0 {
                return cost;
            }
            let open = reach & free & !passed;
            let fresh = (open & !self.octagons | due) & !passed;
            due = open & self.octagons;
            if fresh | due == 0 {
                break;
            }
            passed |= fresh;
            reach |= self.around(fresh);
        }
        NO_WAY
    }

    /// The hashes of a position from the side of a seat.
    pub(super) fn hashes(&self, own: Cells, other: Cells, seat: usize) -> Hashes {
        let mut hashes = [0; 4];
        self.add(&mut hashes, own, seat, 0);
        self.add(&mut hashes, other, seat, 1);
        hashes
    }

    /// Adds pieces to hashes from the side of a seat: its own (0) or the other's (1).
    pub(super) fn add(&self, hashes: &mut Hashes, pieces: Cells, seat: usize, whose: usize) {
        for cell in bits(pieces) {
            for (hash, image) in hashes.iter_mut().zip(&self.images[seat]) {
                *hash ^= image.keys[cell][whose];
            }
        }
    }

    /// Cells as an image shows them.
    pub(super) fn show(&self, cells: Cells, seat: usize, image: u8) -> Cells {
        moved(cells, &self.images[seat][usize::from(image)].to)
    }

    /// The cells that an image shows.
    pub(super) fn shown(&self, cells: Cells, seat: usize, image: u8) -> Cells {
        moved(cells, &self.images[seat][usize::from(image)].from)
    }
}

impl Image {
    fn new(lattice: &Lattice<SMALL>, seat: usize, mirror: u8) -> Self {
        let last = 2 * lattice.size - 2;
        let goes = |&(column, row): &(u8, u8)| {
            let (column, row) = if seat == 1 { (row, column) } else { (column, row) };
            let column = if mirror & 1 == 1 { last - column } else { column };
            let row = if mirror & 2 == 2 { last - row } else { row };
            let at = lattice.places.iter().position(|&place| place == (column, row));
            u8::try_from(at.expect("an image is on the board")).expect("the board is small")
        };
        let to: Vec<u8> = lattice.places.iter().map(goes).collect();
        let mut from = vec![0; to.len()];
        (0..).zip(&to).for_each(|(cell, &to)| from[usize::from(to)] = cell);
        let key = |&cell: &u8| [0, 1].map(|whose| mix(u64::from(cell) << 1 | whose));
        let keys = to.iter().map(key).collect();
        Self { to, from, keys }
    }
}

/// The numbers of some cells, ascending.
pub(super) fn bits(mut cells: Cells) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let cell = cells.trailing_zeros() as usize;
        let has = cells != 0;
        cells &= cells.wrapping_sub(1);
        has.then_some(cell)
    })
}

const fn lowest(cells: Cells) -> Cells {
    cells & cells.wrapping_neg()
}

fn moved(cells: Cells, to: &[u8]) -> Cells {
    if cells == WHOLE {
        return WHOLE;
    }
    bits(cells).fold(0, |moved, cell| moved | 1 << to[cell])
}
