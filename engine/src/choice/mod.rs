//! Move choice for the server's bots and the command-line bot.
//!
//! Every game is known only as a [`Position`], so a new game needs no change here. Clocks and
//! offers belong to the table. The caller supplies the random numbers.

mod eval;
mod greedy;
mod opinion;
mod score;
mod search;

use std::{error::Error, fmt, str::FromStr};

use adamant_rules::{Move, Position};
use rand::{Rng, RngExt};

use crate::search::{LevelNumber, Limits, Search, Settings, Stop, default_nodes};

pub use opinion::{Opinion, opinion, opinion_within};
pub(crate) use score::score;
pub use search::NODE_BUDGET;
pub(crate) use search::{BestMove, Watch, best_under};

/// Returns a legal move of the seat to move; `None` if it has none. The same position, level and
/// state of `rng` give the same move.
pub fn choose(position: &Position, level: Level, rng: &mut impl Rng) -> Option<Move> {
    choose_after(&[], position, level, rng)
}

/// Like [`choose`], in a game in which positions with these hashes have occurred before (see
/// `Table::positions_seen`). A level that looks ahead counts a return to one of them as a draw.
pub fn choose_after(
    seen: &[u64],
    position: &Position,
    level: Level,
    rng: &mut impl Rng,
) -> Option<Move> {
    let mut pick = |below: usize| rng.random_range(0..below);
    match level {
        Level::Random => position.sample_moves(1, &mut pick).pop(),
        Level::Greedy => greedy::choose(position, &mut pick),
        Level::Hard01 => search::best(seen, position, NODE_BUDGET, &mut pick).map(|best| best.mv),
        Level::Search => {
            let nodes = Some(default_nodes(position));
            let limits = Limits { nodes, ..Limits::default() };
            let drawn = rng.random();
            let settings = Settings { seed: drawn, uses_book: true, ..Settings::default() };
            let search = Search::new(position, seen, limits).with(settings);
            search.run(&Stop::default(), &mut |_| {}).best
        }
        Level::Numbered(number) => {
            let strength = number.strength(position.kind());
            strength.think(seen, position, rng).map(|(mv, _)| mv)
        }
    }
}

/// How moves are chosen.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Level {
    /// Any legal move.
    Random,
    /// The move with the best position after it.
    Greedy,
    /// The best move of a search several moves deep as it was in version 0.1, for comparison.
    Hard01,
    /// The best move of the search of the game.
    Search,
    /// A search with a handicap: one of the computer's eight levels.
    Numbered(LevelNumber),
}

impl Level {
    /// The levels that have a name instead of a number, the weakest first.
    pub const NAMED: &'static [Self] = &[Self::Random, Self::Greedy, Self::Hard01, Self::Search];

    /// Its name in commands and configuration.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Random => "random",
            Self::Greedy => "greedy",
            Self::Hard01 => "hard-0.1",
            Self::Search => "search",
            Self::Numbered(number) => number.name(),
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Level {
    type Err = UnknownLevel;

    fn from_str(text: &str) -> Result<Self, UnknownLevel> {
        let numbered = LevelNumber::ALL.iter().map(|&number| Self::Numbered(number));
        let mut all = Self::NAMED.iter().copied().chain(numbered);
        all.find(|level| level.name().eq_ignore_ascii_case(text)).ok_or(UnknownLevel)
    }
}

/// There is no level of that name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UnknownLevel;

impl fmt::Display for UnknownLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the levels are 1 to 8,")?;
        for (index, level) in Level::NAMED.iter().enumerate() {
            let between = match index {
                0 => "",
                _ if index + 1 == Level::NAMED.len() => " and",
                _ => ",",
            };
            write!(f, "{between} {level}")?;
        }
        Ok(())
    }
}

impl Error for UnknownLevel {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_in_any_case_and_written_in_one() {
        let numbered = LevelNumber::ALL.map(Level::Numbered);
        for level in Level::NAMED.iter().copied().chain(numbered) {
            assert_eq!(level.to_string().parse(), Ok(level));
            assert_eq!(level.name().to_uppercase().parse(), Ok(level));
        }
        let error = "clever".parse::<Level>().unwrap_err();
        assert_eq!(error.to_string(), "the levels are 1 to 8, random, greedy, hard-0.1 and search");
    }
}
