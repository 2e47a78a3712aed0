//! What sessions, services, the store and other nodes hand to a room, and what the room wants done.

use std::sync::Arc;

use adamant_protocol::{
    CloseCode, OfferId, RequestId, UserName,
    event::OfferKind,
    from_client::Cursor,
    ids::Chain,
    sketch::Sketch,
    to_client::{LiveGame, ResumeDecision, SnapshotReason},
    values::{RatingChange, TalkRoom},
};
use adamant_rules::{Seat, Table, table::Ruling};
use bytes::Bytes;
use tokio::sync::oneshot;

use crate::cluster::{AppendedRecords, GoneNode, NodeId};
use crate::outbound::client::{Caller, ClientHandle};
use crate::outbound::{SessionId, frame::Frame};
use crate::store::{Append, AppendOutcome, ArchiveError, ArchivedGame, PlayerAtGame, StoreError};
use crate::{address::ClientAddress, error::Denial};

/// An action of a player at the table.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum PlayerAction {
    /// `turn` is the turn that the move is for. The move is as the client wrote it.
    Move {
        turn: u32,
        mv: Box<str>,
    },
    Resign,
    Abort,
    Offer(OfferKind),
    Answer {
        offer: OfferId,
        accept: bool,
    },
    Withdraw(OfferId),
    /// Claims that this seat has abandoned the game; `None` is the seat to move.
    Claim {
        seat: Option<u8>,
    },
}

/// A read-only query of the table, open to every client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TableQuery {
    /// The cells and edges of the board.
    Layout,
    /// The cells that a move can start from, those that it leads to from a cell, and the
    /// completions of a sketch, with the `board` if it is asked for.
    Hints { from: Option<Box<str>>, sketch: Option<Sketch>, board: bool },
    /// A page of the legal moves: those that start from a cell, after another move, and up to a
    /// limit.
    Moves { from: Option<Box<str>>, after: Option<Box<str>>, limit: Option<u32> },
    /// Whether a move is legal in this turn, and what follows from it.
    Try { turn: u32, notation: Box<str> },
}

/// The reason for which a game is read.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ReadFor {
    /// A player at this address, who returns to a game or acts in it. It comes before the others.
    Player(Option<ClientAddress>),
    /// Another request from this address, or from inside the process.
    Client(Option<ClientAddress>),
}

/// The point from which a session receives a game's events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum JoinFrom {
    /// The current state, as a snapshot.
    Snapshot(Option<SnapshotReason>),
    /// The event with this seq.
    Seq(u64),
    /// The first event, unless the session has already joined. A player's session that sends
    /// `hello` while the game starts is joined twice.
    Start,
}

/// A request to carry out an action of a player.
#[derive(Debug)]
pub(crate) struct ActRequest {
    pub client: Caller,
    pub re: RequestId,
    pub action: PlayerAction,
    /// Arrival in epoch milliseconds. Time in the server's queues is not charged to the player.
    pub received_at: u64,
    /// Round-trip time of the client, which is not charged to the player.
    pub lag_ms: u64,
    /// Whether the room has read what other writers have appended since it would have refused the
    /// request.
    pub followed: bool,
    /// Whether the room has read the presence that all nodes share, for a claim.
    pub knows_presence: bool,
    /// The fingerprint of the user and the id, once the room has looked it up.
    pub key: u64,
}

/// An operator's decision that ends a game.
#[derive(Debug)]
pub(crate) struct RulingRequest {
    pub ruling: Ruling,
    /// Whether the room has read what other writers have appended since it would have refused.
    pub followed: bool,
    /// Hears when the end is durable.
    pub reply: Reply<()>,
}

/// A session that joins a game.
#[derive(Debug)]
pub(crate) struct JoinRequest {
    pub client: Caller,
    /// The request; `None` if the server joins the session.
    pub re: Option<RequestId>,
    pub from: JoinFrom,
    /// Whether spectator lists name the user.
    pub named: bool,
    /// Whether the room has read what other writers have appended since the request came.
    pub followed: bool,
}

