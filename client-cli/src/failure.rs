//! What went wrong, as an exit status and a sentence with a hint.

use std::{borrow::Cow, io};

use adamant_client::{ConnectError, DisconnectReason, RequestError};
use adamant_protocol::{CloseCode, ErrorCode, ToClient, to_client::Failed};

use crate::exit::ExitStatus;

/// The command line makes no sense; the sentence says why.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct UsageError(pub(crate) String);

/// There is nobody to act as; the sentence says what to do.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct NoUserError(pub(crate) String);

/// What was asked for is not possible as things stand; known here without asking the server.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct RefusedError(pub(crate) String);

/// The server said no to something, and what to do about it depends on what was asked.
#[derive(Debug, thiserror::Error)]
#[error("{what}")]
pub(crate) struct HintedError {
    /// What is wrong.
    pub(crate) what: String,
    /// In the server's words.
    pub(crate) failed: Box<Failed>,
    /// What to do about it.
    pub(crate) hint: String,
}

/// The exit status for an error.
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
        RequestError::ConnectionLost | RequestError::Closed(_) => ExitStatus::Unreachable,
        RequestError::Unreadable(_) => ExitStatus::Protocol,
        RequestError::TooLarge { .. } => ExitStatus::Usage,
        RequestError::TooManyPending => ExitStatus::Failed,
    }
}

/// The error as the person reads it: what is wrong, why, and what to do about it.
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

/// The error as a program reads it: the server's own words where the server said no, and else the same
/// form with a code that no server uses.
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

/// The server's own words, where the server said no.
pub(crate) fn refusal(error: &anyhow::Error) -> Option<&Failed> {
    if let Some(RequestError::Refused(failed)) = error.downcast_ref() {
        return Some(failed);
    }
    if let Some(ConnectError::Refused(failed)) = error.downcast_ref() {
        return Some(failed);
    }
    error.downcast_ref::<HintedError>().map(|hinted| &*hinted.failed)
}

/// What to do about it.
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
            // Users, tokens and lines are not found either, and no list of games helps there.
            let lists = ["game", "challenge", "seek"];
            failed.code != ErrorCode::NotFound
                || lists.iter().any(|word| failed.message.contains(&format!("no {word} ")))
        });
    }
    let hint = match error.downcast_ref::<ConnectError>()? {
        ConnectError::Unreachable { .. } | ConnectError::TimedOut { .. } => {
            "Is it running? Name another one with --server URL or ADAMANT_SERVER."
        }
        ConnectError::NotAdamant { .. } => "Check the address given with --server.",
        ConnectError::Unavailable { .. } => "Try again in a moment.",
        ConnectError::Tls { why, .. } if why.contains("authority that is trusted") => {
            "--ca FILE trusts the certificates of a PEM file, too."
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

#[expect(clippy::wildcard_enum_match_arm, reason = "most codes speak for themselves")]
const fn refusal_hint(code: ErrorCode) -> Option<&'static str> {
    Some(match code {
        ErrorCode::Unauthorized => {
            "Log in with `adamant login NAME`, or come as a guest with `adamant login --guest NAME`."
        }
        ErrorCode::NameTaken => "Choose another name, or log in if it is yours.",
        ErrorCode::NotFound => {
            "`adamant games`, `adamant challenges` and `adamant lobby` list what there is."
        }
        ErrorCode::NotAPlayer => "`adamant watch` shows games of others.",
        ErrorCode::StaleTurn => "Look at the board again before you move: `adamant show GAME`.",
        ErrorCode::ProtoUnsupported => "A newer version of this program may speak to it.",
        ErrorCode::RateLimited | ErrorCode::Busy | ErrorCode::Overloaded => {
            "Try again in a moment."
        }
        _ => return None,
    })
}

/// The error for a reply of another type than the request expects.
pub(crate) fn unexpected_reply(reply: &ToClient) -> RequestError {
    let kind = reply.kind();
    RequestError::Unreadable(format!("{kind} is not the reply expected here"))
}

/// Whether the reader of our output has gone, as `head` does, which is no failure.
pub(crate) fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(|error| error.kind() == io::ErrorKind::BrokenPipe)
        && !error.is::<ConnectError>()
}
