//! The connection under a session. Reading is the WebSocket library's, which also answers pings and
//! goodbyes; what it writes goes the way of everything that the client is sent, in order with it.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll},
};

use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _, ReadBuf};

use crate::outbound::{
    frame::Frame,
    outbox::{Offer, Outbox, OutboxReader},
};

/// Reads from the connection, and writes to the outbox.
#[derive(Debug)]
pub(super) struct Ear<R> {
    from: R,
    outbox: Outbox,
}

impl<R> Ear<R> {
    pub(super) const fn new(from: R, outbox: Outbox) -> Self {
        Self { from, outbox }
    }

    /// The connection alone.
    pub(super) fn into_inner(self) -> R {
        self.from
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for Ear<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.from).poll_read(cx, into)
    }
}

impl<R: Unpin> AsyncWrite for Ear<R> {
    fn poll_write(
        self: Pin<&mut Self>,
        _cx: &mut Context<'_>,
        frames: &[u8],
    ) -> Poll<io::Result<usize>> {
        // Whoever pings and does not read the answers has fallen behind like everybody else.
        match self.outbox.offer_or_evict(&Frame::encoded(frames)) {
            Offer::Taken => Poll::Ready(Ok(frames.len())),
            Offer::Full | Offer::Gone => Poll::Ready(Err(io::ErrorKind::BrokenPipe.into())),
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
pub(super) trait Pen {
    /// Writes until at least one frame is out or none waits. Safe to cancel: what has been begun is
    /// gone on with.
    fn write(&mut self, queue: &mut OutboxReader) -> impl Future<Output = io::Result<()>> + Send;

    /// Tells the peer that nothing more comes.
    fn shut(self) -> impl Future<Output = ()> + Send;
}

/// The pen for a socket that others write to as well: it only waits until the socket takes more.
#[derive(Debug)]
pub(super) struct Direct;

impl Pen for Direct {
    async fn write(&mut self, queue: &mut OutboxReader) -> io::Result<()> {
        while queue.write()? == 0 && queue.is_waiting() {
            queue.writable().await?;
        }
        Ok(())
    }

    async fn shut(self) {
        // The queue that is dropped closes the socket for writing.
    }
}

/// The pen for a connection that nobody else can write to.
#[derive(Debug)]
pub(super) struct Sole<W> {
    to: W,
    /// The frame that has been begun.
    begun: Option<Frame>,
    /// How much of it has been written.
    written: usize,
}

impl<W> Sole<W> {
    pub(super) const fn new(to: W) -> Self {
        Self { to, begun: None, written: 0 }
    }
}

impl<W: AsyncWrite + Unpin + Send> Pen for Sole<W> {
    async fn write(&mut self, queue: &mut OutboxReader) -> io::Result<()> {
        if self.begun.is_none() {
            self.begun = queue.take();
        }
        while let Some(frame) = &self.begun {
            match self.to.write(&frame.as_bytes()[self.written..]).await? {
                0 => return Err(io::ErrorKind::WriteZero.into()),
                count => self.written += count,
            }
            if self.written == frame.len() {
                (self.begun, self.written) = (None, 0);
            }
        }
        if queue.is_waiting() { Ok(()) } else { self.to.flush().await }
    }

    async fn shut(mut self) {
        // Whether the peer is still there makes no difference.
        let _shut = self.to.shutdown().await;
    }
}
