//! Signatures: a server vouches that a game's record, up to one event, is the one it keeps.
//!
//! The server signs the head of the record, whose chain covers every byte before it. The server
//! stores the keys.

use adamant_protocol::{
    GameId,
    ids::{Chain, PublicKey, SignatureBytes},
    to_client::{Algorithm, SignedHead},
};
use ed25519_dalek::{Signer as _, SigningKey, VerifyingKey};

use crate::replay::Head;

/// Domain separation: a signature made for another purpose never passes for one of a record.
const DOMAIN: &str = "adamant record v1";

/// The bytes that are signed: four lines of text, each with its line break.
pub fn signed_bytes(game: &GameId, seq: u64, chain: Chain) -> Vec<u8> {
    format!("{DOMAIN}\n{game}\n{seq}\n{chain}\n").into_bytes()
}

/// A server's key.
pub struct Signer(SigningKey);

impl std::fmt::Debug for Signer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The secret stays out of logs.
        write!(f, "Signer({})", self.key())
    }
}

impl Signer {
    /// Returns the key for a secret of 32 random bytes.
    pub fn new(secret: &[u8; 32]) -> Self {
        Self(SigningKey::from_bytes(secret))
    }

    /// The public half.
    pub fn key(&self) -> PublicKey {
        PublicKey(self.0.verifying_key().to_bytes())
    }

    /// Signs bytes that begin with the domain of their purpose.
    pub(crate) fn sign_bytes(&self, bytes: &[u8]) -> SignatureBytes {
        SignatureBytes(self.0.sign(bytes).to_bytes())
    }

    /// Signs the head of a record.
    pub fn sign(&self, head: Head) -> SignedHead {
        let Head { game, seq, chain } = head;
        let sig = self.sign_bytes(&signed_bytes(&game, seq, chain));
        SignedHead::new(game, seq, chain, Algorithm::Ed25519, self.key(), sig)
    }
}

/// Whether the signature was made with the key that it names, over the head that it names. The
/// caller decides whether to trust the key.
pub fn is_valid(signed: &SignedHead) -> bool {
    let SignedHead { game, seq, chain, alg, key, sig, .. } = signed;
    *alg == Algorithm::Ed25519 && is_signature(&signed_bytes(game, *seq, *chain), key, sig)
}

/// Whether a signature of these bytes was made with this key.
pub(crate) fn is_signature(bytes: &[u8], key: &PublicKey, sig: &SignatureBytes) -> bool {
    let signature = ed25519_dalek::Signature::from_bytes(&sig.0);
    VerifyingKey::from_bytes(&key.0).is_ok_and(|key| key.verify_strict(bytes, &signature).is_ok())
}
