//! The key that signs game records. The server creates it at the first start, in a file of the data
//! directory that only the server's user can read. A second file lists all public keys that the
//! server has ever used, so that records signed with an earlier key can still be verified.

use std::{
    fs, io,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};

use adamant_protocol::{GameId, downloads::SignedDownload, ids::PublicKey, to_client::SignedHead};
use adamant_record::{DownloadChain, Head, Signer};
use parking_lot::RwLock;
use rand::RngExt as _;

use crate::runtime::{entropy::Entropy, files};

/// The secret key: 64 hex digits. The server creates a new key if the file is missing.
pub(crate) const SECRET_FILE: &str = "signing.key";

/// The public keys of all keys ever used: 64 hex digits per line, the newest last.
pub(crate) const PUBLIC_KEYS_FILE: &str = "signing.pub";

/// The secret keys of push messages: 64 hex digits per line, the newest last; see `notify`.
pub(crate) const VAPID_FILE: &str = "vapid.key";

/// The files that belong beside a backup of the database. The last exists only if the server sends
/// push messages.
pub(crate) const KEY_FILES: [&str; 3] = [SECRET_FILE, PUBLIC_KEYS_FILE, VAPID_FILE];

/// Why the key cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SigningError {
    /// A file cannot be read or written.
    #[error("{path}: {error}")]
    File {
        /// The file.
        path: String,
        /// The cause.
        error: io::Error,
    },
    /// A file has no valid key.
    #[error("{path} has no key of 64 hex digits; to create a new key, move the file away")]
    NoKey {
        /// The file.
        path: String,
    },
}

impl SigningError {
    /// A file has no valid key.
    pub(crate) fn no_key(path: &Path) -> Self {
        Self::NoKey { path: path.display().to_string() }
    }

    /// Whether the cause is a full disk.
    pub(crate) fn is_disk_full(&self) -> bool {
        match self {
            Self::File { error, .. } => files::is_disk_full(error),
            Self::NoKey { .. } => false,
        }
    }
}

/// Permissions of a file for users other than its owner.
const OTHERS: u32 = 0o077;

/// The key in force and all public keys.
#[derive(Debug)]
struct OwnKeys {
    /// `None` if there is no key and the server is read-only.
    signer: Option<Signer>,
    /// The present key first.
    public: Vec<PublicKey>,
}

/// The server's key and its earlier public keys.
#[derive(Debug)]
pub(crate) struct Signing {
    /// Where the files lie.
    directory: PathBuf,
    /// The lock is held for moments.
    own: RwLock<OwnKeys>,
    /// The public keys of other nodes. The lock is held for moments.
    elsewhere: RwLock<Vec<PublicKey>>,
    /// Whether the key existed before this start.
    existed: bool,
    /// Whether other users may read the key.
    is_exposed: bool,
}

impl Signing {
    /// Reads the key or creates one. The directory exists and is locked by this process.
    pub(crate) fn open(directory: &Path, entropy: &mut Entropy) -> Result<Self, SigningError> {
        let secret_path = directory.join(SECRET_FILE);
        let existed = secret_path.exists();
        let signer = if let Some(signer) = read_signer(&secret_path)? {
            signer
        } else {
            let secret: [u8; 32] = entropy.random();
            write_secrets(&secret_path, &[secret])?;
            let signer = Signer::new(&secret);
            // operator: the first start, or the key file was missing. Back up the key
            tracing::info!(key = %signer.key(), path = %secret_path.display(), "signing key created");
            signer
        };
        let keys_path = directory.join(PUBLIC_KEYS_FILE);
        let mut keys = read_keys(&keys_path)?;
        let present = signer.key();
        if keys.last() != Some(&present) {
            keys.retain(|known| *known != present);
            keys.push(present);
            write_keys(&keys_path, &keys)?;
        }
        keys.reverse();
        let is_exposed = is_exposed(&secret_path)?;
        if is_exposed {
            let path = secret_path.display();
            // operator: other users can sign in the server's name. Run `chmod 600 signing.key`
            tracing::warn!(%path, "signing key is readable by other users");
        }
        let own = RwLock::new(OwnKeys { signer: Some(signer), public: keys });
        let (directory, elsewhere) = (directory.to_owned(), RwLock::default());
        Ok(Self { directory, own, elsewhere, existed, is_exposed })
    }

