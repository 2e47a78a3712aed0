//! What an operator may watch: counters, gauges and histograms, in one struct that is handed down to
//! whoever counts. There is no global registry. What is kept elsewhere anyway is read when somebody
//! asks.

mod metrics;
mod plain;

pub(crate) use metrics::{Format, Metrics, Present, Refused, Stored, Warning, refused_with};
