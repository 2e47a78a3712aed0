//! Work that one node does for all.

use std::sync::Arc;

use tokio::time::sleep;

use super::Backend;
use crate::{cluster::Cluster, limits::SHARED_WORK_CHECKED_EVERY};

/// One kind of work that this node may have to do. No promise to a client depends on it: two nodes
/// may do the same work at once for a moment.
#[derive(Debug, Clone)]
pub(crate) struct SharedWork {
    /// `None` on a server that is alone, which does all work.
    backend: Option<Arc<dyn Backend>>,
    what: &'static str,
}

impl SharedWork {
    /// Names the work.
    pub(crate) fn new(backend: &Arc<dyn Backend>, cluster: &Cluster, what: &'static str) -> Self {
        Self { backend: (!cluster.is_alone()).then(|| Arc::clone(backend)), what }
    }

    /// Returns whether this node is to do the work now. If not, it offers to do it.
    pub(crate) fn is_ours(&self) -> bool {
        self.backend.as_ref().is_none_or(|backend| backend.has_lease(self.what))
    }

    /// Waits until the work is this node's.
    pub(crate) async fn taken(&self) {
        while !self.is_ours() {
            sleep(SHARED_WORK_CHECKED_EVERY).await;
        }
    }

    /// Waits until the work is this node's no longer; for ever on a server that is alone.
    pub(crate) async fn lost(&self) {
        if self.backend.is_none() {
            return std::future::pending().await;
        }
        while self.is_ours() {
            sleep(SHARED_WORK_CHECKED_EVERY).await;
        }
    }
}
