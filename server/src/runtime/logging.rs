//! Logs, to standard error.

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

/// Sets what is logged from now on.
pub struct FilterSwitch(Box<dyn Fn(EnvFilter) + Send + Sync>);

impl std::fmt::Debug for FilterSwitch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("FilterSwitch")
    }
}

impl FilterSwitch {
    /// Takes the filter of a configuration that has been checked.
    pub fn set(&self, log: &LogConfig) {
        if let Ok(filter) = log.to_filter() {
            (self.0)(filter);
        }
    }
}

/// Starts logging. Only the binary does this; tests and embedders bring their own.
pub fn start(log: &LogConfig) -> FilterSwitch {
    let subscriber = tracing_subscriber::fmt()
        .with_env_filter(log.to_filter().unwrap_or_default())
        .with_writer(std::io::stderr)
        .with_ansi(log.colour && std::io::stderr().is_terminal());
    // What is not running any more need not be told.
    match log.format {
        LogFormat::Text => {
            let subscriber = subscriber.with_target(false).with_filter_reloading();
            let handle = subscriber.reload_handle();
            subscriber.init();
            FilterSwitch(Box::new(move |filter| drop(handle.reload(filter))))
        }
        LogFormat::Json => {
            let subscriber = subscriber.json().flatten_event(true).with_filter_reloading();
            let handle = subscriber.reload_handle();
            subscriber.init();
            FilterSwitch(Box::new(move |filter| drop(handle.reload(filter))))
        }
    }
}

/// Bounds how often a line is logged that clients can cause.
#[derive(Debug, Default)]
pub(crate) struct Seldom {
    /// When it may be logged again, in epoch milliseconds.
    next_ms: AtomicU64,
}

impl Seldom {
    /// Whether it may be logged now; then not again for that long.
    pub(crate) fn may(&self, now_ms: u64, every: Duration) -> bool {
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
    fn a_line_may_come_again_after_a_while() {
        let (seldom, every) = (Seldom::default(), Duration::from_secs(10));
        assert!(seldom.may(5, every));
        assert!(!seldom.may(5, every));
        assert!(!seldom.may(10_004, every));
        assert!(seldom.may(10_005, every));
    }
}
