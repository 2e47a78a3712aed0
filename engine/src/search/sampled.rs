//! The search of games that have none of their own: that of [`choice`](crate::choice), deeper and
//! deeper until a limit is reached.

use adamant_rules::Position;
use rand::RngExt as _;

use super::{Control, Line};
use crate::choice;

/// Thinks about any position of any game.
pub(super) fn search(position: &Position, seen: &[u64], control: &mut Control<'_>) {
    let mut rng = control.rng();
    choice::search_under(seen, position, &mut |below| rng.random_range(0..below), control);
}

/// What [`choice`] has found, as a line.
pub(crate) fn line(moves: Vec<String>, value: i32, exact: bool) -> Line {
    Line { moves, value, exact, distance: None }
}
