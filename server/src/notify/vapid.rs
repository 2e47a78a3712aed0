//! The key by which push services recognise this server (VAPID, RFC 8292)).
//! The server creates the key at the first start, in a file like that of the signing key.

use std::path::Path;

use data_encoding::BASE64URL_NOPAD;
use p256::SecretKey;
use rand::RngExt as _;

use crate::{
    runtime::entropy::Entropy,
    signing::{SigningError, VAPID_FILE, read_secret, write_secret},
};

/// The key, and what browsers need of it.
pub(super) struct VapidKey {
    /// The public key in base64url.
    public: Box<str>,
}

impl std::fmt::Debug for VapidKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("VapidKey").field("public", &self.public).finish_non_exhaustive()
    }
}

impl VapidKey {
    /// Reads the key or creates one. The directory exists and is locked by this process.
    pub(super) fn open(directory: &Path, entropy: &mut Entropy) -> Result<Self, SigningError> {
        let path = directory.join(VAPID_FILE);
        let secret = if let Some(bytes) = read_secret(&path)? {
            SecretKey::from_slice(&bytes).map_err(|_| SigningError::no_key(&path))?
        } else {
            let secret = new_secret(entropy);
            write_secret(&path, secret.to_bytes().into())?;
            tracing::info!(path = %path.display(), "push key created");
            secret
        };
        Ok(Self::new(&secret))
    }

    fn new(secret: &SecretKey) -> Self {
        let public = BASE64URL_NOPAD.encode(&secret.public_key().to_sec1_bytes());
        Self { public: public.into() }
    }

    /// The public key in base64url.
    pub(super) const fn public(&self) -> &str {
        &self.public
    }
}

/// Draws a secret key. Almost every number of 256 bits is one.
pub(super) fn new_secret(entropy: &mut Entropy) -> SecretKey {
    loop {
        let bytes: [u8; 32] = entropy.random();
        if let Ok(secret) = SecretKey::from_slice(&bytes) {
            return secret;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_is_created_once() {
        let directory = tempfile::tempdir().unwrap();
        let first = VapidKey::open(directory.path(), &mut Entropy::System).unwrap();
        let again = VapidKey::open(directory.path(), &mut Entropy::System).unwrap();
        assert_eq!(first.public(), again.public());
        assert_eq!(first.public().len(), 87);
        let path = directory.path().join(VAPID_FILE);
        std::fs::write(&path, "0".repeat(64)).unwrap();
        let error = VapidKey::open(directory.path(), &mut Entropy::System).unwrap_err();
        assert!(error.to_string().contains(VAPID_FILE), "{error}");
    }
}
