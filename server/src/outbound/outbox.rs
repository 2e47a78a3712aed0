//! The queue of frames for one client. It is bounded in frames and bytes, and a room never waits
//! for it.
//!
//! A sender writes a frame directly to the client's socket. Frames that the socket does not accept
//! wait in a queue, which the session's writer empties. Without a shared socket (TLS, pipes inside
//! the process) all frames go through the queue.
//!
//! Rooms and sessions do not know each other: a room holds the [`Outbox`], and the session's writer
//! holds the [`OutboxReader`].

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::{future::poll_fn, io};

use adamant_protocol::{CloseCode, GameId, ToClient};
use parking_lot::{Mutex, MutexGuard};
use serde::{Deserialize, Serialize};
use tokio::{net::tcp::OwnedWriteHalf, sync::Notify};

use crate::outbound::frame::{Burst, Frame};
use crate::outbound::queue::{FrameQueue, PushOutcome, SendOutcome};

/// The id of a session within this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct SessionId(pub u64);

impl std::fmt::Display for SessionId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "s_{}", self.0)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SessionEnd {
    /// The server closes the connection with this code.
    Close(CloseCode),
    /// The client has disconnected, so that no close frame is sent.
    Disconnected,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ClosedSession {
    pub(crate) session: SessionId,
    /// The number of the listener that was told.
    pub(crate) listener: usize,
}

/// Sessions that have ended since the last `drain`. The lock is held briefly.
#[derive(Debug, Default)]
pub(crate) struct ClosedSessions {
    gone: Mutex<Vec<ClosedSession>>,
    changed: Notify,
}

impl ClosedSessions {
    /// Returns a listener that records sessions here under a number of its own.
    pub(crate) fn listener(self: &Arc<Self>, number: usize) -> CloseListener {
        CloseListener { sessions: Arc::downgrade(self), number }
    }

    pub(crate) async fn changed(&self) {
        self.changed.notified().await;
    }

    /// Returns the recorded sessions and clears the list.
    pub(crate) fn drain(&self) -> Vec<ClosedSession> {
        std::mem::take(&mut *self.gone.lock())
    }
}

/// Is notified when a session ends. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct CloseListener {
    sessions: Weak<ClosedSessions>,
    number: usize,
}

impl CloseListener {
    pub(super) fn record(&self, session: SessionId) {
        let Some(sessions) = self.sessions.upgrade() else { return };
        let closed = ClosedSession { session, listener: self.number };
        sessions.gone.lock().push(closed);
        sessions.changed.notify_one();
    }

    /// Whether the listener has been dropped.
    pub(super) fn is_gone(&self) -> bool {
        self.sessions.strong_count() == 0
    }

    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.number == other.number && self.sessions.ptr_eq(&other.sessions)
    }
}

/// The sending end of a client's queue. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Outbox(Arc<OutboxShared>);

#[derive(Debug)]
struct OutboxShared {
    session: SessionId,
    /// Held briefly: for at most one non-blocking system call.
    state: Mutex<OutboxState>,
    /// Whether `OutboxState::end` is set. Readable without the lock.
    over: AtomicBool,
    writer: Notify,
    /// Wakes all tasks that wait for the end.
    ended: Notify,
    /// Wakes the session's reader once the queue has room.
    room: Notify,
}

#[derive(Debug)]
struct OutboxState {
    queue: FrameQueue,
    end: Option<SessionEnd>,
    /// Whether the session's reader waits for room.
    reader_waits: bool,
    /// Games with events that did not fit.
    lagged: Vec<GameId>,
    /// Notified when the session ends.
    close_listeners: Vec<CloseListener>,
}

/// The receiving end of a client's queue, for the session's writer.
#[derive(Debug)]
pub(crate) struct OutboxReader(Arc<OutboxShared>);

/// The next item of an [`OutboxReader`].
#[derive(Debug)]
pub(crate) enum OutboxItem {
    Frame(Frame),
    /// Events of some games did not fit.
    Lagged,
    Ended(SessionEnd),
}

/// Creates a session's outbox. Frames are written directly to the socket if there is one.
pub(crate) fn outbox(session: SessionId, socket: Option<OwnedWriteHalf>) -> (Outbox, OutboxReader) {
    let state = OutboxState {
        queue: FrameQueue::new(socket),
        end: None,
        reader_waits: false,
        lagged: Vec::new(),
        close_listeners: Vec::new(),
    };
    let shared = Arc::new(OutboxShared {
        session,
        state: Mutex::new(state),
        over: AtomicBool::new(false),
        writer: Notify::new(),
        ended: Notify::new(),
        room: Notify::new(),
    });
    (Outbox(Arc::clone(&shared)), OutboxReader(shared))
}

