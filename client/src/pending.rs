//! Requests that wait for their replies. Each is answered, sent again, or failed; none is forgotten.

use adamant_protocol::{FromClient, RequestId, ToClient};
use tokio::sync::oneshot;

use crate::{DisconnectReason, RequestError};

/// Requests that may wait at once. A server answers within milliseconds, so this is many times
/// what a busy program has under way.
pub(crate) const PENDING_MAX: usize = 256;

/// Where a reply goes.
pub(crate) type ReplyTo = oneshot::Sender<Result<ToClient, RequestError>>;

/// A request on its way.
#[derive(Debug)]
pub(crate) struct Request {
    /// Its id, by which the reply is known.
    pub(crate) id: RequestId,
    /// The frame, to be sent again as it is.
    pub(crate) text: String,
    /// Whether it changes a game, so that it may be sent again: the server knows it by its id.
    pub(crate) is_act: bool,
    /// Who waits.
    pub(crate) reply_to: ReplyTo,
}

/// Whether a request changes a game.
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
        // Of one game comes one rematch, however often it is asked for.
        | FromClient::Rematch(_) => true,
        FromClient::Hello(_)
        | FromClient::Signup(_)
        | FromClient::TokenCreate(_)
        | FromClient::TokenList(_)
        | FromClient::TokenRevoke(_)
        | FromClient::Logout(_)
        | FromClient::PasswordChange(_)
        | FromClient::BotCreate(_)
        | FromClient::BotList(_)
        | FromClient::Seek(_)
        | FromClient::Unseek(_)
        | FromClient::Challenge(_)
        | FromClient::Accept(_)
        | FromClient::Decline(_)
        | FromClient::Cancel(_)
        | FromClient::Challenges(_)
        | FromClient::Lobby(_)
        | FromClient::Games(_)
        | FromClient::Catalogue(_)
        | FromClient::Standings(_)
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
        | FromClient::Tv(_)
        | FromClient::Live(_)
        | FromClient::Talk(_)
        | FromClient::Mute(_)
        | FromClient::Unmute(_)
        | FromClient::Mutes(_)
        | FromClient::Ping(_) => false,
    }
}

/// Requests that wait for their replies, in the order in which they were made.
#[derive(Debug, Default)]
pub(crate) struct Pending(Vec<Request>);

impl Pending {
    /// Takes a request in; `false` if too many wait already, and then it has been failed.
    pub(crate) fn add(&mut self, request: Request) -> bool {
        if self.0.len() >= PENDING_MAX {
            // Nobody waits any more for questions whose asker has gone away.
            self.0.retain(|request| request.is_act || !request.reply_to.is_closed());
        }
        if self.0.len() >= PENDING_MAX {
            fail(request, RequestError::TooManyPending);
            return false;
        }
        self.0.push(request);
        true
    }

    /// Takes out the request with this id.
    pub(crate) fn take(&mut self, id: &RequestId) -> Option<Request> {
        let index = self.0.iter().position(|request| request.id == *id)?;
        Some(self.0.remove(index))
    }

    /// Fails what cannot be sent again. Acts stay.
    pub(crate) fn connection_lost(&mut self) {
        for request in self.0.extract_if(.., |request| !request.is_act) {
            fail(request, RequestError::ConnectionLost);
        }
    }

    /// The frames to send on a new connection, in their order.
    pub(crate) fn frames(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|request| request.text.as_str())
    }

    /// Fails everything: there will be no further connection.
    pub(crate) fn close(&mut self, reason: &DisconnectReason) {
        for request in self.0.drain(..) {
            fail(request, RequestError::Closed(reason.clone()));
        }
    }
}

/// Fails one request.
pub(crate) fn fail(request: Request, error: RequestError) {
    // Whoever asked may have stopped waiting, and that is their right.
    request.reply_to.send(Err(error)).ok();
}
