//! The outgoing half of a session: it writes what could not be written at once, keeps the
//! connection alive, measures the way to the client, and says goodbye. What the WebSocket library
//! writes goes the way of everything that the client is sent, in order with it.

use std::sync::Arc;
use std::task::{Context, Poll};
use std::{io, pin::Pin, time::Duration};

use adamant_protocol::{CloseCode, GameId};
use parking_lot::{Mutex, MutexGuard};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _, ReadBuf};
use tokio::time::{Instant, MissedTickBehavior, interval_at, timeout, timeout_at};

use crate::limits::{CLOSE_MAX, ROUND_TRIPS, SLOW_CLOSE_MAX, WRITE_STALL_MAX};
use crate::outbound::outbox::{Outbox, OutboxReader};
use crate::outbound::{SendOutcome, SessionEnd, frame::Frame};
use crate::runtime::time::milliseconds;

/// Writes until the session ends, then says why.
///
/// `catch_up` is called with games whose events did not fit, once the queue is empty again.
pub(super) async fn write<P, F>(
    writer: &mut P,
    queue: &mut OutboxReader,
    ping_every: Duration,
    round_trip: &RoundTrip,
    mut catch_up: impl FnMut(Vec<GameId>) -> F,
) where
    P: OutboxWriter,
    F: Future<Output = ()>,
{
    let outbox = queue.outbox();
    // The first one goes with the welcome.
    let mut pings = interval_at(Instant::now() + ping_every, ping_every);
    pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let end = loop {
        if let Some(end) = queue.end_reason() {
            break end;
        }
        if queue.is_waiting() {
            match write_some(writer, queue, &outbox).await {
                None => continue,
                Some(end) => break end,
            }
        }
        let lagged = queue.drain_lagged();
        if !lagged.is_empty() {
            Box::pin(catch_up(lagged)).await;
            continue;
        }
        tokio::select! {
            biased;
            () = queue.woken() => {}
            _ = pings.tick() => {
                // In a full queue the ping would not measure the network.
                outbox.try_send(&Frame::ping(round_trip.ping()));
            }
        }
    };
    outbox.finish(end);
    let is_slow = end == SessionEnd::Close(CloseCode::SlowConsumer);
    if is_slow {
        // Frames for a client that does not read are outdated by the time it reads.
        queue.drop_waiting();
    }
    if let SessionEnd::Close(reason) = end {
        queue.push_last(&Frame::close(reason));
    }
    // A peer that has disconnected receives no close frame, which does not matter.
    let wait = if is_slow { SLOW_CLOSE_MAX } else { CLOSE_MAX };
    drop(timeout(wait, write_out(writer, queue)).await);
}

/// Writes some of what waits. `Some` if the session is to end.
async fn write_some(
    writer: &mut impl OutboxWriter,
    queue: &mut OutboxReader,
    outbox: &Outbox,
) -> Option<SessionEnd> {
    let stalled = Instant::now() + WRITE_STALL_MAX;
    // The write itself must end with the session, or a full TCP window would outlive it.
    tokio::select! {
        biased;
        written = timeout_at(stalled, writer.write(queue)) => match written {
            Ok(Ok(())) => None,
            Ok(Err(_)) => Some(SessionEnd::Disconnected),
            Err(_) => Some(SessionEnd::Close(CloseCode::SlowConsumer)),
        },
        end = outbox.ended() => Some(end),
    }
}

/// Writes all that waits, and what has been started.
async fn write_out(writer: &mut impl OutboxWriter, queue: &mut OutboxReader) -> io::Result<()> {
    writer.write(queue).await?;
    while queue.is_waiting() {
        writer.write(queue).await?;
    }
    Ok(())
}

/// Reads from the connection, and writes to the outbox.
#[derive(Debug)]
pub(super) struct Transport<R> {
    from: R,
    outbox: Outbox,
}

