//! The incoming half of a session: frames become requests, one after the other. A request that has
//! to wait for a full room stops the reading, and so does one that is above the rate of its
//! connection. TCP then pushes back on this one client.

use std::{collections::VecDeque, future::poll_fn, pin::pin, sync::Arc, task::Poll};

use adamant_protocol::to_client::{Notice, NoticeKind};
use adamant_protocol::{CloseCode, Malformed, RequestId, ToClient, codec};
use futures::future::BoxFuture;
use tokio::io::AsyncRead;
use tokio::time::{Duration, Instant, sleep};
use tokio_tungstenite::tungstenite::{self, Message, error::ProtocolError};

use crate::limits::{DRAIN_ANSWERS, HELLO_MAX, MALFORMED_PER_MINUTE_MAX, RESTART_SPREAD};
use crate::session::session::{Services, Session};
use crate::session::{limits::terms, socket::Socket};
use crate::{error::Denial, outbound::SessionEnd, runtime::time::milliseconds};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CloseReason {
    /// The client said goodbye.
    PeerClosed,
    PeerLost,
    /// The server said goodbye.
    Closed(CloseCode),
}

impl CloseReason {
    /// For the log.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::PeerClosed => "closed by the client",
            Self::PeerLost => "connection lost",
            Self::Closed(code) => code.reason(),
        }
    }
}

/// What was read, and when.
type Read = (Option<Result<Message, tungstenite::Error>>, u64);

/// What one client sends, in order.
struct Incoming<'a, S> {
    socket: &'a mut Socket<S>,
    /// What came while the frame before it waited.
    ahead: Option<Box<Read>>,
}

/// What has become of what was read.
enum Taken<'a> {
    Whole,
    /// The rest is still to be done.
    Begun(BoxFuture<'a, Result<(), CloseCode>>),
    /// The session ends.
    Ended(CloseReason),
}

pub(super) struct Reader {
    pub(super) session: Session,
    /// When the last few frames came that were no requests.
    malformed: VecDeque<Instant>,
}

impl<S: AsyncRead + Unpin> Incoming<'_, S> {
    /// Returns the next frame. Cancel-safe.
    async fn next(&mut self, session: &Session) -> Read {
        if let Some(read) = self.ahead.take() {
            return *read;
        }
        let frame = self.socket.next().await;
        // Taken before any work, so that no clock is charged for the server's own delays.
        let received_at = session.now_ms();
        if matches!(frame, Some(Ok(Message::Ping(_)))) {
            self.socket.flush();
        }
        (frame, received_at)
    }
}

impl Reader {
    pub(super) const fn new(session: Session) -> Self {
        Self { session, malformed: VecDeque::new() }
    }

    /// Reads until the session ends, for whatever reason, and says goodbye to the lobby.
    pub(super) async fn run<S>(&mut self, source: &mut Socket<S>) -> CloseReason
    where
        S: AsyncRead + Unpin + Send,
    {
        let outbox = self.session.outbox.clone();
        // The writer, which is polled before the reader, is woken at the end.
        let ended = poll_fn(|_| outbox.end_reason().map_or(Poll::Pending, Poll::Ready));
        let cause = tokio::select! {
            biased;
            end = ended => match end {
                SessionEnd::Close(code) => CloseReason::Closed(code),
                SessionEnd::Disconnected => CloseReason::PeerLost,
            },
            cause = self.read(Incoming { socket: source, ahead: None }) => cause,
        };
        if cause == CloseReason::PeerClosed {
            // Answers the peer's close frame. The peer need not receive the answer.
            source.flush();
        }
        self.session.outbox.finish(match cause {
            CloseReason::Closed(code) => SessionEnd::Close(code),
            CloseReason::PeerClosed | CloseReason::PeerLost => SessionEnd::Disconnected,
        });
        // Boxed, so that it takes no memory in a session that has not ended.
        Box::pin(self.session.end()).await;
        cause
    }

