//! One client's outgoing queue: bounded in frames and bytes, and never awaited by a room.
//!
//! It lies below rooms and sessions, so that neither knows the other: a room is handed an
//! [`Outbox`] and a session's writer empties the [`OutboxReader`].

use std::sync::{
    Arc, Mutex, OnceLock, PoisonError, Weak,
    atomic::{AtomicUsize, Ordering},
};

use adamant_protocol::{CloseCode, GameId, ToClient};
use tokio::sync::{Notify, mpsc};
use tokio_tungstenite::tungstenite::Utf8Bytes;
use tokio_util::sync::CancellationToken;

use crate::limits::{OUTBOX_BYTES_MAX, OUTBOX_FRAMES_MAX};

/// What became of an offered frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Offer {
    /// It will be sent.
    Queued,
    /// There was no room for it.
    Full,
    /// The client has left.
    Gone,
}

/// The sending end. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Outbox {
    frames: mpsc::Sender<Utf8Bytes>,
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    /// Bytes queued and not yet taken by the writer.
    bytes: AtomicUsize,
    /// Ends the session once a reason stands in `reason`.
    ended: CancellationToken,
    reason: OnceLock<CloseCode>,
    /// Games whose events did not fit. No lock is held across an await.
    lagged: Mutex<Vec<GameId>>,
    lag_noted: Notify,
    /// Who wants to know that the session has ended. No lock is held across an await.
    mourners: Mutex<Vec<Weak<Notify>>>,
}

/// The writer's end.
#[derive(Debug)]
pub(crate) struct OutboxReader {
    frames: mpsc::Receiver<Utf8Bytes>,
    shared: Arc<Shared>,
}

/// A new queue.
pub(crate) fn outbox() -> (Outbox, OutboxReader) {
    let (sender, receiver) = mpsc::channel(OUTBOX_FRAMES_MAX);
    let shared = Arc::new(Shared::default());
    (
        Outbox { frames: sender, shared: Arc::clone(&shared) },
        OutboxReader { frames: receiver, shared },
    )
}

/// The frame of a message; encoded once, shared by all who get it.
pub(crate) fn frame(message: &ToClient) -> Utf8Bytes {
    Utf8Bytes::from(adamant_protocol::encode(message))
}

impl Outbox {
    /// Queues a frame if there is room. Never waits.
    pub(crate) fn offer(&self, frame: Utf8Bytes) -> Offer {
        let size = frame.len();
        let before = self.shared.bytes.fetch_add(size, Ordering::Relaxed);
        // A single frame larger than the whole budget still passes when nothing else waits.
        if before > 0 && before + size > OUTBOX_BYTES_MAX {
            self.shared.bytes.fetch_sub(size, Ordering::Relaxed);
            return Offer::Full;
        }
        match self.frames.try_send(frame) {
            Ok(()) => Offer::Queued,
            Err(error) => {
                self.shared.bytes.fetch_sub(size, Ordering::Relaxed);
                match error {
                    mpsc::error::TrySendError::Full(_) => Offer::Full,
                    mpsc::error::TrySendError::Closed(_) => Offer::Gone,
                }
            }
        }
    }

    /// Queues a frame that the client cannot do without: if there is no room, the client has
    /// fallen too far behind, is closed, and comes back with its cursor.
    pub(crate) fn offer_or_evict(&self, frame: Utf8Bytes) -> Offer {
        let offer = self.offer(frame);
        if offer == Offer::Full {
            self.end(CloseCode::SlowConsumer);
        }
        offer
    }

    /// Queues a message that the client cannot do without.
    pub(crate) fn send(&self, message: &ToClient) -> Offer {
        self.offer_or_evict(frame(message))
    }

    /// Waits until there is room. Only for the session's own reader: waiting stops it reading.
    pub(crate) async fn send_waiting(&self, message: &ToClient) -> Offer {
        self.send_frame_waiting(frame(message)).await
    }

    /// The same for a frame that is encoded already.
    pub(crate) async fn send_frame_waiting(&self, frame: Utf8Bytes) -> Offer {
        let size = frame.len();
        match self.frames.reserve().await {
            Ok(permit) => {
                self.shared.bytes.fetch_add(size, Ordering::Relaxed);
                permit.send(frame);
                Offer::Queued
            }
            Err(_) => Offer::Gone,
        }
    }

    /// Ends the session. The first reason counts.
    pub(crate) fn end(&self, reason: CloseCode) {
        self.shared.end(reason);
    }

    /// Notes that events of a game did not fit: the session asks for a snapshot once it has room.
    pub(crate) fn note_lag(&self, game: &GameId) {
        let mut lagged = self.shared.lagged.lock().unwrap_or_else(PoisonError::into_inner);
        if !lagged.contains(game) {
            lagged.push(game.clone());
        }
        drop(lagged);
        self.shared.lag_noted.notify_one();
    }

    /// Waits until the session is to end, and tells why.
    pub(crate) async fn ended(&self) -> CloseCode {
        self.shared.ended.cancelled().await;
        self.shared.reason()
    }

