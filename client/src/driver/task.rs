//! The state of the task and its life: connected, waiting, connected again, closed.

use std::{
    collections::VecDeque,
    ops::ControlFlow,
    sync::{Arc, OnceLock},
    time::Duration,
};

use adamant_protocol::{
    FRAME_BYTES_MAX,
    from_client::{Auth, Cursor, FromClient, Hello},
    to_client::Welcome,
    values::Named,
};
use tokio::{
    sync::mpsc,
    time::{Instant, sleep_until},
};
use tokio_tungstenite::tungstenite::Utf8Bytes;

use crate::{
    address::Address,
    config::Reconnect,
    dial::Dial,
    error::{ConnectError, DisconnectReason, RequestError},
    incoming::Incoming,
    open::{Socket, open},
    pace::Backoff,
    pending::{Ids, Pending, Request, fail},
    subscriptions::Subscriptions,
};

/// The capacity of the inbox. What a server sends to a program that comes back to some hundred games
/// fits, and so do the tails of several games, with some hundred events each.
pub(crate) const INBOX_MAX: usize = 4096;

/// What a [`Client`](crate::Client) asks of the task.
#[derive(Debug)]
pub(crate) enum Command {
    /// Sends a request.
    Request {
        /// The request's content.
        message: Box<FromClient>,
        /// The encoded request and the sender of its reply.
        request: Request,
    },
    /// Ends the wait before the next attempt to connect.
    Reconnect,
    /// Closes the connection.
    Close,
}

/// The state of the task.
pub(crate) struct Driver {
    pub(super) endpoint: Endpoint,
    pub(super) subscriptions: Subscriptions,
    pub(super) pending: Pending,
    pub(super) ids: Arc<Ids>,
    /// Frames to write, in order. Each belongs to a pending request or asks for a tail, which
    /// bounds their number.
    pub(super) outgoing: VecDeque<Utf8Bytes>,
    /// The largest frame that the server accepts.
    pub(super) frame_bytes_max: usize,
    pub(super) backoff: Backoff,
    /// The wait that the server asked for in its notice of a restart.
    pub(super) restart_in: Option<Duration>,
    pub(super) commands: mpsc::Receiver<Command>,
    pub(super) inbox: mpsc::Sender<Incoming>,
    ended: Arc<OnceLock<DisconnectReason>>,
}

impl Driver {
    pub(crate) fn new(
        endpoint: Endpoint,
        subscriptions: Subscriptions,
        ids: Arc<Ids>,
        commands: mpsc::Receiver<Command>,
        inbox: mpsc::Sender<Incoming>,
        ended: Arc<OnceLock<DisconnectReason>>,
    ) -> Self {
        Self {
            endpoint,
            subscriptions,
            pending: Pending::default(),
            ids,
            outgoing: VecDeque::new(),
            frame_bytes_max: FRAME_BYTES_MAX,
            backoff: Backoff::default(),
            restart_in: None,
            commands,
            inbox,
            ended,
        }
    }

    /// Runs until the connection has ended for good.
    pub(crate) async fn run(mut self, socket: Box<Socket>, welcome: Box<Welcome>) {
        let mut session = Some((socket, welcome));
        let reason = loop {
            let reason = match session.take() {
                Some((socket, welcome)) => self.serve(socket, &welcome).await,
                None => match self.reopen().await {
                    Ok((socket, welcome)) => {
                        self.endpoint.record_welcome(&welcome);
                        // `wait_to_reconnect` has made room for it.
                        self.inbox.try_send(Incoming::Connected(welcome.clone())).ok();
                        session = Some((socket, welcome));
                        continue;
                    }
                    Err(reason) => reason,
                },
            };
            self.subscriptions.connection_lost();
            self.pending.connection_lost();
            self.outgoing.clear();
            let Some(wait) = self.next_wait(&reason) else { break reason };
            if self.wait_to_reconnect(reason, wait).await.is_break() {
                break DisconnectReason::ClosedHere;
            }
        };
        self.finish(reason).await;
    }

    /// Returns the wait before the next attempt; `None` if there is none.
    fn next_wait(&mut self, reason: &DisconnectReason) -> Option<Duration> {
        let may_try = reason.allows_reconnect()
            && match self.endpoint.reconnect {
                Reconnect::Never => false,
                Reconnect::Attempts(most) => self.backoff.failures() < most,
                Reconnect::Forever => true,
            };
        if !may_try {
            return None;
        }
        let own = self.backoff.next(Instant::now(), &mut rand::rng());
        let asked = if let DisconnectReason::Refused(failed) = reason {
            failed.retry_after_ms.map(Duration::from_millis)
        } else if let DisconnectReason::Unavailable { retry_after, .. } = reason {
            Some(*retry_after)
        } else {
            self.restart_in.take()
        };
        // The server spreads its clients itself when it names a time.
        Some(asked.unwrap_or(own))
    }

    /// Fails all requests and reports the end to the inbox.
    async fn finish(mut self, reason: DisconnectReason) {
        self.ended.set(reason.clone()).expect("a task ends once");
        self.pending.close(&reason);
        self.commands.close();
        while let Some(command) = self.commands.recv().await {
            if let Command::Request { request, .. } = command {
                fail(request, RequestError::Closed(reason.clone()));
            }
        }
        if reason != DisconnectReason::ClosedHere {
            // The program may have dropped its inbox.
            self.inbox.send(Incoming::Disconnected { reason, retry_in: None }).await.ok();
        }
    }
}

/// A server with the settings of its connections.
pub(crate) struct Endpoint {
    pub(crate) dial: Arc<dyn Dial>,
    pub(crate) address: Address,
    pub(crate) hello: Hello,
    pub(crate) reconnect: Reconnect,
}

impl Endpoint {
    /// Returns the `hello` of a new session, with the cursors of the client's games.
    pub(crate) fn hello(&self, resume: Named<Cursor>) -> Hello {
        let mut hello = self.hello.clone();
        hello.resume = resume;
        hello
    }

    /// Keeps the token of a `welcome`. A guest or a user with a password reconnects with it.
    pub(crate) fn record_welcome(&mut self, welcome: &Welcome) {
        if let Some(token) = &welcome.token {
            self.hello.auth = Some(Auth::Token(token.clone()));
        }
    }
}

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
        let mut until = Instant::now() + wait;
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
                Wake::Command(Some(Command::Reconnect)) => until = Instant::now(),
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
        let hello = self.endpoint.hello(self.subscriptions.cursors(self.frame_bytes_max));
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
            // An attempt is under way.
            Some(Command::Reconnect) => ControlFlow::Continue(()),
            Some(Command::Close) | None => ControlFlow::Break(()),
        }
    }
}
