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
    closed::Departures,
    frame::Frame,
    queue::{Put, Queue},
};

/// Names a session within this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct SessionId(pub u64);

impl std::fmt::Display for SessionId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "s_{}", self.0)
    }
}

/// What became of an offered frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Offer {
    /// It has been sent, or will be.
    Taken,
    /// There was no room for it.
    Full,
    /// The client has left.
    Gone,
}

/// How a session ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// The server says goodbye.
    Goodbye(CloseCode),
    /// There is nobody to say anything to.
    HungUp,
}

/// The sending end. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Outbox(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    session: SessionId,
    /// Held for moments: for one call of the operating system that does not wait, at the most.
    state: Mutex<State>,
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
struct State {
    queue: Queue,
    end: Option<End>,
    /// Whether the session's reader waits for room.
    reader_waits: bool,
    /// Games whose events did not fit.
    lagged: Vec<GameId>,
    /// Who wants to know that the session has ended.
    mourners: Vec<Weak<Departures>>,
}

/// The writer's end.
#[derive(Debug)]
pub(crate) struct OutboxReader(Arc<Shared>);

/// What an [`OutboxReader`] hears next.
#[derive(Debug)]
pub(crate) enum Heard {
    /// A frame to pass on.
    Frame(Frame),
    /// Some events did not fit.
    Lagged,
    /// The session is over, and why.
    Ended(End),
}

