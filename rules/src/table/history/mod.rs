//! The history of a table: the moves with their seats and clocks, and the hashes of positions that
//! can recur.

mod moves;
mod positions;

pub(super) use moves::MoveList;
pub(super) use positions::PositionHistory;
