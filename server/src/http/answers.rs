//! Answers by HTTP in the words of the WebSocket, refusals by their status, and how long an answer
//! may be kept.

use std::fmt::Display;

use adamant_protocol::{ErrorCode, Retry, ToClient};
use axum::{
    Json,
    extract::FromRequestParts,
    http::{HeaderValue, StatusCode, header, request::Parts},
    response::{IntoResponse, Response},
};
use serde_json::json;

use crate::error::Denial;

/// Seconds after which a client without a place may try again.
pub(super) const RETRY_AFTER_S: u64 = 5;

/// An error in the same words as on the WebSocket.
pub(super) fn problem(
    status: StatusCode,
    code: &str,
    message: &str,
    retry_after_s: Option<u64>,
) -> Response {
    answer(status, json!({ "code": code, "message": message }), retry_after_s)
}

/// The same for a limit that was met, which is named.
pub(super) fn over_limit(
    status: StatusCode,
    limit: &str,
    message: &str,
    retry_after_s: u64,
) -> Response {
    let code = if status == StatusCode::TOO_MANY_REQUESTS { "rate_limited" } else { "overloaded" };
    let body = json!({ "code": code, "message": message, "limit": limit });
    answer(status, body, Some(retry_after_s))
}

fn answer(status: StatusCode, mut body: serde_json::Value, retry_after_s: Option<u64>) -> Response {
    body["type"] = json!("error");
    body["retry"] = json!(if retry_after_s.is_some() { Retry::After } else { Retry::Never });
    if let Some(seconds) = retry_after_s {
        body["retry_after_ms"] = json!(seconds * 1000);
    }
    let mut response = (status, Json(body)).into_response();
    if let Some(seconds) = retry_after_s {
        response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
    }
    response
}

pub(super) fn not_found() -> Response {
    let message = "there is nothing here; the WebSocket is at /v1/ws, games to read at /v1/games";
    problem(StatusCode::NOT_FOUND, "not_found", message, None)
}

/// A request that is answered on the WebSocket, too, and with the same words.
impl IntoResponse for Denial {
    fn into_response(self) -> Response {
        if self.is_fault() {
            // operator: a client received the error `internal`; usually the store failed
            tracing::error!(denial = %self, "request failed");
        }
        let status = status(self.code());
        let failed = self.into_failed(None);
        let retry_after_s = failed.retry_after_ms.map(|wait_ms| wait_ms.div_ceil(1000));
        let body = adamant_protocol::encode(&ToClient::Error(failed));
        let json = [(header::CONTENT_TYPE, "application/json")];
        let mut response = (status, json, body).into_response();
        if let Some(seconds) = retry_after_s {
            response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
        }
        response
    }
}

const fn status(code: ErrorCode) -> StatusCode {
    match code {
        ErrorCode::NotFound => StatusCode::NOT_FOUND,
        ErrorCode::RateLimited => StatusCode::TOO_MANY_REQUESTS,
        ErrorCode::Busy | ErrorCode::Overloaded | ErrorCode::ReadOnly => {
            StatusCode::SERVICE_UNAVAILABLE
        }
        ErrorCode::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        _ => StatusCode::BAD_REQUEST,
    }
}

/// How long clients and proxies may cache an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CachePolicy {
    /// Not at all: it changes with every move.
    NoStore,
    /// A moment: lists need not be newer than that.
    Short,
    /// Long: it is over and changes no more, unless the operator restores a backup.
    Long,
}

impl CachePolicy {
    pub(super) const fn header(self) -> HeaderValue {
        HeaderValue::from_static(match self {
            Self::NoStore => "no-store",
            Self::Short => "public, max-age=5",
            Self::Long => "public, max-age=86400",
        })
    }
}

/// Returns an answer in the form of the WebSocket's, without `re`, that may be cached for a moment.
pub(super) fn message(answer: Result<impl Into<ToClient>, Denial>) -> Result<Response, Denial> {
    Ok(json_text(adamant_protocol::encode(&answer?.into()), CachePolicy::Short))
}

pub(super) fn json_text(json: String, policy: CachePolicy) -> Response {
    text(json, "application/json", policy)
}

pub(super) fn text(text: String, kind: &'static str, policy: CachePolicy) -> Response {
    let kind = HeaderValue::from_static(kind);
    ([(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, policy.header())], text).into_response()
}

/// What an address says. One that cannot be read is refused in the words of the WebSocket.
pub(super) struct Asked<E>(pub(super) E);

impl<S: Sync, E: FromRequestParts<S, Rejection: Display>> FromRequestParts<S> for Asked<E> {
    type Rejection = Denial;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Denial> {
        E::from_request_parts(parts, state).await.map(Self).map_err(|error| invalid_address(&error))
    }
}

/// Something in the address that cannot be read. The library's words are about its own types; of
/// these only the name of a parameter is of use to a client.
fn invalid_address(error: &dyn Display) -> Denial {
    let error = error.to_string();
    let named = error.rsplit_once("query string: ").and_then(|(_, rest)| rest.split_once(": "));
    Denial::BadMessage(match named {
        Some((name, _)) if name.chars().all(|letter| letter.is_ascii_lowercase()) => {
            format!("the value of {name} in the address cannot be read")
        }
        Some(_) | None => "the address cannot be read".to_owned(),
    })
}

/// Returns text so that markup contains it as text, in elements and in quoted attributes.
pub(super) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            letter => escaped.push(letter),
        }
    }
    escaped
}
