//! The points of a star with six tips: their names, neighbours, hops, camps and edges, and the pieces
//! on them. Whose turn it is is not known here.
//!
//! A point is labelled by column and row. Points in a row are two columns apart, so that those of
//! the next row lie between them.

use std::{
    fmt,
    ops::{BitAnd, BitOr, Not},
};

use arrayvec::ArrayVec;

use crate::{
    cell::{Cell, CellName},
    hashing::mix,
    notation::Notation,
    seat::{SEATS_MAX, Seat},
};

pub(super) const POINTS: usize = 121;

/// Columns of the labelled board, `a` to `y`.
pub(super) const COLUMNS: u8 = 25;

/// Rows of the labelled board, the first at the top.
pub(super) const ROWS: u8 = 17;

const MIDDLE_COLUMN: i8 = 12;
const MIDDLE_ROW: i8 = 8;

/// How far out a tip begins: the middle is at 0, the last point of a tip at 8.
const TIP_BEGINS: i8 = 4;

/// What a step adds to column and row, in each of the six ways.
const DIRECTIONS: [(i8, i8); 6] = [(-1, -1), (1, -1), (-2, 0), (2, 0), (-1, 1), (1, 1)];

/// A point of the board, numbered row by row from the top, each from the left.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Spot(u8);

impl Spot {
    /// Every point in its order.
    pub(super) fn all() -> impl Iterator<Item = Self> {
        #[expect(clippy::cast_possible_truncation, reason = "there are 121 points")]
        (0..POINTS as u8).map(Self)
    }

    /// The number of this point, below [`POINTS`].
    pub(super) const fn index(self) -> usize {
        self.0 as usize
    }

    /// Its column and its row, both from 0.
    pub(super) const fn place(self) -> (u8, u8) {
        STAR.places[self.index()]
    }

    /// Where it lies from the middle of the board, rightwards and downwards, with neighbours at a
    /// distance of 1.
    pub(super) fn position(self) -> (f64, f64) {
        let (column, row) = self.place();
        let right = column.cast_signed() - MIDDLE_COLUMN;
        let down = row.cast_signed() - MIDDLE_ROW;
        (f64::from(right) / 2.0, f64::from(down) * (3.0_f64.sqrt() / 2.0))
    }

    /// The points next to it.
    pub(super) const fn neighbours(self) -> CellSet {
        STAR.neighbours[self.index()]
    }

    /// The hops that the board has room for.
    pub(super) fn hops(self) -> &'static [Hop] {
        let hops = &STAR.hops[self.index()];
        &hops.list[..hops.len]
    }

    /// Steps to another point, if nothing is in the way.
    pub(super) const fn steps_to(self, to: Self) -> u8 {
        let ((column, row), (to_column, to_row)) = (self.place(), to.place());
        let (aside, down) = (column.abs_diff(to_column), row.abs_diff(to_row));
        // A step to another row goes one column aside, one within the row goes two.
        down + aside.saturating_sub(down) / 2
    }

    /// The point with this number, if there is one.
    pub(super) fn of(cell: Cell) -> Option<Self> {
        u8::try_from(cell.0).ok().filter(|&number| usize::from(number) < POINTS).map(Self)
    }

    /// The name of a point, such as `m17`.
    pub(super) fn name(self) -> CellName {
        CellName::as_written(NAMES[self.index()])
    }

    /// The point of that name, in any case.
    pub(super) fn find(name: &str) -> Option<Self> {
        let (&letter, digits) = name.as_bytes().split_first()?;
        let column = letter.to_ascii_lowercase().checked_sub(b'a')?;
        let number = match *digits {
            [ones @ b'1'..=b'9'] => ones - b'0',
            [b'1', ones @ b'0'..=b'9'] => 10 + ones - b'0',
            _ => return None,
        };
        let in_row = STAR.numbers.get(usize::from(number - 1))?;
        in_row.get(usize::from(column)).copied().flatten().map(Self)
    }
}

impl Notation for Spot {
    fn write_to(&self, text: &mut impl fmt::Write) -> fmt::Result {
        text.write_str(NAMES[self.index()])
    }
}

