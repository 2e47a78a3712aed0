//! Reads all that is open and every live game, when the replica may be wrong: events of other nodes
//! are lost, or the store has failed and may have decided all the same.

use adamant_protocol::{
    ChallengeId, InviteId, ToClient,
    to_client::{ChallengeClosed, Challenged, ClosedReason, InviteEntry},
};

use super::{
    invite_requests::change,
    lobby::{Lobby, StartedGame},
};
use crate::store::StoreError;

impl Lobby {
    /// After an error the store may have decided all the same: the lobby reads all that is open.
    /// It also seats the players of games that have begun.
    pub(super) fn doubt(&self, error: &StoreError) {
        match error {
            StoreError::ReadOnly | StoreError::Busy => {}
            StoreError::Failed(_) | StoreError::Stopped => self.shared.reload_wanted.notify_one(),
        }
    }

    /// Reads everything anew, and tells the clients of this node what they have missed.
    pub(super) async fn reload(&self) -> Result<(), StoreError> {
        let moment = self.invitations().challenges.moment();
        let challenges = self.store.challenges.challenges().await?;
        let missing = self.invitations().challenges.missing(moment, &challenges);
        for challenge in challenges {
            self.show_remote_challenge(challenge);
        }
        for id in missing {
            self.tell_missing_challenge(&id).await?;
        }

        let moment = self.invitations().invites.moment();
        let invites = self.store.invites.open_invites().await?;
        let missing = self.invitations().invites.missing(moment, &invites);
        for invite in invites {
            self.show_remote_invite(invite);
        }
        for id in missing {
            self.tell_missing_invite(&id).await?;
        }

        let moment = self.invitations().seeks.moment();
        let seeks = self.store.seeks.seeks().await?;
        {
            let open = &mut self.invitations().seeks;
            for id in open.missing(moment, &seeks) {
                open.close(&id);
            }
            for seek in seeks {
                open.put(seek);
            }
        }
        self.shared.seeks_changed.notify_one();
        self.shared.expiry_changed.notify_one();
        self.seat_all_here().await
    }

    /// Seats the sessions of this node at their users' live games, as far as they are not there.
    async fn seat_all_here(&self) -> Result<(), StoreError> {
        for user in self.shared.online.users() {
            for game in self.store.games.live_games_of(&user).await? {
                let (players, challenge, rematch_of) = (vec![user.clone()], None, None);
                self.seat_here(StartedGame { game, players, challenge, rematch_of }).await;
            }
        }
        Ok(())
    }

    /// A challenge is open no longer, and how it was closed is lost, unless it was a rematch.
    async fn tell_missing_challenge(&self, id: &ChallengeId) -> Result<(), StoreError> {
        let Some(stored) = self.invitations().challenges.close(id) else { return Ok(()) };
        let Challenged { seats, rematch_of, expires, .. } = stored.challenged;
        let game = match &rematch_of {
            Some(before) => self.store.challenges.rematch_of(before.clone()).await?,
            None => None,
        };
        let reason = game.is_none().then(|| self.reason_of_missing(expires));
        let (challenge, by, message) = (stored.id, None, None);
        let closed = ChallengeClosed { challenge, game, reason, by, message, rematch_of };
        self.send_to_users(&seats, &ToClient::ChallengeClosed(closed));
        Ok(())
    }

    /// An invite is open no longer. The store knows the game that it has become.
    async fn tell_missing_invite(&self, id: &InviteId) -> Result<(), StoreError> {
        let Some(known) = self.invitations().invites.close(id) else { return Ok(()) };
        let users = known.entry.joined.clone();
        let taken = self.store.invites.find_invite(id.clone()).await?;
        let entry = taken.filter(|taken| taken.entry.game.is_some()).map_or_else(
            || {
                let reason = Some(self.reason_of_missing(known.entry.expires));
                InviteEntry { reason, ..known.entry }
            },
            |taken| taken.entry,
        );
        self.send_to_users(&users, &change(entry));
        Ok(())
    }

    fn reason_of_missing(&self, expires: u64) -> ClosedReason {
        if expires <= self.time.now_ms() { ClosedReason::Expired } else { ClosedReason::Generic }
    }
}
