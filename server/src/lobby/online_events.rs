//! What nodes announce about sessions: who is connected, which session of a bot is the newest, and
//! which sessions end.

use std::sync::PoisonError;

use adamant_protocol::{UserName, ids::TokenId};

use super::lobby::Lobby;
use crate::{
    accounts::TokenDigest,
    cluster::{ClusterEvent, EndedSessions, NodeId},
    limits::ONLINE_USERS_PER_EVENT,
    outbound::client::ClientHandle,
};

impl Lobby {
    /// Ends the sessions of a user whose tokens are valid no longer, on all nodes.
    pub(crate) fn end_sessions(&self, user: &UserName, ended: EndedSessions) {
        self.shared.online.end(user, &ended);
        self.cluster.publish(|| ClusterEvent::SessionsEnded { user: user.clone(), ended });
    }

    /// Announces whether a user is connected to this node, and the newest session of a bot.
    pub(super) fn announce_session(&self, client: &ClientHandle, token: TokenDigest, at: u64) {
        let Some(user) = &client.user else { return };
        if client.bot {
            self.cluster.publish(|| ClusterEvent::SessionOpened {
                user: user.clone(),
                token: token.id(),
                at,
            });
        }
        self.announce_user(user);
    }

    /// Announces whether a user is connected to this node.
    pub(super) fn announce_user(&self, user: &UserName) {
        if self.cluster.is_alone() {
            return;
        }
        // Under the lock, so that the last announcement has the last state.
        let _announcing = self.shared.announcing.lock().unwrap_or_else(PoisonError::into_inner);
        let is_online = self.shared.online.has(user);
        self.cluster.publish(|| ClusterEvent::Online { user: user.clone(), is_online });
    }

    /// Announces all who are connected to this node.
    pub(super) fn announce_all_users(&self) {
        let _announcing = self.shared.announcing.lock().unwrap_or_else(PoisonError::into_inner);
        let users: Vec<UserName> = self.shared.online.users().into_iter().collect();
        self.cluster.publish(|| ClusterEvent::OnlineUsers { users: Vec::new(), is_first: true });
        for some in users.chunks(ONLINE_USERS_PER_EVENT) {
            let (users, is_first) = (some.to_vec(), false);
            self.cluster.publish(|| ClusterEvent::OnlineUsers { users, is_first });
        }
        for (user, token, at) in self.shared.online.bots() {
            let token = token.id();
            self.cluster.publish(|| ClusterEvent::SessionOpened { user, token, at });
        }
        self.announce_all_bots();
    }

    /// Another node announces whether a user is connected to it.
    pub(super) fn on_online(&self, node: NodeId, user: &UserName, is_online: bool) {
        if is_online {
            self.shared.lines_reported.forget(user);
        }
        self.shared.online_elsewhere.set(node, user, is_online);
    }

    /// Another node announces users who are connected to it. The first announcement replaces what
    /// was known of the node.
    pub(super) fn on_online_users(&self, node: NodeId, users: &[UserName], is_first: bool) {
        if is_first {
            self.forget_node(node);
        }
        for user in users {
            self.on_online(node, user, true);
        }
    }

    /// A bot has opened a session on another node: older ones of the same token end. Of two opened
    /// in the same millisecond, all nodes keep that of the same node.
    pub(super) fn on_session_opened(
        &self,
        node: NodeId,
        user: &UserName,
        token: &TokenId,
        at: u64,
    ) {
        if let Some(here) = self.cluster.node() {
            self.shared.online.end_older(user, token, |opened_at| (opened_at, here) < (at, node));
        }
    }

    /// A node has gone, and its sessions with it.
    pub(super) fn forget_node(&self, node: NodeId) {
        self.shared.online_elsewhere.forget(node);
        self.shared.bots.forget_node(node);
    }
}
