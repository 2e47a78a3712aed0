//! The metrics of the commits that this node makes for its clients. Heartbeats and announcements
//! are not counted.

use std::{sync::Arc, time::Duration};

use crate::runtime::metrics::Metrics;

/// Where commits are counted. The default counts nothing. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub(crate) struct CommitMetrics(Option<Arc<Metrics>>);

impl CommitMetrics {
    /// Counts commits in these metrics.
    pub(crate) fn new(metrics: Arc<Metrics>) -> Self {
        Self(Some(metrics))
    }

    /// Counts a commit with this number of writes. It took the time from its first statement until
    /// a standby had confirmed it.
    pub(super) fn committed(&self, writes: usize, took: Duration) {
        if let Some(metrics) = &self.0 {
            metrics.observe_commit(writes, took);
        }
    }

    /// Counts records that are durable.
    pub(super) fn stored(&self, records: u64) {
        if let Some(metrics) = &self.0 {
            metrics.records.inc_by(records);
        }
    }

    /// Counts a transaction that is not tried again.
    pub(super) fn failed(&self) {
        if let Some(metrics) = &self.0 {
            metrics.commit_failures.inc();
        }
    }
}
