//! The shape of the board: sectors round a ring, their names, neighbours and opposites. What stands
//! on the sectors is not known here.

use std::f64::consts::{FRAC_PI_2, PI};

use crate::cell::{Cell, CellName};

/// Sectors of the largest ring.
pub(super) const SECTORS_MAX: usize = 12;

/// A sector, counted from 0; people count from 1.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Sector(u8);

impl Sector {
    /// Its number, below [`SECTORS_MAX`].
    pub(super) const fn index(self) -> usize {
        self.0 as usize
    }

    /// Its number as people count.
    pub(super) const fn number(self) -> u8 {
        self.0 + 1
    }

    /// Its name, such as `6`.
    pub(super) fn name(self) -> CellName {
        CellName::numbered(self.number())
    }
}

impl From<Sector> for Cell {
    fn from(sector: Sector) -> Self {
        Self(sector.0.into())
    }
}

/// One of the two ways round the ring.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Direction {
    /// Towards the next number.
    Clockwise,
    /// Towards the number before.
    Back,
}

impl Direction {
    /// Both, in the order in which moves are listed.
    pub(super) const BOTH: [Self; 2] = [Self::Clockwise, Self::Back];

    /// How it is written.
    pub(super) const fn sign(self) -> char {
        match self {
            Self::Clockwise => '+',
            Self::Back => '-',
        }
    }
}

/// A ring by the number of its sectors, which is even: every sector has an opposite.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Ring {
    sectors: u8,
}

impl Ring {
    /// Parses a number of sectors, as written in a challenge.
    pub(super) fn parse(sectors: &str) -> Option<Self> {
        match sectors {
            "8" => Some(Self { sectors: 8 }),
            "10" => Some(Self { sectors: 10 }),
            "12" => Some(Self { sectors: 12 }),
            _ => None,
        }
    }

    /// How many sectors it has.
    pub(super) const fn len(self) -> u8 {
        self.sectors
    }

    /// Every sector, clockwise from the first.
    pub(super) fn sectors(self) -> impl Iterator<Item = Sector> + Clone {
        (0..self.sectors).map(Sector)
    }

    pub(super) const fn contains(self, sector: Sector) -> bool {
        sector.0 < self.sectors
    }

    /// The sector of a cell, if this ring has it.
    pub(super) fn sector(self, cell: Cell) -> Option<Sector> {
        u8::try_from(cell.0).ok().map(Sector).filter(|&sector| self.contains(sector))
    }

    pub(super) fn find(self, name: &str) -> Option<Sector> {
        let number = match *name.as_bytes() {
            [ones @ b'1'..=b'9'] => ones - b'0',
            [b'1', ones @ b'0'..=b'9'] => 10 + ones - b'0',
            _ => return None,
        };
        Some(Sector(number - 1)).filter(|&sector| self.contains(sector))
    }

    /// The neighbour that way.
    pub(super) const fn step(self, from: Sector, direction: Direction) -> Sector {
        let steps = match direction {
            Direction::Clockwise => 1,
            Direction::Back => self.sectors - 1,
        };
        Sector((from.0 + steps) % self.sectors)
    }

    /// The sector on the other side of the ring.
    pub(super) const fn opposite(self, sector: Sector) -> Sector {
        Sector((sector.0 + self.sectors / 2) % self.sectors)
    }

    /// Every sector of the first half with its opposite.
    pub(super) fn pairs(self) -> impl Iterator<Item = (Sector, Sector)> {
        (0..self.sectors / 2).map(move |index| (Sector(index), self.opposite(Sector(index))))
    }

    /// Where the middle of a sector lies from the middle of the ring, rightwards and downwards,
    /// with neighbours at a distance of 1. The first half goes over the top from left to right, as
    /// it is drawn with characters.
    pub(super) fn place(self, sector: Sector) -> (f64, f64) {
        let step = 2.0 * PI / f64::from(self.sectors);
        let radius = 0.5 / (step / 2.0).sin();
        let from_top = step * (f64::from(sector.0) + 0.5) - FRAC_PI_2;
        (radius * from_top.sin(), -radius * from_top.cos())
    }
}
