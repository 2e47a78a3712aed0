//! What other nodes announce about open games and new ones. Each announcement
//! names what to read from the store; the clients of this node receive what they would have
//! received if it had happened here.

use adamant_protocol::{
    ToClient,
    to_client::{ChallengeClosed, Challenged, ClosedReason, InviteEntry},
};
use tokio::time::sleep;

use super::{
    lobby::{Lobby, StartedGame},
    offers::invite_state,
    open_games::PutOutcome,
};
use crate::{
    cluster::{ClusterEvent, Heard, NodeId},
    limits::STORE_RETRY,
    store::{Offer, OfferId, OpenGame, StoreError, has_name},
};

impl Lobby {
    /// Takes in what this node hears of others.
    pub(crate) async fn on_heard(&self, heard: Heard) {
        let taken_in = match heard {
            Heard::Event(node, event) => self.on_event(node, event).await,
            Heard::NodeGone(gone) => self.on_node_gone(gone.node).await,
            // Rooms alone take it in.
            Heard::Appended(_) => Ok(()),
            Heard::Gap => {
                self.on_gap();
                Ok(())
            }
        };
        if let Err(error) = taken_in {
            // operator: the store failed; the server reads everything again
            tracing::warn!(%error, "reading what another node has changed failed");
            self.shared.reload_wanted.notify_one();
        }
    }

    /// Events may be lost. Those of this node may be lost as well.
    fn on_gap(&self) {
        self.shared.reload_wanted.notify_one();
        self.cluster.publish(|| ClusterEvent::OnlineWanted);
        self.announce_all_users();
    }

    /// A node has gone: its sessions have ended, and it may not have announced its last writes.
    async fn on_node_gone(&self, node: NodeId) -> Result<(), StoreError> {
        self.forget_node(node);
        self.shared.reload_wanted.notify_one();
        for id in self.store.end_offers_of_node(Some(node)).await? {
            self.reload_offer(&id).await?;
        }
        Ok(())
    }

    /// Takes in an event of another node. Other parts of the server take in those that are ignored.
    async fn on_event(&self, node: NodeId, event: ClusterEvent) -> Result<(), StoreError> {
        match event {
            ClusterEvent::Began { game, players, challenge, rematch_of } => {
                if let Some(challenge) = &challenge {
                    self.forget(&OfferId::Challenge(challenge.clone()));
                }
                self.seat_here(StartedGame { game, players, challenge, rematch_of }).await;
            }
            ClusterEvent::OfferChanged(id) => self.reload_offer(&id).await?,
            ClusterEvent::ChallengeClosed { closed, users } => {
                self.forget(&OfferId::Challenge(closed.challenge.clone()));
                self.send_to_users(&users, &ToClient::ChallengeClosed(closed));
            }
            ClusterEvent::InviteClosed { entry, users } => {
                self.forget(&OfferId::Invite(entry.invite.clone()));
                self.send_to_users(&users, &invite_state(*entry));
            }
            ClusterEvent::SessionsEnded { user, ended } => {
                self.end_invalid_sessions(&user, &ended).await?;
            }
            ClusterEvent::SessionOpened { user, token, at } => {
                self.on_session_opened(node, &user, &token, at);
            }
            ClusterEvent::Online { user, is_online } => self.on_online(node, &user, is_online),
            ClusterEvent::OnlineUsers { users, is_first } => {
                self.on_online_users(node, &users, is_first);
            }
            ClusterEvent::BotListed { user, entry } => {
                self.shared.bots.set_elsewhere(node, &user, entry.map(|entry| *entry));
            }
            ClusterEvent::OnlineWanted => self.announce_all_users(),
            ClusterEvent::Said { .. }
            | ClusterEvent::Unsaid { .. }
            | ClusterEvent::Muted(_)
            | ClusterEvent::SettingsChanged(_)
            | ClusterEvent::KeysChanged
            | ClusterEvent::AtGame { .. }
            | ClusterEvent::Watching { .. } => {}
        }
        Ok(())
    }

    /// Reads the state of an offer that has changed.
    pub(super) async fn reload_offer(&self, id: &OfferId) -> Result<(), StoreError> {
        match self.store.find_offer(id.clone()).await? {
            Some(open) if open.game().is_none() => self.show_remote(&open),
            // The event that closes it tells its users.
            Some(_) | None => drop(self.forget(id)),
        }
        Ok(())
    }

