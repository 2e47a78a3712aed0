//! A session: one connection from its upgrade to its goodbye. Reading, and writing what could not
//! be written at once, are two futures of one task, so that neither waits for the other and an idle
//! session costs one task.

mod account;
mod dispatch;
mod games;
mod hello;
mod limits;
mod queries;
mod reader;
mod round_trip;
mod session;
mod socket;
mod writer;

pub(crate) use limits::UserRateLimits;
pub(crate) use queries::catalogue;
pub(crate) use session::Services;

use std::{pin::pin, sync::Arc};

use adamant_protocol::GameId;
use futures::future::join;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep, timeout};
use tracing::{Instrument as _, Span, debug_span};

use crate::limits::{DRAIN_BALANCER, DRAIN_SPREAD, HELLO_MAX, LINGER_BYTES_MAX, LINGER_MAX};
use crate::outbound::SessionId;
use crate::outbound::outbox::{Outbox, OutboxReader, outbox};
use crate::runtime::on_wake::OnWake;
use crate::session::{
    reader::{CloseReason, Reader},
    session::{Link, Session},
    socket::Socket,
    writer::{ExclusiveWriter, OutboxWriter, SharedSocketWriter},
};
use crate::{address::ClientAddress, room::Command};

/// Serves a TCP connection that has been upgraded, until it ends. `read` are bytes that have been
/// read from it already.
pub(crate) fn serve_tcp(
    services: Arc<Services>,
    stream: TcpStream,
    read: Vec<u8>,
    from: ClientAddress,
) -> impl Future<Output = ()> + Send {
    let (reads, writes) = stream.into_split();
    let id = services.next_session();
    let ends = outbox(id, Some(writes));
    run(services, id, ends, (reads, read), SharedSocketWriter, Some(from)).instrument(span(id))
}

/// The same for any other connection. `from` is where the client is, if not in this process.
pub(crate) fn serve_stream<S>(
    services: Arc<Services>,
    stream: S,
    from: Option<ClientAddress>,
) -> impl Future<Output = ()> + Send
where
    S: AsyncRead + AsyncWrite + Unpin + Send,
{
    let (reads, writes) = tokio::io::split(stream);
    let id = services.next_session();
    let ends = outbox(id, None);
    let read = (reads, Vec::new());
    run(services, id, ends, read, ExclusiveWriter::new(writes), from).instrument(span(id))
}

/// At `debug` only: the span is entered with every frame and kept for each session.
fn span(id: SessionId) -> Span {
    debug_span!("session", session = %id, user = tracing::field::Empty)
}

/// Not an `async fn`, which would keep its arguments twice for as long as the session lasts.
fn run<R, P>(
    services: Arc<Services>,
    id: SessionId,
    (outbox, mut queue): (Outbox, OutboxReader),
    (reads, read): (R, Vec<u8>),
    mut writer: P,
    from: Option<ClientAddress>,
) -> impl Future<Output = ()> + Send
where
    R: AsyncRead + Unpin + Send,
    P: OutboxWriter + Send,
{
    let mut socket = Socket::new(reads, read, outbox.clone());
    let open = services.metrics.open_session();
    let link =
        Arc::new(Link::new(Instant::now() + HELLO_MAX.min(services.limits.get().idle_close)));
    let session = Session::new(Arc::clone(&services), id, outbox, from, Arc::clone(&link));
    let mut reader = Reader::new(session);
    async move {
        let _open = open;
        let cause = {
            let rare = (&*link, services.limits.get().ping_every);
            let leaving = pin!(turn_to_leave(&services));
            let catch_up = |games| catch_up(&services, &link, games);
            let writing = writer::write(&mut writer, &mut queue, rare, leaving, catch_up);
            // The writer is polled first: what it finds out, the reader sees in the same turn.
            join(OnWake::new(pin!(writing)), reader.run(&mut socket)).await.1
        };
        tracing::debug!(cause = cause.name(), "session ended");
        services.metrics.count_ended_session(cause.name());

        if cause == CloseReason::PeerLost {
            queue.release_socket();
            return;
        }
        drop(queue);
        Box::pin(writer.shutdown()).await;
        if let CloseReason::Closed(_) = cause {
            Box::pin(linger(socket.into_inner())).await;
        }
    }
}

/// Asks the rooms of games whose events did not fit for what comes in their place.
async fn catch_up(services: &Services, link: &Link, games: Vec<GameId>) {
    let Some(client) = link.client() else { return };
    for game in games {
        services.rooms.send(&game, Command::CatchUp { client: Arc::clone(&client) }).await;
    }
}

/// Waits until a session leaves a server that stops: at once, unless other nodes go on. Boxed is
/// what would otherwise take room in every session.
async fn turn_to_leave(Services { lifecycle, entropy, .. }: &Services) {
    lifecycle.draining.cancelled().await;
    let after = DRAIN_BALANCER + entropy.clone().within(DRAIN_SPREAD);
    Box::pin(lifecycle.soft.run_until_cancelled(sleep(after))).await;
}

/// Reads what the peer still sends and throws it away, for a moment: closing a connection with
/// unread input would reset it, and the peer might never see the goodbye.
async fn linger(mut reads: impl AsyncRead + Unpin) {
    let drain = async {
        let mut scratch = [0; 4096];
        let mut left = LINGER_BYTES_MAX;
        while left > 0 {
            let read = reads.read(&mut scratch).await?;
            if read == 0 {
                break;
            }
            left = left.saturating_sub(read);
        }
        std::io::Result::Ok(())
    };
    // It does not matter whether the peer was still connected.
    drop(timeout(LINGER_MAX, drain).await);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With its buffers and its place in the lobby it comes to about twice that.
    const SESSION_BYTES_MAX: usize = 1_800;

    /// How large the futures are that a function gives.
    const fn size_of_future<A, B, F: Future>(_: &impl Fn(A, B) -> F) -> usize {
        size_of::<F>()
    }

    #[test]
    fn an_idle_session_is_small() {
        let from = ClientAddress::from(std::net::IpAddr::from([127, 0, 0, 1]));
        let serve = |services: Arc<Services>, stream: TcpStream| {
            serve_tcp(services, stream, Vec::new(), from)
        };
        let size = size_of_future(&serve);
        assert!(size <= SESSION_BYTES_MAX, "{size} bytes");
    }
}
