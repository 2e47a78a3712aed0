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
    let mut body = json!({ "code": code, "message": message });
    if let Some(seconds) = retry_after_s {
        body["retry_after_ms"] = json!(seconds * 1000);
    }
    let mut response = (status, Json(body)).into_response();
    if let Some(seconds) = retry_after_s {
        response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
    }
    response
}