    /// Lists the state of an offer that another node has changed, and tells its users here.
    fn show_remote(&self, open: &OpenGame) {
        let outcome = self.open_games().put(open.clone());
        let older = match &outcome {
            PutOutcome::Known => return,
            PutOutcome::Changed(older) => Some(older),
            PutOutcome::Opened => None,
        };
        self.shared.expiry_changed.notify_one();
        match &open.offer {
            Offer::Seek(_) => self.shared.seeks_changed.notify_one(),
            Offer::Challenge(challenged) if older.is_none() && open.joined.len() <= 1 => {
                self.send_new_challenge(challenged);
            }
            // Its maker knows of a new one.
            Offer::Invite(_) if older.is_none() && open.joined.len() <= 1 => {}
            Offer::Challenge(_) | Offer::Invite(_) => {
                let left = older.iter().flat_map(|older| older.users());
                self.tell_joined(open, left.filter(|user| !has_name(open.users(), user)));
            }
        }
    }

    /// After an error the store may have decided all the same: the lobby reads all that is open.
    /// It also seats the players of games that have begun.
    pub(super) fn doubt(&self, error: &StoreError) {
        match error {
            StoreError::ReadOnly | StoreError::Busy => {}
            StoreError::Failed(_) | StoreError::Stopped => self.shared.reload_wanted.notify_one(),
        }
    }

    pub(super) async fn reload_after_doubt(&self) {
        if let Err(error) = self.reload().await {
            // operator: the store failed; lists may be out of date until the server has read them
            // again
            tracing::warn!(%error, "reading challenges, invites and seeks failed");
            sleep(STORE_RETRY).await;
            self.shared.reload_wanted.notify_one();
        }
    }

    /// Reads everything anew when the replica may be wrong, because events of other nodes are lost,
    /// or the store has failed and may have decided all the same. Tells the clients of this node
    /// what they have missed.
    async fn reload(&self) -> Result<(), StoreError> {
        let moment = self.open_games().moment();
        let stored = self.store.open_offers().await?;
        let missing = self.open_games().missing(moment, &stored);
        for open in &stored {
            self.show_remote(open);
        }
        for id in missing {
            self.tell_missing(&id).await?;
        }
        self.shared.seeks_changed.notify_one();
        self.shared.expiry_changed.notify_one();
        self.seat_all_here().await
    }

    /// Seats the sessions of this node at their users' live games, as far as they are not there.
    async fn seat_all_here(&self) -> Result<(), StoreError> {
        for user in self.shared.online.users() {
            for game in self.store.live_games_of(&user).await? {
                let (players, challenge, rematch_of) = (vec![user.clone()], None, None);
                self.seat_here(StartedGame { game, players, challenge, rematch_of }).await;
            }
        }
        Ok(())
    }

    /// An offer is open no longer. How a challenge was closed is lost, unless it was a rematch; the
    /// store knows the game that an invite has become.
    async fn tell_missing(&self, id: &OfferId) -> Result<(), StoreError> {
        let Some(known) = self.forget(id) else { return Ok(()) };
        let expires = known.expires().unwrap_or(u64::MAX);
        let is_expired = expires <= self.time.now_ms();
        let reason = Some(if is_expired { ClosedReason::Expired } else { ClosedReason::Generic });
        match known.offer {
            Offer::Seek(_) => {}
            Offer::Challenge(Challenged { challenge, seats, rematch_of, .. }) => {
                let game = match &rematch_of {
                    Some(before) => self.store.rematch_of(before.clone()).await?,
                    None => None,
                };
                let reason = reason.filter(|_| game.is_none());
                let (by, message) = (None, None);
                let closed = ChallengeClosed { challenge, game, reason, by, message, rematch_of };
                self.send_to_users(&seats, &ToClient::ChallengeClosed(closed));
            }
            Offer::Invite(known) => {
                let users = known.joined.clone();
                let taken = self.store.find_offer(id.clone()).await?;
                let entry = match taken.map(|taken| taken.offer) {
                    Some(Offer::Invite(taken)) if taken.game.is_some() => taken,
                    Some(_) | None => InviteEntry { reason, ..known },
                };
                self.send_to_users(&users, &invite_state(entry));
            }
        }
        Ok(())
    }
}
