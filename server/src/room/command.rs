//! The commands that sessions and services send to a room.

use std::sync::Arc;

use adamant_protocol::{
    CloseCode, OfferId, RequestId, UserName,
    event::OfferKind,
    from_client::Cursor,
    ids::Chain,
    sketch::Sketch,
    to_client::{LiveGame, ResumeDecision, SnapshotReason},
    values::TalkRoom,
};
use adamant_rules::{Seat, Table};
use tokio::sync::oneshot;

use super::game_reader::ReadFor;
use crate::{
    address::ClientAddress,
    error::Denial,
    outbound::{
        SessionId,
        client::{Caller, ClientHandle},
        frame::Frame,
    },
};

/// An action of a player at the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PlayerAction {
    /// Makes a move.
    Move {
        /// The turn that the move is for.
        turn: u32,
        /// The move as the client wrote it.
        notation: Box<str>,
    },
    /// Resigns.
    Resign,
    /// Aborts the game.
    Abort,
    /// Makes an offer.
    Offer(OfferKind),
    /// Answers an offer.
    Answer {
        /// The offer.
        offer: OfferId,
        /// Whether the player accepts it.
        accept: bool,
    },
    /// Withdraws an offer.
    Withdraw(OfferId),
    /// Claims that a player has abandoned the game.
    Claim {
        /// The abandoned seat; `None` for the seat to move.
        seat: Option<u8>,
    },
}

/// A read-only query of the table, open to every client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TableQuery {
    /// The cells and edges of the board.
    Layout,
    /// The cells that a move can start from and lead to.
    Hints {
        /// The cell that the move starts from.
        from: Option<Box<str>>,
        /// A partial move.
        sketch: Option<Sketch>,
        /// Whether the answer has the board with the sketch.
        board: bool,
    },
    /// A page of the legal moves.
    Moves {
        /// Only moves that start from this cell.
        from: Option<Box<str>>,
        /// Only moves after this one.
        after: Option<Box<str>>,
        /// Maximum number of moves.
        limit: Option<u32>,
    },
    /// Whether a move is legal, and what follows from it.
    Try {
        /// The turn that the move is for.
        turn: u32,
        /// The move as the client wrote it.
        notation: Box<str>,
    },
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
    Leave { client: Caller, re: RequestId },
    /// Sends a snapshot to a spectator that has lagged.
    CatchUp { client: Arc<ClientHandle> },
    /// Carries out an action of a player.
    Act(Box<ActRequest>),
    /// Answers a query.
    Query { client: Caller, re: RequestId, query: Box<TableQuery> },
    /// Returns a snapshot for a spectator.
    ReadSnapshot { from: Option<ClientAddress>, reply: Reply<Frame> },
    /// Returns the game as lists show it to spectators. Does not open a room.
    ReadLiveGame { reply: Reply<LiveGame> },
    /// Returns the table as spectators may see it. Does not open a room.
    ReadTable {
        /// Whether as spectators may see it, who can be behind.
        as_seen: bool,
        reply: Reply<Box<Table>>,
    },
    /// Broadcasts a talk message or its deletion. Opens a room only for a parked audience.
    BroadcastTalk(Box<TalkBroadcast>),
    /// Plans how a session resumes.
    PlanResume(Box<PlanRequest>),
}

impl Command {
    /// Returns the command that adds a session to the audience.
    pub(crate) fn join(client: Caller, re: Option<RequestId>, from: JoinFrom, named: bool) -> Self {
        Self::Join(Box::new(JoinRequest { client, re, from, named, followed: false }))
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
            Self::ReadLiveGame { .. } | Self::ReadTable { .. } | Self::BroadcastTalk(_) => {
                ReadFor::Client(None)
            }
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
            // Clients find the line when they list the talk.
            Self::BroadcastTalk(_) => {}
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
    /// The user's seat.
    pub seat: Option<Seat>,
}
