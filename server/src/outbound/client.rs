//! Who sends a command: the part of a session that rooms and the lobby need to know.

use std::sync::{Arc, PoisonError, RwLock};

use adamant_protocol::{RequestId, ToClient, UserName};

use crate::{
    address::ClientAddress,
    error::Denial,
    outbound::{
        outbox::{CloseOnDrop, Outbox},
        session_id::SessionId,
    },
    quotas::UserQuota,
};

/// What a session would like beyond the minimum.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ClientPrefs {
    /// Its legal moves with `your_turn`.
    pub legal: bool,
    /// The board with `your_turn`.
    pub position: bool,
    /// To be named where it watches.
    pub named: bool,
}

/// A session as others see it.
#[derive(Debug)]
pub(crate) struct ClientHandle {
    /// Which session.
    pub session: SessionId,
    /// Whose; `None` for somebody who only looks.
    pub user: Option<UserName>,
    /// Where the client is; `None` inside the process.
    pub from: Option<ClientAddress>,
    /// What the user may ask for over all sessions; `None` where nothing is counted.
    pub quota: Option<UserQuota>,
    /// Whether a program speaks.
    pub bot: bool,
    /// Whether it is one of the server's own players.
    pub house: bool,
    /// Whether the user has no account.
    pub guest: bool,
    /// What it would like beyond the minimum.
    pub prefs: ClientPrefs,
    /// Whom its user does not want to hear.
    pub muted: Arc<Muted>,
    /// Where it is told things.
    pub outbox: Outbox,
    /// Tells whoever waits for an answer that nobody holds the caller any more.
    #[expect(dead_code, reason = "it is there to be dropped")]
    pub close_on_drop: Option<CloseOnDrop>,
}

/// Whom a user does not want to hear. The lock is held for moments.
#[derive(Debug, Default)]
pub(crate) struct Muted(RwLock<Vec<UserName>>);

impl Muted {
    /// Replaces all of them.
    pub(crate) fn set(&self, users: Vec<UserName>) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = users;
    }

    /// Whether this user is among them.
    pub(crate) fn has(&self, user: &UserName) -> bool {
        let muted = self.0.read().unwrap_or_else(PoisonError::into_inner);
        muted.iter().any(|other| other.is_same(user.as_str()))
    }
}

impl ClientHandle {
    /// Somebody who only looks, from somewhere.
    pub(crate) fn anonymous(
        session: SessionId,
        outbox: Outbox,
        from: Option<ClientAddress>,
    ) -> Self {
        Self {
            session,
            user: None,
            from,
            quota: None,
            bot: false,
            house: false,
            guest: false,
            prefs: ClientPrefs::default(),
            muted: Arc::default(),
            close_on_drop: Some(outbox.close_on_drop()),
            outbox,
        }
    }

    /// Refuses a request.
    pub(crate) fn refuse(&self, re: &RequestId, denial: Denial) {
        // Whether a refused client is still there changes nothing.
        let _offer = self.outbox.send(&ToClient::Error(denial.into_failed(Some(re.clone()))));
    }

    /// Answers a request.
    pub(crate) fn reply(&self, reply: impl Into<ToClient>) {
        // An overflow has ended the session; it comes back and asks again.
        let _offer = self.outbox.send(&reply.into());
    }
}
