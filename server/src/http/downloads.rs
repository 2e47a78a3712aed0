//! Finished games in bulk: the list of files, the files and their signatures.

use std::{net::SocketAddr, ops::Range, sync::Arc};

use axum::{
    body::Body,
    extract::{Extension, Path, Query, State},
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header},
    response::{IntoResponse as _, Response},
};
use futures::stream;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc;

use super::{
    answers::{Asked, CachePolicy, RETRY_AFTER_S, json_text, over_limit, problem},
    app_state::AppState,
    event_stream::{StreamChunk, send_chunk},
    limits::{ConnectionControl, DownloadPlace, LimitReached},
};
use crate::{
    downloads::DownloadContent,
    error::Denial,
    limits::{DOWNLOADS_MAX, DOWNLOADS_PER_ADDRESS_MAX, EVENT_STREAM_CHUNKS_MAX},
    store::DownloadHead,
};

/// Which state of a file to sign.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct HeadQuery {
    /// The number of games; without it all that the file has.
    #[schemars(range(min = 1))]
    games: Option<u64>,
}

type Answer = axum::response::Result<Response>;

fn switched_off() -> Response {
    let message = "this server offers no downloads: its operator has switched them off";
    problem(StatusCode::NOT_FOUND, "not_found", message, None)
}

fn json(answer: &impl Serialize, policy: CachePolicy) -> Response {
    let text = serde_json::to_string(answer).expect("answers are plain data");
    json_text(text + "\n", policy)
}

pub(super) async fn list(State(app): State<Arc<AppState>>) -> Answer {
    let files = app.services.downloads.as_ref().ok_or_else(switched_off)?;
    let list = files.list().await.map_err(Denial::from)?;
    Ok(json(&list, CachePolicy::Short))
}

pub(super) async fn head(
    State(app): State<Arc<AppState>>,
    Asked(Path(file)): Asked<Path<String>>,
    Asked(Query(query)): Asked<Query<HeadQuery>>,
) -> Answer {
    let files = app.services.downloads.as_ref().ok_or_else(switched_off)?;
    let signed = files.sign(&file, query.games).await?;
    Ok(json(&signed, CachePolicy::NoStore))
}

/// The version of a file: the same bytes have the same.
fn etag(head: &DownloadHead) -> String {
    let chain = head.at.chain.to_string();
    format!("\"{}-{}\"", head.at.bytes, &chain[..16])
}

/// Sends a file or a part of it.
pub(super) async fn content(
    State(app): State<Arc<AppState>>,
    Extension(peer): Extension<SocketAddr>,
    Extension(connection): Extension<ConnectionControl>,
    headers: HeaderMap,
    path: Result<Asked<Path<String>>, Denial>,
) -> Answer {
    let files = app.services.downloads.as_ref().ok_or_else(switched_off)?;
    let from = app.client(peer, &headers);
    if let Some(refused) = app.rate_limits.check_download(from, app.now_ms()) {
        return Ok(refused);
    }
    let Asked(Path(file)) = path?;
    let (head, is_complete) = files.head(&file).await?;
    let (length, etag) = (head.at.bytes, etag(&head));
    let is_known = headers.get(header::IF_NONE_MATCH).is_some_and(|known| known == etag.as_str());
    let policy = if is_complete { CachePolicy::Long } else { CachePolicy::Short };
    let common = [
        (header::ACCEPT_RANGES, HeaderValue::from_static("bytes")),
        (header::ETAG, value(&etag)),
        (header::CACHE_CONTROL, policy.header()),
    ];
    if is_known {
        return Ok((StatusCode::NOT_MODIFIED, common).into_response());
    }
    let Ok(asked) = requested(&headers, length, &etag) else {
        let message = format!("{} has {length} bytes", head.file);
        let status = StatusCode::RANGE_NOT_SATISFIABLE;
        let refused = problem(status, "bad_message", &message, None);
        let range = [(header::CONTENT_RANGE, value(&format!("bytes */{length}")))];
        return Ok((range, common, refused).into_response());
    };
    let place = app.downloads.acquire(from, &connection).map_err(too_many)?;
    let connection_permit = app.connections.acquire(Some(from))?;
    connection.lift_deadline();
    let bytes = asked.clone().unwrap_or(0..length);
    let content = files.read(&head.file, bytes.clone());
    let (chunks, mut written) = mpsc::channel(EVENT_STREAM_CHUNKS_MAX);
    app.services.lifecycle.tasks.spawn(async move {
        send(content, chunks, connection, &place).await;
        drop((place, connection_permit));
    });
    let body = Body::from_stream(stream::poll_fn(move |context| written.poll_recv(context)));
    let mut response = (common, own_headers(&head.file, &bytes), body).into_response();
    if asked.is_some() {
        *response.status_mut() = StatusCode::PARTIAL_CONTENT;
        let range = format!("bytes {}-{}/{length}", bytes.start, bytes.end - 1);
        response.headers_mut().insert(header::CONTENT_RANGE, value(&range));
    }
    Ok(response)
}