impl From<Spot> for Cell {
    fn from(spot: Spot) -> Self {
        Self(u16::from(spot.0))
    }
}

pub(super) fn column_letter(column: u8) -> char {
    char::from(b'a' + column)
}

/// A way over one point to the point directly beyond, each a set of that one point.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Hop {
    pub(super) over: CellSet,
    pub(super) to: CellSet,
}

/// A set of points.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct CellSet(u128);

impl CellSet {
    /// No point.
    pub(super) const EMPTY: Self = Self(0);

    /// Only this point.
    pub(super) const fn only(spot: Spot) -> Self {
        Self(1 << spot.0)
    }

    /// Returns the set with one point more.
    pub(super) const fn with(self, spot: Spot) -> Self {
        Self(self.0 | 1 << spot.0)
    }

    /// Returns the set without a point.
    pub(super) const fn without(self, spot: Spot) -> Self {
        Self(self.0 & !(1 << spot.0))
    }

    /// Whether the set contains the point.
    pub(super) const fn contains(self, spot: Spot) -> bool {
        self.0 & 1 << spot.0 != 0
    }

    /// Number of elements.
    pub(super) const fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// Whether the two sets have a point in common.
    const fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    pub(super) const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Removes and returns the first element.
    pub(super) const fn pop(&mut self) -> Option<Spot> {
        if self.is_empty() {
            return None;
        }
        #[expect(clippy::cast_possible_truncation, reason = "below 128")]
        let first = self.0.trailing_zeros() as u8;
        self.0 &= self.0 - 1;
        Some(Spot(first))
    }

    /// Iterates the elements in order.
    pub(super) fn iter(mut self) -> impl Iterator<Item = Spot> {
        std::iter::from_fn(move || self.pop())
    }
}

impl BitAnd for CellSet {
    type Output = Self;
    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl BitOr for CellSet {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// All other numbers, those of no point included: for taking points away.
impl Not for CellSet {
    type Output = Self;
    fn not(self) -> Self {
        Self(!self.0)
    }
}

/// One of the six tips of the star.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Tip {
    Top,
    UpperLeft,
    UpperRight,
    LowerLeft,
    LowerRight,
    Bottom,
}

impl Tip {
    /// The tip at the other end.
    pub(super) const fn opposite(self) -> Self {
        match self {
            Self::Top => Self::Bottom,
            Self::UpperLeft => Self::LowerRight,
            Self::UpperRight => Self::LowerLeft,
            Self::LowerLeft => Self::UpperRight,
            Self::LowerRight => Self::UpperLeft,
            Self::Bottom => Self::Top,
        }
    }

    /// Where 13 pieces begin that have this tip to themselves: all its points, and those at its
    /// foot that are in the midst of others.
    pub(super) const fn camp(self) -> CellSet {
        STAR.camps[self as usize]
    }

    /// The board's edge from the one neighbouring tip to the other, round this tip.
    pub(super) const fn edge(self) -> CellSet {
        STAR.edges[self as usize]
    }

