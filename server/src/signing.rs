//! The server's key, with which it vouches for records: kept in a file of the data directory that
//! nobody else may read, and made at the first start. Beside it lies the list of all public keys
//! that the server has ever used, so that records signed with an earlier one can still be told to
//! be this server's.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write as _},
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
};

use adamant_protocol::{ids::PublicKey, to_client::SignedHead};
use adamant_record::{Head, Signer};
use rand::RngExt as _;

/// The secret half: 64 hex digits. To have a new key made, move the file away.
const SECRET_FILE: &str = "signing.key";

/// The public halves of all keys that were ever in use: 64 hex digits a line, the latest last.
const KEYS_FILE: &str = "signing.pub";

/// Why there is no key.
#[derive(Debug, thiserror::Error)]
pub enum SigningError {
    /// A file cannot be read or written.
    #[error("{path}: {error}")]
    File {
        /// Which.
        path: String,
        /// Why.
        error: io::Error,
    },
    /// A file does not hold what it should.
    #[error("{path} does not hold keys of 64 hex digits; if it is lost, move it away")]
    NoKey {
        /// Which.
        path: String,
    },
}

/// The server's key and those that it had before.
#[derive(Debug)]
pub(crate) struct Signing {
    signer: Signer,
    /// The present one first.
    keys: Vec<PublicKey>,
}

impl Signing {
    /// Reads the key, or makes one. The directory is there and held by this process alone.
    pub(crate) fn open(directory: &Path) -> Result<Self, SigningError> {
        let secret_path = directory.join(SECRET_FILE);
        let signer = if let Some(text) = read(&secret_path)? {
            // A secret is written as a public key is.
            Signer::new(&key(text.trim(), &secret_path)?.0)
        } else {
            let secret: [u8; 32] = rand::rng().random();
            replace(&secret_path, &format!("{}\n", PublicKey(secret)), 0o600)?;
            let signer = Signer::new(&secret);
            tracing::info!(key = %signer.key(), path = %secret_path.display(), "a signing key was made");
            signer
        };
        let keys_path = directory.join(KEYS_FILE);
        let listed = read(&keys_path)?.unwrap_or_default();
        let listed = listed.lines().map(|line| key(line, &keys_path));
        let mut keys = listed.collect::<Result<Vec<_>, _>>()?;
        let present = signer.key();
        if keys.last() != Some(&present) {
            keys.retain(|known| *known != present);
            keys.push(present);
            let lines: Vec<String> = keys.iter().map(ToString::to_string).collect();
            replace(&keys_path, &(lines.join("\n") + "\n"), 0o644)?;
        }
        keys.reverse();
        Ok(Self { signer, keys })
    }

    /// The public keys, the present one first.
    pub(crate) fn keys(&self) -> &[PublicKey] {
        &self.keys
    }

    /// Vouches for a record.
    pub(crate) fn sign(&self, head: Head) -> SignedHead {
        self.signer.sign(head)
    }
}

fn failed(path: &Path) -> impl FnOnce(io::Error) -> SigningError {
    move |error| SigningError::File { path: path.display().to_string(), error }
}

fn key(text: &str, path: &Path) -> Result<PublicKey, SigningError> {
    text.parse().map_err(|_| SigningError::NoKey { path: path.display().to_string() })
}

fn read(path: &Path) -> Result<Option<String>, SigningError> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failed(path)(error)),
    }
}

/// Writes a file so that after a crash it is there whole or as it was: a key that has signed
/// anything must not be lost.
fn replace(path: &Path, text: &str, mode: u32) -> Result<(), SigningError> {
    let mut draft: PathBuf = path.to_owned();
    draft.add_extension("new");
    let write = || {
        // What a crash has left is not to lend its permissions.
        if let Err(error) = fs::remove_file(&draft)
            && error.kind() != io::ErrorKind::NotFound
        {
            return Err(error);
        }
        let mut file = OpenOptions::new().write(true).create_new(true).mode(mode).open(&draft)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(&draft, path)?;
        path.parent().map_or(Ok(()), |directory| File::open(directory)?.sync_all())
    };
    write().map_err(failed(path))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use adamant_protocol::ids::Chain;
    use adamant_record::signature::is_genuine;

    use super::*;

    fn head() -> Head {
        Head { game: "k7q2mx".parse().unwrap(), seq: 12, chain: Chain([7; 32]) }
    }

    #[test]
    fn a_key_is_made_once_and_read_by_its_owner_alone() {
        let directory = tempfile::tempdir().unwrap();
        let first = Signing::open(directory.path()).unwrap();
        let signed = first.sign(head());
        assert!(is_genuine(&signed));
        assert_eq!(signed.key, first.keys()[0]);
        let again = Signing::open(directory.path()).unwrap();
        assert_eq!(again.keys(), first.keys());
        assert_eq!(again.sign(head()), signed);
        let secret = fs::metadata(directory.path().join(SECRET_FILE)).unwrap();
        assert_eq!(secret.permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn after_a_change_of_keys_the_earlier_ones_stay_known() {
        let directory = tempfile::tempdir().unwrap();
        let first = Signing::open(directory.path()).unwrap().keys()[0];
        let secret = directory.path().join(SECRET_FILE);
        let aside = directory.path().join("aside");
        fs::rename(&secret, &aside).unwrap();
        let second = Signing::open(directory.path()).unwrap();
        assert_eq!(second.keys()[1..], [first]);
        assert_ne!(second.keys()[0], first);
        fs::rename(&aside, &secret).unwrap();
        let back = Signing::open(directory.path()).unwrap();
        assert_eq!(back.keys(), [first, second.keys()[0]]);
    }

    #[test]
    fn a_damaged_file_is_named_and_not_replaced() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(SECRET_FILE);
        fs::write(&path, "not a key").unwrap();
        let error = Signing::open(directory.path()).unwrap_err().to_string();
        assert!(error.contains(SECRET_FILE), "{error}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "not a key");
    }
}
