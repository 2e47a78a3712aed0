//! What a request's answer may ask of the connection that it travels on.

use tokio_util::sync::CancellationToken;

/// A connection as the answers on it see it. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub(super) struct ConnectionControl {
    streaming: CancellationToken,
    cut: CancellationToken,
}

impl ConnectionControl {
    /// Lifts the deadline of the handshake for a streaming answer. The caller bounds the answer
    /// otherwise.
    pub(super) fn lift_deadline(&self) {
        self.streaming.cancel();
    }

    /// Waits until an answer takes as long as it takes.
    pub(super) async fn deadline_lifted(&self) {
        self.streaming.cancelled().await;
    }

    /// Ends the connection at once.
    pub(super) fn abort(&self) {
        self.cut.cancel();
    }

    /// Waits until the connection is to end at once.
    pub(super) async fn aborted(&self) {
        self.cut.cancelled().await;
    }
}
