//! A game's records by HTTP, one a line, byte for byte as on the WebSocket: those that exist, and
//! on request those that follow until the game ends.
//!
//! The room never waits for a slow reader: the stream reads what it missed from the store. The
//! connection of a client that does not read at all is closed.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use adamant_protocol::{CloseCode, GameId};
use axum::{
    body::Body,
    extract::{Extension, Path, Query, State},
    http::{HeaderMap, HeaderName, HeaderValue, header},
    response::{IntoResponse as _, Response},
};
use bytes::{Bytes, BytesMut};
use futures::stream;
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::{
    sync::mpsc,
    time::{Instant, sleep_until, timeout},
};

use super::{
    answers::{Asked, CachePolicy},
    app_state::AppState,
    limits::ConnectionControl,
};
use crate::{
    address::ClientAddress,
    error::Denial,
    limits::{CATCH_UP_CHUNK, EVENT_STREAM_CHUNKS_MAX, STREAM_FROM_MAX, WRITE_STALL_MAX},
    outbound::{
        SessionEnd,
        client::{Caller, ClientHandle},
        outbox::{OutboxItem, OutboxReader, outbox},
    },
    room::{Command, JoinFrom, ReadFor},
    session::Services,
    store::StoreError,
};

/// What of the log is wanted.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct EventStreamQuery {
    /// The first record.
    #[serde(default = "first")]
    #[schemars(range(min = 1, max = STREAM_FROM_MAX))]
    from: u64,
    /// Whether to go on with those to come, until the game ends.
    follow: Option<Follow>,
}

const fn first() -> u64 {
    1
}

/// Whether to follow, as people write it in addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
enum Follow {
    #[serde(rename = "1", alias = "true", alias = "")]
    Yes,
    #[serde(rename = "0", alias = "false")]
    No,
}

pub(super) async fn records(
    State(app): State<Arc<AppState>>,
    Extension(peer): Extension<SocketAddr>,
    Extension(connection): Extension<ConnectionControl>,
    headers: HeaderMap,
    Asked(Path(game)): Asked<Path<GameId>>,
    Asked(Query(query)): Asked<Query<EventStreamQuery>>,
) -> axum::response::Result<Response> {
    if !(1..=STREAM_FROM_MAX).contains(&query.from) {
        let message = "the value of from in the address is no record's number";
        return Err(Denial::BadMessage(message.to_owned()).into());
    }
    let services = app.services.clone();
    let is_live = is_live(&services, &game).await?;
    let from = app.client(peer, &headers);
    let permit = app.connections.acquire(Some(from))?;
    connection.lift_deadline();
    let (lines, mut written) = mpsc::channel(EVENT_STREAM_CHUNKS_MAX);
    let follow = query.follow == Some(Follow::Yes);
    let heartbeat = services.limits.get().ping_every;
    let next = query.from;
    let stream_task = EventStream { services, game, from, next, lines, connection, heartbeat };
    app.services.lifecycle.tasks.spawn(async move {
        stream_task.run(follow).await;
        drop(permit);
    });
    let body = Body::from_stream(stream::poll_fn(move |context| written.poll_recv(context)));
    let policy = if is_live { CachePolicy::NoStore } else { CachePolicy::Long };
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("application/x-ndjson")),
        (header::CACHE_CONTROL, policy.header()),
        // The connection has had its time: nothing else is asked over it.
        (header::CONNECTION, HeaderValue::from_static("close")),
        // Proxies that collect an answer before they pass it on would hold the events back.
        (HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no")),
    ];
    Ok((headers, body).into_response())
}

async fn is_live(services: &Services, game: &GameId) -> Result<bool, Denial> {
    let games = &services.store;
    if games.list_key_by_start(game.clone()).await?.is_none() {
        services.rooms.is_sound(game)?;
        return Err(Denial::NotFound(format!("game {game}")));
    }
    Ok(games.live_state(game).await?.is_some())
}

/// Why a stream ends early. The connection is then aborted, so that the client does not take the
/// part for the whole.
#[derive(Debug, thiserror::Error)]
pub(super) enum StreamError {
    #[error("the reader has gone")]
    Gone,
    #[error("the game's room has ended, or the server stops: come back")]
    Ended,
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Denied(#[from] Denial),
}

/// A line, or the reason why there are no more although the log is not at its end.
pub(super) type StreamChunk = Result<Bytes, StreamError>;

/// Tells one reader of one game.
struct EventStream {
    services: Arc<Services>,
    game: GameId,
    from: ClientAddress,
    next: u64,
    lines: mpsc::Sender<StreamChunk>,
    connection: ConnectionControl,
    /// How often something is written even if nothing happens: one sees that the other is there.
    heartbeat: Duration,
}

/// Enough of a frame to know whether it is a record, and which.
#[derive(Deserialize)]
struct FrameHead<'a> {
    #[serde(rename = "type", borrow)]
    kind: std::borrow::Cow<'a, str>,
    #[serde(default)]
    seq: u64,
}

impl EventStream {
    async fn run(mut self, follow: bool) {
        if let Err(error) = self.send_records(follow).await {
            tracing::debug!(game = %self.game, %error, "event stream ended early");
            // A client that is gone or does not read gets no reason.
            drop(self.lines.try_send(Err(error)));
        }
    }

