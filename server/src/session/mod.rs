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
mod session;
mod writer;

pub(crate) use limits::UserRateLimits;
pub(crate) use queries::catalogue;
pub(crate) use session::Services;

use std::{pin::pin, sync::Arc};

use adamant_protocol::FRAME_BYTES_MAX;
use futures::future::join;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite};
use tokio::{net::TcpStream, time::timeout};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};
use tracing::{Instrument as _, Span, debug_span};

use crate::limits::{LINGER_BYTES_MAX, LINGER_MAX, SOCKET_READ_BYTES};
use crate::outbound::SessionId;
use crate::outbound::outbox::{Outbox, OutboxReader, outbox};
use crate::session::{
    reader::{CloseReason, Reader},
    session::Session,
    writer::{ExclusiveWriter, OutboxWriter, RoundTrip, SharedSocketWriter, Transport},
};
use crate::{address::ClientAddress, room::Command, runtime::on_wake::OnWake};

/// What a WebSocket may buffer and receive. It writes nothing but answers to pings and goodbyes.
fn socket_config() -> WebSocketConfig {
    WebSocketConfig::default()
        .read_buffer_size(SOCKET_READ_BYTES)
        .write_buffer_size(0)
        .max_message_size(Some(FRAME_BYTES_MAX))
        .max_frame_size(Some(FRAME_BYTES_MAX))
}

/// Serves a TCP connection that has been upgraded, until it ends. `read` are bytes that have been
/// read from it already.
pub(crate) async fn serve_tcp(
    services: Arc<Services>,
    stream: TcpStream,
    read: Vec<u8>,
    from: ClientAddress,
) {
    let (reads, writes) = stream.into_split();
    let id = services.next_session();
    let ends = outbox(id, Some(writes));
    let serving = run(services, id, ends, reads, read, SharedSocketWriter, Some(from));
    serving.instrument(span(id)).await;
}

/// The same for any other connection. `from` is where the client is, if not in this process.
pub(crate) async fn serve_stream<S>(services: Arc<Services>, stream: S, from: Option<ClientAddress>)
where
    S: AsyncRead + AsyncWrite + Unpin + Send,
{
    let (reads, writes) = tokio::io::split(stream);
    let id = services.next_session();
    let ends = outbox(id, None);
    let serving = run(services, id, ends, reads, Vec::new(), ExclusiveWriter::new(writes), from);
    serving.instrument(span(id)).await;
}

/// At `debug` only: the span is entered with every frame and kept for each session.
fn span(id: SessionId) -> Span {
    debug_span!("session", session = %id, user = tracing::field::Empty)
}

async fn run<R, P>(
    services: Arc<Services>,
    id: SessionId,
    (outbox, mut queue): (Outbox, OutboxReader),
    reads: R,
    read: Vec<u8>,
    mut writer: P,
    from: Option<ClientAddress>,
) where
    R: AsyncRead + Unpin + Send,
    P: OutboxWriter + Send,
{
    let ear = Transport::new(reads, outbox.clone());
    let config = Some(socket_config());
    let mut socket = WebSocketStream::from_partially_read(ear, read, Role::Server, config).await;
    let ping_every = services.limits.ping_every;
    let shared = Arc::clone(&services);
    let metrics = Arc::clone(&services.metrics);
    let _open = metrics.open_session();
    let round_trip = RoundTrip::default();
    let mut reader = Reader::new(Session::new(services, id, outbox, from, round_trip.clone()));
    let client = reader.session.cell.clone();
    let catch_up = |games| {
        let (services, client) = (Arc::clone(&shared), client.get());
        async move {
            let Some(client) = client else { return };
            for game in games {
                services.rooms.send(&game, Command::CatchUp { client: Arc::clone(&client) }).await;
            }
        }
    };
    let reading = reader.run(&mut socket);
    let cause = {
        let writing = writer::write(&mut writer, &mut queue, ping_every, &round_trip, catch_up);
        join(reading, OnWake::new(pin!(writing))).await.0
    };
    tracing::debug!(cause = cause.name(), "session ended");
    metrics.count_ended_session(cause.name());

    if cause == CloseReason::PeerLost {
        queue.release_socket();
        return;
    }
    drop(queue);
    writer.shutdown().await;
    if let CloseReason::Closed(_) = cause {
        Box::pin(linger(socket.into_inner().into_inner())).await;
    }
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
    const SESSION_BYTES_MAX: usize = 3_000;

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