/// A question how a session resumes a game.
#[derive(Debug)]
pub(crate) struct PlanRequest {
    pub user: Option<UserName>,
    /// Why the game is read, if it is not open.
    pub reason: ReadFor,
    pub cursor: Option<Cursor>,
    pub reply: Reply<ResumePlan>,
    /// The session to remove from the audience before it joins again, so that it receives no
    /// event twice.
    pub anew: Option<SessionId>,
    /// Whether the room has read what other writers have appended since the cursor came.
    pub followed: bool,
}

/// The sending end of an answer to a service of the server.
pub(crate) type Reply<T> = oneshot::Sender<Result<T, Denial>>;

/// The commands that a room accepts. Events are broadcast, and errors go to the client's outbox.
/// Commands with a `reply` answer a service of the server.
#[derive(Debug)]
pub(crate) enum Command {
    /// Adds a session to the audience.
    Join(Box<JoinRequest>),
    /// Removes a session from the audience.
    Leave {
        client: Caller,
        re: RequestId,
    },
    /// Sends a snapshot to a spectator that has lagged.
    CatchUp {
        client: Arc<ClientHandle>,
    },
    /// Carries out an action of a player.
    Act(ActRequest),
    Query {
        client: Caller,
        re: RequestId,
        query: Box<TableQuery>,
    },
    /// Returns a snapshot for a spectator.
    ReadSnapshot {
        from: Option<ClientAddress>,
        reply: Reply<Frame>,
    },
    /// Returns the game as lists show it to spectators. Does not open a room.
    ReadLiveGame {
        reply: Reply<LiveGame>,
    },
    /// Returns the table, perhaps as spectators may see it, who can be behind. Does not open a
    /// room.
    ReadTable {
        as_seen: bool,
        reply: Reply<Box<Table>>,
    },
    /// Broadcasts a talk message or its deletion. Opens a room only for a parked audience.
    BroadcastTalk(Box<TalkBroadcast>),
    /// Ends the game by a ruling.
    Rule(Box<RulingRequest>),
    /// An operator has annulled the result of the game. Does not open a room.
    NoteAnnulled,
    PlanResume(Box<PlanRequest>),
}

impl Command {
    /// Returns the command that adds a session to the audience.
    pub(crate) fn join(client: Caller, re: Option<RequestId>, from: JoinFrom, named: bool) -> Self {
        Self::Join(Box::new(JoinRequest { client, re, from, named, followed: false }))
    }

    /// Returns the command that carries out an action of a player.
    pub(crate) fn act(
        client: Caller,
        re: RequestId,
        action: PlayerAction,
        received_at: u64,
        lag_ms: u64,
    ) -> Self {
        let (followed, knows_presence, key) = (false, false, 0);
        Self::Act(ActRequest {
            client,
            re,
            action,
            received_at,
            lag_ms,
            followed,
            knows_presence,
            key,
        })
    }

    /// Whether it asks for a move.
    pub(crate) fn is_move(&self) -> bool {
        matches!(self, Self::Act(act) if matches!(act.action, PlayerAction::Move { .. }))
    }

    /// Returns the sender's address; `None` inside the process.
    pub(crate) fn reason(&self) -> ReadFor {
        match self {
            Self::Act(act) => ReadFor::Player(act.client.from),
            Self::Join(join) => ReadFor::Client(join.client.from),
            Self::Leave { client, .. } | Self::Query { client, .. } => ReadFor::Client(client.from),
            Self::CatchUp { client } => ReadFor::Client(client.from),
            Self::PlanResume(plan) => plan.reason,
            Self::ReadSnapshot { from, .. } => ReadFor::Client(*from),
            Self::ReadLiveGame { .. }
            | Self::ReadTable { .. }
            | Self::BroadcastTalk(_)
            | Self::Rule(_)
            | Self::NoteAnnulled => ReadFor::Client(None),
        }
    }