    /// Reads the key if there is one; changes nothing.
    pub(crate) fn open_read_only(directory: &Path) -> Result<Self, SigningError> {
        let signer = read_signer(&directory.join(SECRET_FILE))?;
        let mut keys = read_keys(&directory.join(PUBLIC_KEYS_FILE))?;
        if let Some(present) = signer.as_ref().map(Signer::key) {
            keys.retain(|known| *known != present);
            keys.push(present);
        }
        keys.reverse();
        let (existed, elsewhere) = (signer.is_some(), RwLock::default());
        let own = RwLock::new(OwnKeys { signer, public: keys });
        Ok(Self { directory: directory.to_owned(), own, existed, elsewhere, is_exposed: false })
    }

    /// Whether the key existed before this start.
    pub(crate) const fn existed(&self) -> bool {
        self.existed
    }

    /// Whether other users may read the key.
    pub(crate) const fn is_exposed(&self) -> bool {
        self.is_exposed
    }

    /// Returns the public keys of this node, the present one first; none if there is no key.
    pub(crate) fn own_keys(&self) -> Vec<PublicKey> {
        self.own.read().public.clone()
    }

    /// Signs with a new key from now on, and returns it. The old one stays among the public keys, so
    /// that what it has signed can be verified; its secret is lost. Blocks while files are written.
    pub(crate) fn replace(&self, entropy: &mut Entropy) -> Result<PublicKey, SigningError> {
        let secret: [u8; 32] = entropy.random();
        let signer = Signer::new(&secret);
        let new = signer.key();
        let mut own = self.own.write();
        let public: Vec<PublicKey> = [new].into_iter().chain(own.public.iter().copied()).collect();
        // First what verifies, then what signs.
        let oldest_first: Vec<PublicKey> = public.iter().rev().copied().collect();
        write_keys(&self.directory.join(PUBLIC_KEYS_FILE), &oldest_first)?;
        write_secrets(&self.directory.join(SECRET_FILE), &[secret])?;
        *own = OwnKeys { signer: Some(signer), public };
        Ok(new)
    }

    /// Returns the public keys of all nodes, those of this one first.
    pub(crate) fn keys(&self) -> Vec<PublicKey> {
        let mut keys = self.own_keys();
        let elsewhere = self.elsewhere.read();
        let others = elsewhere.iter().filter(|key| !keys.contains(key)).copied();
        let others: Vec<PublicKey> = others.collect();
        keys.extend(others);
        keys
    }

    /// Sets the public keys of all nodes.
    pub(crate) fn set_elsewhere(&self, keys: Vec<PublicKey>) {
        *self.elsewhere.write() = keys;
    }

    /// Signs the head of a record; `None` without a key.
    pub(crate) fn sign(&self, head: Head) -> Option<SignedHead> {
        self.own.read().signer.as_ref().map(|signer| signer.sign(head))
    }

    /// Signs a download up to a line; `None` without a key.
    pub(crate) fn sign_download(
        &self,
        file: String,
        at: &DownloadChain,
        last_game: GameId,
        is_complete: bool,
    ) -> Option<SignedDownload> {
        let own = self.own.read();
        Some(own.signer.as_ref()?.sign_download(file, at, last_game, is_complete))
    }
}

fn failed(path: &Path) -> impl FnOnce(io::Error) -> SigningError {
    move |error| SigningError::File { path: path.display().to_string(), error }
}

fn key(text: &str, path: &Path) -> Result<PublicKey, SigningError> {
    text.parse().map_err(|_| SigningError::no_key(path))
}

fn read(path: &Path) -> Result<Option<String>, SigningError> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failed(path)(error)),
    }
}

/// Returns the key in a file; `None` if there is no file.
fn read_signer(path: &Path) -> Result<Option<Signer>, SigningError> {
    let Some(text) = read(path)? else { return Ok(None) };
    Ok(Some(Signer::new(&key(text.trim(), path)?.0)))
}

/// Returns the secrets in a file, the newest last; none if there is no file.
pub(crate) fn read_secrets(path: &Path) -> Result<Vec<[u8; 32]>, SigningError> {
    let secrets = read_keys(path)?;
    if secrets.is_empty() && path.exists() {
        return Err(SigningError::no_key(path));
    }
    Ok(secrets.into_iter().map(|secret| secret.0).collect())
}

/// Whether users other than its owner may do anything with a file.
pub(crate) fn is_exposed(path: &Path) -> Result<bool, SigningError> {
    let mode = fs::metadata(path).map_err(failed(path))?.permissions().mode();
    Ok(mode & OTHERS != 0)
}

