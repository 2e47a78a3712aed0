//! How a room hears that sessions have ended.

use std::sync::{Mutex, PoisonError};

use tokio::sync::Notify;

use crate::outbound::session_id::SessionId;

/// Sessions that have ended since somebody looked. The lock is held for moments.
#[derive(Debug, Default)]
pub(crate) struct ClosedSessions {
    gone: Mutex<Vec<SessionId>>,
    changed: Notify,
}

impl ClosedSessions {
    /// A session has ended.
    pub(super) fn record(&self, session: SessionId) {
        self.gone.lock().unwrap_or_else(PoisonError::into_inner).push(session);
        self.changed.notify_one();
    }

    /// Waits until some session has ended.
    pub(crate) async fn changed(&self) {
        self.changed.notified().await;
    }

    /// Those that have ended since this was asked last.
    pub(crate) fn drain(&self) -> Vec<SessionId> {
        std::mem::take(&mut *self.gone.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