    /// Refuses the command. A session that the server wanted to join ends, so that its client
    /// resumes.
    pub(crate) fn deny(self, denial: Denial) {
        if denial.is_fault() {
            tracing::error!(%denial, "request failed");
        }
        // Those who asked may have gone.
        match self {
            Self::Join(join) => {
                if let Some(re) = &join.re {
                    return join.client.refuse(re, denial);
                }
                let session = join.client.session;
                // operator: the room or the store failed for a game that the server wanted the
                // client to follow; the session ends and the client resumes
                tracing::warn!(%session, %denial, "joining a game failed");
                join.client.outbox.end(CloseCode::Restart);
            }
            Self::Act(act) => act.client.refuse(&act.re, denial),
            Self::Leave { client, re } | Self::Query { client, re, .. } => {
                client.refuse(&re, denial);
            }
            Self::CatchUp { client } => client.outbox.end(CloseCode::Restart),
            Self::ReadSnapshot { reply, .. } => drop(reply.send(Err(denial))),
            Self::ReadLiveGame { reply } => drop(reply.send(Err(denial))),
            Self::ReadTable { reply, .. } => drop(reply.send(Err(denial))),
            Self::PlanResume(plan) => drop(plan.reply.send(Err(denial))),
            Self::Rule(request) => drop(request.reply.send(Err(denial))),
            // Clients find the line when they list the talk, and a room reads what is annulled.
            Self::BroadcastTalk(_) | Self::NoteAnnulled => {}
        }
    }
}

/// A talk message or its deletion, for the clients that may read it.
#[derive(Debug)]
pub(crate) struct TalkBroadcast {
    pub room: TalkRoom,
    /// The author, for clients that have muted them; `None` reaches all clients.
    pub by: Option<UserName>,
    pub frame: Frame,
}

/// How a session resumes a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ResumePlan {
    pub resume: ResumeDecision,
    /// The first seq of a tail.
    pub from: Option<u64>,
    /// The last seq that the session may see.
    pub seq: u64,
    /// The chain hash at that seq.
    pub chain: Chain,
    pub seat: Option<Seat>,
}

/// What another node announces of a game's audience.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum AudienceElsewhere {
    /// Whether a player has a session at the node, since `at` in epoch milliseconds.
    Player { user: UserName, here: bool, at: u64 },
    /// Number of spectators at the node.
    Spectators(u32),
}

impl AudienceElsewhere {
    /// Whether a later announcement of the same node says the same again.
    pub(super) fn is_replaced_by(&self, later: &Self) -> bool {
        match (self, later) {
            (Self::Player { user, .. }, Self::Player { user: later, .. }) => user == later,
            (Self::Spectators(_), Self::Spectators(_)) => true,
            (Self::Player { .. }, Self::Spectators(_))
            | (Self::Spectators(_), Self::Player { .. }) => false,
        }
    }
}

#[derive(Debug)]
pub(crate) enum Input {
    /// A session or a service sends a command.
    Command(Command),
    /// A session in the audience has ended.
    SessionClosed(SessionId),
    /// The time of [`Room::deadline`](super::Room::deadline) has come.
    Deadline,
    /// The room was just made. It credits outages since its last event, and completes the end of a
    /// game that the last process did not complete, unless it is `archived`. If the room is
    /// `behind`, there may be records after those that it was made of.
    Opened {
        archived: bool,
        behind: bool,
    },
    /// The store has something due for this game. The clock of an open room has a timer of its own,
    /// so it can only be the archive, if the game is over.
    Due,
    /// Another node has appended records, which may be shown.
    Announced(AppendedRecords),
    /// Another node announces who is at the game there.
    Elsewhere(NodeId, AudienceElsewhere),
    /// The players who are at the game on any node, as the store has them.
    PlayersElsewhere(Vec<PlayerAtGame>),
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
#[expect(clippy::large_enum_variant, reason = "nearly all are appends")]
#[derive(Debug)]
pub(crate) enum Output {
    /// Appends records to the journal.
    Append(Append),
    Archive(ArchivedGame),
    /// Reads up to `max` records from a seq on.
    Read {
        from: u64,
        max: usize,
    },
    /// Reads records, the first and the last named, that are known to be durable.
    ReadDurable {
        from: u64,
        until: u64,
    },
    /// Reads records that another node has announced. Those of all rooms of a pass are one
    /// question.
    ReadAnnounced {
        from: u64,
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
