//! Who somebody is: guests, accounts, their bots and their tokens.

use std::sync::Arc;

use adamant_protocol::{UserName, from_client::Auth};

use crate::accounts::password::{Hashing, HashingError};
use crate::accounts::revocations::{Ended, Endings};
use crate::accounts::throttle::Throttle;
use crate::{
    address::ClientAddress,
    config::Limits,
    limits::{
        BOTS_PER_OWNER_MAX, PASSWORD_BYTES, TOKEN_LABEL_BYTES_MAX, TOKEN_USES_PER_WRITE,
        TOKENS_PER_USER_MAX,
    },
    quotas::Quotas,
    runtime::time::{TimeSource, milliseconds},
    store::{
        GUEST_LABEL, Naming, NewKind, NewUser, Particulars, Sqlite, StoreError, StoredBot, Swept,
        User, is_reserved,
    },
};

use crate::accounts::tokens::MadeToken;
use crate::accounts::tokens::TokenDigest;

/// Why somebody was not let in, or may not do something to an account.
#[derive(Debug, Clone, thiserror::Error)]
pub enum AuthError {
    /// The token is unknown, revoked or has expired.
    #[error("this token is not valid (any more)")]
    BadToken,
    /// Which of the two is wrong is nobody's business.
    #[error("name or password is wrong")]
    BadPassword,
    /// Somebody has the name.
    #[error("the name {0} is taken")]
    NameTaken(UserName),
    /// Somebody has a name that looks like it.
    #[error("the name {name} looks too much like {like}, which is taken")]
    NameAlike {
        /// The name that was asked for.
        name: UserName,
        /// The one that it looks like.
        like: UserName,
    },
    /// Nobody may have the name.
    #[error("the name {0} is reserved")]
    NameReserved(UserName),
    /// Too short or too long.
    #[error("a password has {} to {} bytes", PASSWORD_BYTES.start(), PASSWORD_BYTES.end())]
    PasswordLength,
    /// Too long, or empty.
    #[error("a token's label has 1 to {TOKEN_LABEL_BYTES_MAX} bytes")]
    TokenLabel,
    /// As many tokens for programs as one user may have.
    #[error("at most {TOKENS_PER_USER_MAX} tokens for programs: revoke one first")]
    TokensFull,
    /// As many bots as one user may have.
    #[error("at most {BOTS_PER_OWNER_MAX} bots of one owner")]
    BotsFull,
    /// The session has an account already.
    #[error("you have an account already")]
    HasAccount,
    /// A guest, or a bot, has no password.
    #[error("only accounts have a password")]
    NoPassword,
    /// A guest who has played keeps the name that the games know.
    #[error("your games know you as {0}: sign up under that name, or as somebody new")]
    GamesUnderName(UserName),
    /// Too often.
    #[error("at most {max} {what}")]
    TooMany {
        /// The limit's name.
        limit: &'static str,
        /// How many there may be.
        max: u32,
        /// Of what, and in which time.
        what: &'static str,
        /// When to try again.
        retry_after_ms: u64,
    },
    /// Too many log-ins at this moment.
    #[error("too many log-ins at this moment")]
    Busy,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<HashingError> for AuthError {
    fn from(error: HashingError) -> Self {
        match error {
            HashingError::Busy => Self::Busy,
            HashingError::Stopped => Self::Store(StoreError::Stopped),
        }
    }
}

/// Somebody who was let in.
#[derive(Debug, Clone)]
pub(crate) struct LoggedIn {
    /// Who.
    pub user: User,
    /// Whether a program speaks; then a newer session with the same token replaces this one.
    pub bot: bool,
    /// A secret to come back with, after a log-in that was not by token.
    pub secret: Option<Box<str>>,
    /// The token that opens the session.
    pub token: TokenDigest,
    /// When the token ends, in epoch milliseconds.
    pub expires_at: Option<u64>,
    /// When the token was last used.
    pub used_at: Option<u64>,
    /// Tokens that had to make room for this one.
    pub evicted: Vec<TokenDigest>,
    /// As of when the token is known to be good.
    pub(super) good_as_of: Ended,
}

/// Users and their secrets.
#[derive(Debug, Clone)]
pub(crate) struct Accounts {
    pub(super) store: Sqlite,
    hashing: Arc<Hashing>,
    throttle: Arc<Throttle>,
    pub(super) endings: Arc<Endings>,
    pub(super) time: TimeSource,
    pub(super) log_ins: LogIns,
}

/// How long tokens are good that people log in with.
#[derive(Debug, Clone, Copy)]
pub(super) struct LogIns {
    /// After they were last used, in milliseconds.
    pub(super) idle_ms: u64,
    /// After they were made.
    pub(super) life_ms: u64,
}

impl Accounts {
    /// Users are kept in `store`.
    pub(crate) fn new(
        store: Sqlite,
        time: TimeSource,
        limits: &Limits,
        quotas: Arc<Quotas>,
    ) -> Self {
        let throttle = Arc::new(Throttle::new(limits, quotas));
        let log_ins = LogIns {
            idle_ms: milliseconds(limits.log_ins_idle_after),
            life_ms: milliseconds(limits.log_ins_end_after),
        };
        let (hashing, endings) = (Arc::new(Hashing::new()), Arc::default());
        Self { store, hashing, throttle, endings, time, log_ins }
    }