    /// How far out towards this tip a place lies.
    const fn height(self, column: u8, row: u8) -> i8 {
        let right = column.cast_signed() - MIDDLE_COLUMN;
        let down = row.cast_signed() - MIDDLE_ROW;
        match self {
            Self::Bottom => down,
            Self::UpperLeft => (-right - down) / 2,
            Self::UpperRight => (right - down) / 2,
            Self::Top | Self::LowerRight | Self::LowerLeft => -self.opposite().height(column, row),
        }
    }
}

const TIPS: [Tip; 6] =
    [Tip::Top, Tip::UpperLeft, Tip::UpperRight, Tip::LowerLeft, Tip::LowerRight, Tip::Bottom];

/// Hops from one point; the first `len` of the list count.
#[derive(Clone, Copy)]
struct Hops {
    list: [Hop; DIRECTIONS.len()],
    len: usize,
}

/// All that is asked about the shape of the board, worked out once.
struct Star {
    places: [(u8, u8); POINTS],
    /// By row and column, the number of the point there, if there is one.
    numbers: [[Option<u8>; COLUMNS as usize]; ROWS as usize],
    neighbours: [CellSet; POINTS],
    hops: [Hops; POINTS],
    camps: [CellSet; TIPS.len()],
    edges: [CellSet; TIPS.len()],
}

static STAR: Star = Star::new();

/// The bytes of the longest name.
const NAME_BYTES_MAX: usize = 3;

static NAME_BYTES: [[u8; NAME_BYTES_MAX]; POINTS] = {
    let mut names = [[0; NAME_BYTES_MAX]; POINTS];
    let mut index = 0;
    while index < POINTS {
        let (column, row) = STAR.places[index];
        let (letter, number) = (b'a' + column, row + 1);
        names[index] = if number < 10 {
            [letter, b'0' + number, 0]
        } else {
            [letter, b'0' + number / 10, b'0' + number % 10]
        };
        index += 1;
    }
    names
};

/// The names of the points, such as `m17`.
static NAMES: [&str; POINTS] = {
    let mut names = [""; POINTS];
    let mut index = 0;
    while index < POINTS {
        let bytes: &[u8] = &NAME_BYTES[index];
        let (name, _) = bytes.split_at(if bytes[2] == 0 { 2 } else { 3 });
        names[index] = match std::str::from_utf8(name) {
            Ok(name) => name,
            Err(_) => panic!("a name is a letter and digits"),
        };
        index += 1;
    }
    names
};

impl Star {
    #[expect(clippy::large_stack_arrays, reason = "the compiler works it out")]
    const fn new() -> Self {
        let nowhere = CellSet::EMPTY;
        let no_hops = Hops { list: [Hop { over: nowhere, to: nowhere }; DIRECTIONS.len()], len: 0 };
        let mut star = Self {
            places: [(0, 0); POINTS],
            numbers: [[None; COLUMNS as usize]; ROWS as usize],
            neighbours: [CellSet::EMPTY; POINTS],
            hops: [no_hops; POINTS],
            camps: [CellSet::EMPTY; TIPS.len()],
            edges: [CellSet::EMPTY; TIPS.len()],
        };
        star.number_points();
        star.join_points();
        star.find_camps_and_edges();
        star
    }

    const fn number_points(&mut self) {
        let mut next = 0;
        let mut row = 0;
        while row < ROWS {
            let mut column = 0;
            while column < COLUMNS {
                if is_point(column, row) {
                    self.places[next as usize] = (column, row);
                    self.numbers[row as usize][column as usize] = Some(next);
                    next += 1;
                }
                column += 1;
            }
            row += 1;
        }
        assert!(next as usize == POINTS, "a star of this size has 121 points");
    }

    const fn join_points(&mut self) {
        let mut index = 0;
        while index < POINTS {
            let (column, row) = self.places[index];
            let hops = &mut self.hops[index];
            let mut direction = 0;
            while direction < DIRECTIONS.len() {
                let (right, down) = DIRECTIONS[direction];
                if let Some(over) = number_at(&self.numbers, column, row, right, down) {
                    self.neighbours[index] = self.neighbours[index].with(over);
                    if let Some(to) = number_at(&self.numbers, column, row, 2 * right, 2 * down) {
                        let (over, to) = (CellSet::only(over), CellSet::only(to));
                        hops.list[hops.len] = Hop { over, to };
                        hops.len += 1;
                    }
                }
                direction += 1;
            }
            index += 1;
        }
    }