impl<R> Transport<R> {
    pub(super) const fn new(from: R, outbox: Outbox) -> Self {
        Self { from, outbox }
    }

    pub(super) fn into_inner(self) -> R {
        self.from
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for Transport<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.from).poll_read(cx, into)
    }
}

impl<R: Unpin> AsyncWrite for Transport<R> {
    fn poll_write(
        self: Pin<&mut Self>,
        _cx: &mut Context<'_>,
        frames: &[u8],
    ) -> Poll<io::Result<usize>> {
        // A client that pings and does not read the answers has fallen behind like every slow
        // client.
        match self.outbox.send_or_evict(&Frame::encoded(frames)) {
            SendOutcome::Queued => Poll::Ready(Ok(frames.len())),
            SendOutcome::Full | SendOutcome::Closed => {
                Poll::Ready(Err(io::ErrorKind::BrokenPipe.into()))
            }
        }
    }

    fn poll_flush(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

/// How a session's writer empties its queue.
pub(super) trait OutboxWriter {
    /// Writes until at least one frame is out or the queue is empty. Cancel-safe: the next call
    /// continues a partial write.
    fn write(&mut self, queue: &mut OutboxReader) -> impl Future<Output = io::Result<()>> + Send;

    /// Tells the peer that nothing more comes.
    fn shutdown(self) -> impl Future<Output = ()> + Send;
}

/// The writer for a socket that others write to as well: it only waits until the socket takes more.
#[derive(Debug)]
pub(super) struct SharedSocketWriter;

impl OutboxWriter for SharedSocketWriter {
    async fn write(&mut self, queue: &mut OutboxReader) -> io::Result<()> {
        while queue.write()? == 0 && queue.is_waiting() {
            queue.writable().await?;
        }
        Ok(())
    }

    async fn shutdown(self) {
        // The queue that is dropped closes the socket for writing.
    }
}

/// Writes to a connection that has no other writer.
#[derive(Debug)]
pub(super) struct ExclusiveWriter<W> {
    to: W,
    started: Option<Frame>,
    /// How much of it has been written.
    written: usize,
}

impl<W> ExclusiveWriter<W> {
    pub(super) const fn new(to: W) -> Self {
        Self { to, started: None, written: 0 }
    }
}

impl<W: AsyncWrite + Unpin + Send> OutboxWriter for ExclusiveWriter<W> {
    async fn write(&mut self, queue: &mut OutboxReader) -> io::Result<()> {
        if self.started.is_none() {
            self.started = queue.pop();
        }
        while let Some(frame) = &self.started {
            match self.to.write(&frame.as_bytes()[self.written..]).await? {
                0 => return Err(io::ErrorKind::WriteZero.into()),
                count => self.written += count,
            }
            if self.written == frame.len() {
                (self.started, self.written) = (None, 0);
            }
        }
        if queue.is_waiting() { Ok(()) } else { self.to.flush().await }
    }

    async fn shutdown(mut self) {
        // It does not matter whether the peer is still connected.
        drop(self.to.shutdown().await);
    }
}

/// The way to one client, written by the session's two halves. The lock is held for moments.
#[derive(Debug, Clone, Default)]
pub(super) struct RoundTrip(Arc<Mutex<Measured>>);

#[derive(Debug, Default)]
struct Measured {
    /// The number of the last ping, and when it was sent, until it is answered.
    number: u32,
    sent: Option<Instant>,
    /// The number of the last ping that was answered.
    answered: u32,
    /// The last measurements in milliseconds; how many there have been.
    recent: [u32; ROUND_TRIPS],
    count: usize,
}

impl RoundTrip {
    fn measured(&self) -> MutexGuard<'_, Measured> {
        self.0.lock()
    }

    /// A ping leaves now; gives back its number.
    pub(super) fn ping(&self) -> u32 {
        let mut measured = self.measured();
        measured.number = measured.number.wrapping_add(1);
        measured.sent = Some(Instant::now());
        measured.number
    }

    /// A pong has come; whether it answers a ping later than those answered before. Only the last
    /// ping measures: the session may have been too busy to read the answer to an earlier one.
    pub(super) fn pong(&self, payload: &[u8]) -> bool {
        let Ok(bytes) = payload.try_into() else { return false };
        let number = u32::from_be_bytes(bytes);
        let mut measured = self.measured();
        let unanswered = measured.number.wrapping_sub(measured.answered);
        if measured.number.wrapping_sub(number) >= unanswered {
            return false;
        }
        measured.answered = number;
        if number != measured.number {
            return true;
        }
        let Some(sent) = measured.sent.take() else { return true };
        let place = measured.count % ROUND_TRIPS;
        measured.recent[place] = u32::try_from(milliseconds(sent.elapsed())).unwrap_or(u32::MAX);
        measured.count += 1;
        true
    }

    /// The shortest way of late, there and back; nothing before the first measurement.
    pub(super) fn shortest_ms(&self) -> u64 {
        let measured = self.measured();
        let known = measured.recent.iter().take(measured.count);
        known.min().map_or(0, |&shortest| shortest.into())
    }
}

#[cfg(test)]
mod tests {
    use futures::StreamExt as _;
    use tokio::{
        io::{AsyncReadExt as _, DuplexStream, duplex},
        time::advance,
    };
    use tokio_tungstenite::{
        WebSocketStream,
        tungstenite::{Message, protocol::Role},
    };

