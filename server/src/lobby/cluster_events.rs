//! What other nodes announce about challenges, invites, seeks and new games. Each announcement
//! names what to read from the store; the clients of this node receive what they would have
//! received if it had happened here.

use std::collections::BTreeSet;

use adamant_protocol::{ChallengeId, InviteId, ToClient, UserName, to_client::Challenged};

use super::{
    invite_requests::change,
    lobby::{Lobby, StartedGame},
    replica::PutOutcome,
};
use crate::{
    cluster::{ClusterEvent, Heard, NodeId},
    store::{StoreError, StoredChallenge, StoredInvite},
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
        for seek in self.store.seeks.end_seeks_of_node(node).await? {
            self.reload_seek(&seek).await;
        }
        Ok(())
    }

    /// Takes in an event of another node. Other parts of the server take in those that are ignored.
    async fn on_event(&self, node: NodeId, event: ClusterEvent) -> Result<(), StoreError> {
        match event {
            ClusterEvent::Began { game, players, challenge, rematch_of } => {
                if let Some(challenge) = &challenge {
                    self.invitations().challenges.close(challenge);
                }
                self.seat_here(StartedGame { game, players, challenge, rematch_of }).await;
            }
            ClusterEvent::ChallengeChanged(id) => self.reload_challenge(&id).await?,
            ClusterEvent::ChallengeClosed { closed, users } => {
                self.invitations().challenges.close(&closed.challenge);
                self.send_to_users(&users, &ToClient::ChallengeClosed(closed));
            }
            ClusterEvent::InviteChanged(id) => self.reload_invite(&id).await?,
            ClusterEvent::InviteClosed { entry, users } => {
                self.invitations().invites.close(&entry.invite);
                self.send_to_users(&users, &change(*entry));
            }
            ClusterEvent::SeekChanged(id) => self.reload_seek(&id).await,
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

    async fn reload_challenge(&self, id: &ChallengeId) -> Result<(), StoreError> {
        match self.store.challenges.find_challenge(id.clone()).await? {
            Some(stored) => self.show_remote_challenge(stored),
            // The event that closes it tells its users.
            None => drop(self.invitations().challenges.close(id)),
        }
        Ok(())
    }

    /// Lists the state of a challenge that another node has changed, and tells its users here.
    pub(super) fn show_remote_challenge(&self, stored: StoredChallenge) {
        let challenged = stored.challenged.clone();
        let outcome = self.invitations().challenges.put(stored);
        if outcome == PutOutcome::Known {
            return;
        }
        self.shared.expiry_changed.notify_one();
        let is_new = matches!(outcome, PutOutcome::Opened) && challenged.accepted.len() <= 1;
        if is_new {
            self.send_new_challenge(&challenged);
        } else {
            self.send_acceptance(&challenged);
        }
    }

    /// Tells those who are challenged.
    pub(super) fn send_new_challenge(&self, challenged: &Challenged) {
        let others = challenged.seats.iter().filter(|name| !name.is_same(challenged.by.as_str()));
        self.send_to_users(others, &ToClient::Challenged(challenged.clone()));
    }

    async fn reload_invite(&self, id: &InviteId) -> Result<(), StoreError> {
        match self.store.invites.find_invite(id.clone()).await? {
            Some(stored) if stored.entry.game.is_none() => self.show_remote_invite(stored),
            // The event that closes it tells its users.
            Some(_) | None => drop(self.invitations().invites.close(id)),
        }
        Ok(())
    }

    /// Lists the state of an invite that another node has changed, and tells its users here.
    pub(super) fn show_remote_invite(&self, stored: StoredInvite) {
        let entry = stored.entry.clone();
        let mut users: BTreeSet<UserName> = entry.joined.iter().cloned().collect();
        match self.invitations().invites.put(stored) {
            PutOutcome::Known => return,
            PutOutcome::Changed(older) => users.extend(older.entry.joined),
            PutOutcome::Opened => {}
        }
        self.shared.expiry_changed.notify_one();
        // Its maker knows of a new one.
        if users.len() > 1 {
            self.send_to_users(&users, &change(entry));
        }
    }
}
