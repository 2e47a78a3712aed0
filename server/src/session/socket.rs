//! A client's WebSocket: the library's protocol over what is read from the connection. What it
//! writes goes the way of everything that the client is sent, in order with it. It needs no waker
//! and no stream of its own, so that an idle session is small.

use std::io::{self, Read, Write};
use std::task::{Context, Poll, Waker};
use std::{future::poll_fn, pin::Pin};

use adamant_protocol::FRAME_BYTES_MAX;
use tokio::io::{AsyncRead, ReadBuf};
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig, WebSocketContext};
use tokio_tungstenite::tungstenite::{Error, Message, Result};

use crate::limits::SOCKET_READ_BYTES;
use crate::outbound::{SendOutcome, frame::Frame, outbox::Outbox};

#[derive(Debug)]
pub(super) struct Socket<R> {
    protocol: WebSocketContext,
    from: R,
    outbox: Outbox,
}

/// The connection, while the protocol reads from it.
struct Connection<'a, 'b, R> {
    from: &'a mut R,
    outbox: &'a Outbox,
    context: &'a mut Context<'b>,
}

impl<R: AsyncRead + Unpin> Socket<R> {
    /// `read` are bytes that have been read from the connection already.
    pub(super) fn new(from: R, read: Vec<u8>, outbox: Outbox) -> Self {
        let config = WebSocketConfig::default()
            .read_buffer_size(SOCKET_READ_BYTES)
            .write_buffer_size(0)
            .max_message_size(Some(FRAME_BYTES_MAX))
            .max_frame_size(Some(FRAME_BYTES_MAX));
        let protocol = WebSocketContext::from_partially_read(read, Role::Server, Some(config));
        Self { protocol, from, outbox }
    }

    /// Waits for the next frame; `None` after the last. Cancel-safe.
    pub(super) async fn next(&mut self) -> Option<Result<Message>> {
        poll_fn(|context| self.poll_next(context)).await
    }

    fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Message>>> {
        let Self { protocol, from, outbox } = self;
        match protocol.read(&mut Connection { from, outbox, context }) {
            Err(Error::Io(error)) if error.kind() == io::ErrorKind::WouldBlock => Poll::Pending,
            Err(Error::ConnectionClosed | Error::AlreadyClosed) => Poll::Ready(None),
            read => Poll::Ready(Some(read)),
        }
    }

    /// Sends what the protocol has to answer, which would otherwise leave with the next read.
    pub(super) fn flush(&mut self) {
        let Self { protocol, from, outbox } = self;
        let context = &mut Context::from_waker(Waker::noop());
        // What is broken is found with the next read.
        drop(protocol.flush(&mut Connection { from, outbox, context }));
    }

    pub(super) fn into_inner(self) -> R {
        self.from
    }
}

impl<R: AsyncRead + Unpin> Read for Connection<'_, '_, R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let mut into = ReadBuf::new(into);
        match Pin::new(&mut *self.from).poll_read(self.context, &mut into) {
            Poll::Ready(read) => read.map(|()| into.filled().len()),
            Poll::Pending => Err(io::ErrorKind::WouldBlock.into()),
        }
    }
}

impl<R> Write for Connection<'_, '_, R> {
    fn write(&mut self, frames: &[u8]) -> io::Result<usize> {
        // A client that pings and does not read the answers has fallen behind like every slow
        // client.
        match self.outbox.send_or_evict(&Frame::encoded(frames)) {
            SendOutcome::Queued => Ok(frames.len()),
            SendOutcome::Full | SendOutcome::Closed => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
