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

/// Events that are being appended.
#[derive(Debug)]
pub(super) struct PendingAppend {
    pub(super) events: Events,
    pub(super) records: Vec<Bytes>,
    /// The head after the events.
    pub(super) head: Head,
    pub(super) cause: Cause,
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
}
