//! The task that owns the socket: reads, writes, notices silence, and comes back after a drop.
//!
//! `select!` only finds out what happened; what it means is decided by plain functions below.

mod away;

use std::{
    collections::VecDeque,
    ops::ControlFlow,
    sync::{Arc, OnceLock},
    time::Duration,
};

use adamant_protocol::{
    FromClient, ToClient,
    codec::encode_request,
    from_client::{Auth, Cursor, Hello, Watch},
    to_client::{NoticeWhat, Welcome},
    values::Named,
};
use bytes::Bytes;
use futures::{SinkExt as _, StreamExt as _};
use tokio::{
    sync::mpsc::{self, error::TrySendError},
    time::{Instant, sleep_until, timeout},
};
use tokio_tungstenite::tungstenite::{
    self, Message, Utf8Bytes,
    protocol::{CloseFrame, frame::coding},
};

use crate::{
    Address, Dial, DisconnectReason, Incoming, Reconnect, RequestError,
    backoff::{Backoff, STEADY_AFTER},
    followed::{Followed, Verdict},
    ids::Ids,
    open::{self, Socket},
    pending::{Pending, Request, fail},
    unreadable,
};

/// What may wait in the inbox. A game has some hundred events, so a tail of several games fits.
pub(crate) const INBOX_MAX: usize = 1024;

/// How long one frame may take to write before the connection counts as dead.
const WRITE_TIMEOUT: Duration = Duration::from_secs(10);

/// How long saying goodbye may take.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);

/// The shortest silence that counts as death, whatever the server says.
const IDLE_MIN: Duration = Duration::from_secs(1);

/// What the program wants of the task.
#[derive(Debug)]
pub(crate) enum Command {
    /// To send a request.
    Request {
        /// What it says.
        message: Box<FromClient>,
        /// How it travels.
        request: Request,
    },
    /// To close the connection.
    Close,
}

/// How to reach the server and what to say there.
pub(crate) struct Line {
    pub(crate) dial: Arc<dyn Dial>,
    pub(crate) address: Address,
    pub(crate) hello: Hello,
    pub(crate) reconnect: Reconnect,
}

impl Line {
    pub(crate) fn hello(&self, resume: Named<Cursor>) -> Hello {
        Hello { resume, ..self.hello.clone() }
    }

    /// Keeps the token, with which a guest or a password's owner comes back as the same.
    pub(crate) fn welcomed(&mut self, welcome: &Welcome) {
        if let Some(token) = &welcome.token {
            self.hello.auth = Some(Auth::Token(token.clone()));
        }
    }
}

/// The state of the task.
pub(crate) struct Driver {
    line: Line,
    followed: Followed,
    pending: Pending,
    ids: Arc<Ids>,
    /// Frames to write, in order. Each belongs to a pending request or asks for a tail, which
    /// bounds it.
    outgoing: VecDeque<Utf8Bytes>,
    backoff: Backoff,
    /// When the server said to come back, if it did.
    restart_in: Option<Duration>,
    commands: mpsc::Receiver<Command>,
    inbox: mpsc::Sender<Incoming>,
    ended: Arc<OnceLock<DisconnectReason>>,
}

/// What happened while connected.
enum Step {
    Heard(Option<Result<Message, tungstenite::Error>>),
    Told(Option<Command>),
    Silence,
}

impl Driver {
    pub(crate) fn new(
        line: Line,
        followed: Followed,
        ids: Arc<Ids>,
        commands: mpsc::Receiver<Command>,
        inbox: mpsc::Sender<Incoming>,
        ended: Arc<OnceLock<DisconnectReason>>,
    ) -> Self {
        Self {
            line,
            followed,
            pending: Pending::default(),
            ids,
            outgoing: VecDeque::new(),
            backoff: Backoff::default(),
            restart_in: None,
            commands,
            inbox,
            ended,
        }
    }

    /// Lives until the connection has ended for good.
    pub(crate) async fn run(mut self, socket: Box<Socket>, welcome: Box<Welcome>) {
        let mut session = Some((socket, welcome));
        let reason = loop {
            let reason = match session.take() {
                Some((socket, welcome)) => self.connected(socket, &welcome).await,
                None => match self.reopen().await {
                    Ok((socket, welcome)) => {
                        self.line.welcomed(&welcome);
                        // There is room: the wait before this attempt has seen to it.
                        self.inbox.try_send(Incoming::Connected(welcome.clone())).ok();
                        session = Some((socket, welcome));
                        continue;
                    }
                    Err(reason) => reason,
                },
            };
            self.followed.connection_lost();
            self.pending.connection_lost();
            self.outgoing.clear();
            let Some(wait) = self.next_wait(&reason) else { break reason };
            if self.wait(reason, wait).await.is_break() {
                break DisconnectReason::ClosedHere;
            }
        };
        self.end(reason).await;
    }