/// A session's outbox. Frames are written to the socket at once, if there is one.
pub(crate) fn outbox(session: SessionId, socket: Option<OwnedWriteHalf>) -> (Outbox, OutboxReader) {
    let state = State {
        queue: Queue::new(socket),
        end: None,
        reader_waits: false,
        lagged: Vec::new(),
        mourners: Vec::new(),
    };
    let shared = Arc::new(Shared {
        session,
        state: Mutex::new(state),
        over: AtomicBool::new(false),
        writer: Notify::new(),
        ended: Notify::new(),
        room: Notify::new(),
    });
    (Outbox(Arc::clone(&shared)), OutboxReader(shared))
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts a frame into the queue, and tells whoever has to know. Nothing is taken after the end.
    fn put(&self, frame: &Frame) -> Put {
        let mut state = self.state();
        if state.end.is_some() {
            return Put::Broken;
        }
        let put = state.queue.put(frame);
        drop(state);
        self.tell(put);
        put
    }

    fn tell(&self, put: Put) {
        match put {
            Put::Written | Put::Waits | Put::Full => {}
            Put::WaitsForWriter => self.writer.notify_one(),
            Put::Broken => self.end(End::HungUp),
        }
    }

    fn cork(&self) {
        self.state().queue.cork();
    }

    fn uncork(&self) {
        let put = self.state().queue.uncork();
        self.tell(put);
    }

    fn end(&self, end: End) {
        let mut state = self.state();
        if state.end.is_some() {
            // A second reason comes too late to be told, which is fine.
            return;
        }
        state.end = Some(end);
        self.over.store(true, Ordering::Release);
        let mourners = std::mem::take(&mut state.mourners);
        drop(state);
        self.writer.notify_one();
        self.room.notify_one();
        self.ended.notify_waiters();
        for departures in mourners.iter().filter_map(Weak::upgrade) {
            departures.note(self.session);
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

    async fn ended(&self) -> End {
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
    pub(crate) fn offer(&self, frame: &Frame) -> Offer {
        self.0.put(frame).into()
    }

    /// Sends several frames in one go, as many as there is room for. Tells of the first that was
    /// not taken.
    pub(crate) fn offer_all<'a>(&self, mut frames: impl Iterator<Item = &'a Frame>) -> Offer {
        let Some(first) = frames.next() else {
            return if self.is_closed() { Offer::Gone } else { Offer::Taken };
        };
        let Some(second) = frames.next() else { return self.offer(first) };
        let _corked = self.cork();
        [first, second]
            .into_iter()
            .chain(frames)
            .map(|frame| self.offer(frame))
            .find(|&offer| offer != Offer::Taken)
            .unwrap_or(Offer::Taken)
    }

    /// Sends a frame that the client cannot do without: if there is no room, the client has fallen
    /// too far behind, is closed, and comes back with its cursor.
    pub(crate) fn offer_or_evict(&self, frame: &Frame) -> Offer {
        let offer = self.offer(frame);
        if offer == Offer::Full {
            self.end(CloseCode::SlowConsumer);
        }
        offer
    }

    /// Sends a message that the client cannot do without.
    pub(crate) fn send(&self, message: &ToClient) -> Offer {
        self.offer_or_evict(&Frame::of(message))
    }

    /// Waits until there is room. Only for the session's own reader: waiting stops it reading.
    pub(crate) async fn send_waiting(&self, message: &ToClient) -> Offer {
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
    pub(crate) async fn send_frame_waiting(&self, frame: &Frame) -> Offer {
        loop {
            let offer = self.offer(frame);
            if offer != Offer::Full {
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
        self.finish(End::Goodbye(reason));
    }

    /// Ends the session. The first way counts.
    pub(crate) fn finish(&self, end: End) {
        self.0.end(end);
    }

    /// Notes that events of a game did not fit: the session asks for a snapshot once it has room.
    pub(crate) fn note_lag(&self, game: &GameId) {
        let mut state = self.0.state();
        if !state.lagged.contains(game) {
            state.lagged.push(game.clone());
        }
        drop(state);
        self.0.writer.notify_one();
    }

    /// Has the session end when what is given back is dropped.
    pub(crate) fn hang_up(&self) -> HangUp {
        HangUp(self.clone())
    }

    /// Waits until the session is to end, and tells why.
    pub(crate) async fn ended(&self) -> End {
        self.0.ended().await
    }

    /// Whether the client has left or is being sent away.
    pub(crate) fn is_closed(&self) -> bool {
        self.0.over.load(Ordering::Acquire)
    }

    /// Has it noted when the client has left or is being sent away; at once if it has already.
    pub(crate) fn mourn(&self, departures: &Arc<Departures>) {
        let mut state = self.0.state();
        if state.end.is_some() {
            drop(state);
            departures.note(self.0.session);
            return;
        }
        // Whoever is gone makes room, so that the list is no longer than what the client is at.
        state
            .mourners
            .retain(|known| known.strong_count() > 0 && known.as_ptr() != Arc::as_ptr(departures));
        state.mourners.push(Arc::downgrade(departures));
    }
}

/// Ends a session when it is dropped: for readers that have nobody else to tell them that no answer
/// comes any more.
#[derive(Debug)]
pub(crate) struct HangUp(Outbox);

impl Drop for HangUp {
    fn drop(&mut self) {
        self.0.finish(End::HungUp);
    }
}

/// Holds frames back; see [`Outbox::cork`].
#[derive(Debug)]
#[must_use = "frames are held back only as long as it lives"]
pub(crate) struct Corked(Arc<Shared>);

impl Drop for Corked {
    fn drop(&mut self) {
        self.0.uncork();
    }
}

/// However a session ends, whoever waits for its end is woken, and its socket is let go.
impl Drop for OutboxReader {
    fn drop(&mut self) {
        self.0.end(End::Goodbye(CloseCode::GoingAway));
        self.0.state().queue.close();
    }
}

impl OutboxReader {
    /// What comes next: frames, then what did not fit, then the end.
    pub(crate) async fn next(&mut self) -> Heard {
        loop {
            if let Some(frame) = self.take() {
                return Heard::Frame(frame);
            }
            if !self.take_lagged().is_empty() {
                return Heard::Lagged;
            }
            if let Some(end) = self.end_noted() {
                return Heard::Ended(end);
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
    fn let_reader_go_on(&self, mut state: MutexGuard<'_, State>) {
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
    pub(crate) fn end_noted(&self) -> Option<End> {
        self.0.state().end
    }

    /// Waits until the socket that others write to as well takes more.
    pub(crate) async fn writable(&self) -> io::Result<()> {
        poll_fn(|cx| self.0.state().queue.poll_writable(cx)).await
    }

    /// Lets go of the socket to a peer that has gone.
    pub(crate) fn let_go(self) {
        self.0.state().queue.let_go();
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
    pub(crate) fn put_last(&mut self, frame: &Frame) {
        // If it does not fit or the socket is broken, there is nobody to tell.
        let _put = self.0.state().queue.put(frame);
    }

    /// Drops what waits, as far as that can be done: a frame that has been begun is finished.
    pub(crate) fn drop_waiting(&mut self) {
        self.0.state().queue.drop_waiting();
    }
}

#[cfg(test)]
mod tests;
