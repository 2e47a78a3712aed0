//! What is written to standard error.

use serde::{Deserialize, Serialize};
use tracing_subscriber::EnvFilter;

/// What is written to standard error.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Log {
    /// Lines for people, or one JSON object a line for programs.
    pub format: LogFormat,
    /// How much: `error`, `warn`, `info`, `debug`, also by module.
    pub filter: String,
    /// Whether to use colour where standard error is a terminal. `NO_COLOR` in the environment
    /// switches it off.
    pub colour: bool,
}

/// How the log is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum LogFormat {
    /// For people.
    Text,
    /// For programs.
    Json,
}

/// Libraries that would log what passes through them, secrets among it.
const SILENT: &str = "tungstenite=off,tokio_tungstenite=off";

impl Default for Log {
    fn default() -> Self {
        Self { format: LogFormat::Text, filter: "info".to_owned(), colour: true }
    }
}

impl Log {
    pub(super) fn check(&self, mistakes: &mut Vec<String>) {
        if let Err(error) = self.to_filter() {
            mistakes.push(format!("log.filter: {error}"));
        }
    }

    /// The filter, read.
    pub fn to_filter(&self) -> Result<EnvFilter, tracing_subscriber::filter::ParseError> {
        EnvFilter::builder().parse(format!("{},{SILENT}", self.filter))
    }
}