    /// Whether the client has left or is being sent away.
    pub(crate) fn is_closed(&self) -> bool {
        self.frames.is_closed() || self.shared.ended.is_cancelled()
    }

    /// Wakes somebody once the client has left or is being sent away; at once if it has already.
    pub(crate) fn wake_at_end(&self, wake: &Arc<Notify>) {
        let mut mourners = self.shared.mourners.lock().unwrap_or_else(PoisonError::into_inner);
        // Whoever is gone makes room, so that the list is no longer than what the client is at.
        mourners.retain(|known| known.strong_count() > 0 && known.as_ptr() != Arc::as_ptr(wake));
        mourners.push(Arc::downgrade(wake));
        drop(mourners);
        if self.is_closed() {
            wake.notify_one();
        }
    }
}

impl Shared {
    fn end(&self, reason: CloseCode) {
        // A second reason comes too late to be told, which is fine.
        let _first = self.reason.set(reason);
        self.ended.cancel();
        let mourners =
            std::mem::take(&mut *self.mourners.lock().unwrap_or_else(PoisonError::into_inner));
        for wake in mourners.iter().filter_map(Weak::upgrade) {
            wake.notify_one();
        }
    }

    fn reason(&self) -> CloseCode {
        self.reason.get().copied().unwrap_or(CloseCode::GoingAway)
    }
}

/// However a session ends, whoever waits for its end is woken.
impl Drop for OutboxReader {
    fn drop(&mut self) {
        self.shared.end(CloseCode::GoingAway);
    }
}

impl OutboxReader {
    /// The next frame; `None` once every [`Outbox`] is gone. Safe to cancel.
    pub(crate) async fn next(&mut self) -> Option<Utf8Bytes> {
        let frame = self.frames.recv().await?;
        self.shared.bytes.fetch_sub(frame.len(), Ordering::Relaxed);
        Some(frame)
    }

    /// The next frame, if there is one already.
    pub(crate) fn try_next(&mut self) -> Option<Utf8Bytes> {
        let frame = self.frames.try_recv().ok()?;
        self.shared.bytes.fetch_sub(frame.len(), Ordering::Relaxed);
        Some(frame)
    }

    /// What happens to the queue besides frames; apart, so that both can be waited for at once.
    pub(crate) fn signals(&self) -> OutboxSignals {
        OutboxSignals(Arc::clone(&self.shared))
    }
}

/// What happens to a queue besides frames.
#[derive(Debug, Clone)]
pub(crate) struct OutboxSignals(Arc<Shared>);

impl OutboxSignals {
    /// Games that a snapshot is owed for.
    pub(crate) fn take_lagged(&self) -> Vec<GameId> {
        std::mem::take(&mut *self.0.lagged.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Waits until some game's events did not fit.
    pub(crate) async fn lag_noted(&self) {
        self.0.lag_noted.notified().await;
    }

    /// Waits until the session is to end, and tells why.
    pub(crate) async fn ended(&self) -> CloseCode {
        self.0.ended.cancelled().await;
        self.0.reason()
    }

    /// Ends the session. The first reason counts.
    pub(crate) fn end(&self, reason: CloseCode) {
        self.0.end(reason);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn overflow_is_told_and_nothing_before_it_is_lost() {
        let (outbox, mut reader) = outbox();
        for _ in 0..OUTBOX_FRAMES_MAX {
            assert_eq!(outbox.offer("x".into()), Offer::Queued);
        }
        assert_eq!(outbox.offer("x".into()), Offer::Full);
        assert!(!outbox.is_closed());
        assert_eq!(outbox.offer_or_evict("x".into()), Offer::Full);
        assert_eq!(reader.signals().ended().await, CloseCode::SlowConsumer);
        let queued = std::iter::from_fn(|| reader.try_next()).count();
        assert_eq!(queued, OUTBOX_FRAMES_MAX);
    }

    #[tokio::test]
    async fn bytes_are_bounded_too() {
        let (outbox, mut reader) = outbox();
        let large = "x".repeat(OUTBOX_BYTES_MAX / 2 + 1);
        assert_eq!(outbox.offer(large.as_str().into()), Offer::Queued);
        assert_eq!(outbox.offer(large.as_str().into()), Offer::Full);
        assert!(reader.next().await.is_some());
        assert_eq!(outbox.offer(large.as_str().into()), Offer::Queued);
    }

    #[tokio::test]
    async fn whoever_waits_for_the_end_is_woken_even_after_it() {
        let (first, second) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
        let (outbox, reader) = outbox();
        outbox.wake_at_end(&first);
        outbox.wake_at_end(&first);
        assert_eq!(outbox.shared.mourners.lock().unwrap().len(), 1, "nobody waits twice");
        drop(reader);
        first.notified().await;
        outbox.wake_at_end(&second);
        second.notified().await;
    }

    #[tokio::test]
    async fn the_first_reason_counts() {
        let (outbox, reader) = outbox();
        outbox.end(CloseCode::Replaced);
        outbox.end(CloseCode::SlowConsumer);
        assert_eq!(reader.signals().ended().await, CloseCode::Replaced);
        assert!(outbox.is_closed());
    }
}
