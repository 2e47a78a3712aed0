//! The frames that wait for one client, and its socket if frames can be written to it directly.

use std::task::{Context, Poll};
use std::{collections::VecDeque, io};

use arrayvec::ArrayVec;
use tokio::net::tcp::OwnedWriteHalf;

use crate::limits::{OUTBOX_BYTES_MAX, OUTBOX_FRAMES_MAX, OUTBOX_LOW_WATER_SHARE};
use crate::outbound::frame::{Burst, Frame};

/// Size up to which several frames are copied into one buffer for one write. The copy costs less
/// than a vectored write.
const BYTES_PER_WRITE: usize = 4096;

/// The result of sending a frame to an outbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SendOutcome {
    /// The frame is written or queued.
    Queued,
    /// The queue has no room for the frame.
    Full,
    /// The session has ended.
    Closed,
}

/// Frames in the order of sending. The first may be partly written.
#[derive(Debug, Default)]
pub(super) struct FrameQueue {
    /// `None` if only the session's writer can write, or if the socket is closed.
    socket: Option<OwnedWriteHalf>,
    frames: VecDeque<Frame>,
    /// Bytes of the first frame that are written.
    written: usize,
    /// Bytes of all frames in the queue.
    bytes: usize,
    /// Number of corks that hold frames back.
    corks: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PushOutcome {
    /// The frame is written to the socket.
    Written,
    /// The frame waits, and the writer need not be woken.
    Waits,
    /// The frame waits, and the writer must be woken.
    WaitsForWriter,
    /// The queue has no room for the frame.
    Full,
    /// The socket is broken.
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

    /// Polls whether the socket is writable. Only the last task that polled is woken.
    pub(super) fn poll_writable(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &self.socket {
            Some(socket) => socket.as_ref().poll_write_ready(cx),
            None => Poll::Ready(Ok(())),
        }
    }

    /// Drops the socket of a client that has disconnected, without shutting down its write side.
    /// The read half closes it.
    pub(super) fn release_socket(&mut self) {
        if let Some(socket) = self.socket.take() {
            socket.forget();
        }
    }

    /// Drops all frames and shuts down the write side of the socket.
    pub(super) fn close(&mut self) {
        // Active corks are still to be removed.
        *self = Self { corks: self.corks, ..Self::default() };
    }

    /// Drops every frame that is not partly written.
    pub(super) fn drop_waiting(&mut self) {
        self.frames.truncate(usize::from(self.written > 0));
        self.bytes = self.frames.iter().map(Frame::len).sum();
    }

    pub(super) fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    /// Whether so many frames of this size together fit. One frame larger than the whole budget
    /// fits in an empty queue.
    pub(super) fn has_room(&self, count: usize, size: usize) -> bool {
        (self.is_empty() && count == 1)
            || (self.frames.len() + count <= OUTBOX_FRAMES_MAX
                && self.bytes + size <= OUTBOX_BYTES_MAX)
    }

    /// Whether most of the queue is free.
    pub(super) fn is_calm(&self) -> bool {
        self.frames.len() <= OUTBOX_FRAMES_MAX / OUTBOX_LOW_WATER_SHARE
            && self.bytes <= OUTBOX_BYTES_MAX / OUTBOX_LOW_WATER_SHARE
    }

    /// Writes a frame if the queue is empty and the socket accepts it, else queues it.
    pub(super) fn push(&mut self, frame: &Frame) -> PushOutcome {
        self.push_all(frame.as_bytes(), 1, || std::iter::once(frame.clone()))
    }

    /// Does the same with several frames. They fit together, or not at all.
    pub(super) fn push_burst(&mut self, burst: &Burst) -> PushOutcome {
        self.push_all(burst.as_bytes(), burst.count(), || burst.frames())
    }

    fn push_all<F: Iterator<Item = Frame>>(
        &mut self,
        bytes: &[u8],
        count: usize,
        frames: impl FnOnce() -> F,
    ) -> PushOutcome {
        if !self.has_room(count, bytes.len()) {
            return PushOutcome::Full;
        }
        let first = self.is_empty();
        let mut written = 0;
        if first
            && self.corks == 0
            && let Some(socket) = &self.socket
        {
            match socket.try_write(bytes) {
                Ok(all) if all == bytes.len() => return PushOutcome::Written,
                Ok(part) => written = part,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(_) => return PushOutcome::Broken,
            }
        }
        for frame in frames() {
            if written >= frame.len() {
                written -= frame.len();
                continue;
            }
            if self.is_empty() {
                self.written = std::mem::take(&mut written);
            }
            self.bytes += frame.len();
            self.frames.push_back(frame);
        }
        if first && self.corks == 0 { PushOutcome::WaitsForWriter } else { PushOutcome::Waits }
    }

    /// Holds frames back until `uncork`, so that they leave in one write.
    pub(super) fn cork(&mut self) {
        self.corks += 1;
    }

    /// Removes a cork. The last one writes the frames that were held back.
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

    /// Whether frames wait that the writer may write.
    pub(super) fn awaits_writer(&self) -> bool {
        self.corks == 0 && !self.is_empty()
    }

    /// Writes as much as the socket accepts now. Returns the number of completed frames.
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
            // A single frame is written without a copy.
            let bytes = if together.len() > first.len() { together.as_slice() } else { first };
            match socket.try_write(bytes) {
                Ok(bytes) => completed += self.advance(bytes),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) => return Err(error),
            }
        }
        debug_assert!(self.frames.front().map_or(0, Frame::len) >= self.written);
        Ok(completed)
    }

    /// Removes written bytes from the queue. Returns the number of completed frames.
    fn advance(&mut self, mut bytes: usize) -> usize {
        debug_assert_eq!(self.bytes, self.frames.iter().map(Frame::len).sum::<usize>());
        let mut completed = 0;
        while bytes > 0 {
            let Some(first) = self.frames.front() else { break };
            let left = first.len() - self.written;
            if bytes < left {
                self.written += bytes;
                break;
            }
            bytes -= left;
            self.pop();
            completed += 1;
        }
        completed
    }

    /// Removes and returns the first frame.
    pub(super) fn pop(&mut self) -> Option<Frame> {
        let frame = self.frames.pop_front()?;
        self.written = 0;
        self.bytes -= frame.len();
        if self.frames.is_empty() {
            // Few sessions need a queue, and those seldom.
            self.frames = VecDeque::new();
        }
        Some(frame)
    }
}