    async fn send_records(&mut self, follow: bool) -> Result<(), StreamError> {
        loop {
            // Asked before reading: all records of a game that is over are there to be read.
            let is_live = self.services.store.live_state(&self.game).await?.is_some();
            let until = self.last_visible_seq().await?;
            self.send_stored(until).await?;
            if !follow || !is_live {
                return Ok(());
            }
            let session = self.services.next_session();
            let (outbox, queue) = outbox(session, None);
            let client = Arc::new(ClientHandle::anonymous(session, outbox, Some(self.from)));
            let from = JoinFrom::Seq(self.next);
            let join = Command::join(Caller::uncounted(Arc::clone(&client)), None, from, false);
            self.services.rooms.send(&self.game, join).await;
            self.send_live(queue).await?;
        }
    }

    /// Returns the last record that spectators may see: all, unless the game has a delay.
    async fn last_visible_seq(&self) -> Result<u64, StreamError> {
        let rooms = &self.services.rooms;
        let live = self.services.store.live_state(&self.game).await?;
        if live.is_none_or(|live| live.delay == 0) {
            return Ok(u64::MAX);
        }
        Ok(rooms.resume_plan(&self.game, None, ReadFor::Client(Some(self.from)), None).await?.seq)
    }

    /// Tells all records that are stored, or may be known, at the reader's pace.
    async fn send_stored(&mut self, until: u64) -> Result<(), StreamError> {
        loop {
            let journal = &self.services.store.journal;
            let left = usize::try_from((until.saturating_add(1)).saturating_sub(self.next));
            let max = left.map_or(CATCH_UP_CHUNK, |left| left.min(CATCH_UP_CHUNK));
            let records = journal.read(self.game.clone(), self.next, max).await?;
            let count = records.len();
            if count > 0 {
                let mut chunk = BytesMut::new();
                for record in records {
                    chunk.extend_from_slice(&record);
                    chunk.extend_from_slice(b"\n");
                }
                self.send(chunk.freeze()).await?;
                self.next += count as u64;
            }
            if count < CATCH_UP_CHUNK {
                return Ok(());
            }
        }
    }

    /// Tells what the room tells, until records are to be read from the store again: because some
    /// did not fit into the queue, or because the game is over and all of them rest there.
    async fn send_live(&mut self, mut queue: OutboxReader) -> Result<(), StreamError> {
        let stop = self.services.lifecycle.soft.clone();
        let mut beat_at = Instant::now() + self.heartbeat;
        loop {
            tokio::select! {
                biased;
                () = self.lines.closed() => return Err(StreamError::Gone),
                () = stop.cancelled() => return Err(StreamError::Ended),
                next = queue.next() => {
                    let frame = match next {
                        OutboxItem::Frame(frame) => frame,
                        OutboxItem::Lagged | OutboxItem::Ended(SessionEnd::Close(CloseCode::SlowConsumer)) => {
                            return Ok(());
                        }
                        OutboxItem::Ended(_) => return Err(StreamError::Ended),
                    };
                    let Some(seq) = record_seq(frame.payload()) else { continue };
                    if seq > self.next {
                        return Ok(());
                    }
                    if seq == self.next {
                        self.send([frame.payload(), b"\n"].concat().into()).await?;
                        self.next += 1;
                        beat_at = Instant::now() + self.heartbeat;
                    }
                    if self.services.store.live_state(&self.game).await?.is_none() {
                        return Ok(());
                    }
                }
                () = sleep_until(beat_at) => {
                    self.send(Bytes::from_static(b"\n")).await?;
                    beat_at = Instant::now() + self.heartbeat;
                }
            }
        }
    }

    async fn send(&mut self, lines: Bytes) -> Result<(), StreamError> {
        send_chunk(&self.lines, &self.connection, lines).await
    }
}

/// Waits for the reader, but not for ever.
pub(super) async fn send_chunk(
    lines: &mpsc::Sender<StreamChunk>,
    connection: &ConnectionControl,
    line: Bytes,
) -> Result<(), StreamError> {
    match timeout(WRITE_STALL_MAX, lines.send(Ok(line))).await {
        Ok(Ok(())) => Ok(()),
        Ok(Err(_)) => Err(StreamError::Gone),
        Err(_) => {
            // The connection waits for its socket and would never look here again.
            connection.abort();
            Err(StreamError::Gone)
        }
    }
}

/// The number of a record; `None` if the frame is none.
fn record_seq(frame: &[u8]) -> Option<u64> {
    let head: FrameHead<'_> = serde_json::from_slice(frame).ok()?;
    (head.kind == "event").then_some(head.seq)
}

#[cfg(test)]
mod tests {
    use futures::FutureExt as _;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_stalled_reader_is_cut_off_and_a_slow_one_is_not() {
        let connection = ConnectionControl::default();
        let (lines, mut read) = mpsc::channel(1);
        let line = || Bytes::from_static(b"\n");
        send_chunk(&lines, &connection, line()).await.unwrap();
        let slow = async {
            tokio::time::sleep(WRITE_STALL_MAX / 2).await;
            read.recv().await.unwrap().unwrap();
        };
        let (told, ()) = tokio::join!(send_chunk(&lines, &connection, line()), slow);
        told.unwrap();
        assert_eq!(connection.aborted().now_or_never(), None);
        let stuck = send_chunk(&lines, &connection, line()).await;
        assert!(matches!(stuck, Err(StreamError::Gone)), "{stuck:?}");
        connection.aborted().await;
    }

    #[test]
    fn records_differ_from_other_frames() {
        assert_eq!(record_seq(br#"{"type":"event","game":"g","seq":7,"at":1}"#), Some(7));
        assert_eq!(record_seq(br#"{"type":"snapshot","game":"g","seq":7}"#), None);
        assert_eq!(record_seq(br#"{"type":"presence","game":"g"}"#), None);
    }
}
