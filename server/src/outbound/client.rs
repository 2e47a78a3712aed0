//! The handle of a client: the part of a session that rooms and the lobby need.

use std::ops::Deref;
use std::sync::Arc;

use adamant_protocol::{RequestId, ToClient, UserName};
use parking_lot::RwLock;
use tokio::sync::Semaphore;

use crate::outbound::frame::Frame;
use crate::outbound::outbox::{CloseOnDrop, Outbox, SessionId};
use crate::{
    address::ClientAddress, error::Denial, limits::ROOM_REQUESTS_PER_SESSION_MAX, quotas::UserQuota,
};

/// Optional messages and fields that a client asks for in its `hello`.
#[derive(Debug, Clone, Copy, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a capability that a client names")]
pub(crate) struct ClientPrefs {
    /// Legal moves in `your_turn`.
    pub legal: bool,
    /// The position in `your_turn`.
    pub position: bool,
    /// The first steps of a move in `your_turn`.
    pub steps: bool,
    /// Whether spectator lists name the user.
    pub named: bool,
}

/// A client's session, as rooms and the lobby see it.
#[expect(clippy::struct_excessive_bools, reason = "each says something else about the client")]
#[derive(Debug)]
pub(crate) struct ClientHandle {
    pub session: SessionId,
    /// The user; `None` for an anonymous spectator.
    pub user: Option<UserName>,
    /// The client's address; `None` inside the process.
    pub from: Option<ClientAddress>,
    /// The user's quotas, shared by all their sessions; `None` if nothing is counted.
    pub quota: Option<UserQuota>,
    pub bot: bool,
    pub house: bool,
    pub guest: bool,
    /// Whether the client is a program that speaks for a person.
    pub is_lent: bool,
    pub prefs: ClientPrefs,
    /// Users whose talk is not sent to this client.
    pub muted: Arc<Muted>,
    pub outbox: Outbox,
    /// The requests that the session may still send to rooms.
    pub room_requests: RoomRequests,
    /// Ends the session once no room or service holds this handle.
    #[expect(dead_code, reason = "only its drop has an effect")]
    pub close_on_drop: Option<CloseOnDrop>,
}

/// The requests of one session that rooms have not answered are bounded, so that one client cannot
/// fill the inbox of a loop.
#[derive(Debug)]
pub(crate) struct RoomRequests(Semaphore);

impl Default for RoomRequests {
    fn default() -> Self {
        Self(Semaphore::const_new(ROOM_REQUESTS_PER_SESSION_MAX))
    }
}

/// The client that has sent a command to a room. It counts as a request under way until it is
/// dropped, unless the server sends the command.
#[derive(Debug)]
pub(crate) struct Caller {
    client: Arc<ClientHandle>,
    is_counted: bool,
}

impl Caller {
    /// Returns the client of a command that the server sends.
    pub(crate) const fn uncounted(client: Arc<ClientHandle>) -> Self {
        Self { client, is_counted: false }
    }

    pub(crate) const fn handle(&self) -> &Arc<ClientHandle> {
        &self.client
    }
}

impl Deref for Caller {
    type Target = ClientHandle;

    fn deref(&self) -> &ClientHandle {
        &self.client
    }
}

impl Drop for Caller {
    fn drop(&mut self) {
        if self.is_counted {
            self.client.room_requests.0.add_permits(1);
        }
    }
}

/// The users that a user has muted. The lock is held briefly.
#[derive(Debug, Default)]
pub(crate) struct Muted(RwLock<Vec<UserName>>);

impl Muted {
    pub(crate) fn set(&self, users: Vec<UserName>) {
        *self.0.write() = users;
    }

    pub(crate) fn has(&self, user: &UserName) -> bool {
        let muted = self.0.read();
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
            is_lent: false,
            prefs: ClientPrefs::default(),
            muted: Arc::default(),
            room_requests: RoomRequests::default(),
            close_on_drop: Some(outbox.close_on_drop()),
            outbox,
        }
    }

    /// Counts one more request to a room, if the session may send one now.
    pub(crate) fn try_call(self: &Arc<Self>) -> Option<Caller> {
        self.room_requests.0.try_acquire().ok()?.forget();
        Some(Caller { client: Arc::clone(self), is_counted: true })
    }

    /// Counts one more request to a room, once the session may send one. The session reads no
    /// further requests while it waits.
    pub(crate) async fn call(self: &Arc<Self>) -> Caller {
        // The semaphore is never closed.
        let is_counted = match self.room_requests.0.acquire().await {
            Ok(permit) => {
                permit.forget();
                true
            }
            Err(_) => false,
        };
        Caller { client: Arc::clone(self), is_counted }
    }

    pub(crate) fn refuse(&self, re: &RequestId, denial: Denial) {
        // If the session has ended, no response is needed.
        self.outbox.send(&ToClient::Error(denial.into_failed(Some(re.clone()))));
    }

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