    async fn read<S>(&mut self, mut incoming: Incoming<'_, S>) -> CloseReason
    where
        S: AsyncRead + Unpin + Send,
    {
        let link = Arc::clone(&self.session.link);
        let mut heard_at = Instant::now();
        let hello_by = heard_at + HELLO_MAX;
        let mut expires_at = None;
        loop {
            let is_ahead = incoming.ahead.is_some();
            // The writer waits for what is rare, and wakes the reader.
            let (frame, received_at) = tokio::select! {
                biased;
                () = poll_fn(|_| link.poll_leaving()) => return Box::pin(self.leave()).await,
                read = incoming.next(&self.session) => read,
                () = poll_fn(|_| link.poll_look()) => {
                    let (ends, code) = self.silence_ends(hello_by, heard_at);
                    if Instant::now() < ends {
                        link.look_at(ends);
                        self.session.outbox.wake_writer();
                        continue;
                    }
                    return CloseReason::Closed(code);
                }
            };
            let counted_at = if is_ahead { self.session.now_ms() } else { received_at };
            let result = match self.take(frame, (received_at, counted_at), &mut incoming) {
                Taken::Whole => Ok(()),
                Taken::Ended(cause) => return cause,
                Taken::Begun(rest) => rest.await,
            };
            if let Err(code) = result {
                return CloseReason::Closed(code);
            }
            // A client is silent only while the server listens.
            heard_at = Instant::now();
            if self.session.expires_at != expires_at {
                expires_at = self.session.expires_at;
                link.look_now();
            }
        }
    }

    /// Returns when the session of a client that stays silent ends, and why.
    fn silence_ends(&self, hello_by: Instant, heard_at: Instant) -> (Instant, CloseCode) {
        // A client that waits before its next `hello` is as any other that is silent.
        let is_awaited = !self.session.is_open() && !self.session.told_to_wait;
        let silence = if is_awaited {
            (hello_by, CloseCode::BadHello)
        } else {
            (heard_at + self.session.services.limits.get().idle_close, CloseCode::Heartbeat)
        };
        let token = self.session.expires_at.map(|at| self.session.services.time.instant_at(at));
        match token {
            Some(ends) if ends <= silence.0 => (ends, CloseCode::TokenEnded),
            Some(_) | None => silence,
        }
    }

    /// The server stops: nothing more is read, but what was accepted is still answered. If other
    /// nodes go on, the client may come back at once.
    async fn leave(&self) -> CloseReason {
        let Services { lifecycle, entropy, .. } = &*self.session.services;
        let others_go_on = !lifecycle.soft.is_cancelled();
        let spread = if others_go_on { Duration::ZERO } else { RESTART_SPREAD };
        let in_ms = milliseconds(entropy.clone().within(spread));
        // An overflow ends the session for another reason, which is as good.
        let _offer =
            self.session.outbox.send(&ToClient::Notice(Notice::new(NoticeKind::Restart, in_ms)));
        if others_go_on {
            lifecycle.soft.run_until_cancelled(sleep(DRAIN_ANSWERS)).await;
        } else {
            lifecycle.drained.cancelled().await;
        }
        CloseReason::Closed(CloseCode::Restart)
    }

    /// Takes what was read. Moves that need not wait are sent to their room, and nothing else
    /// takes room in an idle session.
    fn take<'a, S>(
        &'a mut self,
        frame: Option<Result<Message, tungstenite::Error>>,
        (received_at, counted_at): (u64, u64),
        incoming: &'a mut Incoming<'_, S>,
    ) -> Taken<'a>
    where
        S: AsyncRead + Unpin + Send,
    {
        match frame {
            None => Taken::Ended(CloseReason::PeerLost),
            Some(Err(error)) => Taken::Ended(close_reason_of(&error)),
            Some(Ok(Message::Text(text))) => {
                self.on_text(text.as_bytes(), (received_at, counted_at), incoming)
            }
            Some(Ok(Message::Binary(_))) => {
                Taken::Ended(CloseReason::Closed(CloseCode::Unsupported))
            }
            Some(Ok(Message::Close(_))) => Taken::Ended(CloseReason::PeerClosed),
            // What the server has asked for itself is free.
            Some(Ok(Message::Pong(payload))) if self.session.link.round_trip.pong(&payload) => {
                Taken::Whole
            }
            // Others cost a token, too: a flood of them is a flood.
            Some(Ok(Message::Ping(_) | Message::Pong(_) | Message::Frame(_))) => {
                Taken::Begun(Box::pin(self.count_frame(counted_at, incoming)))
            }
        }
    }

