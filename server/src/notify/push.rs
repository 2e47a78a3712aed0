//! Web Push: the key by which push services recognise this server (VAPID, RFC 8292), the tokens that
//! it signs, and the encryption of messages: `aes128gcm` (RFC 8188) with the keys of RFC 8291. The
//! server creates its key at the first start, in a file like that of the signing key. Several nodes
//! share their keys, which are in their store.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use aes_gcm::{
    Aes128Gcm,
    aead::{Aead as _, KeyInit as _},
};
use data_encoding::{BASE64URL_NOPAD, DecodeError};
use hkdf::Hkdf;
use p256::{
    PublicKey, SecretKey,
    ecdsa::{Signature, SigningKey, signature::Signer as _},
};
use parking_lot::RwLock;
use rand::RngExt as _;
use serde_json::json;
use sha2::Sha256;

use crate::{
    limits::{PUSH_KEYS_KEPT, PUSH_RECORD_BYTES, VAPID_TOKEN_LIFE},
    runtime::entropy::Entropy,
    signing::{SigningError, VAPID_FILE, is_exposed, read_secrets, write_secrets},
    store::{NodeKeys, StoreError},
};

/// Why the key cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PushKeyError {
    /// The file cannot be used.
    #[error(transparent)]
    File(#[from] SigningError),
    /// The store of the nodes cannot be used.
    #[error("the push key that the nodes share: {0}")]
    Store(#[from] StoreError),
}

impl PushKeyError {
    /// Whether the cause is a full disk.
    pub(crate) fn is_disk_full(&self) -> bool {
        match self {
            Self::File(error) => error.is_disk_full(),
            Self::Store(_) => false,
        }
    }
}

/// A key, and what browsers need of it.
pub(super) struct VapidKey {
    key: SigningKey,
    /// The public key in base64url.
    public: Box<str>,
}

/// The keys of this server or of all nodes. Browsers subscribe to the newest one. They have
/// subscribed to an earlier one until they come back, and are served until then.
#[derive(Debug)]
pub(super) struct VapidKeys {
    /// The newest first; never empty. The lock is held for moments.
    keys: RwLock<Arc<[VapidKey]>>,
    /// The file of a server without other nodes.
    path: Option<PathBuf>,
    /// Whether other users may read the file of the keys.
    is_exposed: bool,
}

impl std::fmt::Debug for VapidKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("VapidKey").field("public", &self.public).finish_non_exhaustive()
    }
}

impl VapidKeys {
    /// Reads the keys or creates one. The directory exists and is locked by this process.
    pub(super) fn open(directory: &Path, entropy: &mut Entropy) -> Result<Self, SigningError> {
        let path = directory.join(VAPID_FILE);
        let mut secrets = read_secrets(&path)?;
        if secrets.is_empty() {
            secrets.push(new_secret(entropy).to_bytes().into());
            write_secrets(&path, &secrets)?;
            // operator: the first start with `notifications.push`, or the key file was missing. On
            // PostgreSQL the node that creates the key for all logs it. Browsers that had
            // subscribed before subscribe again when they come back
            tracing::info!(path = %path.display(), "push key created");
        }
        let keys = RwLock::new(keys_of(&secrets).ok_or_else(|| SigningError::no_key(&path))?);
        let is_exposed = warn_if_exposed(&path)?;
        Ok(Self { keys, path: Some(path), is_exposed })
    }

    /// Returns the keys that the nodes of a cluster share. The first node stores those of its
    /// directory, or a new one.
    pub(super) async fn shared(
        keys: &NodeKeys,
        directory: &Path,
        entropy: &mut Entropy,
    ) -> Result<Self, PushKeyError> {
        let path = directory.join(VAPID_FILE);
        let mut own = read_secrets(&path)?;
        let were_there = !own.is_empty();
        let is_exposed = were_there && warn_if_exposed(&path)?;
        if were_there {
            keys_of(&own).ok_or_else(|| SigningError::no_key(&path))?;
        } else {
            own.push(new_secret(entropy).to_bytes().into());
        }
        let shared = keys.push_keys(own).await?;
        if shared.are_new && !were_there {
            tracing::info!("push key created");
        }
        let keys = RwLock::new(shared_keys(&shared.secrets)?);
        Ok(Self { keys, path: None, is_exposed })
    }

    /// Whether other users may read the file of the keys.
    pub(super) const fn is_exposed(&self) -> bool {
        self.is_exposed
    }

    /// The keys, the newest first.
    pub(super) fn all(&self) -> Arc<[VapidKey]> {
        Arc::clone(&self.keys.read())
    }

    /// Adds a key to the file of a server without other nodes, and forgets the oldest ones. Blocks
    /// while the file is written.
    pub(super) fn replace(&self, new: &SecretKey) -> Result<(), SigningError> {
        let Some(path) = &self.path else { return Ok(()) };
        let mut secrets = read_secrets(path)?;
        secrets.push(new.to_bytes().into());
        secrets.drain(..secrets.len().saturating_sub(PUSH_KEYS_KEPT));
        let keys = keys_of(&secrets).ok_or_else(|| SigningError::no_key(path))?;
        write_secrets(path, &secrets)?;
        *self.keys.write() = keys;
        Ok(())
    }

