//! A store that has just been opened.

use super::{
    sqlite::{RecoveredState, Recovery, Sqlite},
    store::Store,
};
use crate::cluster::{Cluster, HeardEvents};

/// A store that has just been opened, and what a server starts with on it.
#[derive(Debug)]
pub(crate) struct OpenedStore {
    pub store: Store,
    /// The games that continue at once. `None` if other nodes may serve them, so that a game opens
    /// when a client asks for it or its clock has run out.
    pub recovery: Option<Recovery>,
    /// The other nodes on the store.
    pub cluster: Cluster,
    /// What the other nodes announce; `None` if there are none.
    pub heard: Option<HeardEvents>,
}

impl From<(Sqlite, RecoveredState)> for OpenedStore {
    fn from((store, found): (Sqlite, RecoveredState)) -> Self {
        let recovery = Some(Recovery::new(&store, found));
        Self { store: store.into(), recovery, cluster: Cluster::default(), heard: None }
    }
}
