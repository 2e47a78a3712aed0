//! The variant of a game: the board, the pieces and the rule against mirroring.

use super::{
    ring::Ring,
    stack::{COLOURS_EACH_MAX, Colour},
};
use crate::{
    hashing::join,
    options::{OptionChoice, OptionError, OptionKind, OptionSpec, OptionValue, Options},
    seat::Seat,
};

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
    /// The sectors.
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
