//! The incoming half of a session: frames become requests, one after the other. A request that has
//! to wait for a full room stops the reading, and so does one that is above the rate of its
//! connection. TCP then pushes back on this one client.

use std::{collections::VecDeque, pin::pin, sync::Arc};

use adamant_protocol::to_client::{Notice, NoticeKind};
use adamant_protocol::{CloseCode, Malformed, RequestId, ToClient, codec};
use futures::{FutureExt as _, SinkExt as _, StreamExt as _};
use rand::RngExt as _;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::{Duration, Instant, sleep, sleep_until};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::{self, Message, error::ProtocolError};

use crate::limits::{
    DRAIN_ANSWERS, DRAIN_BALANCER, DRAIN_SPREAD, HELLO_MAX, MALFORMED_PER_MINUTE_MAX,
    RESTART_SPREAD,
};
use crate::runtime::{entropy::Entropy, on_wake::OnWake};
use crate::session::limits::terms;
use crate::session::session::{Services, Session};
use crate::{error::Denial, outbound::SessionEnd};

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
    socket: &'a mut WebSocketStream<S>,
    /// What came while the frame before it waited.
    ahead: Option<Box<Read>>,
}

pub(super) struct Reader {
    pub(super) session: Session,
    /// When the last few frames came that were no requests.
    malformed: VecDeque<Instant>,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Incoming<'_, S> {
    /// Returns the next frame. Cancel-safe.
    async fn next(&mut self, session: &Session) -> Read {
        if let Some(read) = self.ahead.take() {
            return *read;
        }
        let frame = self.socket.next().await;
        // Stamped before anything is done with it: waiting in our house is never charged.
        let received_at = session.now_ms();
        if matches!(frame, Some(Ok(Message::Ping(_)))) {
            // Otherwise the answer would leave with the next read.
            drop(self.socket.flush().now_or_never());
        }
        (frame, received_at)
    }
}

impl Reader {
    pub(super) const fn new(session: Session) -> Self {
        Self { session, malformed: VecDeque::new() }
    }

    /// Reads until the session ends, for whatever reason, and says goodbye to the lobby.
    pub(super) async fn run<S>(&mut self, source: &mut WebSocketStream<S>) -> CloseReason
    where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        let outbox = self.session.outbox.clone();
        let cause = {
            let ended = pin!(outbox.ended());
            tokio::select! {
                biased;
                end = OnWake::new(ended) => match end {
                    SessionEnd::Close(code) => CloseReason::Closed(code),
                    SessionEnd::Disconnected => CloseReason::PeerLost,
                },
                cause = self.read(Incoming { socket: source, ahead: None }) => cause,
            }
        };
        if cause == CloseReason::PeerClosed {
            // Answers the peer's close frame. The peer need not receive the answer.
            drop(source.flush().await);
        }
        self.session.outbox.finish(match cause {
            CloseReason::Closed(code) => SessionEnd::Close(code),
            CloseReason::PeerClosed | CloseReason::PeerLost => SessionEnd::Disconnected,
        });
        // Boxed is what few sessions need.
        Box::pin(self.session.end()).await;
        cause
    }

    async fn read<S>(&mut self, mut incoming: Incoming<'_, S>) -> CloseReason
    where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        let services = Arc::clone(&self.session.services);
        let hello_by = Instant::now() + HELLO_MAX;
        let mut heard_at = Instant::now();
        // These waits last for many frames, because a new wait for each frame would cost more than
        // most frames. A timer that fires early, because of newer frames, is set again.
        let leaving = pin!(turn_to_leave(&services));
        let mut leaving = OnWake::new(leaving);
        let mut expires_at = None;
        let mut timer = pin!(sleep_until(hello_by.min(heard_at + services.limits.idle_close)));
        loop {
            let is_ahead = incoming.ahead.is_some();
            let (frame, received_at) = tokio::select! {
                biased;
                () = &mut leaving => return self.leave().await,
                read = incoming.next(&self.session) => read,
                () = timer.as_mut() => {
                    let (ends, code) = self.silence_ends(hello_by, heard_at);
                    if Instant::now() < ends {
                        timer.as_mut().reset(ends);
                        continue;
                    }
                    return CloseReason::Closed(code);
                }
            };
            let counted_at = if is_ahead { self.session.now_ms() } else { received_at };
            let frame = match frame {
                None => return CloseReason::PeerLost,
                Some(Err(error)) => return close_reason_of(&error),
                Some(Ok(frame)) => frame,
            };
            let result = match frame {
                Message::Text(text) => {
                    let text = text.as_bytes();
                    self.on_text(text, (received_at, counted_at), &mut incoming).await
                }
                Message::Binary(_) => Err(CloseCode::Unsupported),
                Message::Close(_) => return CloseReason::PeerClosed,
                // What the server has asked for itself is free.
                Message::Pong(payload) if self.session.round_trip.pong(&payload) => Ok(()),
                // Others cost a token, too: a flood of them is a flood.
                Message::Ping(_) | Message::Pong(_) | Message::Frame(_) => {
                    self.count_frame(counted_at, &mut incoming).await
                }
            };
            if let Err(code) = result {
                return CloseReason::Closed(code);
            }
            // A client is silent only while the server listens.
            heard_at = Instant::now();
            if self.session.expires_at != expires_at {
                expires_at = self.session.expires_at;
                timer.as_mut().reset(heard_at);
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
            (heard_at + self.session.services.limits.idle_close, CloseCode::Heartbeat)
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
        let in_ms = random_ms(&mut entropy.clone(), spread);
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

    /// Boxed is what would otherwise take room in every idle session.
    async fn on_text<S>(
        &mut self,
        bytes: &[u8],
        (received_at, counted_at): (u64, u64),
        incoming: &mut Incoming<'_, S>,
    ) -> Result<(), CloseCode>
    where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        let request = match codec::decode(bytes) {
            Ok(request) => request,
            Err(malformed) => return Box::pin(self.on_malformed(malformed, incoming)).await,
        };
        match self.session.request_limits.take(terms(&request).cost, counted_at) {
            Ok(Duration::ZERO) => {}
            Ok(wait) => Box::pin(self.pace(wait, incoming)).await?,
            Err(denial) => return Box::pin(self.refuse_rate(request.id().clone(), denial)).await,
        }
        match self.session.try_send_move(request, received_at) {
            None => Ok(()),
            Some(request) => Box::pin(self.session.on_request(request, received_at)).await,
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
        S: AsyncRead + AsyncWrite + Unpin,
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
        S: AsyncRead + AsyncWrite + Unpin,
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
                        Some(Ok(Message::Pong(payload))) if self.session.round_trip.pong(payload)
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
        S: AsyncRead + AsyncWrite + Unpin,
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

/// Waits until a session leaves a server that stops: at once, unless other nodes go on. Boxed is
/// what would otherwise take room in every session.
async fn turn_to_leave(Services { lifecycle, entropy, .. }: &Services) {
    lifecycle.draining.cancelled().await;
    let spread = random_ms(&mut entropy.clone(), DRAIN_SPREAD);
    let after = DRAIN_BALANCER + Duration::from_millis(spread);
    Box::pin(lifecycle.soft.run_until_cancelled(sleep(after))).await;
}

fn random_ms(entropy: &mut Entropy, max: Duration) -> u64 {
    entropy.random_range(0..=u64::try_from(max.as_millis()).unwrap_or(u64::MAX))
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
