//! The section `[network.tls]`: certificate and key, which must match.

use std::{
    fs::File,
    io::{self, BufReader},
    path::{Path, PathBuf},
    sync::Arc,
};

use rustls::{
    ServerConfig,
    pki_types::{CertificateDer, PrivateKeyDer, pem, pem::PemObject as _},
};
use serde::{Deserialize, Serialize};

/// A certificate and its key, as PEM files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TlsConfig {
    /// The certificate and its chain.
    pub certificate: PathBuf,
    /// The private key.
    pub key: PathBuf,
}

/// Why certificate and key cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A file cannot be read.
    #[error("network.tls.{name}: {path}: {error}")]
    File {
        /// The key of the configuration that names the file.
        name: &'static str,
        /// The file.
        path: String,
        /// The cause.
        error: io::Error,
    },
    /// A file has no certificate or key.
    #[error("network.tls.{name}: {path}: has no {what} in PEM format")]
    Pem {
        /// The key of the configuration that names the file.
        name: &'static str,
        /// The file.
        path: String,
        /// `certificate` or `private key`.
        what: &'static str,
    },
    /// The key does not belong to the certificate.
    #[error("network.tls: {key} is not the key of the certificate in {certificate}")]
    Mismatch {
        /// The certificate's file.
        certificate: String,
        /// The key's file.
        key: String,
    },
    /// The TLS library rejects them.
    #[error("network.tls: {certificate} and {key} cannot be used: {error}")]
    Unusable {
        /// The certificate's file.
        certificate: String,
        /// The key's file.
        key: String,
        /// The cause.
        error: rustls::Error,
    },
}

impl TlsConfig {
    /// Reads certificate and key. Names the cryptography provider, never the process's default.
    pub(crate) fn load(&self) -> Result<Arc<ServerConfig>, TlsError> {
        let chain = open("certificate", &self.certificate)?;
        let chain = CertificateDer::pem_reader_iter(chain).collect::<Result<Vec<_>, _>>();
        let chain = chain.map_err(|error| unread("certificate", &self.certificate, error))?;
        if chain.is_empty() {
            return Err(unread("certificate", &self.certificate, pem::Error::NoItemsFound));
        }
        let key = PrivateKeyDer::from_pem_reader(open("key", &self.key)?)
            .map_err(|error| unread("key", &self.key, error))?;
        let shown = |path: &Path| path.display().to_string();
        let unusable = |error| {
            let (certificate, key) = (shown(&self.certificate), shown(&self.key));
            if matches!(error, rustls::Error::InconsistentKeys(_)) {
                TlsError::Mismatch { certificate, key }
            } else {
                TlsError::Unusable { certificate, key, error }
            }
        };
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(unusable)?
            .with_no_client_auth()
            .with_single_cert(chain, key)
            .map_err(unusable)?;
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Arc::new(config))
    }
}

fn open(name: &'static str, path: &Path) -> Result<BufReader<File>, TlsError> {
    File::open(path).map(BufReader::new).map_err(|error| unread(name, path, pem::Error::Io(error)))
}

fn unread(name: &'static str, path: &Path, error: pem::Error) -> TlsError {
    let path = path.display().to_string();
    let what = if name == "key" { "private key" } else { "certificate" };
    if let pem::Error::Io(error) = error {
        TlsError::File { name, path, error }
    } else {
        TlsError::Pem { name, path, what }
    }
}
