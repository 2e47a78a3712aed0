//! Move choice for the server's bots and the command-line bot.
//!
//! Every game is known only as a [`Position`], so a new game needs no change here. Clocks and
//! offers belong to the table. The caller supplies the random numbers.

mod eval;
mod greedy;
mod level;
mod mobility;
mod opinion;
mod search;

use adamant_rules::{Move, Position};
use rand::{Rng, RngExt};

pub use level::{Level, UnknownLevel};
pub use opinion::{Opinion, SCORE_MAX, opinion, opinion_within};
pub use search::NODE_BUDGET;

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
        Level::Search => search::best(seen, position, NODE_BUDGET, &mut pick).map(|best| best.mv),
    }
}
