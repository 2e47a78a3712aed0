//! Certificate and key for TLS by the server itself, read and held against each other.

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
pub struct Tls {
    /// The certificate with its chain.
    pub certificate: PathBuf,
    /// Its private key.
    pub key: PathBuf,
}

/// Why certificate and key cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A file cannot be read.
    #[error("network.tls.{name}: {path}: {error}")]
    File {
        /// Which setting names it.
        name: &'static str,
        /// Which.
        path: String,
        /// Why.
        error: io::Error,
    },
    /// A file does not hold what it should.
    #[error("network.tls.{name}: {path}: there is no {what} in it, as PEM")]
    Pem {
        /// Which setting names it.
        name: &'static str,
        /// Which.
        path: String,
        /// What it should hold.
        what: &'static str,
    },
    /// They do not belong together.
    #[error("network.tls: {key} is not the key of the certificate in {certificate}")]
    Mismatch {
        /// The certificate's file.
        certificate: String,
        /// The key's.
        key: String,
    },
    /// They can be read and not used.
    #[error("network.tls: {certificate} and {key} cannot be used: {error}")]
    Unusable {
        /// The certificate's file.
        certificate: String,
        /// The key's.
        key: String,
        /// Why.
        error: rustls::Error,
    },
}

impl Tls {
    /// Reads both. The cryptography provider is named, never taken from the process.
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
