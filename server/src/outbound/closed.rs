//! How a room hears that sessions have ended.

use std::sync::{Mutex, PoisonError};

use tokio::sync::Notify;

use crate::outbound::outbox::SessionId;

/// Sessions that have ended since somebody looked. The lock is held for moments.
#[derive(Debug, Default)]
pub(crate) struct Departures {
    gone: Mutex<Vec<SessionId>>,
    noted: Notify,
}

impl Departures {
    /// A session has ended.
    pub(super) fn note(&self, session: SessionId) {
        self.gone.lock().unwrap_or_else(PoisonError::into_inner).push(session);
        self.noted.notify_one();
    }

    /// Waits until some session has ended.
    pub(crate) async fn noted(&self) {
        self.noted.notified().await;
    }

    /// Those that have ended since this was asked last.
    pub(crate) fn take(&self) -> Vec<SessionId> {
        std::mem::take(&mut *self.gone.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