    use crate::outbound::{SessionId, outbox::outbox};

    use super::*;

    async fn write_to(pipe: DuplexStream, queue: &mut OutboxReader) {
        let round_trip = RoundTrip::default();
        let mut writer = ExclusiveWriter::new(pipe);
        write(&mut writer, queue, Duration::from_secs(10), &round_trip, |_| async {}).await;
    }

    fn long() -> Frame {
        Frame::text(&[b'x'; 1000])
    }

    #[tokio::test(start_paused = true)]
    async fn a_peer_that_stops_reading_is_gone_within_the_stall_and_the_goodbye() {
        let (pipe, _never_read) = duplex(100);
        let (outbox, mut queue) = outbox(SessionId(1), None);
        assert_eq!(outbox.try_send(&long()), SendOutcome::Queued);
        assert_eq!(outbox.try_send(&long()), SendOutcome::Queued);
        let started = Instant::now();
        write_to(pipe, &mut queue).await;
        assert!(started.elapsed() <= WRITE_STALL_MAX + SLOW_CLOSE_MAX);
        assert_eq!(outbox.ended().await, SessionEnd::Close(CloseCode::SlowConsumer));
    }

    #[tokio::test(start_paused = true)]
    async fn a_peer_that_reads_slowly_is_waited_for() {
        let (pipe, mut peer) = duplex(1000);
        let (outbox, mut queue) = outbox(SessionId(1), None);
        for _ in 0..20 {
            assert_eq!(outbox.try_send(&long()), SendOutcome::Queued);
        }
        let reading = async {
            let mut frame = vec![0; long().len()];
            for _ in 0..20 {
                tokio::time::sleep(WRITE_STALL_MAX / 2).await;
                // Pings come between.
                peer.read_exact(&mut frame).await.unwrap();
            }
            outbox.end(CloseCode::Restart);
            while peer.read(&mut frame).await.unwrap() > 0 {}
        };
        let writing = async {
            write_to(pipe, &mut queue).await;
        };
        tokio::join!(reading, writing);
        assert_eq!(outbox.ended().await, SessionEnd::Close(CloseCode::Restart));
    }

    #[tokio::test(start_paused = true)]
    async fn an_evicted_peer_does_not_wait_for_the_stall() {
        let (pipe, _never_read) = duplex(100);
        let (outbox, mut queue) = outbox(SessionId(1), None);
        while outbox.send_or_evict(&long()) == SendOutcome::Queued {}
        let started = Instant::now();
        write_to(pipe, &mut queue).await;
        assert!(started.elapsed() <= SLOW_CLOSE_MAX);
    }

