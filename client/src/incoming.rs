//! What an inbox receives.

use std::time::Duration;

use adamant_protocol::{
    event::EventFrame,
    to_client::{
        ChallengeClosed, Challenged, Failed, Featured, InviteEntry, LiveChange, LobbyChange,
        Notice, Presence, Said, Snapshot, Unsaid, Welcome, YourTurn,
    },
};
use bytes::Bytes;

use crate::error::DisconnectReason;

/// A message that is no reply, or a change of the connection.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum Incoming {
    /// The next event of a followed game. Each event arrives once and in order.
    #[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
    Event {
        /// The decoded event.
        frame: Box<EventFrame>,
        /// The received bytes, which the chain seals.
        bytes: Bytes,
    },
    /// The state of a game. It replaces everything known of the game.
    Snapshot(Box<Snapshot>),
    /// The user is to move. Sent again after every reconnect.
    YourTurn(Box<YourTurn>),
    /// The connected players and spectators of a followed game.
    Presence(Presence),
    /// A challenge to the user, or a new acceptance of one.
    Challenged(Box<Challenged>),
    /// A challenge is no longer open.
    ChallengeClosed(ChallengeClosed),
    /// An invite that the user has made or joined has changed.
    Invite(Box<InviteEntry>),
    /// The open seeks have changed.
    Lobby(Box<LobbyChange>),
    /// Another game is featured.
    Featured(Box<Featured>),
    /// The games that are being played have changed.
    Live(Box<LiveChange>),
    /// A line of talk about a game.
    Said(Box<Said>),
    /// A line of talk was deleted.
    Unsaid(Unsaid),
    /// A notice of the server, such as a restart.
    Notice(Notice),
    /// An error that answers no request of this client.
    ServerError(Box<Failed>),
    /// The connection is back.
    Connected(Box<Welcome>),
    /// The connection is lost.
    #[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
    Disconnected {
        /// The reason.
        reason: DisconnectReason,
        /// The wait before the next attempt; `None` if there will be none.
        retry_in: Option<Duration>,
    },
}
