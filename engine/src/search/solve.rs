//! Who wins small boards, by opening.

use std::{error::Error, fmt, ops::RangeInclusive};

use adamant_rules::Kind;

use super::{Opening, diam, stymie};

/// The games whose small boards are solved: by size, and as far as one looks.
pub const SOLVED: [Kind; 2] = [Kind::Stymie, Kind::Diam];

/// The sizes of boards that are solved, where the game has several.
pub const SOLVED_SIZES: RangeInclusive<u8> = stymie::perfect::SIZES;

/// The size of a board and the plies to look ahead, where nothing else is asked.
const SIZE: u8 = 4;
const PLIES: u8 = 9;

/// Why nothing is solved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unsolved {
    /// The game is not one of [`SOLVED`].
    Game,
    /// The game has no board of that size, or it is not solved.
    Size,
    /// The game is solved to its end, not for some plies.
    Plies,
}

impl fmt::Display for Unsolved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Game => "no board of this game is solved",
            Self::Size => "this game has no board of that size, or it is not solved",
            Self::Plies => "this game is solved to its end, not for some plies",
        })
    }
}

impl Error for Unsolved {}

/// Solves a small board of one of [`SOLVED`], opening by opening; each is told as soon as it is known,
/// with the number of those that follow. With `check`, the search has to prove the same.
///
/// # Errors
///
/// See [`Unsolved`].
pub fn solve(
    game: Kind,
    (size, plies): (Option<u8>, Option<u8>),
    check: bool,
    on_opening: &mut dyn FnMut(&Opening, usize),
) -> Result<(), Unsolved> {
    match (game, size, plies) {
        (Kind::Stymie, _, Some(_)) => Err(Unsolved::Plies),
        (Kind::Stymie, size, None) => {
            let is_solved = stymie::solve::solve(size.unwrap_or(SIZE), check, on_opening);
            if is_solved { Ok(()) } else { Err(Unsolved::Size) }
        }
        (Kind::Diam, Some(_), _) => Err(Unsolved::Size),
        (Kind::Diam, None, plies) => {
            diam::solve::solve(plies.unwrap_or(PLIES), check, on_opening);
            Ok(())
        }
        (Kind::Adamas | Kind::Hexma, ..) => Err(Unsolved::Game),
    }
}
