//! The task that owns the socket: it reads, writes, detects silence, and reconnects after a drop.

use std::{
    collections::VecDeque,
    ops::ControlFlow,
    sync::{Arc, OnceLock},
    time::Duration,
};

use adamant_protocol::{
    FRAME_BYTES_MAX,
    codec::encode_request,
    event::{EventBody, EventFrame},
    from_client::{Auth, Cursor, FromClient, Hello, Watch},
    ids::{Chain, GameId, PositionHash, RequestId},
    to_client::{Notice, NoticeKind, ToClient, Welcome},
    values::Named,
};
use bytes::Bytes;
use futures::{SinkExt as _, StreamExt as _};
use serde::Deserialize;
use tokio::{
    sync::mpsc,
    time::{Instant, sleep_until, timeout},
};
use tokio_tungstenite::tungstenite::{
    self, Message, Utf8Bytes,
    protocol::{CloseFrame, frame::coding},
};

use crate::{
    config::{Address, Reconnect},
    dial::{self, Dial, Socket, open},
    error::{ConnectError, DisconnectReason, RequestError},
    incoming::Incoming,
    pending::{Backoff, Ids, Pacer, Pending, Request, STEADY_AFTER, fail},
    subscriptions::{EventDisposition, Subscriptions},
};

/// The capacity of the inbox. What a server sends to a program that comes back to some hundred games
/// fits, and so do the tails of several games, with some hundred events each.
pub(crate) const INBOX_MAX: usize = 4096;

