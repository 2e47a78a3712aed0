//! Signatures: a server's word that a game's record, up to one event, is the one it keeps.
//!
//! What is signed is the head of the record: the chain in it covers every byte before. Where keys
//! are kept is the server's business.

use adamant_protocol::{
    GameId,
    ids::{Chain, PublicKey, SignatureBytes},
    to_client::{Algorithm, SignedHead},
};
use ed25519_dalek::{Signer as _, SigningKey, VerifyingKey};

use crate::chain::Head;

/// Says what is signed, so that a signature made for something else can never pass for one of a
/// record.
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
    /// The key that a secret of 32 random bytes stands for.
    pub fn new(secret: &[u8; 32]) -> Self {
        Self(SigningKey::from_bytes(secret))
    }

    /// The public half.
    pub fn key(&self) -> PublicKey {
        PublicKey(self.0.verifying_key().to_bytes())
    }

    /// Vouches for a record.
    pub fn sign(&self, head: Head) -> SignedHead {
        let Head { game, seq, chain } = head;
        let sig = SignatureBytes(self.0.sign(&signed_bytes(&game, seq, chain)).to_bytes());
        SignedHead { re: None, game, seq, chain, alg: Algorithm::Ed25519, key: self.key(), sig }
    }
}

/// Whether the signature was made with the key it names, over the head it names. Whose key that is
/// must be asked elsewhere.
pub fn is_valid(signed: &SignedHead) -> bool {
    let SignedHead { game, seq, chain, alg: Algorithm::Ed25519, key, sig, .. } = signed;
    let signature = ed25519_dalek::Signature::from_bytes(&sig.0);
    VerifyingKey::from_bytes(&key.0)
        .is_ok_and(|key| key.verify_strict(&signed_bytes(game, *seq, *chain), &signature).is_ok())
}
