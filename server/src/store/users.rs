//! Users, tokens and challenges as they are stored.

use adamant_protocol::{ChallengeId, UserName, to_client::Challenged};

/// Names a user for ever, also through a change of name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct UserId(pub i64);

/// Somebody who can play.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct User {
    /// For ever.
    pub id: UserId,
    /// As the user spells it.
    pub name: UserName,
    /// Whether there is no account.
    pub guest: bool,
    /// Whether it is the server's own player.
    pub house: bool,
}

/// A token to store. Of its secret only the digest is kept.
#[derive(Debug, Clone)]
pub(crate) struct NewToken {
    /// BLAKE3 of the secret: it is random, so no slow hash is needed.
    pub digest: [u8; 32],
    /// What it is for.
    pub label: Box<str>,
    /// Whether a program uses it.
    pub bot: bool,
    /// When it was made, in epoch milliseconds.
    pub created_at: u64,
    /// When it ends, in epoch milliseconds.
    pub expires_at: Option<u64>,
}

/// An open challenge as it is stored.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct StoredChallenge {
    /// Which.
    pub id: ChallengeId,
    /// All that was said.
    pub challenged: Challenged,
    /// Those of the accepting users that are programs, by name.
    pub bots: Vec<UserName>,
    /// When it was made, in epoch milliseconds.
    pub created_at: u64,
}
