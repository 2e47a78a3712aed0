//! What happens to a room, and what it wants done.

use adamant_protocol::{UserName, values::RatingChange};
use bytes::Bytes;

use super::command::Command;
use crate::{
    cluster::{AppendedRecords, GoneNode, NodeId},
    outbound::SessionId,
    store::{Append, AppendOutcome, ArchiveError, ArchivedGame, PlayerAtGame, StoreError},
};

/// What another node announces of a game's audience.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum AudienceElsewhere {
    /// Whether a player has a session at the node.
    Player {
        user: UserName,
        here: bool,
        /// Epoch milliseconds.
        at: u64,
    },
    /// Number of spectators at the node.
    Spectators(u32),
}

impl AudienceElsewhere {
    /// Whether a later announcement of the same node says the same anew.
    pub(super) fn is_replaced_by(&self, later: &Self) -> bool {
        match (self, later) {
            (Self::Player { user, .. }, Self::Player { user: later, .. }) => user == later,
            (Self::Spectators(_), Self::Spectators(_)) => true,
            (Self::Player { .. }, Self::Spectators(_))
            | (Self::Spectators(_), Self::Player { .. }) => false,
        }
    }
}

/// What happens to a room.
#[derive(Debug)]
pub(crate) enum Input {
    /// A session or a service sends a command.
    Command(Command),
    /// A session in the audience has ended.
    SessionClosed(SessionId),
    /// The time of [`Room::deadline`](super::Room::deadline) has come.
    Deadline,
    /// The room was just made. It credits outages since its last event, and completes the end of a
    /// game that the last process did not complete.
    Opened {
        /// Whether the game is archived if it is over.
        archived: bool,
        /// Whether there may be records after those that the room was made of.
        behind: bool,
    },
    /// Another node has appended records, which may be shown.
    Announced(AppendedRecords),
    /// Another node announces who is at the game there.
    Elsewhere(NodeId, AudienceElsewhere),
    /// The players who are at the game on any node, as the store has them.
    PlayersElsewhere(Vec<PlayerAtGame>),
    /// A node has gone.
    NodeGone(GoneNode),
    /// The store answers [`Output::ReadPresence`].
    Presence(Result<Vec<PlayerAtGame>, StoreError>),
    /// The store answers [`Output::Append`].
    Appended(AppendOutcome),
    /// The store answers [`Output::Archive`].
    Archived(Result<(), ArchiveError>),
    /// The store answers [`Output::Read`], [`Output::ReadDurable`] or [`Output::ReadAnnounced`].
    Records(Result<Vec<Bytes>, StoreError>),
    /// The store answers [`Output::ReadRating`].
    Rating(Result<Option<RatingChange>, StoreError>),
}

/// What a room wants done. A room has at most one question to the store at a time, and gets its
/// answer as an [`Input`]. What it sends to clients goes straight to their outboxes.
#[derive(Debug)]
pub(crate) enum Output {
    /// Appends records to the journal.
    Append(Append),
    /// Archives the game.
    Archive(ArchivedGame),
    /// Reads records from a seq on.
    Read {
        /// The first seq.
        from: u64,
        /// Maximum number of records.
        max: usize,
    },
    /// Reads records that are known to be durable.
    ReadDurable {
        /// The first seq.
        from: u64,
        /// The last seq.
        until: u64,
    },
    /// Reads records that another node has announced. Those of all rooms of a pass are one
    /// question.
    ReadAnnounced {
        /// The first seq.
        from: u64,
        /// The last seq.
        until: u64,
    },
    /// Reads the rating change of the game.
    ReadRating,
    /// Reads who is at the game on any node.
    ReadPresence,
    /// Closes the room: it takes no more input.
    Close,
}

/// The time of an input, and what the room wants done about it.
#[derive(Debug)]
pub(crate) struct Pass<'a> {
    /// Epoch milliseconds.
    pub(crate) now: u64,
    /// What the room wants done, in order.
    pub(crate) outputs: &'a mut Vec<Output>,
}
