//! The node's last heartbeat, for which appends wait after a stall of PostgreSQL: the heartbeat
//! finds the outage with which their games are credited.

use tokio::{
    sync::watch,
    time::{Instant, timeout_at},
};

use crate::limits::{POSTGRES_APPEND_STALL, POSTGRES_HEARTBEAT_AFTER_STALL};

/// When the last heartbeat was answered.
#[derive(Debug, Default)]
pub(super) struct LastHeartbeat(watch::Sender<Option<Instant>>);

impl LastHeartbeat {
    /// Notes a heartbeat that was answered just now.
    pub(super) fn note(&self) {
        self.0.send_replace(Some(Instant::now()));
    }

    /// Waits until the outage is known that may have delayed what began at this time: a player who
    /// learns of it late, and answers at once, has the time back. Without delay it returns at once,
    /// and so it does if this process sends no heartbeats.
    pub(super) async fn follow(&self, began: Instant) {
        let stalled = began + POSTGRES_APPEND_STALL;
        let now = Instant::now();
        if now < stalled {
            return;
        }
        let mut answered = self.0.subscribe();
        let is_known = |last: &Option<Instant>| last.is_none_or(|last| last >= stalled);
        timeout_at(now + POSTGRES_HEARTBEAT_AFTER_STALL, answered.wait_for(is_known)).await.ok();
    }
}
