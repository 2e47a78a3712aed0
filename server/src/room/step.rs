//! What a room waits for while the store works for it.

use adamant_record::Head;
use adamant_rules::Events;
use bytes::Bytes;

use super::command::{ActRequest, JoinRequest, PlanRequest};

/// What a room waits for. Its commands wait with it.
#[derive(Debug)]
pub(super) enum Step {
    /// Events are being appended.
    Append(Box<PendingAppend>),
    /// Records of another writer are being read.
    Follow(Unpublished),
    /// Records that another node has announced are being read.
    FollowAnnounced(Unpublished),
    /// The node at which the rated game ended is to record the rating change first.
    AwaitRating(Box<AwaitedRating>),
    /// A flag has fallen. The node of the player on the move decides first until this time, in
    /// epoch milliseconds.
    FlagGrace(u64),
    /// The presence that all nodes share is being read for a claim, the first command that waits.
    AskPresence,
    /// The rating change of the finished game is being read.
    ReadRating(Unpublished),
    /// The finished game is being archived.
    Finish(Unpublished),
    /// The live game is being archived. Then the room closes.
    Park,
    /// Records for a session that joins are being read.
    Tail(Box<JoinRequest>),
    /// The record of a cursor is being read.
    Cursor(Box<PlanRequest>),
}

/// A rating change that another node is to record.
#[derive(Debug)]
pub(super) struct AwaitedRating {
    pub(super) unpublished: Unpublished,
    /// The time from which this room records it, in epoch milliseconds.
    pub(super) until: u64,
}

/// Events that are being appended.
#[derive(Debug)]
pub(super) struct PendingAppend {
    pub(super) events: Events,
    pub(super) records: Vec<Bytes>,
    /// The head after the events.
    pub(super) head: Head,
    pub(super) cause: Cause,
    /// When the append was begun, in epoch milliseconds.
    pub(super) begun_at: u64,
}

/// Why events are appended.
#[derive(Debug)]
pub(super) enum Cause {
    /// A request of a player, which is answered.
    Request(Box<ActRequest>),
    /// A clock that has run out, or an outage.
    Server,
    /// The rating change of a finished game, whose end is published with it.
    Rating(Unpublished),
}

/// Records that are durable and applied, and not published yet.
#[derive(Debug)]
pub(super) struct Unpublished {
    pub(super) records: Vec<Bytes>,
    /// The turn before these records.
    pub(super) turn_before: u32,
    /// Whether this node reports to players who are away what has happened: it has appended the
    /// records, or is alone.
    pub(super) reports: bool,
}