    #[tokio::test(start_paused = true)]
    async fn an_evicted_peer_that_reads_late_still_hears_why() {
        let (pipe, mut peer) = duplex(100);
        let (outbox, mut queue) = outbox(SessionId(1), None);
        while outbox.send_or_evict(&long()) == SendOutcome::Queued {}
        let reading = async {
            tokio::time::sleep(SLOW_CLOSE_MAX / 2).await;
            let mut said = Vec::new();
            peer.read_to_end(&mut said).await.unwrap();
            said
        };
        let writing = async {
            write_to(pipe, &mut queue).await;
        };
        let (said, ()) = tokio::join!(reading, writing);
        assert!(said.ends_with(Frame::close(CloseCode::SlowConsumer).as_bytes()));
    }

    #[tokio::test(start_paused = true)]
    async fn what_was_queued_comes_before_the_goodbye() {
        let (pipe, peer) = duplex(10_000);
        let (outbox, mut queue) = outbox(SessionId(1), None);
        assert_eq!(outbox.try_send(&Frame::text(b"last words")), SendOutcome::Queued);
        outbox.end(CloseCode::Restart);
        write_to(pipe, &mut queue).await;
        let mut socket = WebSocketStream::from_raw_socket(peer, Role::Client, None).await;
        let said = socket.next().await.unwrap().unwrap();
        assert_eq!(said, Message::Text("last words".into()));
        let Message::Close(Some(close)) = socket.next().await.unwrap().unwrap() else { panic!() };
        assert_eq!(u16::from(close.code), 1012);
    }

    #[tokio::test(start_paused = true)]
    async fn no_close_frame_is_sent_after_a_disconnect() {
        let (pipe, mut peer) = duplex(10_000);
        let (outbox, mut queue) = outbox(SessionId(1), None);
        let answer = Frame::encoded(b"the answer to a goodbye");
        assert_eq!(outbox.try_send(&answer), SendOutcome::Queued);
        outbox.finish(SessionEnd::Disconnected);
        write_to(pipe, &mut queue).await;
        let mut said = Vec::new();
        peer.read_to_end(&mut said).await.unwrap();
        assert_eq!(said, answer.as_bytes());
    }

    async fn measure(way: &RoundTrip, ms: u64) {
        let ping = way.ping();
        advance(Duration::from_millis(ms)).await;
        assert!(way.pong(&ping.to_be_bytes()));
    }

    #[tokio::test(start_paused = true)]
    async fn the_shortest_of_the_last_few_ways_counts() {
        let way = RoundTrip::default();
        assert_eq!(way.shortest_ms(), 0);
        measure(&way, 80).await;
        assert_eq!(way.shortest_ms(), 80);
        measure(&way, 40).await;
        measure(&way, 3_000).await;
        assert_eq!(way.shortest_ms(), 40);
        for _ in 0..ROUND_TRIPS {
            measure(&way, 90).await;
        }
        assert_eq!(way.shortest_ms(), 90);
    }

    #[tokio::test(start_paused = true)]
    async fn only_the_answer_to_the_last_ping_counts_and_only_once() {
        let way = RoundTrip::default();
        assert!(!way.pong(b""));
        let old = way.ping();
        let new = way.ping();
        advance(Duration::from_millis(50)).await;
        assert!(way.pong(&old.to_be_bytes()), "it was asked for");
        assert!(!way.pong(&old.to_be_bytes()));
        assert!(!way.pong(b"something else"));
        assert!(way.pong(&new.to_be_bytes()));
        advance(Duration::from_millis(500)).await;
        assert!(!way.pong(&new.to_be_bytes()));
        assert_eq!(way.shortest_ms(), 50);
    }
}
