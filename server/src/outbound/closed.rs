//! Tells rooms which sessions have ended.

use std::sync::{Mutex, PoisonError};

use tokio::sync::Notify;

use crate::outbound::session_id::SessionId;

/// Sessions that have ended since the last `drain`. The lock is held briefly.
#[derive(Debug, Default)]
pub(crate) struct ClosedSessions {
    gone: Mutex<Vec<SessionId>>,
    changed: Notify,
}

impl ClosedSessions {
    /// Records that a session has ended.
    pub(super) fn record(&self, session: SessionId) {
        self.gone.lock().unwrap_or_else(PoisonError::into_inner).push(session);
        self.changed.notify_one();
    }

    /// Waits until a session ends.
    pub(crate) async fn changed(&self) {
        self.changed.notified().await;
    }

    /// Returns the recorded sessions and clears the list.
    pub(crate) fn drain(&self) -> Vec<SessionId> {
        std::mem::take(&mut *self.gone.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
