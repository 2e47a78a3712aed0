//! Errors as exit statuses and as texts with hints.

use std::{borrow::Cow, io, process::ExitCode};

use adamant_client::{ConnectError, DisconnectReason, RequestError};
use adamant_protocol::{CloseCode, ErrorCode, ToClient, to_client::Failed};

/// The command line is invalid; the text says why.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct UsageError(pub(crate) String);

/// The command needs a user and has none; the text says what to do.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct NoUserError(pub(crate) String);

/// The request is not possible now; this is known without the server.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct RefusedError(pub(crate) String);

/// The server rejected a request, with a hint that depends on the request.
#[derive(Debug, thiserror::Error)]
#[error("{what}")]
pub(crate) struct HintedError {
    pub(crate) what: String,
    pub(crate) failed: Box<Failed>,
    /// What the user can do.
    pub(crate) hint: String,
}

pub(crate) fn status(error: &anyhow::Error) -> ExitStatus {
    if error.is::<UsageError>() || error.is::<NoUserError>() {
        ExitStatus::Usage
    } else if error.is::<RefusedError>() || error.is::<HintedError>() {
        ExitStatus::Refused
    } else if let Some(error) = error.downcast_ref::<ConnectError>() {
        connect_status(error)
    } else if let Some(error) = error.downcast_ref::<RequestError>() {
        request_status(error)
    } else {
        ExitStatus::Failed
    }
}

fn connect_status(error: &ConnectError) -> ExitStatus {
    if error.is_version_mismatch() {
        return ExitStatus::Protocol;
    }
    match error {
        ConnectError::Refused(_) => ExitStatus::Refused,
        ConnectError::Certificates { .. } => ExitStatus::Usage,
        ConnectError::Unreachable { .. }
        | ConnectError::Tls { .. }
        | ConnectError::Unavailable { .. }
        | ConnectError::NotAdamant { .. }
        | ConnectError::TimedOut { .. }
        | ConnectError::Closed(_) => ExitStatus::Unreachable,
    }
}

fn request_status(error: &RequestError) -> ExitStatus {
    match error {
        RequestError::Refused(_) | RequestError::Closed(DisconnectReason::Refused(_)) => {
            ExitStatus::Refused
        }
        RequestError::Closed(DisconnectReason::Closed { code, .. })
            if *code == CloseCode::Protocol.number() =>
        {
            ExitStatus::Protocol
        }
        // Somebody has ended the log-in: another attempt would be refused.
        RequestError::Closed(DisconnectReason::Closed { code, .. })
            if *code == CloseCode::TokenEnded.number() =>
        {
            ExitStatus::Refused
        }
        RequestError::ConnectionLost | RequestError::Closed(_) => ExitStatus::Unreachable,
        RequestError::Unreadable(_) => ExitStatus::Protocol,
        RequestError::TooLarge { .. } => ExitStatus::Usage,
        RequestError::TooManyPending => ExitStatus::Failed,
    }
}

/// Formats the error for people: what is wrong, why, and a hint.
pub(crate) fn text(error: &anyhow::Error) -> String {
    let mut text = format!("{error:#}");
    if let Some(why) = refusal(error).and_then(|failed| failed.why.as_deref())
        && !text.contains(why)
    {
        text = format!("{text}: {why}");
    }
    match hint(error) {
        Some(hint) => format!("{text}\n{hint}"),
        None => text,
    }
}

/// Formats the error as JSON: the server's error, or else the same shape with a code that no server
/// uses.
pub(crate) fn json(error: &anyhow::Error, elsewhere: Option<&str>) -> serde_json::Value {
    let mut object = if let Some(failed) = refusal(error) {
        let message = ToClient::Error(Failed { re: None, ..failed.clone() });
        serde_json::to_value(message).expect("messages are plain data")
    } else {
        let code = match status(error) {
            ExitStatus::Success | ExitStatus::Failed => "failed",
            ExitStatus::Usage => "usage",
            ExitStatus::Unreachable => "unreachable",
            ExitStatus::Refused => "refused",
            ExitStatus::Protocol => "protocol",
        };
        serde_json::json!({"type": "error", "code": code, "message": format!("{error:#}")})
    };
    let hint = hint(error);
    let hints: Vec<&str> = [hint.as_deref(), elsewhere].into_iter().flatten().collect();
    if !hints.is_empty() {
        object["hint"] = hints.join("\n").into();
    }
    object
}

