//! Who is connected: the sessions of each user.

use std::sync::Arc;

use adamant_protocol::{CloseCode, UserName};
use dashmap::DashMap;

use crate::caller::{Caller, SessionId};

/// The open sessions, by user.
#[derive(Debug, Default)]
pub(super) struct Online {
    users: DashMap<UserName, Vec<Entry>>,
}

#[derive(Debug)]
struct Entry {
    caller: Arc<Caller>,
    /// The digest of the bot token that it came with.
    bot_token: Option<[u8; 32]>,
}

impl Online {
    /// Adds a session. An older one with the same bot token is sent away: two sessions of one bot
    /// would play against each other's knowledge.
    pub(super) fn enter(&self, caller: &Arc<Caller>, bot_token: Option<[u8; 32]>) {
        let Some(user) = &caller.user else { return };
        let mut sessions = self.users.entry(user.folded()).or_default();
        if bot_token.is_some() {
            for older in sessions.iter().filter(|older| older.bot_token == bot_token) {
                older.caller.outbox.end(CloseCode::Replaced);
            }
            sessions.retain(|older| older.bot_token != bot_token);
        }
        sessions.push(Entry { caller: Arc::clone(caller), bot_token });
    }

    /// Takes a session away.
    pub(super) fn leave(&self, user: &UserName, session: SessionId) {
        let user = user.folded();
        if let Some(mut sessions) = self.users.get_mut(&user) {
            sessions.retain(|entry| entry.caller.session != session);
        }
        self.users.remove_if(&user, |_, sessions| sessions.is_empty());
    }

    /// Whether a user has any session.
    pub(super) fn has(&self, user: &UserName) -> bool {
        self.users.contains_key(&user.folded())
    }

    /// The sessions of a user.
    pub(super) fn of(&self, user: &UserName) -> Vec<Arc<Caller>> {
        self.users
            .get(&user.folded())
            .map(|sessions| sessions.iter().map(|entry| Arc::clone(&entry.caller)).collect())
            .unwrap_or_default()
    }
}
