//! Who is connected: the open sessions of each user on this node, and the other nodes of each user.

use std::{collections::BTreeSet, sync::Arc};

use adamant_protocol::{CloseCode, UserName};
use dashmap::DashMap;

use crate::{
    accounts::TokenDigest,
    cluster::NodeId,
    limits::SESSIONS_PER_USER_MAX,
    outbound::{SessionId, client::ClientHandle},
};

#[derive(Debug, Default)]
pub(super) struct Online {
    users: DashMap<UserName, Vec<Session>>,
    elsewhere: DashMap<UserName, BTreeSet<NodeId>>,
}

#[derive(Debug)]
pub(super) struct Session {
    pub(super) client: Arc<ClientHandle>,
    /// The token that it came with.
    pub(super) token: TokenDigest,
    /// When it was opened, in epoch milliseconds.
    pub(super) opened_at: u64,
}

impl Online {
    /// Adds a session. An older one of the same bot token is sent away: two sessions of one bot
    /// would play against each other's knowledge. So is the oldest of a user who has too many.
    pub(super) fn enter(
        &self,
        client: &Arc<ClientHandle>,
        user: &UserName,
        token: TokenDigest,
        opened_at: u64,
    ) {
        // Most have one.
        let mut sessions = self.users.entry(user.folded()).or_insert_with(|| Vec::with_capacity(1));
        let is_replaced = |older: &mut Session| client.bot && older.token == token;
        for replaced in sessions.extract_if(.., is_replaced) {
            replaced.client.outbox.end(CloseCode::Replaced);
        }
        while sessions.len() >= SESSIONS_PER_USER_MAX {
            sessions.remove(0).client.outbox.end(CloseCode::Replaced);
        }
        sessions.push(Session { client: Arc::clone(client), token, opened_at });
    }

    pub(super) fn leave(&self, user: &UserName, session: SessionId) {
        let user = user.folded();
        if let Some(mut sessions) = self.users.get_mut(&user) {
            sessions.retain(|open| open.client.session != session);
        }
        self.users.remove_if(&user, |_, sessions| sessions.is_empty());
    }

    /// Ends those sessions of a user of which this is true.
    pub(super) fn end(&self, user: &UserName, code: CloseCode, ends: impl Fn(&Session) -> bool) {
        self.each(user, |open| ends(open).then(|| open.client.outbox.end(code)));
    }

    /// What is wanted of each session of a user.
    pub(super) fn each<T>(&self, user: &UserName, get: impl Fn(&Session) -> Option<T>) -> Vec<T> {
        let sessions = self.users.get(&user.folded());
        sessions.map(|all| all.iter().filter_map(get).collect()).unwrap_or_default()
    }

    /// What is wanted of each session of all users, in the order of its values.
    pub(super) fn all<T: Ord>(
        &self,
        get: impl Fn(&UserName, &Session) -> Option<T>,
    ) -> BTreeSet<T> {
        let mut all = BTreeSet::new();
        for sessions in &self.users {
            all.extend(sessions.iter().filter_map(|open| get(sessions.key(), open)));
        }
        all
    }

    /// The users who have sessions here, in the order of their names.
    pub(super) fn users(&self) -> BTreeSet<UserName> {
        self.users.iter().map(|entry| entry.key().clone()).collect()
    }

    pub(super) fn of(&self, user: &UserName) -> Vec<Arc<ClientHandle>> {
        self.each(user, |open| Some(Arc::clone(&open.client)))
    }

    pub(super) fn has_session(&self, client: &ClientHandle) -> bool {
        let is_open = |user| self.of(user).iter().any(|open| open.session == client.session);
        client.user.as_ref().is_some_and(is_open)
    }

    /// Notes whether a user is connected to another node.
    pub(super) fn set_elsewhere(&self, node: NodeId, user: &UserName, is_online: bool) {
        let user = user.folded();
        if is_online {
            self.elsewhere.entry(user).or_default().insert(node);
            return;
        }
        if let Some(mut nodes) = self.elsewhere.get_mut(&user) {
            nodes.remove(&node);
        }
        self.elsewhere.remove_if(&user, |_, nodes| nodes.is_empty());
    }

    /// Forgets what a node has announced.
    pub(super) fn forget_node(&self, node: NodeId) {
        self.elsewhere.retain(|_, nodes| {
            nodes.remove(&node);
            !nodes.is_empty()
        });
    }

    /// Returns the other nodes to which a user is connected.
    pub(super) fn nodes_of(&self, user: &UserName) -> Vec<NodeId> {
        let nodes = self.elsewhere.get(&user.folded());
        nodes.map(|nodes| nodes.iter().copied().collect()).unwrap_or_default()
    }

    pub(super) fn is_here(&self, user: &UserName) -> bool {
        self.users.contains_key(&user.folded())
    }

    pub(super) fn has(&self, user: &UserName) -> bool {
        self.is_here(user) || self.elsewhere.contains_key(&user.folded())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_user_is_online_while_a_node_has_a_session() {
        let [one, two]: [NodeId; 2] = ["one", "two"].map(|node| node.parse().unwrap());
        let [ann, bob]: [UserName; 2] = ["Ann", "bob"].map(|user| user.parse().unwrap());
        let online = Online::default();
        online.set_elsewhere(one, &ann, true);
        online.set_elsewhere(two, &"ann".parse().unwrap(), true);
        online.set_elsewhere(two, &bob, true);
        online.set_elsewhere(one, &ann, false);
        assert!(online.has(&ann) && online.has(&bob));
        online.forget_node(two);
        assert!(!online.has(&ann) && !online.has(&bob) && online.elsewhere.is_empty());
    }
}
