//! A session: one connection from its upgrade to its goodbye. Reading and writing are two futures
//! of one task, so that neither waits for the other and an idle session costs one task.

mod account;
mod allowance;
mod catalogue;
mod cause;
mod conversation;
mod finding;
mod hello;
mod lookup;
mod reader;
mod round_trip;
mod speaker;
mod talking;
mod vouching;
mod writer;

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use adamant_protocol::FRAME_BYTES_MAX;
use futures::{StreamExt as _, future::join};
use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _},
    time::timeout,
};
use tokio_tungstenite::{
    WebSocketStream,
    tungstenite::protocol::{Role, WebSocketConfig},
};
use tracing::{Instrument as _, info_span};

use crate::{
    accounts::Accounts,
    address::ClientAddress,
    caller::SessionId,
    config::Limits,
    directory::Directory,
    display::Display,
    lifecycle::Lifecycle,
    limits::{
        LINGER_BYTES_MAX, LINGER_MAX, SOCKET_READ_BYTES, SOCKET_WRITE_BYTES, SOCKET_WRITE_BYTES_MAX,
    },
    lobby::Lobby,
    metrics::Metrics,
    outbox::outbox,
    review::Review,
    room::Command,
    rooms::Rooms,
    signing::Signing,
    talk::Talk,
    time::TimeSource,
};
use reader::Reader;
use round_trip::RoundTrip;

pub(crate) use allowance::Allowances;

/// What every session needs from the server. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Services {
    /// How players find each other.
    pub lobby: Lobby,
    /// Who plays here, and what was played.
    pub directory: Directory,
    /// Where the games are.
    pub rooms: Rooms,
    /// Games for those who look at many.
    pub display: Display,
    /// How the games went.
    pub review: Review,
    /// What is said about the games.
    pub talk: Talk,
    /// Who somebody is.
    pub accounts: Accounts,
    /// With what records are signed.
    pub signing: Arc<Signing>,
    /// What time it is.
    pub time: TimeSource,
    /// What clients may do.
    pub limits: Arc<Limits>,
    /// What users have asked for lately.
    pub allowances: Arc<Allowances>,
    /// When to stop.
    pub lifecycle: Lifecycle,
    /// What is counted.
    pub metrics: Arc<Metrics>,
    /// Numbers the sessions.
    pub last_session: Arc<AtomicU64>,
}

impl Services {
    /// A number that no other session has.
    pub(crate) fn next_session(&self) -> SessionId {
        SessionId(self.last_session.fetch_add(1, Ordering::Relaxed) + 1)
    }
}

/// What a WebSocket may buffer and receive.
fn socket_config() -> WebSocketConfig {
    WebSocketConfig::default()
        .read_buffer_size(SOCKET_READ_BYTES)
        .write_buffer_size(SOCKET_WRITE_BYTES)
        .max_write_buffer_size(SOCKET_WRITE_BYTES_MAX)
        .max_message_size(Some(FRAME_BYTES_MAX))
        .max_frame_size(Some(FRAME_BYTES_MAX))
}

/// Serves a connection that has been upgraded, until it ends. `from` is where the client is, if
/// not in this process.
pub(crate) async fn serve<S>(services: Services, stream: S, from: Option<ClientAddress>)
where
    S: AsyncRead + AsyncWrite + Unpin + Send,
{
    let id = services.next_session();
    let span = info_span!("session", session = %id, user = tracing::field::Empty);
    run(services, id, stream, from).instrument(span).await;
}

async fn run<S>(services: Services, id: SessionId, stream: S, from: Option<ClientAddress>)
where
    S: AsyncRead + AsyncWrite + Unpin + Send,
{
    let socket =
        WebSocketStream::from_raw_socket(stream, Role::Server, Some(socket_config())).await;
    let (mut sink, mut source) = socket.split();
    let (outbox, mut queue) = outbox();
    let ping_every = services.limits.ping_every;
    let rooms = services.rooms.clone();
    let metrics = Arc::clone(&services.metrics);
    let _open = metrics.session();
    let round_trip = RoundTrip::default();
    let mut reader = Reader::new(services, id, outbox, from, round_trip.clone());

    let caller = reader.caller_cell();
    let catch_up = |games| {
        let (rooms, caller) = (rooms.clone(), caller.get());
        async move {
            let Some(caller) = caller else { return };
            for game in games {
                let command = Command::CatchUp { caller: Arc::clone(&caller) };
                if let Err(error) = rooms.send(&game, command).await {
                    tracing::debug!(%game, %error, "a lagging spectator was not caught up");
                }
            }
        }
    };
    let reading = reader.run(&mut source);
    let writing = writer::write(&mut sink, &mut queue, ping_every, &round_trip, catch_up);
    let (cause, ()) = join(reading, writing).await;
    tracing::debug!(cause = cause.name(), "session ended");
    metrics.session_ended(cause.name());

    if let Ok(socket) = sink.reunite(source) {
        Box::pin(linger(socket.into_inner())).await;
    }
}

/// Reads what the peer still sends and throws it away, for a moment: closing a connection with
/// unread input would reset it, and the peer might never see the goodbye.
async fn linger<S: AsyncRead + AsyncWrite + Unpin>(mut stream: S) {
    let drain = async {
        // Half-closing tells the peer that nothing more comes.
        stream.shutdown().await?;
        let mut scratch = [0; 4096];
        let mut left = LINGER_BYTES_MAX;
        while left > 0 {
            let read = stream.read(&mut scratch).await?;
            if read == 0 {
                break;
            }
            left = left.saturating_sub(read);
        }
        std::io::Result::Ok(())
    };
    // Whether the peer was still there makes no difference.
    let _drained = timeout(LINGER_MAX, drain).await;
}
