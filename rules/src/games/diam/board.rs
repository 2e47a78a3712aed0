//! Stacks on a ring of sectors, the pieces that are not on it yet, and the variant that says how many
//! of each there are. Whose turn it is and what may be done is not known here.

use std::{
    f64::consts::{FRAC_PI_2, PI},
    ops::Index,
};

use crate::{
    cell::{Cell, CellName},
    hashing::{join, mix},
    options::{OptionChoice, OptionError, OptionKind, OptionSpec, OptionValue, Options},
    seat::{Seat, SeatSet},
};

/// Sectors of the largest ring.
const SECTORS_MAX: usize = 12;

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

/// Colours of all players together, at the most.
const COLOURS: usize = 8;

/// Colours of one player, at the most.
const COLOURS_EACH_MAX: u8 = 4;

/// The letters of the colours, those of the first player before those of the second.
const LETTERS: [char; COLOURS] = ['A', 'B', 'C', 'D', 'W', 'X', 'Y', 'Z'];

/// The player who opens the game.
pub(super) const FIRST: Seat = Seat::FIRST;
/// The other one.
pub(super) const SECOND: Seat = Seat::new(1).expect("a table has more than one seat");

/// What two pieces must have in common to win when they are opposed: one of eight colours.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Colour(u8);

impl Colour {
    /// Returns the colours of a seat where each seat has `count`.
    pub(super) fn of(seat: Seat, count: u8) -> impl Iterator<Item = Self> + Clone {
        // The second player's W only comes in as the fourth.
        let first = match (seat == FIRST, count == COLOURS_EACH_MAX) {
            (true, _) => 0,
            (false, true) => COLOURS_EACH_MAX,
            (false, false) => COLOURS_EACH_MAX + 1,
        };
        (first..first + count).map(Self)
    }

    /// The colour with that letter, in any case.
    pub(super) fn from_letter(letter: char) -> Option<Self> {
        (0..).map(Self).zip(LETTERS).find(|(_, l)| l.eq_ignore_ascii_case(&letter)).map(|(c, _)| c)
    }

    /// The letter that shows it.
    pub(super) const fn letter(self) -> char {
        LETTERS[self.index()]
    }

    /// Its number, below [`COLOURS`].
    pub(super) const fn index(self) -> usize {
        self.0 as usize
    }

    pub(super) const fn owner(self) -> Seat {
        if self.0 < COLOURS_EACH_MAX { FIRST } else { SECOND }
    }
}

/// Bits of a stack that one piece takes: its colour's number and 1, so that no piece is 0.
const PIECE_BITS: u8 = 4;
const PIECE_MASK: u32 = (1 << PIECE_BITS) - 1;

/// Pieces on top of each other, the bottom one in the lowest bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Stack(u32);

impl Stack {
    /// Pieces that a stack has room for; boards allow fewer.
    const CAPACITY: u8 = 8;

    /// No piece.
    const EMPTY: Self = Self(0);

    /// The pieces as a number that no other stack has.
    pub(super) const fn number(self) -> u32 {
        self.0
    }

    /// How many pieces it has.
    pub(super) const fn height(self) -> u8 {
        #[expect(clippy::cast_possible_truncation, reason = "at most 32")]
        let free = self.0.leading_zeros() as u8;
        Self::CAPACITY - free / PIECE_BITS
    }

    /// The colour of a piece, counted from 1 at the bottom.
    pub(super) fn piece(self, level: u8) -> Option<Colour> {
        let above = self.0.checked_shr(u32::from(level.checked_sub(1)?) * u32::from(PIECE_BITS));
        let number = (above? & PIECE_MASK) as u8;
        number.checked_sub(1).map(Colour)
    }

    /// Its pieces from the bottom.
    pub(super) fn pieces(self) -> impl Iterator<Item = Colour> {
        (1..=self.height()).filter_map(move |level| self.piece(level))
    }

    /// How it is written: a letter per piece, the bottom one first.
    pub(super) fn letters(self) -> String {
        self.pieces().map(Colour::letter).collect()
    }

    /// What lies below a piece that it has, and that piece with all above.
    pub(super) const fn split(self, level: u8) -> (Self, Self) {
        let bits = (level - 1) * PIECE_BITS;
        (Self(self.0 & ((1 << bits) - 1)), Self(self.0 >> bits))
    }

    /// This stack with another put on top, which together must not be too high.
    const fn topped(self, by: Self) -> Self {
        if by.0 == 0 { self } else { Self(self.0 | by.0 << (self.height() * PIECE_BITS)) }
    }

    /// The highest level above the first where both have the same colour, and that colour.
    fn match_with(self, other: Self) -> Option<(u8, Colour)> {
        let top = self.height().min(other.height());
        (2..=top).rev().find_map(|level| {
            let colour = self.piece(level).filter(|&colour| other.piece(level) == Some(colour))?;
            Some((level, colour))
        })
    }
}

impl From<Colour> for Stack {
    fn from(colour: Colour) -> Self {
        Self(u32::from(colour.0) + 1)
    }
}

