//! The one place where a search reads the clock.

use std::time::Instant;

/// The present moment.
#[expect(
    clippy::disallowed_methods,
    reason = "a thought ends by the clock, outside of any runtime"
)]
pub(crate) fn now() -> Instant {
    Instant::now()
}