    const fn find_camps_and_edges(&mut self) {
        let mut index = 0;
        while index < POINTS {
            #[expect(clippy::cast_possible_truncation, reason = "there are 121 points")]
            let spot = Spot(index as u8);
            let (column, row) = self.places[index];
            let inside = self.neighbours[index].len() as usize == DIRECTIONS.len();
            let mut tip = 0;
            while tip < TIPS.len() {
                let height = TIPS[tip].height(column, row);
                if height > TIP_BEGINS || height == TIP_BEGINS && inside {
                    self.camps[tip] = self.camps[tip].with(spot);
                }
                if height >= TIP_BEGINS && !inside {
                    self.edges[tip] = self.edges[tip].with(spot);
                }
                tip += 1;
            }
            index += 1;
        }
    }
}

/// Two large triangles lie on each other, one pointing up and one pointing down.
const fn is_point(column: u8, row: u8) -> bool {
    let aside = column.abs_diff(MIDDLE_COLUMN.cast_unsigned());
    let up = row <= 12 && aside <= row;
    let down = row >= 4 && aside <= ROWS - 1 - row;
    (column + row).is_multiple_of(2) && (up || down)
}

/// The point that lies so far to the right of a place and below it.
const fn number_at(
    numbers: &[[Option<u8>; COLUMNS as usize]; ROWS as usize],
    column: u8,
    row: u8,
    right: i8,
    down: i8,
) -> Option<Spot> {
    let (Some(column), Some(row)) =
        (column.checked_add_signed(right), row.checked_add_signed(down))
    else {
        return None;
    };
    if column >= COLUMNS || row >= ROWS {
        return None;
    }
    match numbers[row as usize][column as usize] {
        Some(number) => Some(Spot(number)),
        None => None,
    }
}

/// Pieces on the star.
#[derive(Clone, PartialEq)]
pub(super) struct Board {
    pieces: [CellSet; SEATS_MAX],
    hash: u64,
}

impl Board {
    /// A board without pieces.
    pub(super) const EMPTY: Self = Self { pieces: [CellSet::EMPTY; SEATS_MAX], hash: 0 };

    pub(super) const fn pieces(&self, seat: Seat) -> CellSet {
        self.pieces[seat.index()]
    }

    /// Returns the occupied points.
    pub(super) fn occupied(&self) -> CellSet {
        self.pieces.iter().fold(CellSet::EMPTY, |all, &pieces| all | pieces)
    }

    /// Whose piece stands on a point.
    pub(super) fn owner(&self, spot: Spot) -> Option<Seat> {
        Seat::all(SEATS_MAX).find(|&seat| self.pieces(seat).contains(spot))
    }

    /// Every piece with its point, in the order of the points.
    pub(super) fn standing(&self) -> impl Iterator<Item = (Spot, Seat)> {
        Spot::all().filter_map(|spot| self.owner(spot).map(|seat| (spot, seat)))
    }

    /// Puts a piece on an empty point.
    pub(super) fn put(&mut self, spot: Spot, seat: Seat) {
        let pieces = &mut self.pieces[seat.index()];
        *pieces = pieces.with(spot);
        self.hash ^= piece_key(spot, seat);
    }

    /// Moves a seat's piece to an empty point.
    pub(super) fn carry(&mut self, seat: Seat, from: Spot, to: Spot) {
        let pieces = &mut self.pieces[seat.index()];
        *pieces = pieces.without(from);
        self.hash ^= piece_key(from, seat);
        self.put(to, seat);
    }

    /// Where the piece on a point can go, by one step or by hops.
    pub(super) fn destinations(&self, from: Spot) -> CellSet {
        let occupied = self.occupied();
        (from.neighbours() & !occupied) | hopped_to(from, occupied)
    }

    /// Each piece of a seat with where it can go, in the order of the points.
    pub(super) fn destinations_of(&self, seat: Seat) -> impl Iterator<Item = (Spot, CellSet)> {
        let occupied = self.occupied();
        let mut nets = HopNets::new(occupied);
        self.pieces(seat)
            .iter()
            .map(move |from| (from, (from.neighbours() & !occupied) | nets.hopped_to(from)))
    }

    /// Where one or more hops lead from a point that a piece from `start` has come to.
    pub(super) fn hops_in_flight(&self, start: Spot, from: Spot) -> CellSet {
        hopped_to(from, self.occupied().without(start))
    }

    /// Whether any of a seat's pieces can go anywhere. Where the point next to a piece is taken,
    /// the one beyond it need only be empty, and a piece that can hop on could have stopped there:
    /// so that no series of hops is looked at.
    pub(super) fn can_move(&self, seat: Seat) -> bool {
        let occupied = self.occupied();
        self.pieces(seat).iter().any(|from| {
            !(from.neighbours() & !occupied).is_empty()
                || from.hops().iter().any(|hop| !occupied.meets(hop.to))
        })
    }

