//! Tokens: secrets that open sessions without a password, and how often some were revoked.

use std::sync::atomic::{AtomicU64, Ordering};

use adamant_protocol::ids::TokenId;
use data_encoding::{BASE32_NOPAD, HEXLOWER};
use rand::RngExt as _;

use crate::runtime::entropy::Entropy;

/// The prefix of every token, by which people and secret scanners recognise one.
const TOKEN_PREFIX: &str = "at_";

/// Random bytes in a token.
const TOKEN_BYTES: usize = 24;

/// Random bytes in a code that people write down.
const CODE_BYTES: usize = 15;

/// Bytes of a token's digest in its id.
const TOKEN_ID_BYTES: usize = 8;

/// The digest of a token's secret. It identifies the token inside the process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct TokenDigest(pub(crate) [u8; 32]);

impl TokenDigest {
    pub(super) fn of(secret: &str) -> Self {
        Self(*blake3::hash(secret.as_bytes()).as_bytes())
    }

    /// Returns the token's id on the wire: a part of the digest. It reveals nothing about a random
    /// secret.
    pub(crate) fn id(self) -> TokenId {
        let id = format!("t_{}", HEXLOWER.encode_display(&self.0[..TOKEN_ID_BYTES]));
        id.parse().expect("these digits make an id")
    }
}

/// What a client asks a new token to be.
#[derive(Debug, Clone)]
pub(crate) struct TokenSpec {
    pub label: Box<str>,
    /// Whether its sessions belong to a program.
    pub bot: bool,
    /// When it ends, in epoch milliseconds.
    pub expires_at: Option<u64>,
}

#[derive(Debug, Clone)]
pub(crate) struct IssuedToken {
    /// The secret. Only the client keeps it.
    pub secret: Box<str>,
    pub digest: TokenDigest,
    /// When it ends, in epoch milliseconds.
    pub expires_at: Option<u64>,
    /// Older tokens that the store deleted because the user has the maximum number.
    pub evicted: Vec<TokenDigest>,
}

/// Returns the secret of a new token.
pub(super) fn new_secret(entropy: &mut Entropy) -> Box<str> {
    let bytes: [u8; TOKEN_BYTES] = entropy.random();
    format!("{TOKEN_PREFIX}{}", HEXLOWER.encode_display(&bytes)).into()
}

/// Returns a new code, which a person can write down: `k3vq-7a2x-..`.
pub(super) fn new_code(entropy: &mut Entropy) -> Box<str> {
    let bytes: [u8; CODE_BYTES] = entropy.random();
    let letters = BASE32_NOPAD.encode(&bytes).to_ascii_lowercase();
    let groups: Vec<_> = letters.as_bytes().chunks(4).map(String::from_utf8_lossy).collect();
    groups.join("-").into()
}

/// The digest of a code, however it was typed.
pub(super) fn code_digest(code: &str) -> TokenDigest {
    let letters = code.chars().filter(char::is_ascii_alphanumeric);
    TokenDigest::of(&letters.map(|letter| letter.to_ascii_lowercase()).collect::<String>())
}

/// Counts the times that tokens may have ended before their date.
#[derive(Debug, Default)]
pub(super) struct Revocations(AtomicU64);

/// The number of revocations at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RevocationEpoch(u64);

impl Revocations {
    /// The current epoch. Taken before a token is looked up, it shows later whether a token was
    /// revoked since.
    pub(super) fn epoch(&self) -> RevocationEpoch {
        RevocationEpoch(self.0.load(Ordering::SeqCst))
    }

    /// Begins a new epoch, because tokens have ended or may have. It comes before the end of the
    /// sessions that these tokens opened: a session that starts in between is either among them or
    /// sees the new epoch.
    pub(super) fn advance(&self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}
