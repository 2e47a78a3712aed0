//! A room: one task that owns one table, the end of its record, and its audience.

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

/// What a player asks of the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PlayerAction {
    /// To make a move.
    Move {
        /// The turn it is meant for.
        turn: u32,
        /// The move as it was written.
        notation: Box<str>,
    },
    /// To give up.
    Resign,
    /// To call the game off.
    Abort,
    /// To offer something.
    Offer(OfferKind),
    /// To answer an offer.
    Answer {
        /// Which.
        offer: OfferId,
        /// Yes or no.
        accept: bool,
    },
    /// To take an offer back.
    Withdraw(OfferId),
    /// To claim that a player has gone for good.
    Claim {
        /// Which seat; if none is named, the one that is missed the most.
        seat: Option<u8>,
    },
}

/// What anybody may ask of the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TableQuery {
    /// The board to draw.
    Layout,
    /// Where pieces may go.
    Hints {
        /// The cell to start from.
        from: Option<Box<str>>,
        /// A move in the making.
        sketch: Option<Sketch>,
    },
    /// Which moves there are.
    Moves {
        /// The cell that they begin at.
        from: Option<Box<str>>,
        /// The move that they stand behind.
        after: Option<Box<str>>,
        /// How many at the most.
        limit: Option<u32>,
    },
    /// Whether a move would be legal.
    Try {
        /// The turn it is meant for.
        turn: u32,
        /// The move as it was written.
        notation: Box<str>,
    },
}

/// From where on a session wants to hear of a game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum JoinFrom {
    /// From its present state.
    Snapshot(Option<SnapshotReason>),
    /// From an event on.
    Seq(u64),
    /// From the first event on, unless it listens already: a player's session that says hello while
    /// the game begins is joined to it twice.
    Start,
}

/// Every way into a room. None carries a way back: what happened is told to everyone, and what was
/// refused to the sender alone, through the outboxes. (A verdict decides nothing; it is part of the
/// answer to `hello`, which comes before the session listens to anything. Nor does a show.)
#[derive(Debug)]
pub(crate) enum Command {
    /// To listen.
    Join {
        /// Who.
        client: Arc<ClientHandle>,
        /// The request, unless the server joins the session by itself.
        re: Option<RequestId>,
        /// From where on.
        from: JoinFrom,
        /// Whether to be named among the spectators.
        named: bool,
    },
    /// To see how the game stands, once.
    SendSnapshot {
        /// Who.
        client: Arc<ClientHandle>,
    },
    /// To listen no longer.
    Leave {
        /// Who.
        client: Arc<ClientHandle>,
        /// The request.
        re: RequestId,
    },
    /// To listen on after events did not fit.
    CatchUp {
        /// Who.
        client: Arc<ClientHandle>,
    },
    /// To change the game.
    Act {
        /// Who.
        client: Arc<ClientHandle>,
        /// The request.
        re: RequestId,
        /// What.
        action: PlayerAction,
        /// When it arrived, in epoch milliseconds: waiting in our house is never charged.
        received_at: u64,
        /// How long the way to the caller and back is: the thinking time that was not theirs.
        lag_ms: u64,
    },
    /// To know something.
    Query {
        /// Who.
        client: Arc<ClientHandle>,
        /// The request.
        re: RequestId,
        /// What.
        query: TableQuery,
    },
    /// To know how the game looks to its spectators.
    ReadLiveGame {
        /// Where to tell.
        reply: oneshot::Sender<LiveGame>,
    },
    /// To have the game as its spectators may see it, to write it down.
    ReadTable {
        /// Where to tell.
        reply: oneshot::Sender<Box<Table>>,
    },
    /// To pass on what was said, or that it was taken back.
    BroadcastTalk(TalkBroadcast),
    /// To know how a session will be brought up to date.
    PlanResume {
        /// Whose session it is.
        user: Option<UserName>,
        /// Where it is; `None` inside the process.
        from: Option<ClientAddress>,
        /// What it has.
        cursor: Option<Cursor>,
        /// Where to tell.
        reply: oneshot::Sender<ResumePlan>,
        /// The session that is about to listen anew: what happens from here on it hears behind what
        /// came before, and not twice.
        anew: Option<SessionId>,
    },
}

impl Command {
    /// Where whoever sends it is; `None` inside the process.
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

/// Something said about the game, to be passed on to those who may hear it.
#[derive(Debug)]
pub(crate) struct TalkBroadcast {
    /// To whom.
    pub room: TalkRoom,
    /// By whom, for those who do not want to hear them; `None` concerns everybody.
    pub by: Option<UserName>,
    /// The message.
    pub frame: Frame,
}

/// How a session will be brought up to date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ResumePlan {
    /// By what.
    pub resume: ResumeDecision,
    /// The first event of a tail.
    pub from: Option<u64>,
    /// The last event that the session may know of.
    pub seq: u64,
    /// That event's chain.
    pub chain: Chain,
    /// Where the session's user sits.
    pub seat: Option<Seat>,
}

/// The rest of the server's end of a room. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct RoomHandle {
    pub(super) game: GameId,
    /// Boxed, because a mailbox keeps room for many even while it is empty.
    pub(super) mailbox: mpsc::Sender<Box<Command>>,
    /// Cancelled once the room's task has let go of its record.
    pub(super) ended: CancellationToken,
}

impl RoomHandle {
    /// The game that is played there.
    pub(crate) fn game(&self) -> &GameId {
        &self.game
    }

    /// Waits while the mailbox is full, which stops the caller reading its socket. Gives the
    /// command back if the room has ended.
    pub(crate) async fn send(&self, command: Command) -> Result<(), Command> {
        self.mailbox.send(Box::new(command)).await.map_err(|error| *error.0)
    }

    /// A place in the mailbox for one command, if there is one at once.
    pub(crate) fn try_reserve(&self) -> Option<mpsc::Permit<'_, Box<Command>>> {
        self.mailbox.try_reserve().ok()
    }

    /// How the game looks to its spectators; `None` if the room has ended.
    pub(crate) async fn live_game(&self) -> Option<LiveGame> {
        let (reply, shown) = oneshot::channel();
        self.send(Command::ReadLiveGame { reply }).await.ok()?;
        shown.await.ok()
    }

    /// The game as its spectators may see it; `None` if the room has ended.
    pub(crate) async fn table(&self) -> Option<Box<Table>> {
        let (reply, seen) = oneshot::channel();
        self.send(Command::ReadTable { reply }).await.ok()?;
        seen.await.ok()
    }

    /// Whether the room takes no more commands.
    pub(crate) fn is_closed(&self) -> bool {
        self.mailbox.is_closed()
    }

    pub(super) fn has_ended(&self) -> bool {
        self.ended.is_cancelled()
    }

    /// Waits until the room's task has let go of its record.
    pub(crate) async fn ended(&self) {
        self.ended.cancelled().await;
    }
}
