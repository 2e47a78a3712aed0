//! What a level thinks of a position: the move that it would make, and what that is worth.

use adamant_rules::{Move, Position};
use rand::{Rng, RngExt as _, SeedableRng as _, rngs::StdRng};

use crate::{
    choice::{
        Level,
        eval::{self, GAME},
        greedy,
        score::score,
        search::{self, BestMove, NODE_BUDGET},
    },
    search::{Limits, Search, Settings, Stop, default_nodes},
};

/// The opinion of a level about a position.
#[derive(Clone, PartialEq, Debug)]
pub struct Opinion {
    /// The move that the level would make.
    pub best: Move,
    /// The move's value for the seat to move, from -[`SCORE_MAX`](crate::search::SCORE_MAX) to [`SCORE_MAX`](crate::search::SCORE_MAX); 0 is even.
    pub score: i32,
    /// How many moves the level has looked ahead.
    pub depth: u32,
}

/// Returns the opinion of a level, always the same one of a position; `None` if the seat to move
/// has no move. `seen` is as for [`choose_after`](crate::choice::choose_after).
pub fn opinion(seen: &[u64], position: &Position, level: Level) -> Option<Opinion> {
    let mut rng = StdRng::seed_from_u64(position.hash());
    let nodes = if level == Level::Search { default_nodes(position) } else { NODE_BUDGET };
    opinion_within(seen, position, level, nodes, &mut rng)
}

/// Like [`opinion`], with another number of moves for a named level that searches, and with chosen
/// random numbers. The same position, level, number and state of `rng` give the same opinion.
pub fn opinion_within(
    seen: &[u64],
    position: &Position,
    level: Level,
    nodes: u64,
    rng: &mut impl Rng,
) -> Option<Opinion> {
    let mut pick = |below: usize| rng.random_range(0..below);
    let found = match level {
        Level::Random => {
            let mv = position.sample_moves(1, &mut pick).pop()?;
            BestMove { value: value_after(position, &mv), mv, depth: 0 }
        }
        Level::Greedy => {
            let mv = greedy::choose(position, &mut pick)?;
            BestMove { value: value_after(position, &mv), mv, depth: 1 }
        }
        Level::Hard01 => search::best(seen, position, nodes, &mut pick)?,
        Level::Search => {
            let limits = Limits { nodes: Some(nodes), ..Limits::default() };
            let settings = Settings { seed: rng.random(), ..Settings::default() };
            let search = Search::new(position, seen, limits).with(settings);
            let found = search.run(&Stop::default(), &mut |_| {});
            return Some(Opinion { best: found.best?, score: found.value, depth: found.depth });
        }
        Level::Numbered(number) => {
            let strength = number.strength(position.kind());
            let (best, found) = strength.think(seen, position, rng)?;
            return Some(Opinion { best, score: found.value, depth: found.depth });
        }
    };
    Some(Opinion { best: found.mv, score: score(position, found.value), depth: found.depth })
}

/// Returns the value of the position after a move, for the seat that makes it.
fn value_after(position: &Position, mv: &Move) -> i64 {
    let me = position.to_move();
    let mut after = position.clone();
    after.apply(mv);
    match after.settle() {
        Some((winners, _)) if winners.single() == Some(me) => GAME,
        Some((winners, _)) if winners.contains(me) => 0,
        Some(_) => -GAME,
        None if !after.seats_in().contains(me) => -GAME,
        None => eval::evaluate(&after, me),
    }
}
