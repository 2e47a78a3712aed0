//! The node's last heartbeat. Appends wait for the next one after a stall of PostgreSQL: it finds
//! the outage with which their games are credited. Without heartbeats nothing waits for long.

use tokio::{
    sync::watch,
    time::{Instant, timeout_at},
};

use crate::limits::{
    POSTGRES_APPEND_STALL, POSTGRES_HEARTBEAT_AFTER_STALL, POSTGRES_PATIENCE,
    POSTGRES_PATIENCE_LEAST, POSTGRES_SILENCE_MAX,
};

/// When the last heartbeat was answered.
#[derive(Debug, Default)]
pub(super) struct LastHeartbeat(watch::Sender<Option<Instant>>);

impl LastHeartbeat {
    /// Notes a heartbeat that was answered just now.
    pub(super) fn note(&self) {
        self.0.send_replace(Some(Instant::now()));
    }

    /// Returns until when an operation that begins now may wait for the database. While heartbeats
    /// fail, the operations of a request have one deadline together.
    pub(super) fn deadline(&self) -> Instant {
        let now = Instant::now();
        let most = now + POSTGRES_PATIENCE;
        // A process that sends no heartbeats does not know.
        let last = *self.0.borrow();
        let of_all =
            |last: Instant| (last + POSTGRES_SILENCE_MAX).max(now + POSTGRES_PATIENCE_LEAST);
        last.map_or(most, |last| most.min(of_all(last)))
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

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn operations_in_a_row_have_one_deadline_while_heartbeats_fail() {
        let last = LastHeartbeat::default();
        assert_eq!(last.deadline(), Instant::now() + POSTGRES_PATIENCE);
        last.note();
        let began = Instant::now();
        for _ in 0..3 {
            tokio::time::sleep_until(last.deadline()).await;
        }
        assert_eq!(began.elapsed(), POSTGRES_SILENCE_MAX + POSTGRES_PATIENCE_LEAST * 2);
        assert!(began.elapsed() < POSTGRES_PATIENCE);
        advance(POSTGRES_PATIENCE * 2).await;
        assert_eq!(last.deadline(), Instant::now() + POSTGRES_PATIENCE_LEAST);
        last.note();
        assert_eq!(last.deadline(), Instant::now() + POSTGRES_SILENCE_MAX);
    }
}
