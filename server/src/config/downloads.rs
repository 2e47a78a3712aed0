//! The section `[downloads]`: finished games for everybody, one file a month.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Downloads of finished games.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct DownloadsConfig {
    /// Whether the server offers downloads. If not, it publishes no games either.
    pub enabled: bool,
    /// The time between two additions to the files. A game waits as long after its end.
    #[serde(with = "humantime_serde")]
    pub every: Duration,
}

impl Default for DownloadsConfig {
    fn default() -> Self {
        Self { enabled: true, every: Duration::from_secs(30) }
    }
}

impl DownloadsConfig {
    pub(super) fn check(&self, mistakes: &mut Vec<String>) {
        if self.every.is_zero() {
            mistakes.push("downloads.every: must be longer than zero".to_owned());
        }
    }
}
