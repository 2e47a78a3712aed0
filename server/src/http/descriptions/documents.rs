//! The documents as they are sent. Each is made when the first client asks for it.

use std::sync::LazyLock;

use adamant_protocol::schema;
use axum::{
    http::{HeaderMap, HeaderValue, header},
    response::Response,
};

use super::{
    endpoints::{ASYNCAPI, JSON_SCHEMA, OPENAPI, TYPESCRIPT},
    openapi::document,
};
use crate::http::static_content::Content;

/// The types of the TypeScript client, which `cargo xtask types` makes from the schema.
const TYPES: &str = include_str!("../../../../clients/typescript/src/protocol.ts");

/// The JSON Schema of every message.
pub(in crate::http) async fn json_schema(request: HeaderMap) -> Response {
    static DOCUMENT: LazyLock<Content> =
        LazyLock::new(|| Content::new(schema::document().to_string()));
    respond(&DOCUMENT, &request, JSON_SCHEMA)
}

/// The types of every message for TypeScript.
pub(in crate::http) async fn typescript(request: HeaderMap) -> Response {
    static DOCUMENT: LazyLock<Content> = LazyLock::new(|| Content::new(TYPES));
    respond(&DOCUMENT, &request, TYPESCRIPT)
}

/// The WebSocket in AsyncAPI.
pub(in crate::http) async fn asyncapi(request: HeaderMap) -> Response {
    static DOCUMENT: LazyLock<Content> =
        LazyLock::new(|| Content::new(schema::asyncapi().to_string()));
    respond(&DOCUMENT, &request, ASYNCAPI)
}

/// What can be read by HTTP, in OpenAPI.
pub(in crate::http) async fn openapi(request: HeaderMap) -> Response {
    static DOCUMENT: LazyLock<Content> = LazyLock::new(|| Content::new(document().to_string()));
    respond(&DOCUMENT, &request, OPENAPI)
}

fn respond(document: &Content, request: &HeaderMap, media_type: &'static str) -> Response {
    let mut response = document.response(request, media_type);
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}