impl OutboxShared {
    fn state(&self) -> MutexGuard<'_, OutboxState> {
        self.state.lock()
    }

    /// Pushes frames and wakes the writer if needed. Drops the frames after the end.
    fn push(&self, push: impl FnOnce(&mut FrameQueue) -> PushOutcome) -> PushOutcome {
        let mut state = self.state();
        if state.end.is_some() {
            return PushOutcome::Broken;
        }
        let pushed = push(&mut state.queue);
        drop(state);
        self.notify(pushed);
        pushed
    }

    fn notify(&self, pushed: PushOutcome) {
        match pushed {
            PushOutcome::Written | PushOutcome::Waits | PushOutcome::Full => {}
            PushOutcome::WaitsForWriter => self.writer.notify_one(),
            PushOutcome::Broken => self.end(SessionEnd::Disconnected),
        }
    }

    fn end(&self, end: SessionEnd) {
        let mut state = self.state();
        if state.end.is_some() {
            // The first reason counts.
            return;
        }
        state.end = Some(end);
        self.over.store(true, Ordering::Release);
        let close_listeners = std::mem::take(&mut state.close_listeners);
        drop(state);
        self.writer.notify_one();
        self.room.notify_one();
        self.ended.notify_waiters();
        for listener in close_listeners {
            listener.record(self.session);
        }
    }

    /// Registers the reader to be woken once frames have left. Returns whether it must wait until
    /// the queue `is_free`.
    fn reader_waits(&self, is_free: impl FnOnce(&FrameQueue) -> bool) -> bool {
        let mut state = self.state();
        state.reader_waits = state.end.is_none() && !is_free(&state.queue);
        state.reader_waits
    }
}

impl Outbox {
    /// Sends a frame if the queue has room. Non-blocking.
    pub(crate) fn try_send(&self, frame: &Frame) -> SendOutcome {
        self.0.push(|queue| queue.push(frame)).into()
    }

