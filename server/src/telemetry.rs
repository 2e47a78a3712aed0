//! Logs, to standard error.

use std::io::IsTerminal as _;

use crate::config::{Log, LogFormat};

/// Starts logging. Only the binary does this; tests and embedders bring their own.
pub fn start(log: &Log) {
    let Ok(filter) = log.to_filter() else { return };
    let subscriber = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(log.colour && std::io::stderr().is_terminal());
    match log.format {
        LogFormat::Text => subscriber.with_target(false).init(),
        LogFormat::Json => subscriber.json().flatten_event(true).init(),
    }
}
