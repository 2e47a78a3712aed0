//! The commands of a room, and the handle that sends them.

use std::sync::Arc;

use adamant_protocol::{
    GameId, OfferId, RequestId, UserName,
    event::OfferKind,
    from_client::Cursor,
    ids::Chain,
    sketch::Sketch,
    to_client::{LiveGame, ResumeDecision, SnapshotReason},
    values::TalkRoom,
};
use adamant_rules::{Seat, Table};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use crate::{
    address::ClientAddress,
    outbound::{SessionId, client::ClientHandle, frame::Frame},
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

/// The commands that a room accepts. They carry no reply channel: events are broadcast, and errors
/// go to the sender's outbox. `ReadLiveGame`, `ReadTable` and `PlanResume` are read-only and reply
/// to their caller.
#[derive(Debug)]
pub(crate) enum Command {
    /// Adds a session to the audience.
    Join {
        client: Arc<ClientHandle>,
        /// The request; `None` if the server joins the session.
        re: Option<RequestId>,
        from: JoinFrom,
        /// Whether spectator lists name the user.
        named: bool,
    },
    /// Sends one snapshot.
    SendSnapshot { client: Arc<ClientHandle> },
    /// Removes a session from the audience.
    Leave { client: Arc<ClientHandle>, re: RequestId },
    /// Sends a snapshot to a spectator that has lagged.
    CatchUp { client: Arc<ClientHandle> },
    /// Carries out an action of a player.
    Act {
        client: Arc<ClientHandle>,
        re: RequestId,
        action: PlayerAction,
        /// Arrival in epoch milliseconds. Time in the server's queues is not charged to the player.
        received_at: u64,
        /// Round-trip time of the client, which is not charged to the player.
        lag_ms: u64,
    },
    /// Answers a query.
    Query { client: Arc<ClientHandle>, re: RequestId, query: TableQuery },
    /// Returns the game as lists show it to spectators.
    ReadLiveGame { reply: oneshot::Sender<LiveGame> },
    /// Returns the table as spectators may see it.
    ReadTable { reply: oneshot::Sender<Box<Table>> },
    /// Broadcasts a talk message or its deletion.
    BroadcastTalk(TalkBroadcast),
    /// Plans how a session resumes.
    PlanResume {
        user: Option<UserName>,
        /// The client's address; `None` inside the process.
        from: Option<ClientAddress>,
        cursor: Option<Cursor>,
        reply: oneshot::Sender<ResumePlan>,
        /// The session to remove from the audience before it joins again, so that it receives no
        /// event twice.
        anew: Option<SessionId>,
    },
}

impl Command {
    /// Returns the sender's address; `None` inside the process.
    pub(crate) fn origin(&self) -> Option<ClientAddress> {
        match self {
            Self::Join { client, .. }
            | Self::SendSnapshot { client }
            | Self::Leave { client, .. }
            | Self::CatchUp { client }
            | Self::Act { client, .. }
            | Self::Query { client, .. } => client.from,
            Self::PlanResume { from, .. } => *from,
            Self::ReadLiveGame { .. } | Self::ReadTable { .. } | Self::BroadcastTalk(_) => None,
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

/// The handle of a room. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct RoomHandle {
    pub(super) game: GameId,
    /// Boxed, because a mailbox allocates slots for several commands even while it is empty.
    pub(super) mailbox: mpsc::Sender<Box<Command>>,
    /// Cancelled once the room's task has ended.
    pub(super) ended: CancellationToken,
}

impl RoomHandle {
    /// Returns the id of the room's game.
    pub(crate) fn game(&self) -> &GameId {
        &self.game
    }

    /// Sends a command. Waits while the mailbox is full, so that the sender reads no further
    /// requests from its socket. Returns the command if the room has ended.
    pub(crate) async fn send(&self, command: Command) -> Result<(), Command> {
        self.mailbox.send(Box::new(command)).await.map_err(|error| *error.0)
    }

    /// Reserves a mailbox slot without waiting; `None` if the mailbox is full or closed.
    pub(crate) fn try_reserve(&self) -> Option<mpsc::Permit<'_, Box<Command>>> {
        self.mailbox.try_reserve().ok()
    }

    /// Returns the game as lists show it to spectators; `None` if the room has ended.
    pub(crate) async fn live_game(&self) -> Option<LiveGame> {
        let (reply, game) = oneshot::channel();
        self.send(Command::ReadLiveGame { reply }).await.ok()?;
        game.await.ok()
    }

    /// Returns the table as spectators may see it; `None` if the room has ended.
    pub(crate) async fn table(&self) -> Option<Box<Table>> {
        let (reply, table) = oneshot::channel();
        self.send(Command::ReadTable { reply }).await.ok()?;
        table.await.ok()
    }

    /// Whether the room accepts no more commands.
    pub(crate) fn is_closed(&self) -> bool {
        self.mailbox.is_closed()
    }

    pub(super) fn has_ended(&self) -> bool {
        self.ended.is_cancelled()
    }

    /// Waits until the room's task has ended.
    pub(crate) async fn ended(&self) {
        self.ended.cancelled().await;
    }
}