    /// Whether one chain of a seat's pieces touches both edges.
    pub(super) fn connects(&self, seat: Seat, one: CellSet, other: CellSet) -> bool {
        let pieces = self.pieces(seat);
        let mut fresh = pieces & one;
        if fresh.is_empty() || (pieces & other).is_empty() {
            return false;
        }
        let mut chained = fresh;
        while let Some(spot) = fresh.pop() {
            let joined = spot.neighbours() & pieces & !chained;
            chained = chained | joined;
            fresh = fresh | joined;
        }
        !(chained & other).is_empty()
    }

    /// The pieces of a shortest chain of a seat that touches both edges; none if there is no such
    /// chain.
    pub(super) fn shortest_chain(&self, seat: Seat, one: CellSet, other: CellSet) -> CellSet {
        let pieces = self.pieces(seat);
        let mut before = [None; POINTS];
        let mut reached = pieces & one;
        let mut layer = reached;
        while !layer.is_empty() {
            if let Some(end) = (layer & other).pop() {
                return std::iter::successors(Some(end), |spot| before[spot.index()])
                    .fold(CellSet::EMPTY, CellSet::with);
            }
            let mut next = CellSet::EMPTY;
            for spot in layer.iter() {
                let fresh = spot.neighbours() & pieces & !reached;
                fresh.iter().for_each(|joined| before[joined.index()] = Some(spot));
                reached = reached | fresh;
                next = next | fresh;
            }
            layer = next;
        }
        CellSet::EMPTY
    }

    /// Covers whose pieces stand where; kept up to date move by move.
    pub(super) const fn hash(&self) -> u64 {
        self.hash
    }

    /// The same value computed again.
    pub(super) fn hash_from_scratch(&self) -> u64 {
        self.standing().fold(0, |hash, (spot, seat)| hash ^ piece_key(spot, seat))
    }
}

impl fmt::Debug for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pieces = self.standing().map(|(spot, seat)| (spot.name(), seat));
        f.debug_map().entries(pieces).finish()
    }
}

/// Where one or more hops lead from a point. A hop goes two points far, so that the piece never
/// comes to be next to the point that it left: nothing is lost by leaving it there, where it cannot
/// be hopped over.
fn hopped_to(from: Spot, occupied: CellSet) -> CellSet {
    let mut reached = CellSet::only(from);
    let mut fresh = reached;
    while let Some(spot) = fresh.pop() {
        for hop in spot.hops() {
            if occupied.meets(hop.over) && !(occupied | reached).meets(hop.to) {
                reached = reached | hop.to;
                fresh = fresh | hop.to;
            }
        }
    }
    reached.without(from)
}

/// Empty points that hops join, each net found once for all pieces. A hop leads back as well as
/// forth, so that a piece that comes to one point of a net can go on to all of them. Like
/// [`hopped_to`], a net leaves all pieces where they are.
struct HopNets {
    occupied: CellSet,
    found: ArrayVec<CellSet, POINTS>,
}

impl HopNets {
    const fn new(occupied: CellSet) -> Self {
        Self { occupied, found: ArrayVec::new_const() }
    }

    /// Where one or more hops lead from the point of a piece.
    fn hopped_to(&mut self, from: Spot) -> CellSet {
        let mut reached = CellSet::EMPTY;
        for hop in from.hops() {
            if self.occupied.meets(hop.over) && !(self.occupied | reached).meets(hop.to) {
                reached = reached | self.net(hop.to);
            }
        }
        reached
    }

    /// The net of an empty point.
    fn net(&mut self, mut point: CellSet) -> CellSet {
        if let Some(&net) = self.found.iter().find(|net| net.meets(point)) {
            return net;
        }
        let net = point.pop().map_or(point, |spot| hopped_to(spot, self.occupied).with(spot));
        // Nets have no point in common.
        self.found.push(net);
        net
    }
}

fn piece_key(spot: Spot, seat: Seat) -> u64 {
    mix((spot.index() << 8 | seat.index()) as u64)
}
