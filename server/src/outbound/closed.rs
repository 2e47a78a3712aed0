//! Tells those who send to sessions which sessions have ended.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokio::sync::Notify;

use crate::outbound::session_id::SessionId;

/// A session that has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ClosedSession {
    pub(crate) session: SessionId,
    /// The number of the listener that was told.
    pub(crate) listener: usize,
}

/// Sessions that have ended since the last `drain`. The lock is held briefly.
#[derive(Debug, Default)]
pub(crate) struct ClosedSessions {
    gone: Mutex<Vec<ClosedSession>>,
    changed: Notify,
}

impl ClosedSessions {
    /// Returns a listener that records sessions here under a number of its own.
    pub(crate) fn listener(self: &Arc<Self>, number: usize) -> CloseListener {
        CloseListener { sessions: Arc::downgrade(self), number }
    }

    /// Waits until a session ends.
    pub(crate) async fn changed(&self) {
        self.changed.notified().await;
    }

    /// Returns the recorded sessions and clears the list.
    pub(crate) fn drain(&self) -> Vec<ClosedSession> {
        std::mem::take(&mut *self.gone.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Is notified when a session ends. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct CloseListener {
    sessions: Weak<ClosedSessions>,
    number: usize,
}

impl CloseListener {
    /// Records that a session has ended.
    pub(super) fn record(&self, session: SessionId) {
        let Some(sessions) = self.sessions.upgrade() else { return };
        let closed = ClosedSession { session, listener: self.number };
        sessions.gone.lock().unwrap_or_else(PoisonError::into_inner).push(closed);
        sessions.changed.notify_one();
    }

    /// Whether the listener has been dropped.
    pub(super) fn is_gone(&self) -> bool {
        self.sessions.strong_count() == 0
    }

    /// Whether the other is this listener.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.number == other.number && self.sessions.ptr_eq(&other.sessions)
    }
}
