//! Programs that make the test runners of other languages report as Rust's does.

use std::path::PathBuf;

use crate::run::root;

/// The path of a reporter.
pub(crate) fn reporter(name: &str) -> PathBuf {
    root().join("xtask/reporters").join(name)
}
