//! What a table remembers of its past: the moves as written, by whom and with how much time, and the
//! positions that could recur. Of the earlier positions themselves it keeps one in so many plies; the
//! moves since then lead to the others again.

mod moves;
mod positions;
#[cfg(test)]
mod tests;

pub(super) use moves::MoveList;
pub(super) use positions::PositionHistory;
