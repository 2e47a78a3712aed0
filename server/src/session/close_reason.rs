//! Every way a session ends.

use adamant_protocol::CloseCode;

/// Why a session ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CloseReason {
    /// The client said goodbye.
    PeerClosed,
    /// The connection broke.
    PeerLost,
    /// The server said goodbye.
    Closed(CloseCode),
}

impl CloseReason {
    /// For the log.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::PeerClosed => "closed by the client",
            Self::PeerLost => "connection lost",
            Self::Closed(code) => code.reason(),
        }
    }
}