const BOARD: &str = "board";
const PIECES: &str = "pieces";
const NOMIRROR: &str = "nomirror";

/// The values of `board`.
const BOARDS: &[OptionChoice] = &[
    OptionChoice::new("8x3", "8 sectors, stacks up to 3 high"),
    OptionChoice::new("8x4", "8 sectors, stacks up to 4 high"),
    OptionChoice::new("8x5", "8 sectors, stacks up to 5 high"),
    OptionChoice::new("8x6", "8 sectors, stacks up to 6 high"),
    OptionChoice::new("10x3", "10 sectors, stacks up to 3 high"),
    OptionChoice::new("10x4", "10 sectors, stacks up to 4 high"),
    OptionChoice::new("10x5", "10 sectors, stacks up to 5 high"),
    OptionChoice::new("10x6", "10 sectors, stacks up to 6 high"),
    OptionChoice::new("12x3", "12 sectors, stacks up to 3 high"),
    OptionChoice::new("12x4", "12 sectors, stacks up to 4 high"),
    OptionChoice::new("12x5", "12 sectors, stacks up to 5 high"),
    OptionChoice::new("12x6", "12 sectors, stacks up to 6 high"),
];

/// The values of `pieces`.
const PIECE_SETS: &[OptionChoice] = &[
    OptionChoice::new("2x3", "2 colours each, 3 pieces of each"),
    OptionChoice::new("2x4", "2 colours each, 4 pieces of each"),
    OptionChoice::new("2x5", "2 colours each, 5 pieces of each"),
    OptionChoice::new("2x6", "2 colours each, 6 pieces of each"),
    OptionChoice::new("3x3", "3 colours each, 3 pieces of each"),
    OptionChoice::new("3x4", "3 colours each, 4 pieces of each"),
    OptionChoice::new("3x5", "3 colours each, 5 pieces of each"),
    OptionChoice::new("3x6", "3 colours each, 6 pieces of each"),
    OptionChoice::new("4x3", "4 colours each, 3 pieces of each"),
    OptionChoice::new("4x4", "4 colours each, 4 pieces of each"),
    OptionChoice::new("4x5", "4 colours each, 5 pieces of each"),
    OptionChoice::new("4x6", "4 colours each, 6 pieces of each"),
];

/// What can be chosen.
pub(super) const SPECS: &[OptionSpec] = &[
    OptionSpec {
        name: BOARD,
        title: "Board",
        kind: OptionKind::Text,
        choices: BOARDS,
        about: "sectors (8, 10 or 12) and the height of stacks (3 to 6); by default 8x4",
    },
    OptionSpec {
        name: PIECES,
        title: "Pieces",
        kind: OptionKind::Text,
        choices: PIECE_SETS,
        about: "colours each player has (2 to 4) and pieces of each (3 to 6); by default 2x4",
    },
    OptionSpec {
        name: NOMIRROR,
        title: "No mirrored opening",
        kind: OptionKind::Flag,
        choices: &[],
        about: "the second player's first piece may not go opposite the first player's",
    },
];

/// A variant, parsed from options.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Variant {
    pub(super) ring: Ring,
    /// Pieces of a stack, at the most.
    pub(super) height_max: u8,
    /// Colours of each player.
    pub(super) colours: u8,
    /// Pieces of each colour.
    pub(super) pieces: u8,
    /// Whether the second player's first piece may not go opposite the first player's.
    pub(super) nomirror: bool,
}

impl Variant {
    /// Reads options, complete or not.
    pub(super) fn from_options(options: &Options) -> Result<Self, OptionError> {
        options.check(SPECS)?;
        let (ring, height_max) = read_pair(options, BOARD, "8x4")
            .and_then(|(sectors, height)| Some((Ring::parse(sectors)?, read_digit(height, 3..=6)?)))
            .ok_or(OptionError::Unreadable {
                name: BOARD,
                why: "write 8, 10 or 12 sectors and a height from 3 to 6, as in 8x4",
            })?;
        let (colours, pieces) = read_pair(options, PIECES, "2x4")
            .and_then(|(colours, pieces)| {
                let colours = read_digit(colours, 2..=COLOURS_EACH_MAX)?;
                Some((colours, read_digit(pieces, 3..=6)?))
            })
            .ok_or(OptionError::Unreadable {
                name: PIECES,
                why: "write 2 to 4 colours and 3 to 6 pieces of each, as in 2x4",
            })?;
        Ok(Self { ring, height_max, colours, pieces, nomirror: options.flag(NOMIRROR) })
    }

    /// The same choices as complete options.
    pub(super) fn options(self) -> Options {
        let Self { ring, height_max, colours, pieces, nomirror } = self;
        let text = |text: String| OptionValue::Text(text.into());
        let mut options = Options::new();
        options.set(BOARD, text(format!("{}x{height_max}", ring.len())));
        options.set(PIECES, text(format!("{colours}x{pieces}")));
        options.set(NOMIRROR, OptionValue::Flag(nomirror));
        options
    }

