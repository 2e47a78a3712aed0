//! The errors of connecting, of requests and of connections.

use std::{path::PathBuf, time::Duration};

use adamant_protocol::{
    error::{CloseCode, ErrorCode, Retry},
    to_client::Failed,
};

use crate::config::Address;

/// Why there is no connection.
#[derive(Debug, thiserror::Error)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum ConnectError {
    /// No server answers at the address, or it closed the connection at once.
    #[error("cannot reach the server at {address}: {why}")]
    #[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
    Unreachable {
        /// The address.
        address: Box<Address>,
        /// The reason.
        why: Box<str>,
    },
    /// The TLS handshake failed, or its certificate is not trusted.
    #[error("there is no encrypted connection to {address}: {why}")]
    #[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
    Tls {
        /// The address.
        address: Box<Address>,
        /// The reason.
        why: Box<str>,
    },
    /// A proxy or the server refuses sessions at present.
    #[error("the server at {address} takes no connections at present: {why}")]
    #[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
    Unavailable {
        /// The address.
        address: Box<Address>,
        /// The message or the HTTP status of the response.
        why: Box<str>,
        /// How long the server asks to wait.
        retry_after: Option<Duration>,
    },
    /// The file with certificates to trust cannot be read.
    #[error("cannot read certificates from {}: {why}", path.display())]
    #[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
    Certificates {
        /// The file.
        path: PathBuf,
        /// The reason.
        why: String,
    },
    /// The server does not speak the protocol.
    #[error("what answers at {address} is not an Adamant server: {why}")]
    #[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
    NotAdamant {
        /// The address.
        address: Box<Address>,
        /// The reason.
        why: Box<str>,
    },
    /// The server did not answer in time.
    #[error("the server at {address} did not answer in time")]
    #[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
    TimedOut {
        /// The address.
        address: Box<Address>,
    },
    /// The server rejected the `hello`.
    #[error("{}", .0.message)]
    Refused(Box<Failed>),
    /// The server closed the connection before the session was open.
    #[error("{0}")]
    Closed(DisconnectReason),
}

impl ConnectError {
    /// Returns whether server and client share no version of the protocol.
    pub fn is_version_mismatch(&self) -> bool {
        match self {
            Self::Refused(failed) => failed.code == ErrorCode::ProtoUnsupported,
            Self::Closed(DisconnectReason::Closed { code, .. }) => {
                *code == CloseCode::Protocol.number()
            }
            Self::Unreachable { .. }
            | Self::Tls { .. }
            | Self::Unavailable { .. }
            | Self::Certificates { .. }
            | Self::NotAdamant { .. }
            | Self::TimedOut { .. }
            | Self::Closed(_) => false,
        }
    }
}

/// Why a request failed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum RequestError {
    /// The server refused the request.
    #[error("{}", .0.message)]
    Refused(Box<Failed>),
    /// The connection broke before the reply arrived. The server may have received the request.
    /// Acts of a game never fail like this, because the client sends them again.
    #[error("the connection broke before the answer came")]
    ConnectionLost,
    /// The connection has ended for good.
    #[error("{0}")]
    Closed(DisconnectReason),
    /// The request is larger than the protocol allows.
    #[error("the request has {bytes} bytes, more than the protocol allows")]
    #[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
    TooLarge {
        /// The size of the request.
        bytes: usize,
    },
    /// Too many requests are pending.
    #[error("too many requests wait for their answers")]
    TooManyPending,
    /// This version of the client cannot decode the reply.
    #[error("the server's answer cannot be read: {0}")]
    Unreadable(String),
}

/// Why a connection ended.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum DisconnectReason {
    /// The server closed it.
    #[error("the server closed the connection: {reason} ({code})")]
    #[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
    Closed {
        /// The close code; see [`CloseCode`].
        code: u16,
        /// The server's reason in words.
        reason: Box<str>,
    },
    /// The connection broke.
    #[error("the connection broke: {0}")]
    Lost(Box<str>),
    /// The server was silent for longer than its heartbeat allows.
    #[error("the server has fallen silent")]
    Silent,
    /// An attempt to reconnect failed.
    #[error("{0}")]
    Unreachable(Box<str>),
    /// The server refused an attempt to reconnect, and named the time to wait.
    #[error("{why}")]
    #[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
    Unavailable {
        /// The server's message.
        why: Box<str>,
        /// The time to wait.
        retry_after: Duration,
    },
    /// The server rejected the `hello` of a new session.
    #[error("{}", .0.message)]
    Refused(Box<Failed>),
    /// The program did not read its inbox, whose queue was full.
    #[error("the inbox was full")]
    InboxFull,
    /// The server sent an event that cannot be decoded, so the client cannot follow its game.
    #[error("the server sent an event that cannot be read: {0}")]
    Unreadable(Box<str>),
    /// The program closed the connection.
    #[error("the connection was closed here")]
    ClosedHere,
}

impl DisconnectReason {
    pub(crate) fn allows_reconnect(&self) -> bool {
        match self {
            // Codes that the protocol does not name come from proxies and crashes.
            Self::Closed { code, .. } => {
                CloseCode::from_number(*code).is_none_or(CloseCode::reconnect)
            }
            Self::Refused(failed) => failed.retry != Retry::Never,
            Self::Lost(_)
            | Self::Silent
            | Self::Unreachable(_)
            | Self::Unavailable { .. }
            | Self::InboxFull => true,
            Self::Unreadable(_) | Self::ClosedHere => false,
        }
    }
}

impl From<ConnectError> for DisconnectReason {
    fn from(error: ConnectError) -> Self {
        match error {
            ConnectError::Refused(failed) => Self::Refused(failed),
            ConnectError::Closed(reason) => reason,
            ConnectError::Unavailable { why, retry_after: Some(retry_after), .. } => {
                Self::Unavailable { why, retry_after }
            }
            // The program knows the address: the cause is enough.
            ConnectError::Unreachable { why, .. }
            | ConnectError::Tls { why, .. }
            | ConnectError::Unavailable { why, .. }
            | ConnectError::NotAdamant { why, .. } => Self::Unreachable(why),
            ConnectError::Certificates { .. } => Self::Unreachable(error.to_string().into()),
            ConnectError::TimedOut { .. } => Self::Unreachable("no answer in time".into()),
        }
    }
}
