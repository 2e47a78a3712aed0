//! Why the certificate of a server is not accepted, in words that help the operator.

use std::{error::Error, io};

use rustls::CertificateError;

/// Returns the reason, if a certificate caused the error.
pub(super) fn certificate_fault(error: &(dyn Error + 'static)) -> Option<String> {
    let fault = find(error)?;
    let is_untrusted =
        matches!(fault, CertificateError::UnknownIssuer | CertificateError::BadSignature);
    let has_other_name = matches!(
        fault,
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. }
    );
    Some(if is_untrusted {
        "its authority is not trusted; name the authority's certificate with sslrootcert".to_owned()
    } else if has_other_name {
        format!("it is for another name than the one in the URL ({fault})")
    } else {
        fault.to_string()
    })
}

/// Looks for a certificate among the causes of an error.
fn find<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a CertificateError> {
    let mut cause = Some(error);
    while let Some(error) = cause {
        if let Some(rustls::Error::InvalidCertificate(fault)) = error.downcast_ref() {
            return Some(fault);
        }
        // The source of such an error is the source of what it carries.
        let carried = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        cause = carried.map_or_else(|| error.source(), |carried| Some(carried));
    }
    None
}
