//! The identity of a session, passed from its reader to its writer.

use std::sync::{Arc, PoisonError, RwLock};

use crate::outbound::client::ClientHandle;

/// The session's caller, once it has said who it is: shared with the writer.
#[derive(Debug, Clone, Default)]
pub(super) struct IdentityCell(Arc<RwLock<Option<Arc<ClientHandle>>>>);

impl IdentityCell {
    pub(super) fn get(&self) -> Option<Arc<ClientHandle>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn set(&self, client: Arc<ClientHandle>) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Some(client);
    }
}
