//! Answers by HTTP in the words of the WebSocket, and how long they may be kept.

use adamant_protocol::ToClient;
use axum::{
    http::{HeaderValue, header},
    response::{IntoResponse as _, Response},
};

use super::errors::denial_response;
use crate::error::Denial;

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
    /// As a header's value.
    pub(super) const fn header(self) -> HeaderValue {
        HeaderValue::from_static(match self {
            Self::NoStore => "no-store",
            Self::Short => "public, max-age=5",
            Self::Long => "public, max-age=86400",
        })
    }
}

/// Returns an answer in the form of the WebSocket's, without `re`.
pub(super) fn json_response(
    answer: Result<impl Into<ToClient>, Denial>,
    policy: CachePolicy,
) -> Response {
    match answer {
        Ok(answer) => json_text(adamant_protocol::encode(&answer.into()), policy),
        Err(denial) => denial_response(denial),
    }
}

pub(super) fn json_text(text: String, policy: CachePolicy) -> Response {
    let kind = HeaderValue::from_static("application/json");
    ([(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, policy.header())], text).into_response()
}

/// Something in the address that cannot be read. The library's words are about its own types; of
/// these only the name of a parameter is of use to a client.
pub(super) fn invalid_address(error: &dyn std::fmt::Display) -> Denial {
    let error = error.to_string();
    let named = error.rsplit_once("query string: ").and_then(|(_, rest)| rest.split_once(": "));
    Denial::BadMessage(match named {
        Some((name, _)) if name.chars().all(|letter| letter.is_ascii_lowercase()) => {
            format!("the value of {name} in the address cannot be read")
        }
        Some(_) | None => "the address cannot be read".to_owned(),
    })
}
