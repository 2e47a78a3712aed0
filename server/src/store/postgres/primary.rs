//! Which server is the primary, as far as this node knows.

use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::time::Instant;

use crate::limits::POSTGRES_TRUST;

/// A server as a connection found it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ServerIdentity {
    /// Its place among the hosts of the URL.
    pub(super) host: usize,
    /// Its timeline. Each promotion begins a higher one.
    pub(super) timeline: u32,
}

/// The last commit on which this node relies.
#[derive(Debug, Clone, Copy)]
struct Proof {
    server: ServerIdentity,
    /// When the commit was sent.
    sent_at: Instant,
}

/// The primary. A standby's confirmation of a commit proves which one it is, for a moment.
#[derive(Debug, Default)]
pub(super) struct Primary {
    proof: Mutex<Option<Proof>>,
}

impl Primary {
    /// Notes a commit that a standby has confirmed.
    pub(super) fn has_committed(&self, server: ServerIdentity, sent_at: Instant) {
        let mut proof = self.proof();
        let is_newer = proof.is_none_or(|proof| {
            (proof.server.timeline, proof.sent_at) <= (server.timeline, sent_at)
        });
        if is_newer {
            *proof = Some(Proof { server, sent_at });
        }
    }

    /// Returns the primary if a recent commit proves that it is one.
    pub(super) fn proven(&self) -> Option<ServerIdentity> {
        let proof = (*self.proof())?;
        (proof.sent_at.elapsed() < POSTGRES_TRUST).then_some(proof.server)
    }

    /// Whether what this server returned just now is no stale fact.
    pub(super) fn vouches_for(&self, server: ServerIdentity) -> bool {
        self.proven() == Some(server)
    }

    /// Whether another server has been promoted since this one was the primary.
    pub(super) fn has_replaced(&self, server: ServerIdentity) -> bool {
        self.proof().is_some_and(|proof| proof.server.timeline > server.timeline)
    }

    /// Whether a commit that was sent after this moment has been confirmed.
    pub(super) fn has_confirmed_since(&self, moment: Instant) -> bool {
        self.proof().is_some_and(|proof| proof.sent_at > moment)
    }

    /// Whether a standby has everything that this server had shown by this moment: it has confirmed
    /// a later commit of it.
    pub(super) fn has_confirmed_all_of(&self, server: ServerIdentity, moment: Instant) -> bool {
        self.proof().is_some_and(|proof| proof.server == server && proof.sent_at > moment)
    }

    /// The time since the last confirmed commit was sent; `None` before the first.
    pub(super) fn silent_for(&self) -> Option<std::time::Duration> {
        self.proof().map(|proof| proof.sent_at.elapsed())
    }

    fn proof(&self) -> MutexGuard<'_, Option<Proof>> {
        self.proof.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_commit_proves_the_primary_for_a_moment() {
        let primary = Primary::default();
        let (old, new) =
            (ServerIdentity { host: 0, timeline: 1 }, ServerIdentity { host: 1, timeline: 2 });
        assert_eq!(primary.proven(), None);
        primary.has_committed(old, Instant::now());
        assert!(primary.vouches_for(old));
        tokio::time::advance(POSTGRES_TRUST.saturating_sub(Duration::from_millis(1))).await;
        assert!(primary.vouches_for(old));
        tokio::time::advance(Duration::from_millis(1)).await;
        assert!(!primary.vouches_for(old), "the proof is too old");

        primary.has_committed(new, Instant::now());
        primary.has_committed(old, Instant::now());
        assert!(primary.vouches_for(new), "a lower timeline never counts again");
        assert!(primary.has_replaced(old) && !primary.has_replaced(new));
    }

    #[tokio::test(start_paused = true)]
    async fn a_later_commit_of_the_same_server_confirms_what_was_read() {
        let primary = Primary::default();
        let (old, new) =
            (ServerIdentity { host: 0, timeline: 1 }, ServerIdentity { host: 1, timeline: 2 });
        let before = Instant::now();
        tokio::time::advance(Duration::from_millis(1)).await;
        let read_at = Instant::now();
        primary.has_committed(old, before);
        assert!(!primary.has_confirmed_all_of(old, read_at), "the commit was sent before");
        tokio::time::advance(Duration::from_millis(1)).await;
        primary.has_committed(old, Instant::now());
        assert!(primary.has_confirmed_all_of(old, read_at));
        primary.has_committed(new, Instant::now());
        assert!(!primary.has_confirmed_all_of(old, read_at), "the new primary may lack it");
    }
}
