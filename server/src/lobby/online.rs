//! The open sessions of each user.

use std::{collections::BTreeSet, sync::Arc};

use adamant_protocol::{CloseCode, UserName, ids::TokenId};
use dashmap::DashMap;

use crate::{
    accounts::TokenDigest,
    address::ClientAddress,
    cluster::EndedSessions,
    limits::SESSIONS_PER_USER_MAX,
    outbound::{SessionId, client::ClientHandle},
};

/// The open sessions, by user.
#[derive(Debug, Default)]
pub(super) struct Online {
    users: DashMap<UserName, Vec<Entry>>,
}

#[derive(Debug)]
struct Entry {
    client: Arc<ClientHandle>,
    /// The token that it came with.
    token: TokenDigest,
    /// When it was opened, in epoch milliseconds.
    opened_at: u64,
}

impl Online {
    /// Adds a session. An older one of the same bot token is sent away: two sessions of one bot
    /// would play against each other's knowledge. So is the oldest of a user who has too many.
    pub(super) fn enter(&self, client: &Arc<ClientHandle>, token: TokenDigest, opened_at: u64) {
        let Some(user) = &client.user else { return };
        // Most have one.
        let mut sessions = self.users.entry(user.folded()).or_insert_with(|| Vec::with_capacity(1));
        if client.bot {
            sessions.retain(|older| {
                let replaced = older.token == token;
                if replaced {
                    older.client.outbox.end(CloseCode::Replaced);
                }
                !replaced
            });
        }
        while sessions.len() >= SESSIONS_PER_USER_MAX {
            sessions.remove(0).client.outbox.end(CloseCode::Replaced);
        }
        sessions.push(Entry { client: Arc::clone(client), token, opened_at });
    }

    /// Ends the sessions of a user whose tokens are valid no longer.
    pub(super) fn end(&self, user: &UserName, ended: &EndedSessions) {
        let Some(sessions) = self.users.get(&user.folded()) else { return };
        for Entry { client, token, .. } in sessions.iter() {
            if ended.includes(client.bot, &token.id()) {
                client.outbox.end(CloseCode::TokenEnded);
            }
        }
    }

    /// The tokens of a user's sessions that may have ended.
    pub(super) fn tokens_of(&self, user: &UserName, ended: &EndedSessions) -> Vec<TokenDigest> {
        let Some(sessions) = self.users.get(&user.folded()) else { return Vec::new() };
        let may_end = |entry: &&Entry| ended.includes(entry.client.bot, &entry.token.id());
        let tokens: BTreeSet<_> =
            sessions.iter().filter(may_end).map(|entry| entry.token).collect();
        tokens.into_iter().collect()
    }

    /// Sends the sessions of a bot's token away that are older than another one of it.
    pub(super) fn end_older(
        &self,
        user: &UserName,
        token: &TokenId,
        is_older: impl Fn(u64) -> bool,
    ) {
        let Some(sessions) = self.users.get(&user.folded()) else { return };
        let same = sessions.iter().filter(|entry| entry.client.bot && entry.token.id() == *token);
        for entry in same.filter(|entry| is_older(entry.opened_at)) {
            entry.client.outbox.end(CloseCode::Replaced);
        }
    }

    /// The sessions of bots: their users and tokens, and when they were opened.
    pub(super) fn bots(&self) -> Vec<(UserName, TokenDigest, u64)> {
        let mut bots = Vec::new();
        for sessions in &self.users {
            let of_user = sessions.iter().filter(|entry| entry.client.bot);
            bots.extend(
                of_user.map(|entry| (sessions.key().clone(), entry.token, entry.opened_at)),
            );
        }
        bots
    }

    /// Takes a session away.
    pub(super) fn leave(&self, user: &UserName, session: SessionId) {
        let user = user.folded();
        if let Some(mut sessions) = self.users.get_mut(&user) {
            sessions.retain(|entry| entry.client.session != session);
        }
        self.users.remove_if(&user, |_, sessions| sessions.is_empty());
    }

    /// The users of these tokens, each with those that have opened sessions.
    pub(super) fn users_of(&self, tokens: &BTreeSet<TokenDigest>) -> Vec<(UserName, TokenDigest)> {
        let mut found = BTreeSet::new();
        for sessions in &self.users {
            let ended = sessions.iter().filter(|entry| tokens.contains(&entry.token));
            found.extend(ended.map(|entry| (sessions.key().clone(), entry.token)));
        }
        found.into_iter().collect()
    }

    /// The tokens that the open sessions were opened with, in an order of their own.
    pub(super) fn tokens(&self) -> BTreeSet<TokenDigest> {
        let users = self.users.iter();
        users.flat_map(|all| all.iter().map(|entry| entry.token).collect::<Vec<_>>()).collect()
    }

    /// The users who have sessions, in the order of their names.
    pub(super) fn users(&self) -> BTreeSet<UserName> {
        self.users.iter().map(|entry| entry.key().clone()).collect()
    }

    /// The users with sessions from an address.
    pub(super) fn users_at(&self, from: ClientAddress) -> Vec<UserName> {
        let is_there =
            |sessions: &[Entry]| sessions.iter().any(|entry| entry.client.from == Some(from));
        let there = self.users.iter().filter(|entry| is_there(entry.value()));
        there.map(|entry| entry.key().clone()).collect()
    }

    /// Whether a user has any session.
    pub(super) fn has(&self, user: &UserName) -> bool {
        self.users.contains_key(&user.folded())
    }

    /// Whether this session of a user is open.
    pub(super) fn has_session(&self, user: &UserName, session: SessionId) -> bool {
        let sessions = self.users.get(&user.folded());
        sessions.is_some_and(|all| all.iter().any(|entry| entry.client.session == session))
    }

    /// The sessions of a user.
    pub(super) fn of(&self, user: &UserName) -> Vec<Arc<ClientHandle>> {
        self.users
            .get(&user.folded())
            .map(|sessions| sessions.iter().map(|entry| Arc::clone(&entry.client)).collect())
            .unwrap_or_default()
    }
}
