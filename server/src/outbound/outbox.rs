//! The queue of frames for one client. It is bounded in frames and bytes, and a room never waits
//! for it.
//!
//! A sender writes a frame directly to the client's socket. Frames that the socket does not accept
//! wait in a queue, which the session's writer empties. Without a shared socket (TLS, pipes inside
//! the process) all frames go through the queue.
//!
//! Rooms and sessions do not know each other: a room holds the [`Outbox`], and the session's writer
//! holds the [`OutboxReader`].

use std::{
    future::poll_fn,
    io,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use adamant_protocol::{CloseCode, GameId, ToClient};
use tokio::{net::tcp::OwnedWriteHalf, sync::Notify};

use crate::outbound::{
    closed::CloseListener,
    frame::Frame,
    outcome::{SendOutcome, SessionEnd},
    queue::{FrameQueue, PushOutcome},
    session_id::SessionId,
};

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
    /// Wakes the writer.
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
    /// A frame to write.
    Frame(Frame),
    /// Events of some games did not fit.
    Lagged,
    /// The session has ended.
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
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Pushes a frame and wakes the writer if needed. Drops the frame after the end.
    fn push(&self, frame: &Frame) -> PushOutcome {
        let mut state = self.state();
        if state.end.is_some() {
            return PushOutcome::Broken;
        }
        let pushed = state.queue.push(frame);
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

    fn cork(&self) {
        self.state().queue.cork();
    }

    fn uncork(&self) {
        let pushed = self.state().queue.uncork();
        self.notify(pushed);
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

    /// Registers the reader to be woken once the frame has room. Returns whether it must wait.
    fn reader_waits(&self, size: usize) -> bool {
        let mut state = self.state();
        state.reader_waits = state.end.is_none() && !state.queue.has_room(size);
        state.reader_waits
    }

    /// Registers the reader to be woken once most of the queue is free. Returns whether it must
    /// wait.
    fn reader_waits_for_calm(&self) -> bool {
        let mut state = self.state();
        state.reader_waits = state.end.is_none() && !state.queue.is_calm();
        state.reader_waits
    }

    async fn ended(&self) -> SessionEnd {
        loop {
            let mut ended = std::pin::pin!(self.ended.notified());
            // Registered before the check, so that an end in between is not missed.
            ended.as_mut().enable();
            let end = self.state().end;
            if let Some(end) = end {
                return end;
            }
            ended.await;
        }
    }
}

impl Outbox {
    /// Sends a frame if the queue has room. Non-blocking.
    pub(crate) fn try_send(&self, frame: &Frame) -> SendOutcome {
        self.0.push(frame).into()
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
        let offer = self.try_send(frame);
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
        while self.0.reader_waits_for_calm() {
            self.0.room.notified().await;
        }
    }

    /// Sends a frame once the queue has room. Only for the session's own reader.
    pub(crate) async fn send_frame_waiting(&self, frame: &Frame) -> SendOutcome {
        loop {
            let offer = self.try_send(frame);
            if offer != SendOutcome::Full {
                return offer;
            }
            if self.0.reader_waits(frame.len()) {
                self.0.room.notified().await;
            }
        }
    }

    /// Holds frames back until the guard is dropped, so that they leave in one write. The caller
    /// must not await while it holds the guard.
    pub(crate) fn cork(&self) -> Corked {
        self.0.cork();
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
        self.0.ended().await
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
    /// Whether no frame waits to be written.
    pub(super) fn is_empty(&self) -> bool {
        self.0.state().queue.is_empty()
    }

    /// Number of registered close listeners.
    pub(super) fn close_listener_count(&self) -> usize {
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
        self.0.uncork();
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

    /// Queues the last frame for the writer.
    pub(crate) fn push_last(&mut self, frame: &Frame) {
        // The frame is dropped if it does not fit or the socket is broken.
        self.0.state().queue.push(frame);
    }

    /// Drops all waiting frames except one that is partly written.
    pub(crate) fn drop_waiting(&mut self) {
        self.0.state().queue.drop_waiting();
    }
}
