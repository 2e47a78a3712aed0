//! What a simulation has to say about the store's disk. The records themselves are written to a
//! real one, by the code that always does it.

use std::time::Duration;

use adamant_protocol::GameId;
use bytes::Bytes;

/// A disk that is as fast as a simulation wants it, and tells it what is safe.
pub trait Disk: std::fmt::Debug + Send + Sync + 'static {
    /// How long the next write takes before it is committed, or after that until it is known.
    fn latency(&self) -> Duration;

    /// These records of a game have just been committed, behind those told of before. Nobody has
    /// heard of them yet.
    fn committed(&self, game: &GameId, records: &[Bytes]);
}
