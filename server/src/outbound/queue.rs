//! What one client is still to be sent, and its socket, where frames can be written to it at once.

use std::{
    collections::VecDeque,
    io,
    task::{Context, Poll},
};

use arrayvec::ArrayVec;
use tokio::net::tcp::OwnedWriteHalf;

use crate::outbound::outcome::SendOutcome;
use crate::{
    limits::{OUTBOX_BYTES_MAX, OUTBOX_FRAMES_MAX, OUTBOX_LOW_WATER_SHARE},
    outbound::frame::Frame,
};

/// Bytes of several frames that are copied together to be written at once. Such a copy costs less
/// than a call that takes the frames where they lie.
const BYTES_PER_WRITE: usize = 4096;

/// Frames for which an empty queue keeps room.
const FRAMES_KEPT: usize = 4;

/// Frames in their order. The first may have been written in part.
#[derive(Debug, Default)]
pub(super) struct FrameQueue {
    /// `None` if only the session's writer can write, or nobody any more.
    socket: Option<OwnedWriteHalf>,
    frames: VecDeque<Frame>,
    /// Bytes of the first frame that have been written.
    written: usize,
    /// Bytes of all frames in the queue.
    bytes: usize,
    /// How many wish that nothing be written yet, because more is to come.
    corks: u32,
}

/// What became of a frame in the queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PushOutcome {
    /// The socket has it.
    Written,
    /// It waits, and nobody needs to know.
    Waits,
    /// It waits, and is the writer's to write.
    WaitsForWriter,
    /// There was no room for it.
    Full,
    /// The socket takes nothing any more.
    Broken,
}

impl From<PushOutcome> for SendOutcome {
    fn from(pushed: PushOutcome) -> Self {
        match pushed {
            PushOutcome::Written | PushOutcome::Waits | PushOutcome::WaitsForWriter => Self::Queued,
            PushOutcome::Full => Self::Full,
            PushOutcome::Broken => Self::Closed,
        }
    }
}

impl FrameQueue {
    pub(super) fn new(socket: Option<OwnedWriteHalf>) -> Self {
        Self { socket, ..Self::default() }
    }

    /// Whether the socket takes something, or when it does; whoever asks last is woken.
    pub(super) fn poll_writable(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &self.socket {
            Some(socket) => socket.as_ref().poll_write_ready(cx),
            None => Poll::Ready(Ok(())),
        }
    }

    /// Lets go of a socket whose other end is gone. It is closed with its reading half: to close it
    /// for writing first would be a call for nothing.
    pub(super) fn release_socket(&mut self) {
        if let Some(socket) = self.socket.take() {
            socket.forget();
        }
    }

    /// Nothing is written or kept any more, and the socket is closed for writing.
    pub(super) fn close(&mut self) {
        // Whoever holds frames back just now has yet to draw the cork.
        *self = Self { corks: self.corks, ..Self::default() };
    }

    /// Drops every frame of which nothing has been written.
    pub(super) fn drop_waiting(&mut self) {
        self.frames.truncate(usize::from(self.written > 0));
        self.bytes = self.frames.iter().map(Frame::len).sum();
    }

    pub(super) fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    /// Whether one more frame of some size fits. A single frame larger than the whole budget passes
    /// when nothing else waits.
    pub(super) fn has_room(&self, size: usize) -> bool {
        self.is_empty()
            || (self.frames.len() < OUTBOX_FRAMES_MAX && self.bytes + size <= OUTBOX_BYTES_MAX)
    }

    /// Whether most of the room is free.
    pub(super) fn is_calm(&self) -> bool {
        self.frames.len() <= OUTBOX_FRAMES_MAX / OUTBOX_LOW_WATER_SHARE
            && self.bytes <= OUTBOX_BYTES_MAX / OUTBOX_LOW_WATER_SHARE
    }

    /// Writes a frame if nothing stands before it and the socket takes it; else it waits.
    pub(super) fn push(&mut self, frame: &Frame) -> PushOutcome {
        if !self.has_room(frame.len()) {
            return PushOutcome::Full;
        }
        let first = self.is_empty();
        let mut written = 0;
        if first
            && self.corks == 0
            && let Some(socket) = &self.socket
        {
            match socket.try_write(frame.as_bytes()) {
                Ok(all) if all == frame.len() => return PushOutcome::Written,
                Ok(part) => written = part,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(_) => return PushOutcome::Broken,
            }
        }
        if first {
            self.written = written;
        }
        self.bytes += frame.len();
        self.frames.push_back(frame.clone());
        if first && self.corks == 0 { PushOutcome::WaitsForWriter } else { PushOutcome::Waits }
    }

    /// From here on frames wait for others that follow at once, and share their way.
    pub(super) fn cork(&mut self) {
        self.corks += 1;
    }

    /// Writes what has waited for others, if nobody else expects more of them.
    pub(super) fn uncork(&mut self) -> PushOutcome {
        self.corks -= 1;
        if self.corks > 0 || self.is_empty() {
            return PushOutcome::Waits;
        }
        match self.write() {
            Ok(_) if self.is_empty() => PushOutcome::Written,
            Ok(_) => PushOutcome::WaitsForWriter,
            Err(_) => PushOutcome::Broken,
        }
    }

    /// Whether it is the writer's turn.
    pub(super) fn awaits_writer(&self) -> bool {
        self.corks == 0 && !self.is_empty()
    }

    /// Writes as much as the socket takes at once; gives back how many frames that has completed.
    pub(super) fn write(&mut self) -> io::Result<usize> {
        let mut completed = 0;
        while let (Some(socket), Some(first)) = (&self.socket, self.frames.front()) {
            let first = &first.as_bytes()[self.written..];
            let mut together = ArrayVec::<u8, BYTES_PER_WRITE>::new();
            if self.frames.len() > 1 {
                let rest = self.frames.iter().skip(1).map(Frame::as_bytes);
                for frame in std::iter::once(first).chain(rest) {
                    if together.try_extend_from_slice(frame).is_err() {
                        break;
                    }
                }
            }
            // One frame is written from where it lies.
            let bytes = if together.len() > first.len() { together.as_slice() } else { first };
            match socket.try_write(bytes) {
                Ok(bytes) => completed += self.advance(bytes),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) => return Err(error),
            }
        }
        Ok(completed)
    }

    /// Notes that so many bytes have been written; gives back how many frames that completes.
    fn advance(&mut self, mut bytes: usize) -> usize {
        let mut completed = 0;
        while bytes > 0 {
            let Some(first) = self.frames.front() else { break };
            let left = first.len() - self.written;
            if bytes < left {
                self.written += bytes;
                break;
            }
            bytes -= left;
            self.take();
            completed += 1;
        }
        completed
    }

    /// Takes the first frame out, for somebody else to write.
    pub(super) fn take(&mut self) -> Option<Frame> {
        let frame = self.frames.pop_front()?;
        self.written = 0;
        self.bytes -= frame.len();
        if self.frames.is_empty() {
            self.frames.shrink_to(FRAMES_KEPT);
        }
        Some(frame)
    }
}