    /// Sends several frames in one write, up to the first that has no room. Returns that frame's
    /// outcome.
    pub(crate) fn try_send_all<'a>(
        &self,
        mut frames: impl Iterator<Item = &'a Frame>,
    ) -> SendOutcome {
        let Some(first) = frames.next() else {
            return if self.is_closed() { SendOutcome::Closed } else { SendOutcome::Queued };
        };
        let Some(second) = frames.next() else { return self.try_send(first) };
        let _corked = self.cork();
        [first, second]
            .into_iter()
            .chain(frames)
            .map(|frame| self.try_send(frame))
            .find(|&offer| offer != SendOutcome::Queued)
            .unwrap_or(SendOutcome::Queued)
    }

    /// Sends a frame that must not be skipped. If the queue has no room, the client is too slow:
    /// its session ends, and it resumes from its cursor.
    pub(crate) fn send_or_evict(&self, frame: &Frame) -> SendOutcome {
        self.evict_if_full(self.try_send(frame))
    }

    /// Sends frames that must not be skipped in one write. See
    /// [`send_or_evict`](Self::send_or_evict).
    pub(crate) fn send_burst_or_evict(&self, burst: &Burst) -> SendOutcome {
        self.evict_if_full(self.0.push(|queue| queue.push_burst(burst)).into())
    }

    fn evict_if_full(&self, offer: SendOutcome) -> SendOutcome {
        if offer == SendOutcome::Full {
            self.end(CloseCode::SlowConsumer);
        }
        offer
    }

    /// Sends a message that must not be skipped. See [`send_or_evict`](Self::send_or_evict).
    pub(crate) fn send(&self, message: &ToClient) -> SendOutcome {
        self.send_or_evict(&Frame::of(message))
    }

    /// Sends a message once the queue has room. Only for the session's own reader, which reads no
    /// further requests while it waits.
    pub(crate) async fn send_waiting(&self, message: &ToClient) -> SendOutcome {
        self.send_frame_waiting(&Frame::of(message)).await
    }

    /// Waits until most of the queue is free, so that events of rooms fit. Only for the session's
    /// own reader.
    pub(crate) async fn calm(&self) {
        while self.0.reader_waits(FrameQueue::is_calm) {
            self.0.room.notified().await;
        }
    }

    /// Sends a frame once the queue has room. Only for the session's own reader.
    pub(crate) async fn send_frame_waiting(&self, frame: &Frame) -> SendOutcome {
        loop {
            let outcome = self.try_send(frame);
            if outcome != SendOutcome::Full {
                return outcome;
            }
            if self.0.reader_waits(|queue| queue.has_room(1, frame.len())) {
                self.0.room.notified().await;
            }
        }
    }

    /// Holds frames back until the guard is dropped, so that they leave in one write. The caller
    /// must not await while it holds the guard.
    pub(crate) fn cork(&self) -> Corked {
        self.0.state().queue.cork();
        Corked(Arc::clone(&self.0))
    }

    /// Closes the session once the queued frames are sent. The first reason counts.
    pub(crate) fn end(&self, reason: CloseCode) {
        self.finish(SessionEnd::Close(reason));
    }

    /// Ends the session. The first reason counts.
    pub(crate) fn finish(&self, end: SessionEnd) {
        self.0.end(end);
    }

    /// Records that events of a game did not fit. The session requests a snapshot once it has room.
    pub(crate) fn mark_lagged(&self, game: &GameId) {
        let mut state = self.0.state();
        if !state.lagged.contains(game) {
            state.lagged.push(game.clone());
        }
        drop(state);
        self.0.writer.notify_one();
    }

    /// Returns a guard that ends the session when it is dropped.
    pub(crate) fn close_on_drop(&self) -> CloseOnDrop {
        CloseOnDrop(self.clone())
    }

    /// Waits until the session ends. Returns the reason.
    pub(crate) async fn ended(&self) -> SessionEnd {
        loop {
            let mut ended = std::pin::pin!(self.0.ended.notified());
            // Registered before the check, so that an end in between is not missed.
            ended.as_mut().enable();
            let end = self.0.state().end;
            if let Some(end) = end {
                return end;
            }
            ended.await;
        }
    }

    /// Returns the reason if the session has ended.
    pub(crate) fn end_reason(&self) -> Option<SessionEnd> {
        if self.is_closed() { self.0.state().end } else { None }
    }

    /// Lets the session's writer look what there is to do.
    pub(crate) fn wake_writer(&self) {
        self.0.writer.notify_one();
    }

    /// Whether the session has ended or is ending.
    pub(crate) fn is_closed(&self) -> bool {
        self.0.over.load(Ordering::Acquire)
    }

    /// Notifies a listener when the session ends, immediately if it has already ended.
    pub(crate) fn notify_on_close(&self, listener: &CloseListener) {
        let mut state = self.0.state();
        if state.end.is_some() {
            drop(state);
            listener.record(self.0.session);
            return;
        }
        let listeners = &mut state.close_listeners;
        listeners.retain(|known| !known.is_gone());
        if !listeners.iter().any(|known| known.is_same(listener)) {
            // Most sessions are in one room.
            listeners.reserve_exact(1);
            listeners.push(listener.clone());
        }
    }

    /// Stops notifying a listener.
    pub(crate) fn forget_listener(&self, listener: &CloseListener) {
        self.0.state().close_listeners.retain(|known| !known.is_same(listener));
    }
}

#[cfg(test)]
impl Outbox {
    pub(super) fn is_empty(&self) -> bool {
        self.0.state().queue.is_empty()
    }

    fn close_listener_count(&self) -> usize {
        self.0.state().close_listeners.len()
    }
}

/// Ends a session when it is dropped, so that a reader does not wait for a response that no task
/// will send.
#[derive(Debug)]
pub(crate) struct CloseOnDrop(Outbox);

impl Drop for CloseOnDrop {
    fn drop(&mut self) {
        self.0.finish(SessionEnd::Disconnected);
    }
}

/// Guard that holds frames back. See [`Outbox::cork`].
#[derive(Debug)]
#[must_use = "frames are held back only while the guard lives"]
pub(crate) struct Corked(Arc<OutboxShared>);

impl Drop for Corked {
    fn drop(&mut self) {
        let pushed = self.0.state().queue.uncork();
        self.0.notify(pushed);
    }
}

/// Ends the session if it has not ended, and closes its socket.
impl Drop for OutboxReader {
    fn drop(&mut self) {
        self.0.end(SessionEnd::Close(CloseCode::GoingAway));
        self.0.state().queue.close();
    }
}