    /// Takes over the keys that the nodes share, the newest last.
    pub(super) fn set_shared(&self, secrets: &[[u8; 32]]) -> Result<(), StoreError> {
        *self.keys.write() = shared_keys(secrets)?;
        Ok(())
    }
}

fn shared_keys(secrets: &[[u8; 32]]) -> Result<Arc<[VapidKey]>, StoreError> {
    keys_of(secrets).ok_or_else(|| StoreError::Failed("its push key is no key".into()))
}

/// Returns keys, the newest first; `None` if there are none or one of them is none.
fn keys_of(newest_last: &[[u8; 32]]) -> Option<Arc<[VapidKey]>> {
    let key = |secret: &[u8; 32]| SecretKey::from_slice(secret).ok().as_ref().map(VapidKey::new);
    let keys: Option<Arc<[VapidKey]>> = newest_last.iter().rev().map(key).collect();
    keys.filter(|keys| !keys.is_empty())
}

impl VapidKey {
    fn new(secret: &SecretKey) -> Self {
        let public = BASE64URL_NOPAD.encode(&secret.public_key().to_sec1_bytes());
        Self { key: secret.into(), public: public.into() }
    }

    /// The public key in base64url.
    pub(super) const fn public(&self) -> &str {
        &self.public
    }

    /// Returns the `Authorization` of a request to a push service with this origin.
    pub(super) fn authorization(&self, origin: &str, contact: &str, now_ms: u64) -> String {
        let claims = json!({
            "aud": origin,
            "exp": now_ms / 1000 + VAPID_TOKEN_LIFE.as_secs(),
            "sub": contact,
        });
        let header = BASE64URL_NOPAD.encode(br#"{"typ":"JWT","alg":"ES256"}"#);
        let claims = BASE64URL_NOPAD.encode(claims.to_string().as_bytes());
        let signed = format!("{header}.{claims}");
        let signature: Signature = self.key.sign(signed.as_bytes());
        let signature = BASE64URL_NOPAD.encode(&signature.to_bytes());
        format!("vapid t={signed}.{signature}, k={}", self.public)
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

fn warn_if_exposed(path: &Path) -> Result<bool, SigningError> {
    let is_exposed = is_exposed(path)?;
    if is_exposed {
        // operator: other users can send push messages to your users' browsers in the server's
        // name. Run `chmod 600 vapid.key`
        tracing::warn!(path = %path.display(), "push key is readable by other users");
    }
    Ok(is_exposed)
}

/// The delimiter after the plain text of the last record.
const LAST_RECORD: u8 = 2;

/// The keys of a subscription.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SubscriberKeys {
    public: PublicKey,
    auth: [u8; 16],
}

impl SubscriberKeys {
    /// Returns the keys; `None` if they are not a point of P-256 and 16 bytes.
    pub(super) fn new(public: &[u8], auth: &[u8]) -> Option<Self> {
        let public = PublicKey::from_sec1_bytes(public).ok()?;
        Some(Self { public, auth: auth.try_into().ok()? })
    }

    /// Reads the keys as browsers write them: base64url, with or without padding.
    pub(super) fn read(public: &str, auth: &str) -> Option<Self> {
        let read = |text: &str| -> Result<Vec<u8>, DecodeError> {
            BASE64URL_NOPAD.decode(text.trim_end_matches('=').as_bytes())
        };
        Self::new(&read(public).ok()?, &read(auth).ok()?)
    }

    /// The public key as an uncompressed point.
    pub(super) fn public_bytes(&self) -> Vec<u8> {
        self.public.to_sec1_bytes().into_vec()
    }

    pub(super) const fn auth(&self) -> [u8; 16] {
        self.auth
    }

    /// Encrypts a message as one record. The secret and the salt are new for each message.
    pub(super) fn encrypt(&self, message: &[u8], secret: &SecretKey, salt: [u8; 16]) -> Vec<u8> {
        let (theirs, ours) = (self.public_bytes(), secret.public_key().to_sec1_bytes());
        let shared = secret.diffie_hellman(&self.public);
        let mut info = b"WebPush: info\0".to_vec();
        info.extend_from_slice(&theirs);
        info.extend_from_slice(&ours);
        let mut input = [0; 32];
        expand(&self.auth, shared.raw_secret_bytes(), &info, &mut input);
        let (mut key, mut nonce) = ([0; 16], [0; 12]);
        expand(&salt, &input, b"Content-Encoding: aes128gcm\0", &mut key);
        expand(&salt, &input, b"Content-Encoding: nonce\0", &mut nonce);

        let mut plain = message.to_vec();
        plain.push(LAST_RECORD);
        let sealed = Aes128Gcm::new(&key.into())
            .encrypt(&nonce.into(), plain.as_slice())
            .expect("a message is far shorter than the cipher's limit");
        let mut body = salt.to_vec();
        body.extend_from_slice(&PUSH_RECORD_BYTES.to_be_bytes());
        body.push(u8::try_from(ours.len()).expect("a point has 65 bytes"));
        body.extend_from_slice(&ours);
        body.extend_from_slice(&sealed);
        body
    }
}

fn expand(salt: &[u8], input: &[u8], info: &[u8], output: &mut [u8]) {
    let derived = Hkdf::<Sha256>::new(Some(salt), input).expand(info, output);
    derived.expect("the output is shorter than 255 hashes");
}

#[cfg(test)]
mod tests {
    use p256::ecdsa::{VerifyingKey, signature::Verifier as _};

    use super::*;

    #[test]
    fn the_key_is_created_once() {
        let directory = tempfile::tempdir().unwrap();
        let public = |keys: &VapidKeys| keys.all()[0].public().to_owned();
        let first = VapidKeys::open(directory.path(), &mut Entropy::System).unwrap();
        let again = VapidKeys::open(directory.path(), &mut Entropy::System).unwrap();
        assert_eq!(public(&first), public(&again));
        assert_eq!(public(&first).len(), 87);
        let path = directory.path().join(VAPID_FILE);
        for text in ["0".repeat(64), String::new()] {
            std::fs::write(&path, text).unwrap();
            let error = VapidKeys::open(directory.path(), &mut Entropy::System).unwrap_err();
            assert!(error.to_string().contains(VAPID_FILE), "{error}");
        }
    }

    #[test]
    fn keys_that_were_replaced_stay_for_a_while() {
        let directory = tempfile::tempdir().unwrap();
        let keys = VapidKeys::open(directory.path(), &mut Entropy::System).unwrap();
        let all = |keys: &VapidKeys| -> Vec<String> {
            keys.all().iter().map(|key| key.public().to_owned()).collect()
        };
        let mut expected = all(&keys);
        for _ in 0..PUSH_KEYS_KEPT {
            let new = new_secret(&mut Entropy::System);
            keys.replace(&new).unwrap();
            expected.insert(0, VapidKey::new(&new).public().to_owned());
        }
        expected.truncate(PUSH_KEYS_KEPT);
        assert_eq!(all(&keys), expected);
        let again = VapidKeys::open(directory.path(), &mut Entropy::System).unwrap();
        assert_eq!(all(&again), expected);
    }

    #[test]
    fn a_token_names_the_push_service_and_is_signed() {
        let key = VapidKey::new(&new_secret(&mut Entropy::seeded(1)));
        let said = key.authorization("https://push.example:444", "mailto:a@b", 5_000_000);
        let (token, public) = said.strip_prefix("vapid t=").unwrap().split_once(", k=").unwrap();
        let (signed, signature) = token.rsplit_once('.').unwrap();
        let public = BASE64URL_NOPAD.decode(public.as_bytes()).unwrap();
        let signature = BASE64URL_NOPAD.decode(signature.as_bytes()).unwrap();
        let signature = Signature::from_slice(&signature).unwrap();
        let verifier = VerifyingKey::from_sec1_bytes(&public).unwrap();
        verifier.verify(signed.as_bytes(), &signature).unwrap();
        let claims = signed.split_once('.').unwrap().1;
        let claims = BASE64URL_NOPAD.decode(claims.as_bytes()).unwrap();
        let claims: serde_json::Value = serde_json::from_slice(&claims).unwrap();
        let exp = 5_000 + VAPID_TOKEN_LIFE.as_secs();
        let expected = json!({"aud": "https://push.example:444", "exp": exp, "sub": "mailto:a@b"});
        assert_eq!(claims, expected);
    }

    /// The example of RFC 8291, section 5.
    #[test]
    fn the_example_of_the_standard_is_encrypted_alike() {
        let bytes = |text: &str| BASE64URL_NOPAD.decode(text.as_bytes()).unwrap();
        let secret = SecretKey::from_slice(&bytes("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"));
        let keys = SubscriberKeys::read(
            "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
            "BTBZMqHH6r4Tts7J_aSIgg",
        );
        let salt = bytes("DGv6ra1nlYgDCS1FRnbzlw").try_into().unwrap();
        let message = b"When I grow up, I want to be a watermelon";
        let body = keys.unwrap().encrypt(message, &secret.unwrap(), salt);
        assert_eq!(
            BASE64URL_NOPAD.encode(&body),
            "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27ml\
             mlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPT\
             pK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
        );
    }

    #[test]
    fn keys_that_are_none_are_rejected() {
        let public = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4";
        let auth = "BTBZMqHH6r4Tts7J_aSIgg";
        assert!(SubscriberKeys::read(&format!("{public}="), &format!("{auth}==")).is_some());
        let off_the_curve = public.replace("iw4", "iw8");
        for (public, auth) in [(public, "BTBZ"), (&off_the_curve, auth), ("", auth), ("?", auth)] {
            assert_eq!(SubscriberKeys::read(public, auth), None, "{public} {auth}");
        }
    }
}
