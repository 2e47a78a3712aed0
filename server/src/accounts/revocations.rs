//! Counts revocations of tokens. A session that has checked its token a moment ago checks it again
//! only if a token was revoked since.

use std::sync::atomic::{AtomicU64, Ordering};

/// Counts the times that tokens may have ended before their date.
#[derive(Debug, Default)]
pub(super) struct Revocations(AtomicU64);

/// The number of revocations at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RevocationEpoch(u64);

impl Revocations {
    /// The current epoch. Taken before a token is looked up, it shows later whether a token was
    /// revoked since.
    pub(super) fn epoch(&self) -> RevocationEpoch {
        RevocationEpoch(self.0.load(Ordering::SeqCst))
    }

    /// Begins a new epoch, because tokens have ended or may have. It comes before the end of the
    /// sessions that these tokens opened: a session that starts in between is either among them or
    /// sees the new epoch.
    pub(super) fn advance(&self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}
