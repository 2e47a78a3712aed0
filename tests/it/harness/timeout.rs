//! The timeout of all waits.

use std::time::Duration;

/// The longest wait of a test, far longer than anything takes. A test that reaches it has found a
/// fault, and prints what it has received so far.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);
