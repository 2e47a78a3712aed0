//! The disk of a simulation: its latency and its view of each commit. The store itself writes to a
//! real disk, with the code of the server.

use std::time::Duration;

use adamant_protocol::GameId;
use bytes::Bytes;

/// A disk whose latency a simulation sets, and which reports each commit to it.
pub trait Disk: std::fmt::Debug + Send + Sync + 'static {
    /// Returns the time before the next commit, or between a commit and its acknowledgement.
    fn latency(&self) -> Duration;

    /// Called when records of a game have been committed, in order, before the commit is
    /// acknowledged.
    fn committed(&self, game: &GameId, records: &[Bytes]);
}
