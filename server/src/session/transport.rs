//! The connection under a session. Reading is the WebSocket library's, which also answers pings and
//! goodbyes; what it writes goes the way of everything that the client is sent, in order with it.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll},
};

use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _, ReadBuf};

use crate::outbound::{
    SendOutcome,
    frame::Frame,
    outbox::{Outbox, OutboxReader},
};

/// Reads from the connection, and writes to the outbox.
#[derive(Debug)]
pub(super) struct Transport<R> {
    from: R,
    outbox: Outbox,
}

impl<R> Transport<R> {
    pub(super) const fn new(from: R, outbox: Outbox) -> Self {
        Self { from, outbox }
    }

    /// The connection alone.
    pub(super) fn into_inner(self) -> R {
        self.from
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for Transport<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.from).poll_read(cx, into)
    }
}

impl<R: Unpin> AsyncWrite for Transport<R> {
    fn poll_write(
        self: Pin<&mut Self>,
        _cx: &mut Context<'_>,
        frames: &[u8],
    ) -> Poll<io::Result<usize>> {
        // A client that pings and does not read the answers has fallen behind like every slow
        // client.
        match self.outbox.send_or_evict(&Frame::encoded(frames)) {
            SendOutcome::Queued => Poll::Ready(Ok(frames.len())),
            SendOutcome::Full | SendOutcome::Closed => {
                Poll::Ready(Err(io::ErrorKind::BrokenPipe.into()))
            }
        }
    }

    fn poll_flush(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
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
    /// The frame that has been started.
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
