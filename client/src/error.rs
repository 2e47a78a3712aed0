//! Every way that connecting, asking and staying connected can fail, in the caller's terms.

use std::path::PathBuf;

use adamant_protocol::{CloseCode, ErrorCode, to_client::Failed};

use crate::Address;

/// Why there is no connection.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// Nothing answers at the address, or it broke off.
    #[error("cannot reach the server at {address}: {why}")]
    Unreachable {
        /// Where it was looked for.
        address: Box<Address>,
        /// What is wrong.
        why: Box<str>,
    },
    /// Something answers, but no encrypted connection to it can be trusted or made.
    #[error("there is no encrypted connection to {address}: {why}")]
    Tls {
        /// Where it answers.
        address: Box<Address>,
        /// What is wrong.
        why: Box<str>,
    },
    /// A proxy or the server itself answers that no session can be opened at present.
    #[error("the server at {address} takes no connections at present: {why}")]
    Unavailable {
        /// Where it answers.
        address: Box<Address>,
        /// In its words, or by the status of its answer.
        why: Box<str>,
    },
    /// The certificates to trust cannot be read.
    #[error("cannot read certificates from {}: {why}", path.display())]
    Certificates {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// What answers does not speak the protocol.
    #[error("what answers at {address} is not an Adamant server: {why}")]
    NotAdamant {
        /// Where it answers.
        address: Box<Address>,
        /// What is unlike one.
        why: Box<str>,
    },
    /// It answers, but not in time.
    #[error("the server at {address} did not answer in time")]
    TimedOut {
        /// Where it was looked for.
        address: Box<Address>,
    },
    /// The server does not accept the hello.
    #[error("{}", .0.message)]
    Refused(Box<Failed>),
    /// The server closed the connection before it was open.
    #[error("{0}")]
    Closed(DisconnectReason),
}

impl ConnectError {
    /// Whether server and client share no version of the protocol.
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

/// Why a request has no good answer.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum RequestError {
    /// The server said no.
    #[error("{}", .0.message)]
    Refused(Box<Failed>),
    /// The connection broke before the answer came. Whether the server heard the request is not
    /// known; acts of a game never end so, they are sent again.
    #[error("the connection broke before the answer came")]
    ConnectionLost,
    /// The connection has ended for good.
    #[error("{0}")]
    Closed(DisconnectReason),
    /// The request is larger than the protocol allows.
    #[error("the request has {bytes} bytes, more than the protocol allows")]
    TooLarge {
        /// Its size.
        bytes: usize,
    },
    /// Too many requests wait for their answers.
    #[error("too many requests wait for their answers")]
    TooManyPending,
    /// The answer makes no sense to this version of the client.
    #[error("the server's answer cannot be read: {0}")]
    Unreadable(String),
}

/// Why a connection ended.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DisconnectReason {
    /// The server closed it.
    #[error("the server closed the connection: {reason} ({code})")]
    Closed {
        /// The close code; see [`CloseCode`].
        code: u16,
        /// The server's reason in words.
        reason: Box<str>,
    },
    /// It broke.
    #[error("the connection broke: {0}")]
    Lost(Box<str>),
    /// Nothing was heard for longer than the server is ever silent.
    #[error("the server has fallen silent")]
    Silent,
    /// An attempt to come back failed.
    #[error("{0}")]
    Unreachable(Box<str>),
    /// The server does not accept the hello any more.
    #[error("{}", .0.message)]
    Refused(Box<Failed>),
    /// The inbox was not read, and its queue was full.
    #[error("the inbox was full")]
    InboxFull,
    /// The server sent an event that cannot be read, so that its game cannot be followed.
    #[error("the server sent an event that cannot be read: {0}")]
    Unreadable(Box<str>),
    /// This side closed it.
    #[error("the connection was closed here")]
    ClosedHere,
}

impl DisconnectReason {
    /// Whether it makes sense to come back.
    pub(crate) fn allows_reconnect(&self) -> bool {
        match self {
            // Codes that the protocol does not name come from proxies and crashes.
            Self::Closed { code, .. } => {
                CloseCode::from_number(*code).is_none_or(CloseCode::reconnect)
            }
            Self::Refused(failed) => failed.retry != adamant_protocol::Retry::Never,
            Self::Lost(_) | Self::Silent | Self::Unreachable(_) | Self::InboxFull => true,
            Self::Unreadable(_) | Self::ClosedHere => false,
        }
    }
}

impl From<ConnectError> for DisconnectReason {
    fn from(error: ConnectError) -> Self {
        match error {
            ConnectError::Refused(failed) => Self::Refused(failed),
            ConnectError::Closed(reason) => reason,
            // Where the server is was known when the connection was lost: the cause says enough.
            ConnectError::Unreachable { why, .. }
            | ConnectError::Tls { why, .. }
            | ConnectError::Unavailable { why, .. }
            | ConnectError::NotAdamant { why, .. } => Self::Unreachable(why),
            ConnectError::Certificates { .. } => Self::Unreachable(error.to_string().into()),
            ConnectError::TimedOut { .. } => Self::Unreachable("no answer in time".into()),
        }
    }
}
