//! The result of sending a frame, and the way in which a session ends.

use adamant_protocol::CloseCode;

/// The result of sending a frame to an outbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SendOutcome {
    /// The frame is written or queued.
    Queued,
    /// The queue has no room for the frame.
    Full,
    /// The session has ended.
    Closed,
}

/// How a session ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SessionEnd {
    /// The server closes the connection with this code.
    Close(CloseCode),
    /// The client has disconnected, so that no close frame is sent.
    Disconnected,
}
