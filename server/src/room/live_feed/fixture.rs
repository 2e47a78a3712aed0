//! Live games for tests.

use adamant_protocol::{
    ids::PositionHash,
    to_client::{GameEntry, LiveGame},
    values::Named,
};

/// Returns the game of an entry, with a position.
pub(crate) fn live(entry: GameEntry, seq: u64) -> LiveGame {
    let (position, hash) = (Named::default(), PositionHash(0));
    LiveGame { entry, seq, position, hash, last_move: None }
}
