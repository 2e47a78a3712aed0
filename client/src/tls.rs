//! TLS: the certificates that the client trusts, and why a handshake failed.

use std::{io, path::Path, sync::Arc};

use rustls::{
    CertificateError, ClientConfig, RootCertStore,
    crypto::ring,
    pki_types::{CertificateDer, ServerName, pem::PemObject as _},
};
use tokio::net::TcpStream;
use tokio_rustls::{TlsConnector, client::TlsStream};

use crate::error::ConnectError;

/// What encrypts the streams to a server.
#[derive(Clone)]
pub(crate) struct Tls(TlsConnector);

impl Tls {
    pub(crate) fn new(extra_ca: Option<&Path>) -> Result<Self, ConnectError> {
        Ok(Self(TlsConnector::from(Arc::new(client_config(extra_ca)?))))
    }

    /// Makes the handshake with the server of that name.
    pub(crate) async fn connect(
        self,
        host: &str,
        tcp: TcpStream,
    ) -> io::Result<TlsStream<TcpStream>> {
        let name = ServerName::try_from(host.to_owned())
            .map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error))?;
        self.0.connect(name, tcp).await.map_err(explain)
    }
}

/// Returns settings that trust the machine's certificates and those of one more file.
fn client_config(extra_ca: Option<&Path>) -> Result<ClientConfig, ConnectError> {
    let mut roots = RootCertStore::empty();
    // A machine without certificates may still have the extra file. The handshake fails if neither
    // suffices.
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if let Some(path) = extra_ca {
        let bad = |why: String| ConnectError::Certificates { path: path.to_owned(), why };
        let mut found = 0;
        for certificate in
            CertificateDer::pem_file_iter(path).map_err(|error| bad(error.to_string()))?
        {
            let certificate = certificate.map_err(|error| bad(error.to_string()))?;
            roots.add(certificate).map_err(|error| bad(error.to_string()))?;
            found += 1;
        }
        if found == 0 {
            return Err(bad("there is none in it".to_owned()));
        }
    }
    // The provider is named because a process with several would otherwise have to install one.
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("the provider supports the protocol versions it is built with")
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(config)
}

/// Why a TLS handshake failed, in plain words.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct TlsFault(String);

/// Puts the error of a failed handshake in plain words. Other errors stay as they are.
fn explain(error: io::Error) -> io::Error {
    let Some(fault) = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>())
    else {
        return error;
    };
    io::Error::other(TlsFault(sentence(fault)))
}

fn sentence(fault: &rustls::Error) -> String {
    use CertificateError as Bad;
    let certificate = match fault {
        rustls::Error::InvalidMessage(_) => {
            return "the server does not speak TLS; if it is to be reached without, its address \
                    begins with ws://"
                .to_owned();
        }
        rustls::Error::InvalidCertificate(certificate) => certificate,
        other => return other.to_string(),
    };
    let why = match certificate {
        Bad::UnknownIssuer => "is not signed by an authority that is trusted here",
        Bad::Expired | Bad::ExpiredContext { .. } => "has expired",
        Bad::NotValidYet | Bad::NotValidYetContext { .. } => "is not valid yet",
        Bad::NotValidForName | Bad::NotValidForNameContext { .. } => "is for another name",
        Bad::Revoked => "is revoked",
        Bad::Other(other) if other.to_string().contains("CaUsedAsEndEntity") => {
            "is that of an authority (CA:TRUE) and cannot be a server's; a certificate that signs \
             itself is made with basicConstraints=critical,CA:FALSE"
        }
        other => return format!("its certificate is not valid: {other}"),
    };
    format!("its certificate {why}")
}
