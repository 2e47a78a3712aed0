//! Move choice for the games: what the house players and the command-line bot play.
//!
//! Every game is known only as a [`Position`], so a new game needs nothing here. Clocks and offers
//! are the table's and are not looked at; what is drawn by lot comes from the caller.

mod eval;
mod greedy;
mod level;
mod mobility;
mod search;

use adamant_rules::{Move, Position};
use rand::{Rng, RngExt};

pub use level::{Level, UnknownLevel};

/// A legal move of the seat to move; `None` if it has none. The same position, level and state of
/// `rng` give the same move.
pub fn choose(position: &Position, level: Level, rng: &mut impl Rng) -> Option<Move> {
    choose_after(&[], position, level, rng)
}

/// The same in a game in which positions with these hashes have come up before, as
/// `Table::positions_seen` tells them: a level that looks ahead takes going back to one of them for
/// a draw, as it becomes in the end.
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
        Level::Search => search::choose(seen, position, search::EFFORT, &mut pick),
    }
}
