//! Whom an encrypted connection trusts.

use std::{path::Path, sync::Arc};

use rustls::{
    ClientConfig, RootCertStore,
    crypto::ring,
    pki_types::{CertificateDer, pem::PemObject as _},
};

use crate::ConnectError;

/// Trusts what the machine trusts, and the certificates of one more file.
pub(crate) fn client_config(extra_ca: Option<&Path>) -> Result<ClientConfig, ConnectError> {
    let mut roots = RootCertStore::empty();
    // A machine without certificates of its own may still have the extra file; the handshake tells
    // if neither suffices.
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
