//! The task while it has no connection: it waits, tries again, and defers or fails requests.

use std::{ops::ControlFlow, sync::Arc, time::Duration};

use adamant_protocol::to_client::Welcome;
use tokio::time::{Instant, sleep_until};

use super::task::{Command, Driver, INBOX_MAX};
use crate::{
    error::{ConnectError, DisconnectReason, RequestError},
    incoming::Incoming,
    open::{Socket, open},
    pending::fail,
};

/// What ended one wait of the disconnected task.
enum Wake {
    Command(Option<Command>),
    Opened(Result<(Box<Socket>, Box<Welcome>), ConnectError>),
    Reported,
    Elapsed,
}

impl Driver {
    /// Reports the lost connection to the inbox and waits. The wait lasts until the inbox has room
    /// for what a new connection brings.
    pub(super) async fn wait_to_reconnect(
        &mut self,
        reason: DisconnectReason,
        wait: Duration,
    ) -> ControlFlow<()> {
        let until = Instant::now() + wait;
        let mut report = Some(Incoming::Disconnected { reason, retry_in: Some(wait) });
        loop {
            let wake = tokio::select! {
                permits = self.inbox.reserve_many(INBOX_MAX / 2), if report.is_some() => {
                    if let (Ok(mut permits), Some(report)) = (permits, report.take())
                        && let Some(permit) = permits.next()
                    {
                        permit.send(report);
                    }
                    Wake::Reported
                }
                () = sleep_until(until), if report.is_none() => Wake::Elapsed,
                command = self.commands.recv() => Wake::Command(command),
            };
            match wake {
                Wake::Command(command) => self.defer(command)?,
                Wake::Elapsed => return ControlFlow::Continue(()),
                Wake::Reported | Wake::Opened(_) => {}
            }
        }
    }

    /// Makes one attempt at a new session.
    pub(super) async fn reopen(&mut self) -> Result<(Box<Socket>, Box<Welcome>), DisconnectReason> {
        let dial = Arc::clone(&self.endpoint.dial);
        let address = self.endpoint.address.clone();
        let hello = self.endpoint.hello(self.subscriptions.cursors());
        let mut opening = std::pin::pin!(open(dial.as_ref(), &address, hello));
        loop {
            let wake = tokio::select! {
                opened = &mut opening => Wake::Opened(opened),
                command = self.commands.recv() => Wake::Command(command),
            };
            match wake {
                Wake::Opened(opened) => return opened.map_err(DisconnectReason::from),
                Wake::Command(command) => {
                    if self.defer(command).is_break() {
                        return Err(DisconnectReason::ClosedHere);
                    }
                }
                Wake::Reported | Wake::Elapsed => {}
            }
        }
    }

    /// Keeps an act for the next connection and fails any other request.
    fn defer(&mut self, command: Option<Command>) -> ControlFlow<()> {
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
