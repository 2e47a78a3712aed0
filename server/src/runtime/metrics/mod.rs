//! Metrics for operators: counters, gauges and histograms in one struct that is passed to the code
//! that counts. There is no global registry. Values that other modules keep anyway are read at each
//! request of `/metrics`.

mod current;
mod labels;
mod metrics;
mod process;
mod text_format;

pub(crate) use current::{CurrentValues, StoreSize};
pub(crate) use labels::{
    ConnectionRefusal, FollowedFrom, NotificationOutcome, StartWarning, count_refusal,
};
pub(crate) use metrics::{Metrics, MetricsFormat};