/// Writes secrets, the newest last, to a file that only the server's user may read.
pub(crate) fn write_secrets(path: &Path, secrets: &[[u8; 32]]) -> Result<(), SigningError> {
    let mut lines: Vec<String> = secrets.iter().map(|key| PublicKey(*key).to_string()).collect();
    lines.push(String::new());
    let text = lines.join("\n");
    files::replace_atomically(path, &text, 0o600).map_err(failed(path))
}

/// Returns the public keys in a file, the newest last.
fn read_keys(path: &Path) -> Result<Vec<PublicKey>, SigningError> {
    let listed = read(path)?.unwrap_or_default();
    listed.lines().map(|line| key(line, path)).collect()
}

/// Returns the public keys of a data directory, the oldest first.
pub(crate) fn public_keys(directory: &Path) -> Result<Vec<PublicKey>, SigningError> {
    let mut keys = Signing::open_read_only(directory)?.own_keys();
    keys.reverse();
    Ok(keys)
}

/// Adds public keys, the oldest first, to those of a data directory. They are older than the ones
/// that it has.
pub(crate) fn add_public_keys(
    directory: &Path,
    mut keys: Vec<PublicKey>,
) -> Result<(), SigningError> {
    let present = public_keys(directory)?;
    keys.retain(|key| !present.contains(key));
    keys.extend(present);
    write_keys(&directory.join(PUBLIC_KEYS_FILE), &keys)
}

/// Writes the file of public keys, the newest last.
fn write_keys(path: &Path, keys: &[PublicKey]) -> Result<(), SigningError> {
    let lines: Vec<String> = keys.iter().map(ToString::to_string).collect();
    let text = lines.join("\n") + "\n";
    files::replace_atomically(path, &text, 0o644).map_err(failed(path))
}

#[cfg(test)]
mod tests {
    use adamant_protocol::ids::Chain;
    use adamant_record::signature::is_valid;

    use super::*;

    fn head() -> Head {
        Head { game: "k7q2mx".parse().unwrap(), seq: 12, chain: Chain([7; 32]) }
    }

    #[test]
    fn the_key_is_created_once_and_readable_only_by_its_owner() {
        let directory = tempfile::tempdir().unwrap();
        let first = Signing::open(directory.path(), &mut Entropy::System).unwrap();
        let signed = first.sign(head()).unwrap();
        assert!(is_valid(&signed));
        assert_eq!(signed.key, first.keys()[0]);
        let again = Signing::open(directory.path(), &mut Entropy::System).unwrap();
        assert_eq!(again.keys(), first.keys());
        assert_eq!(again.sign(head()), Some(signed));
        let secret = fs::metadata(directory.path().join(SECRET_FILE)).unwrap();
        assert_eq!(secret.permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn earlier_public_keys_stay_listed_after_a_change_of_keys() {
        let directory = tempfile::tempdir().unwrap();
        let first = Signing::open(directory.path(), &mut Entropy::System).unwrap().keys()[0];
        let secret = directory.path().join(SECRET_FILE);
        let aside = directory.path().join("aside");
        fs::rename(&secret, &aside).unwrap();
        let second = Signing::open(directory.path(), &mut Entropy::System).unwrap();
        assert_eq!(second.keys()[1..], [first]);
        assert_ne!(second.keys()[0], first);
        fs::rename(&aside, &secret).unwrap();
        let back = Signing::open(directory.path(), &mut Entropy::System).unwrap();
        assert_eq!(back.keys(), [first, second.keys()[0]]);
    }

    #[test]
    fn a_replaced_key_signs_at_once_and_after_a_restart_and_the_old_one_still_verifies() {
        let directory = tempfile::tempdir().unwrap();
        let signing = Signing::open(directory.path(), &mut Entropy::System).unwrap();
        let before = signing.sign(head()).unwrap();
        let new = signing.replace(&mut Entropy::System).unwrap();
        let after = signing.sign(head()).unwrap();
        assert_eq!((after.key, signing.keys()), (new, vec![new, before.key]));
        assert!(is_valid(&before) && is_valid(&after));
        let again = Signing::open(directory.path(), &mut Entropy::System).unwrap();
        assert_eq!((again.keys(), again.sign(head())), (signing.keys(), Some(after)));
        let secret = fs::metadata(directory.path().join(SECRET_FILE)).unwrap();
        assert_eq!(secret.permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn a_damaged_key_file_is_reported_and_not_replaced() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(SECRET_FILE);
        fs::write(&path, "not a key").unwrap();
        let error = Signing::open(directory.path(), &mut Entropy::System).unwrap_err().to_string();
        assert!(error.contains(SECRET_FILE), "{error}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "not a key");
    }
}
