//! What a request's answer may ask of the connection that it travels on.

use tokio_util::sync::CancellationToken;

/// A connection as the answers on it see it. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub(super) struct Connection {
    streaming: CancellationToken,
    cut: CancellationToken,
}

impl Connection {
    /// The answer takes as long as it takes: the deadline of the front door is not for it. Whoever
    /// asks for this bounds the answer otherwise.
    pub(super) fn stream(&self) {
        self.streaming.cancel();
    }

    /// Waits until an answer takes as long as it takes.
    pub(super) async fn streams(&self) {
        self.streaming.cancelled().await;
    }

    /// Ends the connection at once.
    pub(super) fn cut(&self) {
        self.cut.cancel();
    }

    /// Waits until the connection is to end at once.
    pub(super) async fn is_cut(&self) {
        self.cut.cancelled().await;
    }
}
