//! The outgoing half of a session: it writes what could not be written at once, keeps the
//! connection alive, and says goodbye.

use std::{io, time::Duration};

use adamant_protocol::{CloseCode, GameId};
use tokio::time::{Instant, MissedTickBehavior, interval_at, timeout, timeout_at};

use super::{round_trip::RoundTrip, transport::OutboxWriter};
use crate::{
    limits::{CLOSE_MAX, SLOW_CLOSE_MAX, WRITE_STALL_MAX},
    outbound::{
        SessionEnd,
        frame::Frame,
        outbox::{Outbox, OutboxReader},
    },
};

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

#[cfg(test)]
mod tests {
    use futures::StreamExt as _;
    use tokio::io::{AsyncReadExt as _, DuplexStream, duplex};
    use tokio_tungstenite::{
        WebSocketStream,
        tungstenite::{Message, protocol::Role},
    };

    use super::*;
    use crate::{
        outbound::{SendOutcome, SessionId, outbox::outbox},
        session::transport::ExclusiveWriter,
    };

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
}
