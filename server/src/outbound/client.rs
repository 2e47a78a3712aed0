//! The handle of a client: the part of a session that rooms and the lobby need.

use std::sync::{Arc, PoisonError, RwLock};

use adamant_protocol::{RequestId, ToClient, UserName};

use crate::{
    address::ClientAddress,
    error::Denial,
    outbound::{
        frame::Frame,
        outbox::{CloseOnDrop, Outbox},
        session_id::SessionId,
    },
    quotas::UserQuota,
};

/// Optional messages and fields that a client asks for in its `hello`.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ClientPrefs {
    /// Legal moves in `your_turn`.
    pub legal: bool,
    /// The position in `your_turn`.
    pub position: bool,
    /// Whether spectator lists name the user.
    pub named: bool,
}

/// A client's session, as rooms and the lobby see it.
#[derive(Debug)]
pub(crate) struct ClientHandle {
    pub session: SessionId,
    /// The user; `None` for an anonymous spectator.
    pub user: Option<UserName>,
    /// The client's address; `None` inside the process.
    pub from: Option<ClientAddress>,
    /// The user's quotas, shared by all their sessions; `None` if nothing is counted.
    pub quota: Option<UserQuota>,
    /// Whether the client is a program.
    pub bot: bool,
    /// Whether the client is a server bot.
    pub house: bool,
    /// Whether the user is a guest.
    pub guest: bool,
    pub prefs: ClientPrefs,
    /// Users whose talk is not sent to this client.
    pub muted: Arc<Muted>,
    pub outbox: Outbox,
    /// Ends the session once no room or service holds this handle.
    #[expect(dead_code, reason = "only its drop has an effect")]
    pub close_on_drop: Option<CloseOnDrop>,
}

/// The users that a user has muted. The lock is held briefly.
#[derive(Debug, Default)]
pub(crate) struct Muted(RwLock<Vec<UserName>>);

impl Muted {
    /// Replaces the list.
    pub(crate) fn set(&self, users: Vec<UserName>) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = users;
    }

    /// Whether this user is muted.
    pub(crate) fn has(&self, user: &UserName) -> bool {
        let muted = self.0.read().unwrap_or_else(PoisonError::into_inner);
        muted.iter().any(|other| other.is_same(user.as_str()))
    }
}

impl ClientHandle {
    /// Returns the handle of a client without a user.
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

    /// Sends an error response.
    pub(crate) fn refuse(&self, re: &RequestId, denial: Denial) {
        // If the session has ended, no response is needed.
        self.outbox.send(&ToClient::Error(denial.into_failed(Some(re.clone()))));
    }

    /// Sends a response.
    pub(crate) fn reply(&self, reply: impl Into<ToClient>) {
        // An overflow ends the session. The client reconnects and sends the request again.
        self.outbox.send(&reply.into());
    }

    /// Sends a response that is framed already.
    pub(crate) fn reply_frame(&self, reply: &Frame) {
        // An overflow ends the session, as above.
        self.outbox.send_or_evict(reply);
    }
}
