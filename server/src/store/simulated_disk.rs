//! The disk of a simulation: its latency, its failures, another writer, and its view of each
//! commit. The store itself writes to a real disk, with the code of the server.

use std::time::Duration;

use adamant_protocol::GameId;
use adamant_rules::Seat;
use bytes::Bytes;

/// What becomes of a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommitFate {
    /// It is stored.
    Stored,
    /// The disk is full: nothing is stored, and the server knows.
    Refused,
    /// Nothing is stored, and the server cannot know.
    Failed,
    /// It is stored, and the server does not hear so.
    Unheard,
}

/// What another writer appends to a game.
#[derive(Debug)]
pub struct OtherAppend {
    /// The sealed records.
    pub records: Vec<Bytes>,
    /// Number of moves and skips after them.
    pub ply: u32,
    /// The seat to move after them; `None` if the game is over.
    pub to_move: Option<Seat>,
    /// The time of the last of them, in epoch milliseconds.
    pub last_at: u64,
}

/// A disk whose latency and failures a simulation sets, and which reports each commit to it.
pub trait Disk: std::fmt::Debug + Send + Sync + 'static {
    /// Returns the time before the next commit, or between a commit and its acknowledgement.
    fn latency(&self) -> Duration;

    /// Returns what becomes of the next commit.
    fn fate(&self) -> CommitFate;

    /// Returns what another writer appends to a game after this seq, just before the server does.
    /// It neither swaps seats nor ends a rated game.
    fn other_append(&self, game: &GameId, seq: u64) -> Option<OtherAppend>;

    /// Called when records of a game have been committed, in order, before the commit is
    /// acknowledged.
    fn committed(&self, game: &GameId, records: &[Bytes]);
}
