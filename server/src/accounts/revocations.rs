//! How many tokens have been ended, so that whoever has looked one up a moment ago need not look
//! again as long as none has.

use std::sync::atomic::{AtomicU64, Ordering};

/// Counts the times that tokens may have ended otherwise than by their date.
#[derive(Debug, Default)]
pub(super) struct Endings(AtomicU64);

/// A moment among them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Ended(u64);

impl Endings {
    /// This moment. Taken before a token is looked up, it tells later whether any has ended since.
    pub(super) fn now(&self) -> Ended {
        Ended(self.0.load(Ordering::SeqCst))
    }

    /// Some tokens have ended, or may have. Noted before the sessions that they have opened are
    /// ended: a session that begins meanwhile is found among these, or finds this.
    pub(super) fn note(&self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}
