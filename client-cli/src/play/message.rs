//! What the view receives from outside, and what it wants done there.

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

/// Something that happened outside.
#[derive(Debug)]
pub(super) enum Message {
    /// A key was pressed.
    Key(crossterm::event::KeyEvent),
    /// A cell of the board was clicked.
    Click(Cell),
    /// The window has another size.
    Resized,
    /// The server said something unasked, or the connection changed.
    Incoming(Incoming),
    /// The connection has ended for good.
    ConnectionClosed,
    /// A request was answered.
    Response(Request, Result<(), RequestError>),
    /// The server has said what a sketch comes to.
    Hints(Sketch, Result<Box<HintList>, RequestError>),
    /// The server has told what was said before.
    Talk(Result<Box<TalkList>, RequestError>),
    /// Time has passed.
    Tick,
}

/// What is to be done outside.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Effect {
    /// Send a request; its answer comes back as a message.
    Send(Request),
    /// Request what a sketch comes to; the answer comes back as a message.
    FetchHints(Sketch),
    /// Request what was said in a room; the answer comes back as a message.
    FetchTalk(TalkRoom),
    /// Close the view.
    Leave,
    /// Close the view, because it can show nothing.
    Fail(FollowError),
}

/// Why a game cannot be shown.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub(super) enum FollowError {
    /// The server does not let it be followed.
    #[error(transparent)]
    Request(RequestError),
    /// Its records do not fit together, even when asked for anew.
    #[error("this game cannot be followed: {0}")]
    Damaged(String),
    /// It is no longer there.
    #[error("the server does not have this game any more")]
    Gone,
}

/// A request about the game that is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Request {
    /// The records from this one on.
    Follow {
        /// The first that is wanted.
        from: u64,
    },
    /// To make a move.
    Move {
        /// The turn it is meant for.
        turn: u32,
        /// As typed.
        notation: String,
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
    /// To take one's own offer back.
    Withdraw {
        /// Which.
        offer: OfferId,
    },
    /// To say something.
    Say {
        /// To whom.
        room: TalkRoom,
        /// What.
        text: String,
    },
    /// To claim that whoever is away has gone for good.
    Claim,
    /// To play once more.
    Rematch,
}

/// How the connection fares.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ConnectionState {
    /// It is there.
    Up,
    /// It is lost.
    Down {
        /// Why.
        reason: String,
        /// When the next attempt is made; `None` if there will be none.
        again_at: Option<Duration>,
    },
}
