//! What a client hears without having asked.

use std::time::Duration;

use adamant_protocol::{
    EventFrame,
    to_client::{
        ChallengeClosed, Challenged, Failed, Featured, LiveChange, LobbyChange, Notice, Presence,
        Said, Snapshot, Unsaid, Welcome, YourTurn,
    },
};
use bytes::Bytes;

use crate::DisconnectReason;

/// Something that was not asked for.
#[derive(Debug, Clone, PartialEq)]
pub enum Incoming {
    /// The next event of a followed game: each comes once and in order.
    Event {
        /// What it says.
        frame: Box<EventFrame>,
        /// Its bytes as they came, which the chain seals.
        bytes: Bytes,
    },
    /// A game as it stands: what was known of it before is to be replaced.
    Snapshot(Box<Snapshot>),
    /// The user is to move. Comes again after every reconnect.
    YourTurn(Box<YourTurn>),
    /// Who is at a followed game.
    Presence(Presence),
    /// Somebody challenges the user.
    Challenged(Box<Challenged>),
    /// A challenge is no longer open.
    ChallengeClosed(ChallengeClosed),
    /// The open seeks have changed.
    Lobby(Box<LobbyChange>),
    /// Another game is featured.
    Featured(Box<Featured>),
    /// The games that are being played have changed.
    Live(Box<LiveChange>),
    /// Somebody has said something about a game.
    Said(Box<Said>),
    /// Something that was said is taken back.
    Unsaid(Unsaid),
    /// Something about the server itself.
    Notice(Notice),
    /// The server complains about something that was no request of this client's.
    Complaint(Box<Failed>),
    /// The connection is back.
    Connected(Box<Welcome>),
    /// The connection is lost.
    Disconnected {
        /// Why.
        reason: DisconnectReason,
        /// When the next attempt is made; `None` when there will be none.
        retry_in: Option<Duration>,
    },
}