impl OutboxReader {
    /// Waits for the next item: frames first, then lag, then the end.
    pub(crate) async fn next(&mut self) -> OutboxItem {
        loop {
            if let Some(frame) = self.pop() {
                return OutboxItem::Frame(frame);
            }
            if !self.drain_lagged().is_empty() {
                return OutboxItem::Lagged;
            }
            if let Some(end) = self.end_reason() {
                return OutboxItem::Ended(end);
            }
            self.woken().await;
        }
    }

    /// Removes and returns the next frame, if one waits.
    pub(crate) fn pop(&mut self) -> Option<Frame> {
        let mut state = self.0.state();
        if !state.queue.awaits_writer() {
            return None;
        }
        let frame = state.queue.pop();
        self.wake_reader(state);
        frame
    }

    /// Writes as much as the socket accepts now. Returns the number of completed frames.
    pub(crate) fn write(&mut self) -> io::Result<usize> {
        let mut state = self.0.state();
        let written = state.queue.write();
        self.wake_reader(state);
        written
    }

    /// Wakes the session's reader if it waits for room. It checks again whether its frame fits.
    fn wake_reader(&self, mut state: MutexGuard<'_, OutboxState>) {
        let waits = std::mem::take(&mut state.reader_waits);
        drop(state);
        if waits {
            self.0.room.notify_one();
        }
    }

    /// Whether frames wait to be written.
    pub(crate) fn is_waiting(&self) -> bool {
        self.0.state().queue.awaits_writer()
    }

    /// Returns the games that need a snapshot and clears the list.
    pub(crate) fn drain_lagged(&mut self) -> Vec<GameId> {
        std::mem::take(&mut self.0.state().lagged)
    }

    /// Returns the reason if the session has ended.
    pub(crate) fn end_reason(&self) -> Option<SessionEnd> {
        self.0.state().end
    }

    /// Waits until the shared socket is writable.
    pub(crate) async fn writable(&self) -> io::Result<()> {
        poll_fn(|cx| self.0.state().queue.poll_writable(cx)).await
    }

    /// Drops the socket of a client that has disconnected.
    pub(crate) fn release_socket(self) {
        self.0.state().queue.release_socket();
    }

    /// Waits for a wake-up: a frame, a lag or the end. May be spurious.
    pub(crate) async fn woken(&self) {
        self.0.writer.notified().await;
    }

    /// Returns the sending end of this queue.
    pub(crate) fn outbox(&self) -> Outbox {
        Outbox(Arc::clone(&self.0))
    }

    /// Queues the last frame for the writer, after the end.
    pub(crate) fn push_last(&mut self, frame: &Frame) {
        let mut state = self.0.state();
        debug_assert!(state.end.is_some(), "nothing follows the last frame");
        // The frame is dropped if it does not fit or the socket is broken.
        state.queue.push(frame);
    }

