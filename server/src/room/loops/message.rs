//! The messages of a loop, and what a loop starts with.

use std::sync::{Arc, atomic::AtomicUsize};

use adamant_protocol::GameId;

use crate::{
    cluster::{AppendedRecords, GoneNode, NodeId},
    quotas::StorageBudget,
    room::{
        command::Command, game_source::GameSource, input::AudienceElsewhere, loaded::LoadedGame,
        state::RoomContext,
    },
    runtime::time::TimeSource,
    store::Journal,
};

/// A message to a loop.
#[derive(Debug)]
pub(super) enum LoopMessage {
    /// A command for a game.
    Command(GameId, Command),
    /// A game that has just begun.
    Begun(Box<BegunGame>),
    /// Other nodes have appended records of these games.
    Announced(Vec<AppendedRecords>),
    /// Announcements may be lost.
    Audit,
    /// Another node announces who is at a game there.
    Elsewhere(NodeId, GameId, AudienceElsewhere),
    /// A node has gone. Its announcements may be lost.
    NodeGone(GoneNode),
    /// The clock of this game has run out, or its end is not archived.
    Due(GameId),
}

/// A game that has just begun, and whose records are stored.
#[derive(Debug)]
pub(super) struct BegunGame {
    pub(super) loaded: LoadedGame,
    pub(super) payers: Vec<Option<Arc<StorageBudget>>>,
}

/// The number of rooms of a loop, for metrics.
#[derive(Debug, Default)]
pub(crate) struct LoopCounts {
    /// Open rooms.
    pub(crate) open: AtomicUsize,
    /// Open rooms of finished games.
    pub(crate) over: AtomicUsize,
}

/// What a loop starts with.
#[derive(Debug, Default)]
pub(crate) struct LoopStart {
    /// Live games, whose rooms are open from the start.
    pub(crate) live: Vec<LoadedGame>,
    /// The deadlines of parked games.
    pub(crate) deadlines: Vec<(GameId, u64)>,
}

/// What the loops share.
#[derive(Debug)]
pub(crate) struct LoopServices {
    pub(crate) context: Arc<RoomContext>,
    pub(crate) journal: Arc<dyn Journal>,
    pub(crate) source: GameSource,
    pub(crate) time: TimeSource,
    /// Time from which players without a session count as absent, in epoch milliseconds.
    pub(crate) absent_since: u64,
}
