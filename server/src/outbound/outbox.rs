//! What one client is sent: bounded in frames and bytes, and never waited for by a room.
//!
//! Whoever has something to say writes it to the client's socket there and then, in the same bytes
//! for all who get it. Only what the socket does not take waits, in a queue that the session's
//! writer empties. Where there is no socket that anybody may write to (TLS, pipes inside the
//! process), all of it goes by the queue.
//!
//! It lies below rooms and sessions, so that neither knows the other: a room is handed an
//! [`Outbox`] and a session's writer holds the [`OutboxReader`].

use std::{
    future::poll_fn,
    io,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, Weak,
        atomic::{AtomicBool, Ordering},
    },
};

use adamant_protocol::{CloseCode, GameId, ToClient};
use tokio::{net::tcp::OwnedWriteHalf, sync::Notify};

use crate::outbound::{
    closed::ClosedSessions,
    frame::Frame,
    outcome::{SendOutcome, SessionEnd},
    queue::{FrameQueue, PushOutcome},
    session_id::SessionId,
};

/// The sending end. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Outbox(Arc<OutboxShared>);

#[derive(Debug)]
struct OutboxShared {
    session: SessionId,
    /// Held for moments: for one call of the operating system that does not wait, at the most.
    state: Mutex<OutboxState>,
    /// Whether `State::end` stands, for those who only want to know that.
    over: AtomicBool,
    /// Wakes the writer.
    writer: Notify,
    /// Wakes everybody who waits for the end.
    ended: Notify,
    /// Wakes the session's reader once there is room.
    room: Notify,
}

#[derive(Debug)]
struct OutboxState {
    queue: FrameQueue,
    end: Option<SessionEnd>,
    /// Whether the session's reader waits for room.
    reader_waits: bool,
    /// Games whose events did not fit.
    lagged: Vec<GameId>,
    /// Who wants to know that the session has ended.
    close_listeners: Vec<Weak<ClosedSessions>>,
}

/// The writer's end.
#[derive(Debug)]
pub(crate) struct OutboxReader(Arc<OutboxShared>);

/// What an [`OutboxReader`] hears next.
#[derive(Debug)]
pub(crate) enum OutboxItem {
    /// A frame to pass on.
    Frame(Frame),
    /// Some events did not fit.
    Lagged,
    /// The session is over, and why.
    Ended(SessionEnd),
}