    /// Drops all waiting frames except one that is partly written.
    pub(crate) fn drop_waiting(&mut self) {
        self.0.state().queue.drop_waiting();
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt as _;
    use tokio::{
        io::AsyncReadExt as _,
        net::{TcpListener, TcpStream},
    };

    use crate::limits::{OUTBOX_BYTES_MAX, OUTBOX_FRAMES_MAX};

    use super::*;

    fn pipe() -> (Outbox, OutboxReader) {
        outbox(SessionId(1), None)
    }

    fn x() -> Frame {
        Frame::text(b"x")
    }

    /// Returns an outbox with a shared socket, and the client's end of it.
    async fn socket() -> (Outbox, OutboxReader, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (client, server) =
            tokio::join!(TcpStream::connect(listener.local_addr().unwrap()), listener.accept());
        let (_, writes) = server.unwrap().0.into_split();
        writes.writable().await.unwrap();
        let (outbox, queue) = outbox(SessionId(1), Some(writes));
        (outbox, queue, client.unwrap())
    }

    async fn read(client: &mut TcpStream, frames: &[&Frame]) {
        let sent: Vec<u8> = frames.iter().flat_map(|frame| frame.as_bytes()).copied().collect();
        let mut got = vec![0; sent.len()];
        client.read_exact(&mut got).await.unwrap();
        assert_eq!(got, sent);
    }

    #[tokio::test]
    async fn overflow_evicts_the_client_and_keeps_earlier_frames() {
        let (outbox, mut reader) = pipe();
        for _ in 0..OUTBOX_FRAMES_MAX {
            assert_eq!(outbox.try_send(&x()), SendOutcome::Queued);
        }
        assert_eq!(outbox.try_send(&x()), SendOutcome::Full);
        assert!(!outbox.is_closed());
        assert_eq!(outbox.send_or_evict(&x()), SendOutcome::Full);
        assert_eq!(outbox.ended().await, SessionEnd::Close(CloseCode::SlowConsumer));
        assert_eq!(outbox.try_send(&x()), SendOutcome::Closed);
        let queued = std::iter::from_fn(|| reader.pop()).count();
        assert_eq!(queued, OUTBOX_FRAMES_MAX);
    }

    #[tokio::test]
    async fn queue_is_bounded_in_bytes() {
        let (outbox, mut reader) = pipe();
        let large = Frame::text(&vec![b'x'; OUTBOX_BYTES_MAX / 2 + 1]);
        assert_eq!(outbox.try_send(&large), SendOutcome::Queued);
        assert_eq!(outbox.try_send(&large), SendOutcome::Full);
        assert!(reader.pop().is_some());
        assert_eq!(outbox.try_send(&large), SendOutcome::Queued);
    }

    #[tokio::test]
    async fn session_reader_waits_for_room() {
        let (outbox, mut reader) = pipe();
        while outbox.try_send(&x()) == SendOutcome::Queued {}
        let sender = outbox.clone();
        let frame = x();
        let mut waiting = std::pin::pin!(sender.send_frame_waiting(&frame));
        assert_eq!(waiting.as_mut().now_or_never(), None);
        assert!(reader.pop().is_some());
        assert_eq!(waiting.await, SendOutcome::Queued);

        let mut waiting = std::pin::pin!(outbox.send_frame_waiting(&frame));
        assert_eq!(waiting.as_mut().now_or_never(), None);
        drop(reader);
        assert_eq!(waiting.await, SendOutcome::Closed);
    }

    #[tokio::test]
    async fn close_listeners_are_notified_even_after_the_end() {
        let (first, second) =
            (Arc::new(ClosedSessions::default()), Arc::new(ClosedSessions::default()));
        let (outbox, reader) = pipe();
        outbox.notify_on_close(&first.listener(3));
        outbox.notify_on_close(&first.listener(3));
        assert_eq!(outbox.close_listener_count(), 1, "a listener is registered once");
        drop(reader);
        first.changed().await;
        assert_eq!(first.drain(), [ClosedSession { session: SessionId(1), listener: 3 }]);
        outbox.notify_on_close(&second.listener(4));
        second.changed().await;
        assert_eq!(second.drain(), [ClosedSession { session: SessionId(1), listener: 4 }]);
    }

    #[tokio::test]
    async fn first_end_reason_counts() {
        let (outbox, reader) = pipe();
        outbox.end(CloseCode::Replaced);
        outbox.end(CloseCode::SlowConsumer);
        drop(reader);
        assert_eq!(outbox.ended().await, SessionEnd::Close(CloseCode::Replaced));
        assert!(outbox.is_closed());
    }

    #[tokio::test]
    async fn frames_are_written_to_the_socket_without_the_writer() {
        let (outbox, reader, mut client) = socket().await;
        let (one, other) = (Frame::text(b"one"), Frame::text(b"other"));
        assert_eq!(outbox.try_send(&one), SendOutcome::Queued);
        assert_eq!(outbox.try_send(&other), SendOutcome::Queued);
        assert!(!reader.is_waiting());
        read(&mut client, &[&one, &other]).await;
    }

    #[tokio::test]
    async fn corked_frames_are_written_when_the_last_cork_is_dropped() {
        let (outbox, mut reader, mut client) = socket().await;
        let frames: Vec<Frame> = (0..40_u8).map(|number| Frame::text(&[number])).collect();
        let (first, second) = (outbox.cork(), outbox.cork());
        for frame in &frames {
            assert_eq!(outbox.try_send(frame), SendOutcome::Queued);
        }
        drop(first);
        assert!(!reader.is_waiting(), "the writer does not write corked frames");
        assert!(reader.pop().is_none());
        assert!(!outbox.is_empty());
        drop(second);
        assert!(outbox.is_empty());
        read(&mut client, &frames.iter().collect::<Vec<_>>()).await;
    }

    #[tokio::test]
    async fn frames_of_a_burst_leave_in_one_write_without_an_allocation() {
        let (outbox, reader, mut client) = socket().await;
        let (one, other) = (Frame::text(b"one"), Frame::text(&[b'x'; 200]));
        // Fills the thread's buffer.
        drop(Frame::text(&[b'x'; 1000]));
        let counted = allocation_counter::measure(|| {
            let mut burst = Burst::new();
            burst.push(&one);
            burst.write(|bytes| bytes.extend_from_slice(&[b'x'; 200]));
            assert_eq!(outbox.send_burst_or_evict(&burst), SendOutcome::Queued);
        });
        assert_eq!(counted.count_total, 0);
        assert!(!reader.is_waiting());
        read(&mut client, &[&one, &other]).await;
    }

    #[tokio::test]
    async fn frames_of_a_burst_that_cannot_be_written_wait_one_by_one() {
        let (outbox, mut reader) = pipe();
        let mut burst = Burst::new();
        for number in 0..OUTBOX_FRAMES_MAX {
            burst.write(|bytes| bytes.extend_from_slice(number.to_string().as_bytes()));
        }
        assert_eq!(outbox.send_burst_or_evict(&burst), SendOutcome::Queued);
        for number in 0..OUTBOX_FRAMES_MAX {
            assert_eq!(reader.pop().unwrap().payload(), number.to_string().as_bytes());
        }
        burst.push(&x());
        assert_eq!(outbox.send_burst_or_evict(&burst), SendOutcome::Full);
        assert_eq!(outbox.ended().await, SessionEnd::Close(CloseCode::SlowConsumer));
    }

    #[tokio::test]
    async fn frames_that_a_full_socket_rejects_wait_in_order() {
        let (outbox, mut reader, mut client) = socket().await;
        let frame = |number: u8| Frame::text(&vec![number; 30_000]);
        let mut sent = Vec::new();
        // Until the socket's buffers are full and a few frames wait.
        while outbox.is_empty() || sent.len() % 7 != 0 {
            let frames = [0, 1].map(|next| frame(u8::try_from((sent.len() + next) % 251).unwrap()));
            let mut burst = Burst::new();
            for frame in &frames {
                burst.push(frame);
            }
            assert_eq!(outbox.send_burst_or_evict(&burst), SendOutcome::Queued);
            sent.extend(frames);
        }
        assert!(reader.is_waiting());
        reader.woken().await;
        let writing = async {
            while reader.is_waiting() {
                reader.writable().await.unwrap();
                reader.write().unwrap();
            }
        };
        let sent: Vec<&Frame> = sent.iter().collect();
        tokio::join!(writing, read(&mut client, &sent));
        assert_eq!(outbox.try_send(&x()), SendOutcome::Queued);
        read(&mut client, &[&x()]).await;
    }

    #[tokio::test]
    async fn partly_written_frame_is_completed_before_the_close_frame() {
        let (outbox, mut reader, mut client) = socket().await;
        let large = Frame::text(&vec![b'x'; 900_000]);
        let mut begun = 0;
        while outbox.is_empty() {
            assert_eq!(outbox.try_send(&large), SendOutcome::Queued);
            begun += 1;
        }
        assert_eq!(outbox.try_send(&x()), SendOutcome::Queued);
        outbox.end(CloseCode::SlowConsumer);
        let close = Frame::close(CloseCode::SlowConsumer);
        reader.drop_waiting();
        reader.push_last(&close);
        let writing = async {
            while reader.is_waiting() {
                reader.writable().await.unwrap();
                reader.write().unwrap();
            }
        };
        let all: Vec<&Frame> = std::iter::repeat_n(&large, begun).chain([&close]).collect();
        tokio::join!(writing, read(&mut client, &all));
    }

    #[tokio::test]
    async fn broken_socket_ends_the_session() {
        let (outbox, _reader, client) = socket().await;
        client.set_zero_linger().unwrap();
        drop(client);
        while outbox.try_send(&x()) == SendOutcome::Queued {
            tokio::task::yield_now().await;
        }
        assert_eq!(outbox.ended().await, SessionEnd::Disconnected);
    }

    #[tokio::test]
    async fn session_may_end_while_its_outbox_is_corked() {
        let (outbox, reader) = pipe();
        let corked = outbox.cork();
        assert_eq!(outbox.try_send(&x()), SendOutcome::Queued);
        drop(reader);
        drop(corked);
        assert_eq!(outbox.try_send(&x()), SendOutcome::Closed);
    }
}