    /// Lets somebody in, or not. What their session begins with comes along, as it is read in one
    /// go with the token that most come with.
    pub(crate) async fn log_in(
        &self,
        auth: Auth,
        from: Option<ClientAddress>,
    ) -> Result<(LoggedIn, Particulars), AuthError> {
        match auth {
            Auth::Token(secret) => self.log_in_with(TokenDigest::of(&secret)).await,
            Auth::Password { user: name, password } => {
                let (user, hash) = self.check_password(name, password, from).await?;
                let logged_in = self.with_token(user, "log-in", Some(hash)).await?;
                let particulars = self.store.particulars(logged_in.user.name.clone()).await?;
                Ok((logged_in, particulars))
            }
            Auth::Guest(name) => self.log_in_guest(name, false, from).await,
            Auth::GuestProgram(name) => self.log_in_guest(name, true, from).await,
        }
    }

    async fn log_in_guest(
        &self,
        name: UserName,
        bot: bool,
        from: Option<ClientAddress>,
    ) -> Result<(LoggedIn, Particulars), AuthError> {
        self.name_is_free(&name).await?;
        self.throttle.guest(from, self.time.now_ms())?;
        let logged_in = self.newcomer(name, NewKind::Guest, (GUEST_LABEL, bot)).await?;
        Ok((logged_in, Particulars::default()))
    }

    async fn log_in_with(&self, token: TokenDigest) -> Result<(LoggedIn, Particulars), AuthError> {
        let good_as_of = self.endings.now();
        let found = self.store.open_token(token.0, self.good_now()).await?;
        let (user, stored, particulars) = found.ok_or(AuthError::BadToken)?;
        let logged_in = LoggedIn {
            bot: stored.bot || user.is_bot(),
            user,
            secret: None,
            token,
            expires_at: stored.expires_at,
            used_at: stored.used_at,
            evicted: Vec::new(),
            good_as_of,
        };
        Ok((logged_in, particulars))
    }

    /// The user of that name, if the password is right, and the hash that says so. An unknown name
    /// costs as much time as a wrong password.
    async fn check_password(
        &self,
        name: UserName,
        password: Box<str>,
        from: Option<ClientAddress>,
    ) -> Result<(User, String), AuthError> {
        let attempt = self.throttle.attempt(from, &name, self.time.now_ms())?;
        let (user, hash) = self.store.find_user(name).await?.unzip();
        let hash = hash.flatten();
        let right = self.hashing.verify(password, hash.clone(), from).await;
        match right {
            Ok(false) => {}
            Ok(true) => attempt.forgive(),
            // No password has been checked.
            Err(_) => {
                attempt.forgive();
                self.throttle.give_check_back(from);
            }
        }
        match (right?, user, hash) {
            (true, Some(user), Some(hash)) => Ok((user, hash)),
            (_, _, _) => Err(AuthError::BadPassword),
        }
    }

