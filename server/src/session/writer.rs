//! The outgoing half of a session, and the only code that writes to its socket.

use std::time::Duration;

use adamant_protocol::{CloseCode, GameId};
use futures::{Sink, SinkExt as _};
use tokio::time::{MissedTickBehavior, interval, timeout};
use tokio_tungstenite::tungstenite::{
    Message,
    protocol::{CloseFrame, frame::coding},
};

use super::round_trip::RoundTrip;
use crate::{
    limits::{GOODBYE_MAX, WRITE_STALL_MAX},
    outbox::OutboxReader,
};

/// Empties the queue into the socket until the session ends, then says why.
///
/// `catch_up` is called with games whose events did not fit, once the queue is empty again.
pub(super) async fn write<S, F>(
    socket: &mut S,
    queue: &mut OutboxReader,
    ping_every: Duration,
    round_trip: &RoundTrip,
    mut catch_up: impl FnMut(Vec<GameId>) -> F,
) where
    S: Sink<Message> + Unpin,
    F: Future<Output = ()>,
{
    // The first one at once: a fast game should not begin before the way has been measured.
    let mut pings = interval(ping_every);
    pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let signals = queue.signals();
    let reason = loop {
        let first = tokio::select! {
            biased;
            reason = signals.ended() => break reason,
            Some(frame) = queue.next() => Message::Text(frame),
            () = signals.lag_noted() => {
                // The queue is empty, or the branch above would have been taken.
                catch_up(signals.take_lagged()).await;
                continue;
            }
            _ = pings.tick() => Message::Ping(round_trip.ping()),
        };
        if let Some(reason) = write_batch(socket, queue, first).await {
            break reason;
        }
    };
    signals.end(reason);
    // What is queued for somebody who does not read is stale by the time it is read.
    let rest = if reason == CloseCode::SlowConsumer { None } else { queue.try_next() };
    let goodbye = async {
        let mut next = rest;
        while let Some(frame) = next {
            socket.feed(Message::Text(frame)).await?;
            next = queue.try_next();
        }
        let frame = CloseFrame {
            code: coding::CloseCode::from(reason.number()),
            reason: reason.reason().into(),
        };
        socket.send(Message::Close(Some(frame))).await
    };
    // A peer that is gone cannot be said goodbye to; nothing follows from that.
    let _said = timeout(GOODBYE_MAX, goodbye).await;
}

/// Writes a frame and all that wait behind it, then flushes. `Some` if the session is to end.
async fn write_batch<S: Sink<Message> + Unpin>(
    socket: &mut S,
    queue: &mut OutboxReader,
    first: Message,
) -> Option<CloseCode> {
    let signals = queue.signals();
    let writing = timeout(WRITE_STALL_MAX, async {
        socket.feed(first).await?;
        while let Some(frame) = queue.try_next() {
            socket.feed(Message::Text(frame)).await?;
        }
        socket.flush().await
    });
    // The write itself must end with the session, or a full TCP window would outlive it.
    tokio::select! {
        biased;
        written = writing => match written {
            Ok(Ok(())) => None,
            Ok(Err(_)) => Some(CloseCode::GoingAway),
            Err(_) => Some(CloseCode::SlowConsumer),
        },
        reason = signals.ended() => Some(reason),
    }
}

#[cfg(test)]
mod tests {
    use futures::channel::mpsc;
    use tokio::time::Instant;

    use super::*;
    use crate::outbox::{Offer, outbox};

    async fn write_to(socket: &mut mpsc::Sender<Message>, queue: &mut OutboxReader) {
        let round_trip = RoundTrip::default();
        write(socket, queue, Duration::from_secs(10), &round_trip, |_| async {}).await;
    }

    #[tokio::test(start_paused = true)]
    async fn a_peer_that_stops_reading_is_gone_within_the_stall_and_the_goodbye() {
        let (mut socket, _never_read) = mpsc::channel::<Message>(0);
        let (outbox, mut queue) = outbox();
        assert_eq!(outbox.offer("x".into()), Offer::Queued);
        assert_eq!(outbox.offer("y".into()), Offer::Queued);
        let begun = Instant::now();
        write_to(&mut socket, &mut queue).await;
        assert!(begun.elapsed() <= WRITE_STALL_MAX + GOODBYE_MAX);
        assert_eq!(outbox.ended().await, CloseCode::SlowConsumer);
    }

    #[tokio::test(start_paused = true)]
    async fn an_evicted_peer_does_not_wait_for_the_stall() {
        let (mut socket, _never_read) = mpsc::channel::<Message>(0);
        let (outbox, mut queue) = outbox();
        while outbox.offer_or_evict("x".into()) == Offer::Queued {}
        let begun = Instant::now();
        write_to(&mut socket, &mut queue).await;
        assert!(begun.elapsed() <= GOODBYE_MAX);
    }

    #[tokio::test(start_paused = true)]
    async fn what_was_queued_comes_before_the_goodbye() {
        use futures::StreamExt as _;
        let (mut socket, sent) = mpsc::channel::<Message>(16);
        let (outbox, mut queue) = outbox();
        assert_eq!(outbox.offer("last words".into()), Offer::Queued);
        outbox.end(CloseCode::Restart);
        write_to(&mut socket, &mut queue).await;
        drop(socket);
        let sent: Vec<Message> = sent.collect().await;
        assert_eq!(sent[0], Message::Text("last words".into()));
        let Message::Close(Some(close)) = &sent[1] else { panic!("{sent:?}") };
        assert_eq!(u16::from(close.code), 1012);
    }
}
