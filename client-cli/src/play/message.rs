//! The role of the user at a game.

use std::time::Duration;

use adamant_client::{Incoming, RequestError};
use adamant_protocol::{
    sketch::Sketch,
    to_client::{HintList, TalkList},
    values::TalkRoom,
};
use adamant_rules::{
    Cell,
    event::{OfferId, OfferKind},
};

/// The role of the user at a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// A player, with a prompt.
    Play,
    Watch,
}

/// An input of the view.
#[derive(Debug)]
pub(super) enum Message {
    Key(crossterm::event::KeyEvent),
    /// A cell of the board was clicked.
    Click(Cell),
    /// The window has another size.
    Resized,
    /// The server sent a message that is no reply, or the connection changed.
    Incoming(Incoming),
    /// The connection is closed for good.
    ConnectionClosed,
    /// A request was answered.
    Response(Request, Result<(), RequestError>),
    /// The hints for a sketch have arrived.
    Hints(Sketch, Result<Box<HintList>, RequestError>),
    /// The talk of a room has arrived.
    Talk(Result<Box<TalkList>, RequestError>),
    /// Time has passed.
    Tick,
}

/// An effect that `screen` carries out.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Effect {
    /// Send a request; its answer returns as a message.
    Send(Request),
    /// Request the hints for a sketch; the answer returns as a message.
    FetchHints(Sketch),
    /// Request the talk of a room; the answer returns as a message.
    FetchTalk(TalkRoom),
    /// Try to connect at once.
    Reconnect,
    Leave,
    /// Close the view with an error.
    Fail(FollowError),
}

/// Why a game cannot be shown.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub(super) enum FollowError {
    /// The server rejects the subscription.
    #[error(transparent)]
    Request(RequestError),
    /// Its records are inconsistent, even after a second request.
    #[error("this game cannot be shown: {0}")]
    Damaged(String),
    /// The server no longer has it.
    #[error("the server no longer has this game")]
    Gone,
}

/// A request about the game that is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Request {
    /// Subscribe to the records.
    Follow {
        /// The first record to send.
        from: u64,
    },
    Move {
        turn: u32,
        /// As typed.
        notation: String,
    },
    Resign,
    Abort,
    Offer(OfferKind),
    Answer {
        offer: OfferId,
        accept: bool,
    },
    /// Withdraw the user's own offer.
    Withdraw {
        offer: OfferId,
    },
    /// Send a line of talk.
    Say {
        room: TalkRoom,
        text: String,
    },
    /// Claim the game against a player who is away.
    Claim,
    /// Offer or accept a rematch.
    Rematch,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ConnectionState {
    Up,
    Down {
        reason: String,
        /// When the connection was lost, since the view was opened. Clocks stand still from then on:
        /// what the server does meanwhile is not known.
        since: Duration,
        /// Time of the next attempt, since the view was opened; `None` if there is none.
        again_at: Option<Duration>,
    },
}