    /// Makes an account, or turns a guest into one. All tokens of the guest end; sessions are the
    /// caller's to end.
    pub(crate) async fn sign_up(
        &self,
        guest: Option<&User>,
        name: UserName,
        password: Box<str>,
        from: Option<ClientAddress>,
    ) -> Result<LoggedIn, AuthError> {
        if !PASSWORD_BYTES.contains(&password.len()) {
            return Err(AuthError::PasswordLength);
        }
        if let Some(guest) = guest {
            if !guest.guest {
                return Err(AuthError::HasAccount);
            }
            if !guest.name.is_same(name.as_str()) && self.has_played(&guest.name).await? {
                return Err(AuthError::GamesUnderName(guest.name.clone()));
            }
        }
        // Looked at before a hash is computed, which takes longer than all the rest.
        if guest.is_none_or(|guest| !guest.name.is_same(name.as_str())) {
            self.name_is_free(&name).await?;
        }
        self.throttle.sign_up(from, self.time.now_ms())?;
        self.throttle.check(from, self.time.now_ms())?;
        let hash = self.hashing.hash(password, from).await.inspect_err(|_| {
            self.throttle.give_check_back(from);
            self.throttle.give_sign_up_back(from);
        })?;
        let user = match guest {
            Some(guest) => {
                let now_ms = self.time.now_ms();
                let upgraded = self.store.upgrade_guest(guest.id, name.clone(), hash, now_ms).await;
                self.endings.note();
                named(upgraded?.ok_or(AuthError::HasAccount)?, name)?
            }
            None => return self.newcomer(name, NewKind::Account(hash), ("sign-up", false)).await,
        };
        self.with_token(user, "sign-up", None).await
    }

    /// Gives an account another password. Other tokens for log-ins end with the old one, and with
    /// `bots` those of programs, too; sessions are the caller's to end.
    pub(crate) async fn change_password(
        &self,
        user: &User,
        (old, new): (Box<str>, Box<str>),
        (keep, bots): (TokenDigest, bool),
        from: Option<ClientAddress>,
    ) -> Result<(), AuthError> {
        if user.guest || user.is_bot() {
            return Err(AuthError::NoPassword);
        }
        if !PASSWORD_BYTES.contains(&new.len()) {
            return Err(AuthError::PasswordLength);
        }
        let (_, old_hash) = self.check_password(user.name.clone(), old, from).await?;
        let new_hash = self.hashing.hash(new, from).await?;
        let changed = self.store.change_password(user.id, old_hash, new_hash, keep.0, bots).await;
        self.endings.note();
        if changed? { Ok(()) } else { Err(AuthError::BadPassword) }
    }

    /// Makes a bot that belongs to an account.
    pub(crate) async fn create_bot(&self, owner: &User, name: UserName) -> Result<User, AuthError> {
        self.name_is_free(&name).await?;
        self.create_user(name, NewKind::Bot(owner.id)).await
    }

    /// A user's bots, the oldest first.
    pub(crate) async fn bots(&self, owner: &User) -> Result<Vec<StoredBot>, StoreError> {
        self.store.bots_of(owner.id).await
    }

    /// The user of that name.
    pub(crate) async fn find(&self, name: UserName) -> Result<Option<User>, StoreError> {
        Ok(self.store.find_user(name).await?.map(|(user, _)| user))
    }

    /// The server's own player, made at the first start. If an account has had the name before,
    /// there is none.
    pub(crate) async fn house(&self, name: UserName) -> Result<Option<LoggedIn>, AuthError> {
        match self.find(name.clone()).await? {
            Some(user) if user.house => Ok(Some(self.with_token(user, "house", None).await?)),
            Some(_) => Ok(None),
            None => Ok(Some(self.newcomer(name, NewKind::House, ("house", false)).await?)),
        }
    }