    /// The colours that a seat plays with.
    pub(super) fn colours_of(self, seat: Seat) -> impl Iterator<Item = Colour> + Clone {
        Colour::of(seat, self.colours)
    }

    /// Whether the game has pieces of this colour.
    pub(super) fn has(self, colour: Colour) -> bool {
        self.colours_of(colour.owner()).any(|known| known == colour)
    }

    /// The choices as a number that no others have.
    pub(super) fn number(self) -> u64 {
        let Self { ring, height_max, colours, pieces, nomirror } = self;
        join([ring.len(), height_max, colours, pieces, nomirror.into()].map(u64::from))
    }
}

/// The two parts of a value such as `8x4`.
fn read_pair<'a>(options: &'a Options, name: &str, default: &'a str) -> Option<(&'a str, &'a str)> {
    let text = match options.get(name) {
        Some(OptionValue::Text(text)) => text.as_ref(),
        Some(OptionValue::Flag(_) | OptionValue::Number(_)) | None => default,
    };
    text.split_once(['x', 'X'])
}

fn read_digit(text: &str, bounds: std::ops::RangeInclusive<u8>) -> Option<u8> {
    match *text.as_bytes() {
        [digit @ b'0'..=b'9'] => Some(digit - b'0').filter(|number| bounds.contains(number)),
        _ => None,
    }
}

/// Stacks by sector, pieces to come by colour.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Board {
    stacks: [Stack; SECTORS_MAX],
    reserve: [u8; COLOURS],
    hash: u64,
}

impl Board {
    /// A board without pieces, all of which are in reserve.
    pub(super) fn empty(variant: Variant) -> Self {
        let mut reserve = [0; COLOURS];
        for colour in [FIRST, SECOND].into_iter().flat_map(|seat| variant.colours_of(seat)) {
            reserve[colour.index()] = variant.pieces;
        }
        Self { stacks: [Stack::EMPTY; SECTORS_MAX], reserve, hash: 0 }
    }

    /// How many pieces of a colour are yet to be placed.
    pub(super) const fn reserve(&self, colour: Colour) -> u8 {
        self.reserve[colour.index()]
    }

    /// How many pieces a seat has on the ring.
    pub(super) fn placed(&self, variant: Variant, seat: Seat) -> u8 {
        variant.colours_of(seat).map(|colour| variant.pieces - self.reserve(colour)).sum()
    }

    /// Puts a piece that is in reserve on top of a stack.
    pub(super) fn place(&mut self, colour: Colour, sector: Sector) {
        self.reserve[colour.index()] -= 1;
        self.set(sector, self[sector].topped(colour.into()));
    }

    /// Takes a piece that a stack has, with all above it, and puts them on top of another.
    pub(super) fn carry(&mut self, from: Sector, level: u8, to: Sector) {
        let (below, part) = self[from].split(level);
        self.set(from, below);
        self.set(to, self[to].topped(part));
    }

    fn set(&mut self, sector: Sector, stack: Stack) {
        let before = std::mem::replace(&mut self.stacks[sector.index()], stack);
        self.hash ^= stack_key(sector, before) ^ stack_key(sector, stack);
    }

    /// Whose pieces of one colour are opposite each other, above the first level and as high as any
    /// that are. In a game it is one seat at the most: a move makes one stack higher, and that has
    /// one piece a level.
    pub(super) fn aligned(&self, ring: Ring) -> SeatSet {
        let (mut highest, mut seats) = (0, SeatSet::EMPTY);
        for (one, other) in ring.pairs() {
            let Some((level, colour)) = self[one].match_with(self[other]) else { continue };
            if level > highest {
                (highest, seats) = (level, SeatSet::EMPTY);
            }
            if level == highest {
                seats = seats.with(colour.owner());
            }
        }
        seats
    }

    /// The sectors of the pieces that decide the game, two by two: those opposite each other with
    /// the highest like pieces.
    pub(super) fn facing(&self, ring: Ring) -> impl Iterator<Item = [Sector; 2]> {
        let level = move |(one, other)| self[one].match_with(self[other]).map(|(level, _)| level);
        let highest = ring.pairs().filter_map(level).max();
        let deciding = move |&pair: &(Sector, Sector)| highest.is_some() && level(pair) == highest;
        ring.pairs().filter(deciding).map(|(one, other)| [one, other])
    }

    /// Covers which stacks stand where, and with them the reserves; kept up to date stack by stack.
    pub(super) const fn hash(&self) -> u64 {
        self.hash
    }

    /// The same value computed again.
    pub(super) fn hash_from_scratch(&self, ring: Ring) -> u64 {
        ring.sectors().fold(0, |hash, sector| hash ^ stack_key(sector, self[sector]))
    }
}

impl Index<Sector> for Board {
    type Output = Stack;
    fn index(&self, sector: Sector) -> &Stack {
        &self.stacks[sector.index()]
    }
}

fn stack_key(sector: Sector, stack: Stack) -> u64 {
    if stack == Stack::EMPTY {
        return 0;
    }
    mix(u64::from(sector.number()) << 32 | u64::from(stack.number()))
}
