//! What the store finds in the database when it is opened.

use adamant_protocol::GameId;

/// A live game with records in the journal.
#[derive(Debug)]
pub(crate) struct OpenGameRow {
    /// The game's id.
    pub game: GameId,
    /// The seq of the last archived record.
    pub archived_seq: u64,
    /// The journal rows of the later records, in order.
    pub row_ids: Vec<i64>,
}

impl OpenGameRow {
    /// The seq of the last record.
    pub(crate) fn last_seq(&self) -> u64 {
        self.archived_seq + self.row_ids.len() as u64
    }
}

/// A parked game with a running clock.
#[derive(Debug)]
pub(crate) struct TimedGame {
    /// The game's id.
    pub game: GameId,
    /// The time of the last event, in epoch milliseconds.
    pub last_at: u64,
    /// The time at which the clock runs out if no outage is credited, in epoch milliseconds.
    pub deadline: u64,
}

/// What the store has recovered when it is opened.
#[derive(Debug, Default)]
pub(crate) struct RecoveredState {
    /// Games with records in the journal. They are listed as live once they are restored.
    pub open: Vec<OpenGameRow>,
    /// Number of parked games.
    pub parked: usize,
    /// The parked games with running clocks.
    pub timed: Vec<TimedGame>,
    /// Whether the database has just been created.
    pub is_new: bool,
    /// The last heartbeat of the previous server, in epoch milliseconds.
    pub last_heartbeat: Option<u64>,
}

impl RecoveredState {
    /// The newest time in the store that is known without a replay, in epoch milliseconds.
    pub(crate) fn last_activity(&self) -> Option<u64> {
        self.timed.iter().map(|game| game.last_at).max().max(self.last_heartbeat)
    }
}
