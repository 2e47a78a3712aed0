//! Closes challenges, invites and lasting seeks when their time is up.

use std::time::Duration;

use tokio::{select, time::sleep};
use tokio_util::sync::CancellationToken;

use super::lobby::Lobby;
use crate::limits::{EXPIRY_WAIT_MAX, EXPIRY_WAIT_MIN};

impl Lobby {
    /// Closes whatever has expired.
    pub(super) async fn close_expired(&self) {
        self.close_expired_challenges().await;
        self.close_expired_invites().await;
        self.close_expired_seeks().await;
    }

    /// Closes what expires, at its time, until the server stops.
    pub(crate) async fn run_expiry(self, stop: CancellationToken) {
        let round = async {
            loop {
                select! {
                    biased;
                    () = self.shared.expiry_changed.notified() => continue,
                    () = sleep(self.until_next_expiry()) => {}
                }
                self.close_expired().await;
                if let Err(error) = self.store.invites.forget_invites(self.time.now_ms()).await {
                    tracing::warn!(%error, "deleting expired invites failed");
                }
            }
        };
        // The loop has no end of its own.
        let _stopped: Option<()> = stop.run_until_cancelled(round).await;
    }

    fn until_next_expiry(&self) -> Duration {
        let invitations = self.invitations();
        let next = [
            invitations.challenges.next_expiry(),
            invitations.invites.next_expiry(),
            invitations.seeks.next_expiry(),
        ];
        let next = next.into_iter().flatten().min();
        let wait = next.map(|next| next.saturating_sub(self.time.now_ms()));
        let wait = wait.map_or(EXPIRY_WAIT_MAX, Duration::from_millis);
        wait.clamp(EXPIRY_WAIT_MIN, EXPIRY_WAIT_MAX)
    }
}
