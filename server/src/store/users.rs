//! Users, tokens and challenges as they are stored.

use adamant_protocol::{ChallengeId, UserName, to_client::Challenged};

use crate::ratings::{Pool, Rating};

/// The label of the token that a guest came with.
pub(crate) const GUEST_LABEL: &str = "guest";

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
    /// Whose bot it is; `None` for people, guests and the house.
    pub owner: Option<UserName>,
    /// Since when the user, or the bot's owner, has an account, in epoch milliseconds.
    pub account_since: Option<u64>,
}

impl User {
    /// Whether only programs play under this name.
    pub(crate) const fn is_bot(&self) -> bool {
        self.house || self.owner.is_some()
    }
}

/// As of when a token is good.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Validity {
    /// One that ends ends later than this, in epoch milliseconds.
    pub now_ms: u64,
    /// One that a person logs in with was last used then or later, in epoch milliseconds.
    pub used_since: u64,
}

/// A user to store.
#[derive(Debug, Clone)]
pub(crate) struct NewUser {
    /// The name to have.
    pub name: UserName,
    /// What it is to be.
    pub kind: NewUserKind,
    /// When it is made, in epoch milliseconds.
    pub created_at: u64,
}

/// What a new user is to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NewUserKind {
    /// Somebody without an account.
    Guest,
    /// Somebody with one, and the hash of the password.
    Account(String),
    /// Somebody's bot.
    Bot(UserId),
    /// The server's own player.
    House,
}

/// What came of giving somebody a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum CreateUserOutcome {
    /// It was given.
    Created(User),
    /// It was not, because of this user's name, which is the same or looks like it.
    NameTaken(UserName),
    /// It was not, because the owner has as many bots as anybody may.
    BotLimitReached,
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
    /// When it was first used, if that is now.
    pub used_at: Option<u64>,
    /// The password's hash that the user had to know. If it has changed meanwhile there is no
    /// token.
    pub password_hash: Option<String>,
}

/// What came of storing a token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum AddTokenOutcome {
    /// It was, and these had to make room for it.
    Added {
        /// Their digests.
        evicted: Vec<[u8; 32]>,
    },
    /// It was not: the password that let the user in is no longer the password.
    PasswordChanged,
    /// It was not: the user has as many tokens for programs as anybody may.
    LimitReached,
}

/// A token as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StoredToken {
    /// BLAKE3 of the secret.
    pub digest: [u8; 32],
    /// What it is for.
    pub label: Box<str>,
    /// Whether a program uses it.
    pub bot: bool,
    /// When it was made, in epoch milliseconds.
    pub created_at: u64,
    /// When it ends, in epoch milliseconds.
    pub expires_at: Option<u64>,
    /// When it was last used, roughly, in epoch milliseconds.
    pub used_at: Option<u64>,
}

/// What a session of somebody begins with.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct SessionSeed {
    /// Whom the user does not want to hear.
    pub muted: Vec<UserName>,
    /// The user's ratings in all pools.
    pub ratings: Vec<(Pool, Rating)>,
}

/// A bot as its owner sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StoredBot {
    /// Its name.
    pub name: UserName,
    /// When it was made, in epoch milliseconds.
    pub created_at: u64,
    /// How many tokens it has.
    pub tokens: u32,
}

/// How many were forgotten because nobody has any use for them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Swept {
    /// Tokens that had expired.
    pub tokens: usize,
    /// Guests who never played a game and have not come back.
    pub guests: usize,
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
