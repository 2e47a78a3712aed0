//! Requests that wait for their replies. Each one is answered, sent again or failed.

use std::{
    fmt,
    sync::atomic::{AtomicU64, Ordering},
};

use adamant_protocol::{from_client::FromClient, ids::RequestId, to_client::ToClient};
use rand::RngExt as _;
use tokio::sync::oneshot;

use crate::error::{DisconnectReason, RequestError};

/// The most pending requests. A server answers within milliseconds, so a busy program has far fewer
/// under way.
pub(crate) const PENDING_MAX: usize = 256;

/// The sender of a reply to the caller.
pub(crate) type ReplyTo = oneshot::Sender<Result<ToClient, RequestError>>;

/// An encoded request that waits for its reply.
pub(crate) struct Request {
    /// The id, which the reply carries as `re`.
    pub(crate) id: RequestId,
    /// The frame. A new connection sends it again unchanged.
    pub(crate) text: String,
    /// Whether the request changes a game. The server recognises an act by its id, so it may be
    /// sent again.
    pub(crate) is_act: bool,
    pub(crate) reply_to: ReplyTo,
}

impl fmt::Debug for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Its text may have a password.
        f.debug_struct("Request").field("id", &self.id).finish_non_exhaustive()
    }
}

/// Returns whether a request changes a game.
pub(crate) const fn is_act(message: &FromClient) -> bool {
    match message {
        FromClient::Move(_)
        | FromClient::Resign(_)
        | FromClient::Abort(_)
        | FromClient::Offer(_)
        | FromClient::Answer(_)
        | FromClient::Withdraw(_)
        | FromClient::Say(_)
        | FromClient::Unsay(_)
        | FromClient::Claim(_)
        // A game has one rematch, however often it is requested.
        | FromClient::Rematch(_) => true,
        FromClient::Hello(_)
        | FromClient::Signup(_)
        | FromClient::TokenCreate(_)
        | FromClient::TokenList(_)
        | FromClient::TokenRevoke(_)
        | FromClient::Logout(_)
        | FromClient::PasswordChange(_)
        | FromClient::PasswordReset(_)
        | FromClient::BotCreate(_)
        | FromClient::BotList(_)
        | FromClient::BotStatus(_)
        | FromClient::Directory(_)
        | FromClient::PushSubscribe(_)
        | FromClient::PushUnsubscribe(_)
        | FromClient::PushList(_)
        | FromClient::WebhookSet(_)
        | FromClient::WebhookGet(_)
        | FromClient::WebhookDelete(_)
        | FromClient::Seek(_)
        | FromClient::Unseek(_)
        | FromClient::Challenge(_)
        | FromClient::Accept(_)
        | FromClient::Decline(_)
        | FromClient::Cancel(_)
        | FromClient::Challenges(_)
        | FromClient::Invite(_)
        | FromClient::Invites(_)
        | FromClient::InviteInfo(_)
        | FromClient::Lobby(_)
        | FromClient::Games(_)
        | FromClient::Catalogue(_)
        | FromClient::Standings(_)
        | FromClient::Stats(_)
        | FromClient::User(_)
        | FromClient::History(_)
        | FromClient::Watch(_)
        | FromClient::Unwatch(_)
        | FromClient::Signature(_)
        | FromClient::Layout(_)
        | FromClient::Hints(_)
        | FromClient::Moves(_)
        | FromClient::Try(_)
        | FromClient::Positions(_)
        | FromClient::Explore(_)
        | FromClient::Tv(_)
        | FromClient::Live(_)
        | FromClient::Talk(_)
        | FromClient::Mute(_)
        | FromClient::Unmute(_)
        | FromClient::Mutes(_)
        | FromClient::Block(_)
        | FromClient::Unblock(_)
        | FromClient::Blocks(_)
        | FromClient::SettingsGet(_)
        | FromClient::SettingsSet(_)
        | FromClient::Ping(_) => false,
        #[cfg(not(feature = "exhaustive"))]
        _ => false,
    }
}

/// Returns whether a request may be sent twice: acts, and what changes nothing.
pub(crate) const fn is_repeatable(message: &FromClient) -> bool {
    is_act(message)
        || matches!(
            message,
            FromClient::Games(_)
                | FromClient::Catalogue(_)
                | FromClient::Challenges(_)
                | FromClient::Directory(_)
                | FromClient::Explore(_)
                | FromClient::Hints(_)
                | FromClient::History(_)
                | FromClient::InviteInfo(_)
                | FromClient::Layout(_)
                | FromClient::Live(_)
                | FromClient::Lobby(_)
                | FromClient::Moves(_)
                | FromClient::Ping(_)
                | FromClient::Positions(_)
                | FromClient::Signature(_)
                | FromClient::Standings(_)
                | FromClient::Stats(_)
                | FromClient::Talk(_)
                | FromClient::Try(_)
                | FromClient::Tv(_)
                | FromClient::Unwatch(_)
                | FromClient::User(_)
                | FromClient::Watch(_)
        )
}

/// The pending requests, oldest first.
#[derive(Debug, Default)]
pub(crate) struct Pending(Vec<Request>);

impl Pending {
    /// Adds a request. Returns `false`, and fails the request, if too many are pending.
    pub(crate) fn add(&mut self, request: Request) -> bool {
        if self.0.len() >= PENDING_MAX {
            // The callers of these have stopped waiting.
            self.0.retain(|request| request.is_act || !request.reply_to.is_closed());
        }
        if self.0.len() >= PENDING_MAX {
            fail(request, RequestError::TooManyPending);
            return false;
        }
        self.0.push(request);
        true
    }

    /// Removes and returns the request with this id.
    pub(crate) fn remove(&mut self, id: &RequestId) -> Option<Request> {
        let index = self.0.iter().position(|request| request.id == *id)?;
        Some(self.0.remove(index))
    }

    /// Fails all requests that cannot be sent again. Acts stay.
    pub(crate) fn connection_lost(&mut self) {
        for request in self.0.extract_if(.., |request| !request.is_act) {
            fail(request, RequestError::ConnectionLost);
        }
    }

    /// Returns the frames to send on a new connection, oldest first.
    pub(crate) fn frames(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|request| request.text.as_str())
    }

    /// Fails all requests when there will be no further connection.
    pub(crate) fn close(&mut self, reason: &DisconnectReason) {
        for request in self.0.drain(..) {
            fail(request, RequestError::Closed(reason.clone()));
        }
    }
}

/// Fails one request.
pub(crate) fn fail(request: Request, error: RequestError) {
    // The caller may have stopped waiting.
    request.reply_to.send(Err(error)).ok();
}

/// Makes ids that no other run of any client has made. The server stores them with its games.
#[derive(Debug)]
pub(crate) struct Ids {
    prefix: String,
    count: AtomicU64,
}

impl Ids {
    pub(crate) fn new() -> Self {
        Self { prefix: format!("{:010x}", rand::rng().random::<u64>() >> 24), count: 0.into() }
    }

    /// Returns an unused id.
    pub(crate) fn next(&self) -> RequestId {
        let count = self.count.fetch_add(1, Ordering::Relaxed) + 1;
        format!("{}-c{count}", self.prefix).parse().expect("it is short and printable")
    }
}
