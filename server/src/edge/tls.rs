//! TLS by the server itself, for operators without a proxy.

use std::{fs::File, io::BufReader, sync::Arc};

use rustls::pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject as _};
use tokio_rustls::TlsAcceptor;

use crate::config::Tls;

/// Why certificate and key cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A file cannot be read as PEM.
    #[error("{path}: {error}")]
    Pem {
        /// Which.
        path: String,
        /// Why.
        error: rustls::pki_types::pem::Error,
    },
    /// They do not go together.
    #[error("the certificate and the key cannot be used: {0}")]
    Rustls(#[from] rustls::Error),
}

/// Reads certificate and key. The cryptography provider is named, never taken from the process.
pub(super) fn acceptor(tls: &Tls) -> Result<TlsAcceptor, TlsError> {
    let pem_error = |path: &std::path::Path| {
        let path = path.display().to_string();
        move |error| TlsError::Pem { path, error }
    };
    let open = |path: &std::path::Path| {
        File::open(path)
            .map(BufReader::new)
            .map_err(rustls::pki_types::pem::Error::Io)
            .map_err(pem_error(path))
    };
    let chain = CertificateDer::pem_reader_iter(open(&tls.certificate)?)
        .collect::<Result<Vec<_>, _>>()
        .map_err(pem_error(&tls.certificate))?;
    let key = PrivateKeyDer::from_pem_reader(open(&tls.key)?).map_err(pem_error(&tls.key))?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(chain, key)?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(TlsAcceptor::from(Arc::new(config)))
}