/// A session's outbox. Frames are written to the socket at once, if there is one.
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

    /// Puts a frame into the queue, and tells whoever has to know. Nothing is taken after the end.
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
            // A second reason comes too late to be told, which is fine.
            return;
        }
        state.end = Some(end);
        self.over.store(true, Ordering::Release);
        let close_listeners = std::mem::take(&mut state.close_listeners);
        drop(state);
        self.writer.notify_one();
        self.room.notify_one();
        self.ended.notify_waiters();
        for closed_sessions in close_listeners.iter().filter_map(Weak::upgrade) {
            closed_sessions.record(self.session);
        }
    }

    /// Has the reader woken once there is room; whether it has to wait at all.
    fn reader_waits(&self, size: usize) -> bool {
        let mut state = self.state();
        state.reader_waits = state.end.is_none() && !state.queue.has_room(size);
        state.reader_waits
    }

    /// The same until most of the room is free.
    fn reader_waits_for_calm(&self) -> bool {
        let mut state = self.state();
        state.reader_waits = state.end.is_none() && !state.queue.is_calm();
        state.reader_waits
    }

    async fn ended(&self) -> SessionEnd {
        loop {
            let mut ended = std::pin::pin!(self.ended.notified());
            // Before looking, so that an end in between is not missed.
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
    /// Sends a frame if there is room. Never waits.
    pub(crate) fn try_send(&self, frame: &Frame) -> SendOutcome {
        self.0.push(frame).into()
    }

    /// Sends several frames in one go, as many as there is room for. Tells of the first that was
    /// not taken.
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

    /// Sends a frame that the client cannot do without: if there is no room, the client has fallen
    /// too far behind, is closed, and comes back with its cursor.
    pub(crate) fn send_or_evict(&self, frame: &Frame) -> SendOutcome {
        let offer = self.try_send(frame);
        if offer == SendOutcome::Full {
            self.end(CloseCode::SlowConsumer);
        }
        offer
    }

    /// Sends a message that the client cannot do without.
    pub(crate) fn send(&self, message: &ToClient) -> SendOutcome {
        self.send_or_evict(&Frame::of(message))
    }

    /// Waits until there is room. Only for the session's own reader: waiting stops it reading.
    pub(crate) async fn send_waiting(&self, message: &ToClient) -> SendOutcome {
        self.send_frame_waiting(&Frame::of(message)).await
    }

    /// Waits until little waits for the client: what a room sends next, which waits for nobody, will
    /// have room. Only for the session's own reader.
    pub(crate) async fn calm(&self) {
        while self.0.reader_waits_for_calm() {
            self.0.room.notified().await;
        }
    }

    /// The same for a frame that is encoded already.
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

    /// Until what is given back is dropped, frames wait for others that follow at once. Nothing may
    /// be awaited meanwhile.
    pub(crate) fn cork(&self) -> Corked {
        self.0.cork();
        Corked(Arc::clone(&self.0))
    }

    /// Sends the client away, once it has been sent what waits. The first reason counts.
    pub(crate) fn end(&self, reason: CloseCode) {
        self.finish(SessionEnd::Close(reason));
    }

    /// Ends the session. The first way counts.
    pub(crate) fn finish(&self, end: SessionEnd) {
        self.0.end(end);
    }

    /// Notes that events of a game did not fit: the session asks for a snapshot once it has room.
    pub(crate) fn mark_lagged(&self, game: &GameId) {
        let mut state = self.0.state();
        if !state.lagged.contains(game) {
            state.lagged.push(game.clone());
        }
        drop(state);
        self.0.writer.notify_one();
    }

    /// Has the session end when what is given back is dropped.
    pub(crate) fn close_on_drop(&self) -> CloseOnDrop {
        CloseOnDrop(self.clone())
    }

    /// Waits until the session is to end, and tells why.
    pub(crate) async fn ended(&self) -> SessionEnd {
        self.0.ended().await
    }

    /// Whether the client has left or is being sent away.
    pub(crate) fn is_closed(&self) -> bool {
        self.0.over.load(Ordering::Acquire)
    }

    /// Has it noted when the client has left or is being sent away; at once if it has already.
    pub(crate) fn notify_on_close(&self, closed_sessions: &Arc<ClosedSessions>) {
        let mut state = self.0.state();
        if state.end.is_some() {
            drop(state);
            closed_sessions.record(self.0.session);
            return;
        }
        // Whoever is gone makes room, so that the list is no longer than what the client is at.
        state.close_listeners.retain(|known| {
            known.strong_count() > 0 && known.as_ptr() != Arc::as_ptr(closed_sessions)
        });
        state.close_listeners.push(Arc::downgrade(closed_sessions));
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

/// Ends a session when it is dropped: for readers that have nobody else to tell them that no answer
/// comes any more.
#[derive(Debug)]
pub(crate) struct CloseOnDrop(Outbox);

impl Drop for CloseOnDrop {
    fn drop(&mut self) {
        self.0.finish(SessionEnd::Disconnected);
    }
}

/// Holds frames back; see [`Outbox::cork`].
#[derive(Debug)]
#[must_use = "frames are held back only as long as it lives"]
pub(crate) struct Corked(Arc<OutboxShared>);

impl Drop for Corked {
    fn drop(&mut self) {
        self.0.uncork();
    }
}

/// However a session ends, whoever waits for its end is woken, and its socket is let go.
impl Drop for OutboxReader {
    fn drop(&mut self) {
        self.0.end(SessionEnd::Close(CloseCode::GoingAway));
        self.0.state().queue.close();
    }
}

impl OutboxReader {
    /// What comes next: frames, then what did not fit, then the end.
    pub(crate) async fn next(&mut self) -> OutboxItem {
        loop {
            if let Some(frame) = self.take() {
                return OutboxItem::Frame(frame);
            }
            if !self.take_lagged().is_empty() {
                return OutboxItem::Lagged;
            }
            if let Some(end) = self.end_reason() {
                return OutboxItem::Ended(end);
            }
            self.woken().await;
        }
    }

    /// The next frame, for somebody else to write, if there is one already.
    pub(crate) fn take(&mut self) -> Option<Frame> {
        let mut state = self.0.state();
        if !state.queue.awaits_writer() {
            return None;
        }
        let frame = state.queue.take();
        self.let_reader_go_on(state);
        frame
    }

    /// Writes as much as the socket takes at once; gives back how many frames that has completed.
    pub(crate) fn write(&mut self) -> io::Result<usize> {
        let mut state = self.0.state();
        let written = state.queue.write();
        self.let_reader_go_on(state);
        written
    }

    /// Every byte of room counts for whoever waits; what does not fit yet waits again.
    fn let_reader_go_on(&self, mut state: MutexGuard<'_, OutboxState>) {
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

    /// Games that a snapshot is owed for.
    pub(crate) fn take_lagged(&mut self) -> Vec<GameId> {
        std::mem::take(&mut self.0.state().lagged)
    }

    /// Whether the session is to end, and why.
    pub(crate) fn end_reason(&self) -> Option<SessionEnd> {
        self.0.state().end
    }

    /// Waits until the socket that others write to as well takes more.
    pub(crate) async fn writable(&self) -> io::Result<()> {
        poll_fn(|cx| self.0.state().queue.poll_writable(cx)).await
    }

    /// Lets go of the socket to a peer that has gone.
    pub(crate) fn release_socket(self) {
        self.0.state().queue.release_socket();
    }

    /// Waits until there may be something to do.
    pub(crate) async fn woken(&self) {
        self.0.writer.notified().await;
    }

    /// The sending end of the same queue.
    pub(crate) fn outbox(&self) -> Outbox {
        Outbox(Arc::clone(&self.0))
    }

    /// Puts the last frame behind what waits, for the writer to write.
    pub(crate) fn push_last(&mut self, frame: &Frame) {
        // If it does not fit or the socket is broken, there is nobody to tell.
        let _put = self.0.state().queue.push(frame);
    }

    /// Drops what waits, as far as that can be done: a frame that has been begun is finished.
    pub(crate) fn drop_waiting(&mut self) {
        self.0.state().queue.drop_waiting();
    }
}
