//! TLS by the server itself, for operators without a proxy: the certificate in force, which can be
//! changed while the server runs.

use std::sync::Arc;

use parking_lot::RwLock;
use rustls::ServerConfig;
use tokio_rustls::TlsAcceptor;

/// The certificate that new connections get. The lock is held for moments.
#[derive(Clone)]
pub(crate) struct Certificate(Arc<RwLock<Arc<ServerConfig>>>);

impl std::fmt::Debug for Certificate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Certificate")
    }
}

impl Certificate {
    pub(super) fn new(config: Arc<ServerConfig>) -> Self {
        Self(Arc::new(RwLock::new(config)))
    }

    /// Shakes hands with the certificate that is in force now.
    pub(super) fn acceptor(&self) -> TlsAcceptor {
        self.0.read().clone().into()
    }

    /// Puts another in force, for connections to come.
    pub(crate) fn replace(&self, config: Arc<ServerConfig>) {
        *self.0.write() = config;
    }
}