/// Returns the server's error, if the server rejected the request.
pub(crate) fn refusal(error: &anyhow::Error) -> Option<&Failed> {
    if let Some(RequestError::Refused(failed)) = error.downcast_ref() {
        return Some(failed);
    }
    if let Some(ConnectError::Refused(failed)) = error.downcast_ref() {
        return Some(failed);
    }
    error.downcast_ref::<HintedError>().map(|hinted| &*hinted.failed)
}

/// Returns what the user can do about the error.
pub(crate) fn hint(error: &anyhow::Error) -> Option<Cow<'static, str>> {
    if let Some(hinted) = error.downcast_ref::<HintedError>() {
        return Some(hinted.hint.clone().into());
    }
    if let Some(failed) = refusal(error) {
        if let Some(wait_ms) = failed.retry_after_ms {
            return Some(format!("Try again in {} s.", wait_ms.div_ceil(1000)).into());
        }
        let hint = refusal_hint(failed.code).map(Cow::Borrowed);
        return hint.filter(|_| {
            // The lists do not help with users, tokens and lines of talk that are not found.
            let lists = ["game", "challenge", "seek"];
            failed.code != ErrorCode::NotFound
                || lists.iter().any(|word| failed.message.contains(&format!("no {word} ")))
        });
    }
    let hint = match error.downcast_ref::<ConnectError>()? {
        ConnectError::Unreachable { .. } | ConnectError::TimedOut { .. } => {
            "Is it running? Choose another server with --server URL or ADAMANT_SERVER."
        }
        ConnectError::NotAdamant { .. } => "Check the address given with --server.",
        ConnectError::Unavailable { .. } => "Try again in a moment.",
        ConnectError::Tls { why, .. } if why.contains("authority that is trusted") => {
            "--ca FILE also trusts the certificates of a PEM file."
        }
        ConnectError::Tls { .. }
        | ConnectError::Certificates { .. }
        | ConnectError::Refused(_)
        | ConnectError::Closed(_) => {
            return None;
        }
    };
    Some(hint.into())
}

const fn refusal_hint(code: ErrorCode) -> Option<&'static str> {
    Some(match code {
        ErrorCode::Unauthorized => {
            "Log in with `adamant login NAME`, or as a guest with `adamant login --guest NAME`."
        }
        ErrorCode::NameTaken => "Choose another name, or log in if it is yours.",
        ErrorCode::NotFound => {
            "`adamant games`, `adamant challenges` and `adamant lobby` list what exists."
        }
        ErrorCode::NotAPlayer => "`adamant watch` shows games of other users.",
        ErrorCode::StaleTurn => "The game has moved on: check the board with `adamant show GAME`.",
        ErrorCode::ProtoUnsupported => "A newer version of this program may support it.",
        ErrorCode::RateLimited | ErrorCode::Busy | ErrorCode::Overloaded => {
            "Try again in a moment."
        }
        _ => return None,
    })
}

/// Returns the error for a reply of another type than the request expects.
pub(crate) fn unexpected_reply(reply: &ToClient) -> RequestError {
    let kind = reply.kind();
    RequestError::Unreadable(format!("{kind} is not the reply expected here"))
}

/// Whether the reader of stdout has closed it, as `head` does. That is no failure.
pub(crate) fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(|error| error.kind() == io::ErrorKind::BrokenPipe)
        && !error.is::<ConnectError>()
}

pub(crate) type CommandResult = anyhow::Result<ExitStatus>;

/// The exit status of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExitStatus {
    Success,
    /// A failure without a status of its own.
    Failed,
    /// The command line or a file is invalid.
    Usage,
    /// The server cannot be reached.
    Unreachable,
    /// The server rejected the request.
    Refused,
    /// Client and server share no protocol version.
    Protocol,
}

impl ExitStatus {
    pub(crate) const fn number(self) -> u8 {
        match self {
            Self::Success => 0,
            Self::Failed => 1,
            Self::Usage => 2,
            Self::Unreachable => 3,
            Self::Refused => 4,
            Self::Protocol => 5,
        }
    }
}

impl From<ExitStatus> for ExitCode {
    fn from(status: ExitStatus) -> Self {
        Self::from(status.number())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_log_in_is_a_refusal_and_no_lost_connection() {
        let status_of = |code: CloseCode| {
            let reason = DisconnectReason::Closed { code: code.number(), reason: "".into() };
            status(&RequestError::Closed(reason).into())
        };
        assert_eq!(status_of(CloseCode::TokenEnded), ExitStatus::Refused);
        assert_eq!(status_of(CloseCode::Replaced), ExitStatus::Unreachable);
        assert_eq!(status_of(CloseCode::Protocol), ExitStatus::Protocol);
    }
}
