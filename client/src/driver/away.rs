//! The task while it has no connection: waiting, trying again, and what is asked of it meanwhile.

use std::{ops::ControlFlow, sync::Arc, time::Duration};

use adamant_protocol::to_client::Welcome;
use tokio::time::{Instant, sleep_until};

use super::{Command, Driver, INBOX_MAX};
use crate::{
    ConnectError, DisconnectReason, Incoming, RequestError,
    open::{Socket, open},
    pending::fail,
};

/// What happened while not connected.
enum Waited {
    Told(Option<Command>),
    Opened(Result<(Box<Socket>, Box<Welcome>), ConnectError>),
    Listened,
    Elapsed,
}

impl Driver {
    /// Says that the connection is lost and waits, at least until the inbox has room for what a
    /// new connection brings.
    pub(super) async fn wait(
        &mut self,
        reason: DisconnectReason,
        wait: Duration,
    ) -> ControlFlow<()> {
        let until = Instant::now() + wait;
        let mut notice = Some(Incoming::Disconnected { reason, retry_in: Some(wait) });
        loop {
            let waited = tokio::select! {
                room = self.inbox.reserve_many(INBOX_MAX / 2), if notice.is_some() => {
                    if let (Ok(mut room), Some(notice)) = (room, notice.take())
                        && let Some(place) = room.next()
                    {
                        place.send(notice);
                    }
                    Waited::Listened
                }
                () = sleep_until(until), if notice.is_none() => Waited::Elapsed,
                command = self.commands.recv() => Waited::Told(command),
            };
            match waited {
                Waited::Told(command) => self.put_off(command)?,
                Waited::Elapsed => return ControlFlow::Continue(()),
                Waited::Listened | Waited::Opened(_) => {}
            }
        }
    }

    /// Makes one attempt at a new session.
    pub(super) async fn reopen(&mut self) -> Result<(Box<Socket>, Box<Welcome>), DisconnectReason> {
        let dial = Arc::clone(&self.line.dial);
        let address = self.line.address.clone();
        let hello = self.line.hello(self.followed.cursors());
        let mut opening = std::pin::pin!(open(dial.as_ref(), &address, hello));
        loop {
            let waited = tokio::select! {
                opened = &mut opening => Waited::Opened(opened),
                command = self.commands.recv() => Waited::Told(command),
            };
            match waited {
                Waited::Opened(opened) => return opened.map_err(DisconnectReason::from),
                Waited::Told(command) => {
                    if self.put_off(command).is_break() {
                        return Err(DisconnectReason::ClosedHere);
                    }
                }
                Waited::Listened | Waited::Elapsed => {}
            }
        }
    }

    /// Keeps an act for the next connection and fails anything else.
    fn put_off(&mut self, command: Option<Command>) -> ControlFlow<()> {
        match command {
            Some(Command::Request { request, .. }) if request.is_act => {
                self.pending.add(request);
                ControlFlow::Continue(())
            }
            Some(Command::Request { request, .. }) => {
                fail(request, RequestError::ConnectionLost);
                ControlFlow::Continue(())
            }
            Some(Command::Close) | None => ControlFlow::Break(()),
        }
    }
}
