//! Refusals by HTTP status, in the same words as on the WebSocket.

use axum::{
    Json,
    http::{StatusCode, header},
    response::{IntoResponse as _, Response},
};
use serde_json::json;

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
    if let Some(seconds) = retry_after_s {
        body["retry_after_ms"] = json!(seconds * 1000);
    }
    let mut response = (status, Json(body)).into_response();
    if let Some(seconds) = retry_after_s {
        response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
    }
    response
}
