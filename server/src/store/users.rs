//! Users as they are stored.

use adamant_protocol::{UserName, values::UserSettings};
use futures::future::BoxFuture;

use super::StoreError;
use crate::ratings::{Pool, Rating};

/// The label of the token that a new guest receives.
pub(crate) const GUEST_LABEL: &str = "guest";

/// Identifies a user. It never changes, unlike the name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct UserId(pub i64);

/// A user: an account, a guest or a bot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct User {
    pub id: UserId,
    /// The name in the user's spelling.
    pub name: UserName,
    /// Whether the user is a guest.
    pub guest: bool,
    /// Whether the user is one of the server's own bots.
    pub house: bool,
    /// The owner, if the user is a bot.
    pub owner: Option<UserName>,
    /// The time from which the user, or the bot's owner, has an account, in epoch milliseconds.
    pub account_since: Option<u64>,
}

impl User {
    /// Returns whether the user is a program.
    pub(crate) const fn is_bot(&self) -> bool {
        self.house || self.owner.is_some()
    }
}

/// The times that decide whether a token is valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Validity {
    /// A token must expire later than this, in epoch milliseconds.
    pub now_ms: u64,
    /// A log-in token must have been used at this time or later, in epoch milliseconds.
    pub used_since: u64,
}

/// A user to create.
#[derive(Debug, Clone)]
pub(crate) struct NewUser {
    pub name: UserName,
    pub kind: NewUserKind,
    /// The time of creation, in epoch milliseconds.
    pub created_at: u64,
}

/// The kind of a new user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NewUserKind {
    /// A guest.
    Guest,
    /// An account, with the password's hash.
    Account(String),
    /// A bot of this owner.
    Bot(UserId),
    /// One of the server's own bots.
    House,
}

/// The outcome of creating or renaming a user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum CreateUserOutcome {
    /// The user has the name.
    Created(User),
    /// This name exists and is the same or looks like it.
    NameTaken(UserName),
    /// The owner has as many bots as the limit allows.
    BotLimitReached,
}

/// A token to store. The store has only the digest of its secret.
#[derive(Debug, Clone)]
pub(crate) struct NewToken {
    /// BLAKE3 of the secret. The secret is random, so that a fast hash is enough.
    pub digest: [u8; 32],
    /// The label that the user has given it.
    pub label: Box<str>,
    /// Whether a program uses it.
    pub bot: bool,
    /// The time of creation, in epoch milliseconds.
    pub created_at: u64,
    /// The time of expiry, in epoch milliseconds.
    pub expires_at: Option<u64>,
    /// The time of the first use, if that is now, in epoch milliseconds.
    pub used_at: Option<u64>,
    /// The hash that the user's password has matched. If the stored hash is another by now, the
    /// token is not stored.
    pub password_hash: Option<String>,
}

/// The outcome of storing a token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum AddTokenOutcome {
    /// The token is stored; the least recently used log-ins were deleted.
    Added {
        /// The digests of the deleted tokens.
        evicted: Vec<[u8; 32]>,
    },
    /// The password has changed since it was checked.
    PasswordChanged,
    /// The user has as many program tokens as the limit allows.
    LimitReached,
}

/// A stored token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StoredToken {
    /// BLAKE3 of the secret.
    pub digest: [u8; 32],
    /// The label that the user has given it.
    pub label: Box<str>,
    /// Whether a program uses it.
    pub bot: bool,
    /// The time of creation, in epoch milliseconds.
    pub created_at: u64,
    /// The time of expiry, in epoch milliseconds.
    pub expires_at: Option<u64>,
    /// The approximate time of the last use, in epoch milliseconds.
    pub used_at: Option<u64>,
}

/// What a session needs of its user at the start.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct SessionSeed {
    /// The users whom the user mutes or blocks.
    pub muted: Vec<UserName>,
    /// The user's ratings in all pools.
    pub ratings: Vec<(Pool, Rating)>,
    pub settings: UserSettings,
}

/// A bot as its owner sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StoredBot {
    pub name: UserName,
    /// The time of creation, in epoch milliseconds.
    pub created_at: u64,
    /// Number of its tokens.
    pub tokens: u32,
}

/// Numbers of rows that a clean-up deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Swept {
    /// Expired tokens.
    pub tokens: usize,
    /// Guests without games who have not returned.
    pub guests: usize,
}

/// A user, and the password's hash if there is one.
pub(crate) type FoundUser = (User, Option<String>);

/// Stores users.
pub(crate) trait Users: std::fmt::Debug + Send + Sync + 'static {
    /// Returns the user with a name, and the password's hash if there is one.
    fn find_user(&self, name: UserName) -> BoxFuture<'_, Result<Option<FoundUser>, StoreError>>;

    /// Creates a user, unless another user's name is the same or looks like it. Lookalikes do not
    /// matter for the server's own bots.
    fn create_user(&self, new: NewUser) -> BoxFuture<'_, Result<CreateUserOutcome, StoreError>>;

    /// Creates a user who logs in at once, with this token.
    fn create_user_with(
        &self,
        new: NewUser,
        token: NewToken,
    ) -> BoxFuture<'_, Result<CreateUserOutcome, StoreError>>;

    /// Returns an existing name that looks like this one.
    fn find_lookalike(&self, name: UserName)
    -> BoxFuture<'_, Result<Option<UserName>, StoreError>>;

    /// Makes a guest an account with this name, and deletes the guest's tokens. Returns `None` if
    /// the user is no guest any more.
    fn upgrade_guest(
        &self,
        guest: UserId,
        name: UserName,
        password_hash: String,
        now_ms: u64,
    ) -> BoxFuture<'_, Result<Option<CreateUserOutcome>, StoreError>>;

    /// Returns a user's bots, the oldest first.
    fn bots_of(&self, owner: UserId) -> BoxFuture<'_, Result<Vec<StoredBot>, StoreError>>;

    /// Returns the settings of a user; the default ones if there is no such user.
    fn settings(&self, user: UserName) -> BoxFuture<'_, Result<UserSettings, StoreError>>;

    /// Stores the settings of a user.
    fn set_settings(
        &self,
        user: UserName,
        settings: UserSettings,
    ) -> BoxFuture<'_, Result<(), StoreError>>;

    /// Reads what a session of a user starts with.
    fn session_seed(&self, user: UserName) -> BoxFuture<'_, Result<SessionSeed, StoreError>>;
}