    /// When to try again, if at all.
    fn next_wait(&mut self, reason: &DisconnectReason) -> Option<Duration> {
        let may_try = reason.allows_reconnect()
            && match self.line.reconnect {
                Reconnect::Never => false,
                Reconnect::Attempts(most) => self.backoff.failures() < most,
                Reconnect::Forever => true,
            };
        if !may_try {
            return None;
        }
        let own = self.backoff.next(&mut rand::rng());
        let asked = if let DisconnectReason::Refused(failed) = reason {
            failed.retry_after_ms.map(Duration::from_millis)
        } else {
            self.restart_in.take()
        };
        // The server spreads its clients itself when it names a time.
        Some(asked.unwrap_or(own))
    }

    /// Tells everybody that it is over.
    async fn end(mut self, reason: DisconnectReason) {
        self.ended.set(reason.clone()).expect("a task ends once");
        self.pending.close(&reason);
        self.commands.close();
        while let Some(command) = self.commands.recv().await {
            if let Command::Request { request, .. } = command {
                fail(request, RequestError::Closed(reason.clone()));
            }
        }
        if reason != DisconnectReason::ClosedHere {
            // If the inbox has been dropped, nobody wants to know.
            self.inbox.send(Incoming::Disconnected { reason, retry_in: None }).await.ok();
        }
    }
}

/// While connected.
impl Driver {
    async fn connected(&mut self, mut socket: Box<Socket>, welcome: &Welcome) -> DisconnectReason {
        let since = Instant::now();
        let idle = Duration::from_millis(welcome.heartbeat.idle_close_ms).max(IDLE_MIN);
        self.followed.welcomed(welcome);
        self.outgoing.extend(self.pending.frames().map(Utf8Bytes::from));
        let mut heard = since;
        let reason = loop {
            if let Err(reason) = self.write(&mut socket).await {
                break reason;
            }
            let step = tokio::select! {
                frame = socket.next() => Step::Heard(frame),
                command = self.commands.recv() => Step::Told(command),
                () = sleep_until(heard + idle) => Step::Silence,
            };
            let flow = match step {
                Step::Heard(frame) => {
                    heard = Instant::now();
                    self.hear(frame)
                }
                Step::Told(Some(Command::Request { message, request })) => {
                    self.ask(&message, request);
                    ControlFlow::Continue(())
                }
                Step::Told(Some(Command::Close) | None) => {
                    ControlFlow::Break(DisconnectReason::ClosedHere)
                }
                Step::Silence => ControlFlow::Break(DisconnectReason::Silent),
            };
            if let ControlFlow::Break(reason) = flow {
                break reason;
            }
        };
        if since.elapsed() >= STEADY_AFTER {
            self.backoff.reset();
        }
        let goodbye = CloseFrame { code: coding::CloseCode::Normal, reason: Utf8Bytes::default() };
        // A peer that does not answer, or has gone, is left alone.
        timeout(CLOSE_TIMEOUT, Socket::close(&mut socket, Some(goodbye))).await.ok();
        reason
    }

    async fn write(&mut self, socket: &mut Socket) -> Result<(), DisconnectReason> {
        while let Some(text) = self.outgoing.pop_front() {
            match timeout(WRITE_TIMEOUT, socket.send(Message::Text(text))).await {
                Ok(Ok(())) => {}
                Ok(Err(error)) => return Err(open::lost(&error)),
                Err(_) => return Err(DisconnectReason::Silent),
            }
        }
        Ok(())
    }

    fn ask(&mut self, message: &FromClient, request: Request) {
        let text = Utf8Bytes::from(request.text.as_str());
        if self.pending.add(request) {
            self.followed.asking(message);
            self.outgoing.push_back(text);
        }
    }

    fn hear(
        &mut self,
        frame: Option<Result<Message, tungstenite::Error>>,
    ) -> ControlFlow<DisconnectReason> {
        let text = match frame {
            Some(Ok(Message::Text(text))) => text,
            Some(Ok(Message::Close(frame))) => return ControlFlow::Break(open::closed(frame)),
            Some(Ok(
                Message::Binary(_) | Message::Ping(_) | Message::Pong(_) | Message::Frame(_),
            )) => return ControlFlow::Continue(()),
            Some(Err(error)) => return ControlFlow::Break(open::lost(&error)),
            None => return ControlFlow::Break(open::closed(None)),
        };
        match ToClient::from_bytes(text.as_bytes()) {
            Ok(Some(message)) => self.take(message, text),
            // A later version of the protocol may say more.
            Ok(None) => ControlFlow::Continue(()),
            Err(error) => self.take_unreadable(&text, &error.to_string()),
        }
    }

