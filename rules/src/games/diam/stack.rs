//! Colours and stacks of them. Where a stack stands and what may be done with it is not known here.

use crate::seat::Seat;

/// Colours of all players together, at the most.
pub(super) const COLOURS: usize = 8;

/// Colours of one player, at the most.
pub(super) const COLOURS_EACH_MAX: u8 = 4;

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

    /// Whose it is.
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
    pub(super) const EMPTY: Self = Self(0);

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
    pub(super) const fn topped(self, by: Self) -> Self {
        if by.0 == 0 { self } else { Self(self.0 | by.0 << (self.height() * PIECE_BITS)) }
    }

    /// The highest level above the first where both have the same colour, and that colour.
    pub(super) fn match_with(self, other: Self) -> Option<(u8, Colour)> {
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
