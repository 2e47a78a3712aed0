//! Which nodes live, by their heartbeats.

use super::cluster_clock::NOW_MS;
use crate::limits::POSTGRES_NODE_GONE_MS;

/// Returns the condition that the node of a row of `nodes` lives, beside the row of `cluster`. The
/// time in which no node could commit does not count: a fail-over is no node's end.
pub(super) fn lives() -> String {
    format!(
        "CASE WHEN nodes.beat_at > cluster.stalled_at - {POSTGRES_NODE_GONE_MS}
              THEN greatest(nodes.beat_at, cluster.resumed_at)
              ELSE nodes.beat_at END > {NOW_MS} - {POSTGRES_NODE_GONE_MS}"
    )
}