    /// Forgets expired tokens, and guests who were last here so long ago and have never played.
    pub(crate) async fn sweep(
        &self,
        unused_guests_after: std::time::Duration,
    ) -> Result<Swept, StoreError> {
        let now_ms = self.time.now_ms();
        let after_ms = u64::try_from(unused_guests_after.as_millis()).unwrap_or(u64::MAX);
        let swept = self.store.sweep(self.good_now(), now_ms.saturating_sub(after_ms)).await;
        // With a guest the guest's tokens end, perhaps while one of them opens a session.
        self.endings.note();
        swept
    }

    /// Forgets a guest who has no token any more, unless there are games in the guest's name.
    pub(crate) async fn forget_guest(&self, guest: &User) -> Result<(), StoreError> {
        self.store.forget_guest(guest.id, guest.name.clone()).await
    }

    /// Notes that sessions that were opened with these tokens are still open.
    pub(crate) async fn note_uses(&self, tokens: Vec<TokenDigest>) -> Result<(), StoreError> {
        let digests: Vec<[u8; 32]> = tokens.into_iter().map(|token| token.0).collect();
        for some in digests.chunks(TOKEN_USES_PER_WRITE) {
            self.store.touch_tokens(some.to_vec(), self.time.now_ms()).await?;
        }
        Ok(())
    }

    /// Whether somebody new may have the name.
    async fn name_is_free(&self, name: &UserName) -> Result<(), AuthError> {
        match self.store.find_alike(name.clone()).await? {
            Some(like) => Err(taken(name.clone(), like)),
            None if is_reserved(name) => Err(AuthError::NameReserved(name.clone())),
            None => Ok(()),
        }
    }

    async fn create_user(&self, name: UserName, kind: NewKind) -> Result<User, AuthError> {
        let created_at = self.time.now_ms();
        let new = NewUser { name: name.clone(), kind, created_at };
        named(self.store.create_user(new).await?, name)
    }

    /// Makes somebody who comes in at once.
    async fn newcomer(
        &self,
        name: UserName,
        kind: NewKind,
        (label, bot): (&str, bool),
    ) -> Result<LoggedIn, AuthError> {
        let good_as_of = self.endings.now();
        let ends = matches!(kind, NewKind::Account(_));
        let (secret, token) = self.draft_log_in((label, bot), None, ends);
        let (digest, expires_at) = (TokenDigest(token.digest), token.expires_at);
        let made = MadeToken { secret, digest, expires_at, evicted: Vec::new() };
        let new = NewUser { name: name.clone(), kind, created_at: token.created_at };
        let user = named(self.store.create_user_with(new, token).await?, name)?;
        Ok(LoggedIn { bot: bot || user.is_bot(), ..self.with_made(user, made, good_as_of) })
    }

    async fn has_played(&self, user: &UserName) -> Result<bool, StoreError> {
        if self.store.live().count_of_user(user) > 0 {
            return Ok(true);
        }
        let finished = self.store.history(user.clone(), None, None, 1).await?;
        Ok(!finished.is_empty())
    }

    async fn with_token(
        &self,
        user: User,
        label: &str,
        password_hash: Option<String>,
    ) -> Result<LoggedIn, AuthError> {
        let good_as_of = self.endings.now();
        let made = self.create_log_in(&user, label, password_hash).await?;
        Ok(self.with_made(user, made, good_as_of))
    }

    /// Somebody with the token of a log-in that was just made.
    fn with_made(&self, user: User, made: MadeToken, good_as_of: Ended) -> LoggedIn {
        LoggedIn {
            bot: user.is_bot(),
            user,
            secret: Some(made.secret),
            token: made.digest,
            expires_at: made.expires_at,
            used_at: Some(self.time.now_ms()),
            evicted: made.evicted,
            good_as_of,
        }
    }
}

fn named(naming: Naming, name: UserName) -> Result<User, AuthError> {
    match naming {
        Naming::Given(user) => Ok(user),
        Naming::Taken(like) => Err(taken(name, like)),
        Naming::BotsFull => Err(AuthError::BotsFull),
    }
}

fn taken(name: UserName, like: UserName) -> AuthError {
    if name.is_same(like.as_str()) {
        AuthError::NameTaken(name)
    } else {
        AuthError::NameAlike { name, like }
    }
}