/// What a [`Client`](crate::Client) asks of the task.
#[derive(Debug)]
pub(crate) enum Command {
    Request {
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
    endpoint: Endpoint,
    subscriptions: Subscriptions,
    pending: Pending,
    ids: Arc<Ids>,
    /// Frames to write, in order. Each belongs to a pending request or asks for a tail, which
    /// bounds their number.
    outgoing: VecDeque<Utf8Bytes>,
    /// The largest frame that the server accepts.
    frame_bytes_max: usize,
    backoff: Backoff,
    /// The wait that the server asked for in its notice of a restart.
    restart_in: Option<Duration>,
    commands: mpsc::Receiver<Command>,
    inbox: mpsc::Sender<Incoming>,
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
    async fn wait_to_reconnect(
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
    async fn reopen(&mut self) -> Result<(Box<Socket>, Box<Welcome>), DisconnectReason> {
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

/// The longest that one frame may take to write before the connection counts as dead.
const WRITE_TIMEOUT: Duration = Duration::from_secs(10);

/// The longest that the closing handshake may take.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);

/// The shortest silence that counts as death, whatever the server's `welcome` says.
const IDLE_MIN: Duration = Duration::from_secs(1);

/// What ended one wait of the connected task.
enum Step {
    Frame(Option<Result<Message, tungstenite::Error>>),
    Command(Option<Command>),
    IdleTimeout,
    /// The server's rate allows a further message.
    MaySend,
}

impl Driver {
    /// Serves one connection and returns why it ended.
    async fn serve(&mut self, mut socket: Box<Socket>, welcome: &Welcome) -> DisconnectReason {
        let since = Instant::now();
        let idle = Duration::from_millis(welcome.heartbeat.idle_close_ms).max(IDLE_MIN);
        self.subscriptions.record_welcome(welcome);
        self.outgoing.extend(self.pending.frames().map(Utf8Bytes::from));
        self.backoff.opened();
        self.frame_bytes_max = usize::try_from(welcome.limits.frame_bytes).unwrap_or(usize::MAX);
        let mut pacer = Pacer::new(&welcome.limits, since);
        let mut last_frame_at = since;
        let reason = loop {
            let send_at = match self.write_outgoing(&mut socket, &mut pacer).await {
                Ok(send_at) => send_at,
                Err(reason) => break reason,
            };
            let step = tokio::select! {
                frame = socket.next() => Step::Frame(frame),
                command = self.commands.recv() => Step::Command(command),
                () = sleep_until(last_frame_at + idle) => Step::IdleTimeout,
                () = sleep_until(send_at.unwrap_or(since)), if send_at.is_some() => Step::MaySend,
            };
            let flow = match step {
                Step::Frame(frame) => {
                    last_frame_at = Instant::now();
                    self.on_frame(frame)
                }
                Step::Command(Some(Command::Request { message, request })) => {
                    self.send_request(&message, request);
                    ControlFlow::Continue(())
                }
                Step::Command(Some(Command::Close) | None) => {
                    ControlFlow::Break(DisconnectReason::ClosedHere)
                }
                Step::IdleTimeout => ControlFlow::Break(DisconnectReason::Silent),
                Step::Command(Some(Command::Reconnect)) | Step::MaySend => {
                    ControlFlow::Continue(())
                }
            };
            if let ControlFlow::Break(reason) = flow {
                break reason;
            }
        };
        if since.elapsed() >= STEADY_AFTER {
            self.backoff.reset();
        }
        let goodbye = CloseFrame { code: coding::CloseCode::Normal, reason: Utf8Bytes::default() };
        // The peer may have gone, or may not answer.
        timeout(CLOSE_TIMEOUT, Socket::close(&mut socket, Some(goodbye))).await.ok();
        reason
    }

    /// Writes what the server's rate allows. Returns when it allows the rest, if something is left.
    async fn write_outgoing(
        &mut self,
        socket: &mut Socket,
        pacer: &mut Pacer,
    ) -> Result<Option<Instant>, DisconnectReason> {
        while let Some(text) = self.outgoing.pop_front() {
            if let Err(at) = pacer.take(Instant::now()) {
                self.outgoing.push_front(text);
                return Ok(Some(at));
            }
            match timeout(WRITE_TIMEOUT, socket.send(Message::Text(text))).await {
                Ok(Ok(())) => {}
                Ok(Err(error)) => return Err(dial::lost(&error)),
                Err(_) => return Err(DisconnectReason::Silent),
            }
        }
        Ok(None)
    }

    fn send_request(&mut self, message: &FromClient, request: Request) {
        let text = Utf8Bytes::from(request.text.as_str());
        if self.pending.add(request) {
            self.subscriptions.record_request(message);
            self.outgoing.push_back(text);
        }
    }

    fn on_frame(
        &mut self,
        frame: Option<Result<Message, tungstenite::Error>>,
    ) -> ControlFlow<DisconnectReason> {
        let text = match frame {
            Some(Ok(Message::Text(text))) => text,
            Some(Ok(Message::Close(frame))) => return ControlFlow::Break(dial::closed(frame)),
            Some(Ok(
                Message::Binary(_) | Message::Ping(_) | Message::Pong(_) | Message::Frame(_),
            )) => return ControlFlow::Continue(()),
            Some(Err(error)) => return ControlFlow::Break(dial::lost(&error)),
            None => return ControlFlow::Break(dial::closed(None)),
        };
        match ToClient::from_bytes(text.as_bytes()) {
            Ok(Some(message)) => self.on_message(message, text),
            // A later version of the protocol has further types.
            Ok(None) => self.on_undecodable(text, "its type is not known here"),
            Err(error) => self.on_undecodable(text, &error.to_string()),
        }
    }

    /// Fails the request that an undecodable frame answers. An event with a word that only later
    /// versions know counts as one of an unknown kind. An event without a readable head closes the
    /// connection, because no event may be missed; any other frame is ignored.
    fn on_undecodable(&mut self, text: Utf8Bytes, why: &str) -> ControlFlow<DisconnectReason> {
        if let Some(event) = unknown_event(&text) {
            return self.on_message(ToClient::Event(Box::new(event)), text);
        }
        let head = head_of(&text);
        if let Some(request) = head.re.and_then(|re| self.pending.remove(&re)) {
            fail(request, RequestError::Unreadable(why.to_owned()));
        } else if head.is_event {
            return ControlFlow::Break(DisconnectReason::Unreadable(why.into()));
        }
        ControlFlow::Continue(())
    }

    fn on_message(&mut self, message: ToClient, text: Utf8Bytes) -> ControlFlow<DisconnectReason> {
        if message.re().is_some() {
            self.on_reply(message);
            return ControlFlow::Continue(());
        }
        // Checked before the event is recorded: one that finds no room must not count as known.
        if self.inbox.capacity() == 0 && !self.inbox.is_closed() {
            return ControlFlow::Break(DisconnectReason::InboxFull);
        }
        if let Some(incoming) = self.incoming(message, text) {
            // This task is the only sender, so there is room. The program may have dropped its
            // inbox.
            self.inbox.try_send(incoming).ok();
        }
        ControlFlow::Continue(())
    }

    /// Returns what the inbox gets for a message that is no reply; `None` for nothing.
    fn incoming(&mut self, message: ToClient, text: Utf8Bytes) -> Option<Incoming> {
        Some(match message {
            ToClient::Event(frame) => return self.on_event(frame, text),
            ToClient::Snapshot(snapshot) => {
                self.subscriptions.record_snapshot(&snapshot);
                Incoming::Snapshot(snapshot)
            }
            ToClient::Notice(notice) => self.on_notice(notice),
            ToClient::YourTurn(your_turn) => Incoming::YourTurn(Box::new(your_turn)),
            ToClient::Presence(presence) => Incoming::Presence(presence),
            ToClient::Challenged(challenged) => Incoming::Challenged(Box::new(challenged)),
            ToClient::ChallengeClosed(closed) => Incoming::ChallengeClosed(closed),
            ToClient::Invite(state) => Incoming::Invite(Box::new(state.entry)),
            ToClient::Lobby(change) => Incoming::Lobby(Box::new(change)),
            ToClient::Tv(featured) => Incoming::Featured(Box::new(featured)),
            ToClient::Live(change) => Incoming::Live(Box::new(change)),
            ToClient::Said(said) => Incoming::Said(Box::new(said)),
            ToClient::Unsaid(unsaid) => Incoming::Unsaid(unsaid),
            ToClient::Error(failed) => Incoming::ServerError(Box::new(failed)),
            // These are replies, which `on_reply` has handled.
            ToClient::Welcome(_)
            | ToClient::Ok(_)
            | ToClient::Signature(_)
            | ToClient::Layout(_)
            | ToClient::Hints(_)
            | ToClient::Moves(_)
            | ToClient::Games(_)
            | ToClient::Challenges(_)
            | ToClient::Invites(_)
            | ToClient::Positions(_)
            | ToClient::Explored(_)
            | ToClient::Analysis(_)
            | ToClient::Talk(_)
            | ToClient::Mutes(_)
            | ToClient::Blocks(_)
            // Programs read their settings from `welcome` and from replies.
            | ToClient::Settings(_)
            | ToClient::Tokens(_)
            | ToClient::Bots(_)
            | ToClient::Directory(_)
            | ToClient::PushSubscriptions(_)
            | ToClient::Mail(_)
            | ToClient::Webhook(_)
            | ToClient::Catalogue(_)
            | ToClient::Standings(_)
            | ToClient::Stats(_)
            | ToClient::User(_)
            | ToClient::History(_)
            | ToClient::Pong(_) => return None,
            #[cfg(not(feature = "exhaustive"))]
            _ => return None,
        })
    }

    /// Passes the next event on. Requests the missing ones if the event shows a gap.
    fn on_event(&mut self, frame: Box<EventFrame>, text: Utf8Bytes) -> Option<Incoming> {
        match self.subscriptions.record_event(&frame) {
            EventDisposition::Next => Some(Incoming::Event { frame, bytes: Bytes::from(text) }),
            EventDisposition::Drop => None,
            EventDisposition::Missing { from } => {
                let id = self.ids.next();
                let mut watch = Watch::new(id, frame.game);
                watch.from = Some(from);
                let watch = FromClient::Watch(watch);
                self.subscriptions.record_request(&watch);
                self.outgoing.push_back(encode_request(&watch).into());
                None
            }
        }
    }

    fn on_notice(&mut self, notice: Notice) -> Incoming {
        if notice.what == NoticeKind::Restart {
            self.restart_in = Some(Duration::from_millis(notice.in_ms));
        }
        Incoming::Notice(notice)
    }

    fn on_reply(&mut self, reply: ToClient) {
        if let ToClient::Snapshot(snapshot) = &reply {
            self.subscriptions.record_snapshot(snapshot);
        }
        let Some(re) = reply.re() else { return };
        self.subscriptions.record_reply(re, &reply);
        if let Some(request) = self.pending.remove(re) {
            // The caller may have stopped waiting.
            request.reply_to.send(Ok(reply)).ok();
        }
    }
}

/// Returns what every event has of one that cannot be decoded.
fn unknown_event(text: &str) -> Option<EventFrame> {
    #[derive(Deserialize)]
    struct Fields {
        #[serde(rename = "type")]
        of: Box<str>,
        game: GameId,
        seq: u64,
        at: u64,
        kind: Box<str>,
        #[serde(default)]
        req: Option<RequestId>,
        hash: PositionHash,
        chain: Chain,
    }
    let Fields { of, game, seq, at, kind, req, hash, chain } = serde_json::from_str(text).ok()?;
    let body = EventBody::Unknown(kind);
    let mut event = EventFrame::new(game, seq, at, body, hash, chain);
    event.req = req;
    (*of == *"event").then_some(event)
}

/// The fields that decide how to handle the message.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Head {
    /// Whether the message is an event of a game.
    pub(crate) is_event: bool,
    /// The request that the message answers.
    pub(crate) re: Option<RequestId>,
}

/// Decodes the head; a field that cannot be decoded counts as absent.
pub(crate) fn head_of(text: &str) -> Head {
    #[derive(Default, Deserialize)]
    struct Fields {
        #[serde(rename = "type", default)]
        kind: String,
        #[serde(default)]
        re: Option<String>,
    }
    let fields: Fields = serde_json::from_str(text).unwrap_or_default();
    Head { is_event: fields.kind == "event", re: fields.re.and_then(|re| re.parse().ok()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_head_of_a_bad_reply_names_its_request() {
        let head = head_of(r#"{"type":"games","re":"c7","games":17}"#);
        assert_eq!(head, Head { is_event: false, re: Some("c7".parse().unwrap()) });
        assert!(head_of(r#"{"type":"event","seq":-1}"#).is_event);
        assert_eq!(head_of("nonsense"), Head { is_event: false, re: None });
    }
}