fn own_headers(file: &str, bytes: &Range<u64>) -> [(HeaderName, HeaderValue); 4] {
    [
        (header::CONTENT_TYPE, HeaderValue::from_static("application/x-ndjson")),
        (header::CONTENT_LENGTH, (bytes.end - bytes.start).into()),
        (header::CONTENT_DISPOSITION, value(&format!("attachment; filename=\"{file}\""))),
        // The connection has had its time: nothing else is asked over it.
        (header::CONNECTION, HeaderValue::from_static("close")),
    ]
}

fn value(text: &str) -> HeaderValue {
    HeaderValue::from_str(text).expect("numbers and names of files are visible ASCII")
}

/// Sends all bytes at the client's pace.
async fn send(
    mut content: DownloadContent,
    chunks: mpsc::Sender<StreamChunk>,
    connection: ConnectionControl,
    place: &DownloadPlace,
) {
    loop {
        let sent = match content.next().await {
            Ok(None) => return,
            Ok(Some(chunk)) => {
                let bytes = chunk.len();
                send_chunk(&chunks, &connection, chunk).await.inspect(|()| place.sent(bytes))
            }
            Err(error) => {
                // operator: the store failed or its downloads are damaged. The client sees that
                // bytes are missing and asks again
                tracing::warn!(%error, "a download ended early");
                Err(error.into())
            }
        };
        if let Err(error) = sent {
            // The length was announced, so the client sees that bytes are missing.
            drop(chunks.try_send(Err(error)));
            return;
        }
    }
}

fn too_many(reached: LimitReached) -> Response {
    let (status, limit, message) = match reached {
        LimitReached::AddressFull => (
            StatusCode::TOO_MANY_REQUESTS,
            "downloads_per_address",
            format!("at most {DOWNLOADS_PER_ADDRESS_MAX} downloads at once from one address"),
        ),
        LimitReached::Full => (
            StatusCode::SERVICE_UNAVAILABLE,
            "downloads",
            format!("at most {DOWNLOADS_MAX} downloads at once"),
        ),
    };
    over_limit(status, limit, &message, RETRY_AFTER_S)
}

/// The requested range begins behind the last byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NotSatisfiable;

/// Returns the bytes that a request asks for; `None` for all of them. A range in another form, or
/// of another version than the client has, counts as none, as the standard says.
pub(super) fn requested(
    headers: &HeaderMap,
    length: u64,
    etag: &str,
) -> Result<Option<Range<u64>>, NotSatisfiable> {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
    if text(header::IF_RANGE).is_some_and(|version| version != etag) {
        return Ok(None);
    }
    let range = text(header::RANGE).and_then(|range| range.trim().strip_prefix("bytes="));
    let Some((first, last)) = range.and_then(|range| range.split_once('-')) else {
        return Ok(None);
    };
    let number = |text: &str| text.trim().parse::<u64>().ok();
    let asked = match (number(first), number(last)) {
        (Some(first), Some(last)) if first <= last => first..last.saturating_add(1).min(length),
        (Some(first), None) if last.trim().is_empty() => first..length,
        (None, Some(count)) if first.trim().is_empty() => length.saturating_sub(count)..length,
        _ => return Ok(None),
    };
    if asked.is_empty() { Err(NotSatisfiable) } else { Ok(Some(asked)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(range: &str) -> Result<Option<Range<u64>>, NotSatisfiable> {
        let headers = HeaderMap::from_iter([(header::RANGE, range.parse().unwrap())]);
        requested(&headers, 100, "\"a\"")
    }

    #[test]
    fn one_range_in_any_form_is_understood() {
        assert_eq!(asked("bytes=10-"), Ok(Some(10..100)));
        assert_eq!(asked("bytes=0-0"), Ok(Some(0..1)));
        assert_eq!(asked("bytes=90-200"), Ok(Some(90..100)));
        assert_eq!(asked("bytes=-30"), Ok(Some(70..100)));
        assert_eq!(asked("bytes=-300"), Ok(Some(0..100)));
    }

    #[test]
    fn a_range_behind_the_end_cannot_be_satisfied() {
        for range in ["bytes=100-", "bytes=100-200", "bytes=-0"] {
            assert_eq!(asked(range), Err(NotSatisfiable), "{range}");
        }
    }

    #[test]
    fn other_ranges_count_as_none() {
        for range in ["lines=1-", "bytes=5-3", "bytes=a-", "bytes=-", "bytes=1-2,4-5", "bytes=7"] {
            assert_eq!(asked(range), Ok(None), "{range}");
        }
    }

    #[test]
    fn a_range_of_another_version_counts_as_none() {
        let with = |version: &str| {
            let names = [(header::RANGE, "bytes=10-"), (header::IF_RANGE, version)];
            let headers = names.map(|(name, value)| (name, value.parse().unwrap()));
            requested(&HeaderMap::from_iter(headers), 100, "\"a\"")
        };
        assert_eq!(with("\"a\""), Ok(Some(10..100)));
        assert_eq!(with("\"b\""), Ok(None));
    }
}
