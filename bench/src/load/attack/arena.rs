//! What all attacks need to know.

use std::net::SocketAddr;

use tokio::time::Instant;

/// The server under attack, and the end of the attack.
#[derive(Debug, Clone, Copy)]
pub(super) struct Arena {
    /// The server.
    pub(super) address: SocketAddr,
    /// When the attack ends.
    pub(super) until: Instant,
}

impl Arena {
    /// Whether the attack still runs.
    pub(super) fn is_running(&self) -> bool {
        Instant::now() < self.until
    }
}
