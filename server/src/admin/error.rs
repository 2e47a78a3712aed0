//! Answers on the socket, and why a request is refused.

use serde::{Deserialize, Serialize};

use crate::{accounts::AuthError, admin_words::Answer, error::Denial, store::StoreError};

/// A line that answers a request.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Reply {
    Ok(Answer),
    Error(AdminError),
}

/// Why a request is refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AdminError {
    /// A word for programs: `bad_request`, `not_found`, `refused`, `read_only` or `internal`.
    pub code: String,
    /// A sentence for people.
    pub message: String,
}

impl AdminError {
    fn new(code: &str, message: impl Into<String>) -> Self {
        Self { code: code.to_owned(), message: message.into() }
    }

    /// The line is no request.
    pub(super) fn bad_request(message: impl Into<String>) -> Self {
        Self::new("bad_request", message)
    }

    /// There is no such user, ban or token.
    pub(super) fn not_found(what: &str) -> Self {
        Self::new("not_found", format!("there is no {what}"))
    }

    /// The server has failed.
    pub(super) fn internal(message: impl Into<String>) -> Self {
        Self::new("internal", message)
    }

    /// It cannot be done as things are.
    pub(super) fn refused(message: impl Into<String>) -> Self {
        Self::new("refused", message)
    }
}

impl From<StoreError> for AdminError {
    fn from(error: StoreError) -> Self {
        let code = if matches!(error, StoreError::ReadOnly) { "read_only" } else { "internal" };
        Self::new(code, error.to_string())
    }
}

impl From<AuthError> for AdminError {
    fn from(error: AuthError) -> Self {
        match error {
            AuthError::Store(error) => error.into(),
            other => Self::refused(other.to_string()),
        }
    }
}

impl From<Denial> for AdminError {
    fn from(denial: Denial) -> Self {
        match denial {
            Denial::Store(error) => error.into(),
            other => Self::refused(other.to_string()),
        }
    }
}

impl From<serde_json::Error> for AdminError {
    fn from(error: serde_json::Error) -> Self {
        Self::new("internal", error.to_string())
    }
}
