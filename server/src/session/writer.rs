//! The outgoing half of a session: it writes what could not be written at once, keeps the
//! connection alive, measures the way to the client, and says goodbye. It waits for what is rare,
//! also for the reader.

use std::pin::{Pin, pin};
use std::{io, time::Duration};

use adamant_protocol::{CloseCode, GameId};
use tokio::io::{AsyncWrite, AsyncWriteExt as _};
use tokio::time::{Instant, Sleep, sleep_until, timeout, timeout_at};

use crate::limits::{CLOSE_MAX, SLOW_CLOSE_MAX, WRITE_STALL_MAX};
use crate::outbound::outbox::OutboxReader;
use crate::outbound::{SessionEnd, frame::Frame};
use crate::session::session::Link;

/// What is rare in a session, which its writer waits for on behalf of both halves, with one timer.
struct Watch<'a, L> {
    link: &'a Link,
    ping_every: Duration,
    next_ping: Instant,
    /// Whether a ping waits until the queue is empty: in a full one it would not measure the
    /// network.
    owes_ping: bool,
    timer: Pin<&'a mut Sleep>,
    leaving: Pin<&'a mut L>,
}

impl<L: Future<Output = ()>> Watch<'_, L> {
    /// Waits until a ping is due. Cancel-safe.
    async fn ping_due(&mut self) {
        while !self.owes_ping {
            self.next().await;
        }
    }

    /// Waits for what comes next, and tells the reader what it has to know. Cancel-safe.
    async fn next(&mut self) {
        let next = self.link.next_look().map_or(self.next_ping, |at| at.min(self.next_ping));
        if self.timer.deadline() != next {
            self.timer.as_mut().reset(next);
        }
        let leaves = self.link.poll_leaving().is_ready();
        tokio::select! {
            biased;
            () = self.leaving.as_mut(), if !leaves => self.link.leave(),
            () = self.timer.as_mut() => {
                let now = Instant::now();
                self.link.look_if_due(now);
                if self.next_ping <= now {
                    self.next_ping = now + self.ping_every;
                    self.owes_ping = true;
                }
            }
        }
    }
}

/// Writes until the session ends, then says why.
///
/// `leaving` ends when the session is to leave a server that stops. `catch_up` is called with games
/// whose events did not fit, once the queue is empty again.
pub(super) async fn write<P, L, F>(
    writer: &mut P,
    queue: &mut OutboxReader,
    (link, ping_every): (&Link, Duration),
    leaving: Pin<&mut L>,
    mut catch_up: impl FnMut(Vec<GameId>) -> F,
) where
    P: OutboxWriter,
    L: Future<Output = ()>,
    F: Future<Output = ()>,
{
    // The first ping goes with the welcome.
    let next_ping = Instant::now() + ping_every;
    let timer = pin!(sleep_until(next_ping));
    let mut watch = Watch { link, ping_every, next_ping, owes_ping: false, timer, leaving };
    // Most sessions never need the boxed futures: unboxed, each session would keep room for them.
    let end = loop {
        if let Some(end) = queue.end_reason() {
            break end;
        }
        if queue.is_waiting() {
            match Box::pin(write_some(writer, queue, &mut watch)).await {
                None => continue,
                Some(end) => break end,
            }
        }
        let lagged = Some(queue.drain_lagged()).filter(|lagged| !lagged.is_empty());
        if let Some(catching_up) = lagged.map(|lagged| Box::pin(until_end(queue, catch_up(lagged))))
        {
            catching_up.await;
            continue;
        }
        tokio::select! {
            biased;
            () = queue.woken() => {}
            () = watch.ping_due() => {
                watch.owes_ping = false;
                queue.outbox().try_send(&Frame::ping(link.round_trip.ping()));
            }
        }
    };
    Box::pin(say_goodbye(writer, queue, end)).await;
}

async fn say_goodbye(writer: &mut impl OutboxWriter, queue: &mut OutboxReader, end: SessionEnd) {
    queue.outbox().finish(end);
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
async fn write_some<L: Future<Output = ()>>(
    writer: &mut impl OutboxWriter,
    queue: &mut OutboxReader,
    watch: &mut Watch<'_, L>,
) -> Option<SessionEnd> {
    let outbox = queue.outbox();
    let stalled = Instant::now() + WRITE_STALL_MAX;
    let watching = async {
        loop {
            watch.next().await;
        }
    };
    // The write itself must end with the session, or a full TCP window would outlive it.
    tokio::select! {
        biased;
        written = timeout_at(stalled, writer.write(queue)) => match written {
            Ok(Ok(())) => None,
            Ok(Err(_)) => Some(SessionEnd::Disconnected),
            Err(_) => Some(SessionEnd::Close(CloseCode::SlowConsumer)),
        },
        end = outbox.ended() => Some(end),
        () = watching => None,
    }
}

/// Works until the session ends.
async fn until_end(queue: &OutboxReader, work: impl Future<Output = ()>) {
    let outbox = queue.outbox();
    tokio::select! {
        biased;
        _ = outbox.ended() => {}
        () = work => {}
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

#[cfg(test)]
mod tests {
    use std::future::{pending, poll_fn};

    use futures::{StreamExt as _, future::join};
    use tokio::io::{AsyncReadExt as _, DuplexStream, duplex};
    use tokio_tungstenite::{
        WebSocketStream,
        tungstenite::{Message, protocol::Role},
    };

    use crate::outbound::{SendOutcome, SessionId, outbox::outbox};

    use super::*;

    async fn write_to(pipe: DuplexStream, queue: &mut OutboxReader) {
        let link = Link::new(Instant::now() + Duration::from_hours(1));
        let rare = (&link, Duration::from_secs(10));
        let mut writer = ExclusiveWriter::new(pipe);
        write(&mut writer, queue, rare, pin!(pending()), |_| async {}).await;
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
    async fn the_reader_looks_in_time_although_the_peer_does_not_read() {
        let (pipe, _never_read) = duplex(100);
        let (outbox, mut queue) = outbox(SessionId(1), None);
        assert_eq!(outbox.try_send(&long()), SendOutcome::Queued);
        let at = Instant::now() + WRITE_STALL_MAX / 2;
        let link = Link::new(at);
        let rare = (&link, WRITE_STALL_MAX / 10);
        let mut writer = ExclusiveWriter::new(pipe);
        let leaving = pin!(pending());
        let writing = write(&mut writer, &mut queue, rare, leaving, |_| async {});
        let looking = poll_fn(|_| link.poll_look().map(|()| Instant::now()));
        assert_eq!(join(writing, looking).await.1, at);
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
}
