//! The log on standard error.

use std::{
    io::IsTerminal as _,
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use tracing_subscriber::EnvFilter;

use crate::{
    config::{LogConfig, LogFormat},
    runtime::time::milliseconds,
};

/// Changes the filter of the running log.
pub struct FilterHandle(Box<dyn Fn(EnvFilter) + Send + Sync>);

impl std::fmt::Debug for FilterHandle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("FilterHandle")
    }
}

impl FilterHandle {
    /// Sets the filter of a valid configuration.
    pub fn set(&self, log: &LogConfig) {
        if let Ok(filter) = log.to_filter() {
            (self.0)(filter);
        }
    }
}

/// Starts the log. Only the binary calls this; tests and embedders have their own subscriber.
pub fn start(log: &LogConfig) -> FilterHandle {
    let subscriber = tracing_subscriber::fmt()
        .with_env_filter(log.to_filter().unwrap_or_default())
        .with_writer(std::io::stderr)
        .with_ansi(log.colour && std::io::stderr().is_terminal());
    // A reload fails only after the subscriber has ended.
    match log.format {
        LogFormat::Text => {
            let subscriber = subscriber.with_target(false).with_filter_reloading();
            let handle = subscriber.reload_handle();
            subscriber.init();
            FilterHandle(Box::new(move |filter| drop(handle.reload(filter))))
        }
        LogFormat::Json => {
            let subscriber = subscriber.json().flatten_event(true).with_filter_reloading();
            let handle = subscriber.reload_handle();
            subscriber.init();
            FilterHandle(Box::new(move |filter| drop(handle.reload(filter))))
        }
    }
}

/// Bounds how often the server logs a line that clients can cause.
#[derive(Debug, Default)]
pub(crate) struct RateLimitedLog {
    /// Earliest time of the next line, in epoch milliseconds.
    next_ms: AtomicU64,
}

impl RateLimitedLog {
    /// Whether the line may be logged now. If so, it may be logged again only after `every`.
    pub(crate) fn is_due(&self, now_ms: u64, every: Duration) -> bool {
        let next = self.next_ms.load(Ordering::Relaxed);
        let later = now_ms.saturating_add(milliseconds(every));
        next <= now_ms
            && self
                .next_ms
                .compare_exchange(next, later, Ordering::Relaxed, Ordering::Relaxed)
                .is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_due_once_per_interval() {
        let (log, every) = (RateLimitedLog::default(), Duration::from_secs(10));
        assert!(log.is_due(5, every));
        assert!(!log.is_due(5, every));
        assert!(!log.is_due(10_004, every));
        assert!(log.is_due(10_005, every));
    }
}