    /// What cannot be read fails the request it answers. An event cannot be missed; anything else
    /// can.
    fn take_unreadable(&mut self, text: &str, why: &str) -> ControlFlow<DisconnectReason> {
        let head = unreadable::head(text);
        if let Some(request) = head.re.and_then(|re| self.pending.take(&re)) {
            fail(request, RequestError::Unreadable(why.to_owned()));
        } else if head.is_event {
            return ControlFlow::Break(DisconnectReason::Unreadable(why.into()));
        }
        ControlFlow::Continue(())
    }

    fn take(&mut self, message: ToClient, text: Utf8Bytes) -> ControlFlow<DisconnectReason> {
        if message.re().is_some() {
            self.take_reply(message);
            return ControlFlow::Continue(());
        }
        // The place comes first: what finds none must not count as known.
        let place = match self.inbox.try_reserve() {
            Ok(place) => Some(place),
            // A program that only asks may drop its inbox.
            Err(TrySendError::Closed(())) => None,
            Err(TrySendError::Full(())) => {
                return ControlFlow::Break(DisconnectReason::InboxFull);
            }
        };
        let incoming = match message {
            ToClient::Event(frame) => match self.followed.event(&frame) {
                Verdict::Next => Incoming::Event { frame, bytes: Bytes::from(text) },
                Verdict::Drop => return ControlFlow::Continue(()),
                Verdict::Missing { from } => {
                    let watch = Watch {
                        id: self.ids.next(),
                        game: frame.game,
                        from: Some(from),
                        named: None,
                    };
                    let watch = FromClient::Watch(watch);
                    self.followed.asking(&watch);
                    self.outgoing.push_back(encode_request(&watch).into());
                    return ControlFlow::Continue(());
                }
            },
            ToClient::Snapshot(snapshot) => {
                self.followed.snapshot(&snapshot);
                Incoming::Snapshot(snapshot)
            }
            ToClient::YourTurn(your_turn) => Incoming::YourTurn(Box::new(your_turn)),
            ToClient::Presence(presence) => Incoming::Presence(presence),
            ToClient::Challenged(challenged) => Incoming::Challenged(Box::new(challenged)),
            ToClient::ChallengeClosed(closed) => Incoming::ChallengeClosed(closed),
            ToClient::Lobby(change) => Incoming::Lobby(Box::new(change)),
            ToClient::Tv(featured) => Incoming::Featured(Box::new(featured)),
            ToClient::Live(change) => Incoming::Live(Box::new(change)),
            ToClient::Said(said) => Incoming::Said(Box::new(said)),
            ToClient::Unsaid(unsaid) => Incoming::Unsaid(unsaid),
            ToClient::Notice(notice) => {
                match notice.what {
                    NoticeWhat::Restart => {
                        self.restart_in = Some(Duration::from_millis(notice.in_ms));
                    }
                }
                Incoming::Notice(notice)
            }
            ToClient::Error(failed) => Incoming::Complaint(Box::new(failed)),
            // These are replies and have been dealt with above.
            ToClient::Welcome(_)
            | ToClient::Ok(_)
            | ToClient::Signature(_)
            | ToClient::Layout(_)
            | ToClient::Hints(_)
            | ToClient::Moves(_)
            | ToClient::Games(_)
            | ToClient::Challenges(_)
            | ToClient::Positions(_)
            | ToClient::Talk(_)
            | ToClient::Mutes(_)
            | ToClient::Tokens(_)
            | ToClient::Bots(_)
            | ToClient::Catalogue(_)
            | ToClient::Standings(_)
            | ToClient::User(_)
            | ToClient::History(_)
            | ToClient::Pong(_) => return ControlFlow::Continue(()),
        };
        if let Some(place) = place {
            place.send(incoming);
        }
        ControlFlow::Continue(())
    }

    fn take_reply(&mut self, reply: ToClient) {
        if let ToClient::Snapshot(snapshot) = &reply {
            self.followed.snapshot(snapshot);
        }
        let Some(re) = reply.re() else { return };
        self.followed.answered(re, &reply);
        if let Some(request) = self.pending.take(re) {
            // Whoever asked may have stopped waiting, and that is their right.
            request.reply_to.send(Ok(reply)).ok();
        }
    }
}
