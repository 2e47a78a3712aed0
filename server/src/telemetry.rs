//! Logs, to standard error.

use std::{
    io::IsTerminal as _,
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use crate::{
    config::{Log, LogFormat},
    time::milliseconds,
};

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
