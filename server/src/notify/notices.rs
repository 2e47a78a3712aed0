//! Notices of users who are away, as the store keeps them: a notice outlives the process that would
//! send it, and one process at a time sends it.
//!
//! A row belongs to the process that has stored it until it is overdue; then any process takes it,
//! for a while. Before each request the process prolongs that time, and goes on only if the row is
//! still its own. Once another server has accepted the notice, the row goes.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use rand::RngExt as _;
use tokio::sync::Mutex;

use crate::{
    limits::{NOTICE_KEPT, NOTICE_OVERDUE_AFTER, NOTICE_TAKEN_FOR},
    occasions::Occasion,
    runtime::{
        entropy::Entropy,
        time::{TimeSource, milliseconds},
    },
    store::{Store, StoredNotice},
};

/// A notice in the store, as the process has it that is to send it.
#[derive(Debug)]
pub(super) struct Notice {
    id: u64,
    /// When it is overdue, in epoch milliseconds; `None` once another server has accepted it.
    overdue_at: Mutex<Option<u64>>,
    /// The channels by which it has neither been accepted nor failed.
    channels: AtomicUsize,
}

/// An occasion that waits for its time.
#[derive(Debug)]
pub(super) struct WaitingNotice {
    pub(super) occasion: Occasion,
    /// `None` if the user was here at the occasion, or the store failed: then only this process
    /// knows of it.
    pub(super) stored: Option<Arc<Notice>>,
}

/// The notices in the store. Cheap to clone.
#[derive(Debug, Clone)]
pub(super) struct Notices {
    store: Store,
    time: TimeSource,
    entropy: Entropy,
}

impl Notices {
    pub(super) fn new(store: Store, time: TimeSource, entropy: Entropy) -> Self {
        Self { store, time, entropy }
    }

    /// Stores the notice of an occasion that is due at a time.
    pub(super) async fn keep(&self, occasion: &Occasion, due_at: u64) -> Option<Arc<Notice>> {
        let text = serde_json::to_string(occasion).expect("an occasion is JSON");
        let id: u64 = self.entropy.clone().random();
        let overdue_at = due_at.saturating_add(milliseconds(NOTICE_OVERDUE_AFTER));
        // Half of all numbers: databases have signed ones.
        let notice = StoredNotice { id: id >> 1, overdue_at, occasion: text.into() };
        let stored = Notice::of(&notice);
        match self.store.add_notice(notice).await {
            Ok(()) => Some(Arc::new(stored)),
            Err(error) => {
                // operator: the notification is sent only if this process lives until then
                tracing::warn!(user = %occasion.user, %error, "storing a notice failed");
                None
            }
        }
    }

    /// Takes notices that are overdue: their processes have ended, or are very slow.
    pub(super) async fn take_overdue(&self) -> Vec<WaitingNotice> {
        let now = self.time.now_ms();
        let until = now.saturating_add(milliseconds(NOTICE_TAKEN_FOR));
        let taken = match self.store.take_notices(now, until).await {
            Ok(taken) => taken,
            Err(error) => {
                tracing::debug!(%error, "taking overdue notices failed");
                return Vec::new();
            }
        };
        let mut waiting = Vec::with_capacity(taken.len());
        for notice in taken {
            let stored = Arc::new(Notice::of(&notice));
            match serde_json::from_str::<Occasion>(&notice.occasion) {
                Ok(occasion) if now.saturating_sub(occasion.at) <= milliseconds(NOTICE_KEPT) => {
                    waiting.push(WaitingNotice { occasion, stored: Some(stored) });
                }
                Ok(_) => self.settle(&stored).await,
                Err(error) => {
                    // operator: a newer server has stored it, or the database is damaged; it is
                    // deleted
                    tracing::warn!(%error, "a stored notice is unreadable");
                    self.settle(&stored).await;
                }
            }
        }
        waiting
    }

    /// Returns whether this process may send a notice now. Then no other process does.
    pub(super) async fn claim(&self, notice: &Notice) -> bool {
        let mut overdue_at = notice.overdue_at.lock().await;
        let Some(before) = *overdue_at else { return true };
        let until = self.time.now_ms().saturating_add(milliseconds(NOTICE_TAKEN_FOR));
        match self.store.claim_notice(notice.id, before, until).await {
            Ok(true) => {
                *overdue_at = Some(until);
                true
            }
            // Another process has taken it.
            Ok(false) => false,
            Err(error) => {
                tracing::debug!(%error, "a notice waits until a process can take it");
                false
            }
        }
    }

    /// Another server has accepted a notice, or its user is not to be notified any more.
    pub(super) async fn settle(&self, notice: &Notice) {
        if notice.overdue_at.lock().await.take().is_none() {
            return;
        }
        if let Err(error) = self.store.delete_notice(notice.id).await {
            // operator: the store failed after a notification was delivered
            tracing::warn!(%error, "deleting a notice failed: its user may be notified twice");
        }
    }

    /// All attempts by a channel have failed. Without a channel the notice goes.
    pub(super) async fn failed(&self, notice: &Notice) {
        if notice.channels.fetch_sub(1, Ordering::AcqRel) <= 1 {
            self.settle(notice).await;
        }
    }
}

impl Notice {
    fn of(stored: &StoredNotice) -> Self {
        let StoredNotice { id, overdue_at, occasion: _ } = *stored;
        Self { id, overdue_at: Mutex::new(Some(overdue_at)), channels: AtomicUsize::new(0) }
    }

    /// Notes by how many channels it is sent.
    pub(super) fn set_channels(&self, count: usize) {
        self.channels.store(count, Ordering::Release);
    }
}
