//! The section `[log]`: the log on standard error.

use serde::{Deserialize, Serialize};
use tracing_subscriber::EnvFilter;

/// The log on standard error.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LogConfig {
    /// Text, or one JSON object per line.
    pub format: LogFormat,
    /// The level: `error`, `warn`, `info` or `debug`, also per module.
    pub filter: String,
    /// Whether to use colour if standard error is a terminal. `NO_COLOR` in the environment
    /// switches it off.
    pub colour: bool,
}

/// Format of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum LogFormat {
    /// Text.
    Text,
    /// One JSON object per line.
    Json,
}

/// Libraries that would log frames, which contain secrets.
const SILENT: &str = "tungstenite=off,tokio_tungstenite=off";

impl Default for LogConfig {
    fn default() -> Self {
        Self { format: LogFormat::Text, filter: "info".to_owned(), colour: true }
    }
}

impl LogConfig {
    pub(super) fn check(&self, mistakes: &mut Vec<String>) {
        if let Err(error) = self.to_filter() {
            mistakes.push(format!("log.filter: {error}"));
        }
    }

    /// Parses the filter.
    pub fn to_filter(&self) -> Result<EnvFilter, tracing_subscriber::filter::ParseError> {
        EnvFilter::builder().parse(format!("{},{SILENT}", self.filter))
    }
}
