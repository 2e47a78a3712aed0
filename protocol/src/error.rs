//! Error codes and close codes. Both lists only grow: a published code keeps its meaning.

use crate::words::words;

words! {
    /// Why a request failed.
    pub enum ErrorCode {
        /// The frame is not a JSON object.
        BadJson = "bad_json",
        /// A field is missing, of the wrong kind or out of its bounds.
        BadMessage = "bad_message",
        /// The server does not know the type.
        UnknownType = "unknown_type",
        /// The frame or a field is larger than allowed.
        TooLarge = "too_large",
        /// Server and client share no version of the protocol.
        ProtoUnsupported = "proto_unsupported",
        /// The name, password or token is wrong.
        Unauthorized = "unauthorized",
        /// The user is not allowed to do this.
        Forbidden = "forbidden",
        /// One of the two users has blocked the other.
        Blocked = "blocked",
        /// The user accepts no such challenges.
        NotAccepting = "not_accepting",
        /// The name is taken.
        NameTaken = "name_taken",
        /// There is no such game, seek, challenge or user.
        NotFound = "not_found",
        /// The user does not play in this game.
        NotAPlayer = "not_a_player",
        /// Another seat is to move.
        NotYourTurn = "not_your_turn",
        /// The turn of the request is over.
        StaleTurn = "stale_turn",
        /// The rules do not allow the move.
        IllegalMove = "illegal_move",
        /// The game has ended.
        GameOver = "game_over",
        /// There is no such open offer.
        NoSuchOffer = "no_such_offer",
        /// The id was used for another request.
        IdReuse = "id_reuse",
        /// Not allowed yet.
        TooSoon = "too_soon",
        /// All workers are busy.
        Busy = "busy",
        /// The client exceeded a rate limit.
        RateLimited = "rate_limited",
        /// A queue inside the server is full.
        Overloaded = "overloaded",
        /// The server accepts no changes at present.
        ReadOnly = "read_only",
        /// The server failed. Sending the request again settles whether it succeeded.
        Internal = "internal",
        /// The user, the user's owner or the address is banned, or the account is closed.
        Banned = "banned",
        /// The server takes no new accounts or no new guests at present, or an invitation is needed.
        SignUpClosed = "sign_up_closed",
        /// No game begins, because the server is about to be restarted.
        Maintenance = "maintenance",
        /// An operator has silenced the user, or the user's owner.
        Silenced = "silenced",
    }
}

words! {
    /// What a client should do after an error.
    pub enum Retry {
        /// The same request will never succeed.
        Never = "never",
        /// The same request may be sent again immediately.
        Same = "same",
        /// The same request may be sent again after `retry_after_ms`.
        After = "after",
        /// Fetch the game again, then decide.
        Resync = "resync",
    }
}

impl ErrorCode {
    /// Returns what a client should do after this error, unless the error itself says otherwise.
    pub const fn retry(self) -> Retry {
        match self {
            Self::StaleTurn | Self::GameOver | Self::NoSuchOffer => Retry::Resync,
            Self::TooSoon | Self::Busy | Self::RateLimited | Self::Overloaded | Self::ReadOnly => {
                Retry::After
            }
            Self::Internal => Retry::Same,
            Self::BadJson
            | Self::BadMessage
            | Self::UnknownType
            | Self::TooLarge
            | Self::ProtoUnsupported
            | Self::Unauthorized
            | Self::Forbidden
            | Self::Blocked
            | Self::NotAccepting
            | Self::NameTaken
            | Self::NotFound
            | Self::NotAPlayer
            | Self::NotYourTurn
            | Self::IllegalMove
            | Self::IdReuse
            | Self::Banned
            | Self::SignUpClosed
            | Self::Maintenance
            | Self::Silenced
            | Self::Unknown(_) => Retry::Never,
        }
    }
}

/// Why the server closed a WebSocket.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum CloseCode {
    /// The server shuts down for good.
    GoingAway,
    /// Bytes that break the rules of WebSockets.
    Breach,
    /// A binary frame arrived; the protocol is text.
    Unsupported,
    /// Text that is not UTF-8.
    NotUtf8,
    /// Repeated malformed frames.
    Policy,
    /// A frame larger than allowed.
    TooLarge,
    /// The server restarts. Reconnect.
    Restart,
    /// No `hello` in time, or a rejected one.
    BadHello,
    /// No common version of the protocol.
    Protocol,
    /// A newer session replaced this one.
    Replaced,
    /// The client read too slowly.
    SlowConsumer,
    /// Far more messages than the rate limit.
    Rate,
    /// The client was silent for too long.
    Heartbeat,
    /// The session's token was revoked or has expired.
    TokenEnded,
}

impl CloseCode {
    /// All codes.
    pub const ALL: [Self; 14] = [
        Self::GoingAway,
        Self::Breach,
        Self::Unsupported,
        Self::NotUtf8,
        Self::Policy,
        Self::TooLarge,
        Self::Restart,
        Self::BadHello,
        Self::Protocol,
        Self::Replaced,
        Self::SlowConsumer,
        Self::Rate,
        Self::Heartbeat,
        Self::TokenEnded,
    ];

    /// Returns the number in the close frame.
    pub const fn number(self) -> u16 {
        match self {
            Self::GoingAway => 1001,
            Self::Breach => 1002,
            Self::Unsupported => 1003,
            Self::NotUtf8 => 1007,
            Self::Policy => 1008,
            Self::TooLarge => 1009,
            Self::Restart => 1012,
            Self::BadHello => 4001,
            Self::Protocol => 4002,
            Self::Replaced => 4003,
            Self::SlowConsumer => 4004,
            Self::Rate => 4005,
            Self::Heartbeat => 4006,
            Self::TokenEnded => 4007,
        }
    }

    /// Returns the code with this number.
    pub fn from_number(number: u16) -> Option<Self> {
        Self::ALL.into_iter().find(|code| code.number() == number)
    }

    /// Returns the reason in the close frame.
    pub const fn reason(self) -> &'static str {
        match self {
            Self::GoingAway => "going away",
            Self::Breach => "no WebSocket frame",
            Self::Unsupported => "text frames only",
            Self::NotUtf8 => "not UTF-8",
            Self::Policy => "policy",
            Self::TooLarge => "frame too large",
            Self::Restart => "restart",
            Self::BadHello => "no or bad hello",
            Self::Protocol => "no common protocol version",
            Self::Replaced => "replaced by a newer session",
            Self::SlowConsumer => "slow consumer",
            Self::Rate => "too many messages",
            Self::Heartbeat => "heartbeat missed",
            Self::TokenEnded => "token revoked or expired",
        }
    }

    /// Returns whether a client should reconnect.
    pub const fn reconnect(self) -> bool {
        match self {
            Self::Restart | Self::SlowConsumer | Self::Rate | Self::Heartbeat => true,
            Self::GoingAway
            | Self::Breach
            | Self::Unsupported
            | Self::NotUtf8
            | Self::Policy
            | Self::TooLarge
            | Self::BadHello
            | Self::Protocol
            | Self::Replaced
            | Self::TokenEnded => false,
        }
    }
}