    fn on_text<'a, S>(
        &'a mut self,
        bytes: &[u8],
        (received_at, counted_at): (u64, u64),
        incoming: &'a mut Incoming<'_, S>,
    ) -> Taken<'a>
    where
        S: AsyncRead + Unpin + Send,
    {
        let request = match codec::decode(bytes) {
            Ok(request) => request,
            Err(malformed) => {
                return Taken::Begun(Box::pin(self.on_malformed(malformed, incoming)));
            }
        };
        match self.session.request_limits.take(terms(&request).cost, counted_at) {
            Ok(Duration::ZERO) => match self.session.try_send_move(request, received_at) {
                None => Taken::Whole,
                Some(request) => {
                    Taken::Begun(Box::pin(self.session.on_request(request, received_at)))
                }
            },
            Ok(wait) => Taken::Begun(Box::pin(async move {
                self.pace(wait, incoming).await?;
                match self.session.try_send_move(request, received_at) {
                    None => Ok(()),
                    Some(request) => self.session.on_request(request, received_at).await,
                }
            })),
            Err(denial) => Taken::Begun(Box::pin(self.refuse_rate(request.id().clone(), denial))),
        }
    }

    async fn refuse_rate(&mut self, re: RequestId, denial: Denial) -> Result<(), CloseCode> {
        self.session.told_to_wait = true;
        self.session.outbox.send_waiting(&ToClient::Error(denial.into_failed(Some(re)))).await;
        self.close_if_struck_out()
    }

    /// Counts a frame that has no answer of its own.
    async fn count_frame<S>(
        &mut self,
        counted_at: u64,
        incoming: &mut Incoming<'_, S>,
    ) -> Result<(), CloseCode>
    where
        S: AsyncRead + Unpin + Send,
    {
        match self.session.request_limits.take(1, counted_at) {
            Ok(Duration::ZERO) => Ok(()),
            Ok(wait) => Box::pin(self.pace(wait, incoming)).await,
            Err(_) => self.close_if_struck_out(),
        }
    }

    /// Waits until a message is due. Answers to the server's pings are taken meanwhile. Of what
    /// else comes, one frame is read and the rest waits in the socket. A server that stops waits
    /// for longer than this.
    async fn pace<S>(
        &mut self,
        wait: Duration,
        incoming: &mut Incoming<'_, S>,
    ) -> Result<(), CloseCode>
    where
        S: AsyncRead + Unpin + Send,
    {
        let mut due = pin!(sleep(wait));
        loop {
            tokio::select! {
                biased;
                () = self.session.token_ended() => return Err(CloseCode::TokenEnded),
                () = due.as_mut() => break,
                read = incoming.next(&self.session), if incoming.ahead.is_none() => {
                    let is_answer = matches!(
                        &read.0,
                        Some(Ok(Message::Pong(payload))) if self.session.link.round_trip.pong(payload)
                    );
                    if !is_answer {
                        incoming.ahead = Some(Box::new(read));
                    }
                }
            }
        }
        if incoming.ahead.is_none() {
            self.session.request_limits.caught_up();
        }
        Ok(())
    }

    /// What follows when there was no token: nothing, unless it has been so again and again.
    fn close_if_struck_out(&self) -> Result<(), CloseCode> {
        if self.session.request_limits.is_struck_out() { Err(CloseCode::Rate) } else { Ok(()) }
    }

    /// A frame that is no request is answered; the third within a minute of those that could not
    /// even be read ends the session.
    async fn on_malformed<S>(
        &mut self,
        malformed: Malformed,
        incoming: &mut Incoming<'_, S>,
    ) -> Result<(), CloseCode>
    where
        S: AsyncRead + Unpin + Send,
    {
        let unreadable = malformed.id.is_none();
        let failed = Denial::Malformed(malformed).into_failed(None);
        self.session.outbox.send_waiting(&ToClient::Error(failed)).await;
        if !unreadable {
            return self.count_frame(self.session.now_ms(), incoming).await;
        }
        let now = Instant::now();
        self.malformed.push_back(now);
        while let Some(first) = self.malformed.front()
            && now.duration_since(*first) > Duration::from_mins(1)
        {
            self.malformed.pop_front();
        }
        if self.malformed.len() >= MALFORMED_PER_MINUTE_MAX {
            return Err(CloseCode::Policy);
        }
        Ok(())
    }
}

/// What an error of the socket means.
fn close_reason_of(error: &tungstenite::Error) -> CloseReason {
    match error {
        tungstenite::Error::Capacity(_) => CloseReason::Closed(CloseCode::TooLarge),
        // The end of the connection, without a goodbye before it, is no misconduct.
        tungstenite::Error::Protocol(ProtocolError::ResetWithoutClosingHandshake) => {
            CloseReason::PeerLost
        }
        tungstenite::Error::Utf8(_) => CloseReason::Closed(CloseCode::NotUtf8),
        tungstenite::Error::Protocol(_) => CloseReason::Closed(CloseCode::Breach),
        tungstenite::Error::ConnectionClosed | tungstenite::Error::AlreadyClosed => {
            CloseReason::PeerClosed
        }
        tungstenite::Error::Io(_)
        | tungstenite::Error::Tls(_)
        | tungstenite::Error::WriteBufferFull(_)
        | tungstenite::Error::AttackAttempt
        | tungstenite::Error::Url(_)
        | tungstenite::Error::Http(_)
        | tungstenite::Error::HttpFormat(_) => CloseReason::PeerLost,
    }
}
