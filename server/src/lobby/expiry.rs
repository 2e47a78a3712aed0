//! Closes challenges, invites and lasting seeks when their time is up, and reads them anew when
//! this node may be wrong about them.

use std::time::Duration;

use tokio::{select, time::sleep};
use tokio_util::sync::CancellationToken;

use super::lobby::Lobby;
use crate::{
    limits::{EXPIRY_WAIT_MAX, EXPIRY_WAIT_MIN, STORE_RETRY},
    store::SharedWork,
};

impl Lobby {
    /// Closes whatever has expired.
    pub(super) async fn close_expired(&self) {
        self.close_expired_challenges().await;
        self.close_expired_invites().await;
        self.close_expired_seeks().await;
    }

    /// Closes what expires, at its time, and reads all anew when asked to, until the server stops.
    pub(crate) async fn run_expiry(self, stop: CancellationToken) {
        let work = SharedWork::new(&self.store.backend, &self.cluster, "expiry");
        let round = async {
            loop {
                select! {
                    biased;
                    () = self.shared.reload_wanted.notified() => {
                        self.reload_after_doubt().await;
                        continue;
                    }
                    () = self.shared.expiry_changed.notified() => continue,
                    () = sleep(self.until_next_expiry()) => {}
                }
                if !work.is_ours() {
                    continue;
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

    async fn reload_after_doubt(&self) {
        if let Err(error) = self.reload().await {
            tracing::warn!(%error, "reading challenges, invites and seeks failed");
            sleep(STORE_RETRY).await;
            self.shared.reload_wanted.notify_one();
        }
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
