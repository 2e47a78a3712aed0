//! The history of a table: the moves with their seats and clocks, and the hashes of positions that
//! can recur.

mod moves;
mod positions;
#[cfg(test)]
mod tests;

pub(super) use moves::MoveList;
pub(super) use positions::PositionHistory;
