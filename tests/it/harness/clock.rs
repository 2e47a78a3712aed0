//! The machine's clock.

use std::time::{SystemTime, UNIX_EPOCH};

/// The time as the server's events have it.
#[expect(clippy::disallowed_methods, reason = "tests compare moments with the server's times")]
pub(crate) fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).expect("it is after 1970");
    u64::try_from(since.as_millis()).expect("it is before the year 500 million")
}
