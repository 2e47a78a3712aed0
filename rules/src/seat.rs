//! Seats. A seat is a number and its game gives it a letter; users belong to the table.

use std::{
    fmt,
    ops::{Index, IndexMut},
};

use arrayvec::ArrayVec;

/// Players at one table, at the most.
pub const SEATS_MAX: usize = 3;

/// A place at the table, counted from 0 in turn order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Seat(Place);

/// A table has many fields that may have no seat: as an enum, such a field is no larger.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
enum Place {
    First,
    Second,
    Third,
}

const PLACES: [Place; SEATS_MAX] = [Place::First, Place::Second, Place::Third];

impl Seat {
    /// The player who opens the game.
    pub const FIRST: Self = Self(Place::First);

    /// The seat with this number, if a table can have one.
    pub const fn new(index: usize) -> Option<Self> {
        if index < SEATS_MAX { Some(Self(PLACES[index])) } else { None }
    }

    /// The seat's number.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The first `players` seats, in turn order.
    pub fn all(
        players: usize,
    ) -> impl DoubleEndedIterator<Item = Self> + ExactSizeIterator + Clone {
        debug_assert!(players <= SEATS_MAX, "a table has at most {SEATS_MAX} seats");
        (0..players.min(SEATS_MAX)).map(|index| Self::new(index).expect("below SEATS_MAX"))
    }

    /// The seat after this one at a table of `players`, the last being followed by the first.
    #[must_use]
    pub const fn next(self, players: usize) -> Self {
        match Self::new(self.index() + 1) {
            Some(next) if next.index() < players => next,
            Some(_) | None => Self::FIRST,
        }
    }
}

impl fmt::Debug for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "seat {}", self.index())
    }
}

/// One value for each seat of a table.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct BySeat<T>(ArrayVec<T, SEATS_MAX>);

impl<T> BySeat<T> {
    /// A value for each of `players` seats, made from the seat.
    pub fn from_fn(players: usize, make: impl FnMut(Seat) -> T) -> Self {
        Self(Seat::all(players).map(make).collect())
    }

    /// How many seats the table has.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is no seat at all.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The value of a seat that may not be at this table.
    pub fn get(&self, seat: Seat) -> Option<&T> {
        self.0.get(seat.index())
    }

    /// The values in turn order.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.0.iter()
    }

    /// Seats with their values, in turn order.
    pub fn entries(&self) -> impl Iterator<Item = (Seat, &T)> {
        Seat::all(self.len()).zip(self.0.iter())
    }

    /// Exchanges the values of two seats.
    pub fn swap(&mut self, one: Seat, other: Seat) {
        self.0.swap(one.index(), other.index());
    }

    /// The same seats with other values.
    pub fn map<U>(&self, convert: impl FnMut(&T) -> U) -> BySeat<U> {
        BySeat(self.0.iter().map(convert).collect())
    }
}

impl<T> BySeat<T> {
    /// Takes the values of a table in turn order; `None` if there are more than a table has seats.
    pub fn try_from_iter(values: impl IntoIterator<Item = T>) -> Option<Self> {
        let mut seats = ArrayVec::new();
        for value in values {
            seats.try_push(value).ok()?;
        }
        Some(Self(seats))
    }
}

impl<T> Index<Seat> for BySeat<T> {
    type Output = T;
    fn index(&self, seat: Seat) -> &T {
        &self.0[seat.index()]
    }
}

impl<T> IndexMut<Seat> for BySeat<T> {
    fn index_mut(&mut self, seat: Seat) -> &mut T {
        &mut self.0[seat.index()]
    }
}

impl<'a, T> IntoIterator for &'a BySeat<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;
    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

/// A set of seats.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct SeatSet(u8);

impl SeatSet {
    /// No seat.
    pub const EMPTY: Self = Self(0);

    /// The first `players` seats.
    pub fn all(players: usize) -> Self {
        Seat::all(players).collect()
    }

    /// Only this seat.
    #[must_use]
    pub const fn only(seat: Seat) -> Self {
        Self(1 << seat.index())
    }

    /// Returns the set with one seat more.
    #[must_use]
    pub const fn with(self, seat: Seat) -> Self {
        Self(self.0 | 1 << seat.index())
    }

    /// Returns the set without a seat.
    #[must_use]
    pub const fn without(self, seat: Seat) -> Self {
        Self(self.0 & !(1 << seat.index()))
    }

    /// Whether the set contains the seat.
    pub const fn contains(self, seat: Seat) -> bool {
        self.0 & 1 << seat.index() != 0
    }

    /// Number of elements.
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Whether the set is empty.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns the seats as bits, the first seat's the lowest.
    pub(crate) const fn bits(self) -> u64 {
        self.0 as u64
    }

    /// Whose turn it is after a seat's: the next of these, round the table, or the same seat's
    /// again if there is no other.
    pub(crate) fn turn_after(self, seat: Seat) -> Seat {
        let next = seat.next(SEATS_MAX);
        let others = std::iter::successors(Some(next), |other| Some(other.next(SEATS_MAX)));
        others.take(SEATS_MAX - 1).find(|&other| self.contains(other)).unwrap_or(seat)
    }

    /// The seat, if it is exactly one.
    pub fn single(self) -> Option<Seat> {
        if self.len() == 1 { self.iter().next() } else { None }
    }

    /// Iterates the seats in turn order.
    pub fn iter(self) -> impl Iterator<Item = Seat> {
        Seat::all(SEATS_MAX).filter(move |&seat| self.contains(seat))
    }
}

impl FromIterator<Seat> for SeatSet {
    fn from_iter<I: IntoIterator<Item = Seat>>(seats: I) -> Self {
        seats.into_iter().fold(Self::EMPTY, Self::with)
    }
}

impl fmt::Debug for SeatSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter().map(Seat::index)).finish()
    }
}
