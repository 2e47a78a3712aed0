//! Who somebody is: guests, accounts and tokens.

mod password;

use std::sync::Arc;

use adamant_protocol::{UserName, from_client::Auth};
use rand::RngExt as _;

use crate::{
    limits::{PASSWORD_BYTES, TOKEN_LABEL_BYTES_MAX},
    store::{NewToken, Sqlite, StoreError, User},
    time::TimeSource,
};
use password::{Hashing, HashingError};

/// What every token begins with, so that people and scanners recognise one.
const TOKEN_PREFIX: &str = "at_";

/// Random bytes in a token.
const TOKEN_BYTES: usize = 24;

/// Why somebody was not let in.
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
    /// Too short or too long.
    #[error("a password has {} to {} bytes", PASSWORD_BYTES.start(), PASSWORD_BYTES.end())]
    PasswordLength,
    /// Too long, or empty.
    #[error("a token's label has 1 to {TOKEN_LABEL_BYTES_MAX} bytes")]
    TokenLabel,
    /// The session has an account already.
    #[error("you have an account already")]
    HasAccount,
    /// A guest who has played keeps the name that the games know.
    #[error("your games know you as {0}: sign up under that name, or as somebody new")]
    GamesUnderName(UserName),
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
    /// Whether by a token made for a program; then a newer session replaces this one.
    pub bot: bool,
    /// A secret to come back with, after a log-in that was not by token.
    pub token: Option<Box<str>>,
    /// Names the token without telling it: sessions of the same bot token are the same bot.
    pub token_digest: [u8; 32],
}

/// Users and their secrets.
#[derive(Debug, Clone)]
pub(crate) struct Accounts {
    store: Sqlite,
    hashing: Arc<Hashing>,
    time: TimeSource,
}

impl Accounts {
    /// Users are kept in `store`.
    pub(crate) fn new(store: Sqlite, time: TimeSource) -> Self {
        Self { store, hashing: Arc::new(Hashing::new()), time }
    }

    /// Lets somebody in, or not.
    pub(crate) async fn log_in(&self, auth: Auth) -> Result<LoggedIn, AuthError> {
        match auth {
            Auth::Token(secret) => {
                let token_digest = digest(&secret);
                let now_ms = self.time.now_ms();
                let (user, bot) = self
                    .store
                    .find_token(token_digest, now_ms)
                    .await?
                    .ok_or(AuthError::BadToken)?;
                let bot = bot || user.house;
                Ok(LoggedIn { user, bot, token: None, token_digest })
            }
            Auth::Password { user: name, password } => {
                let (user, hash) = self.store.find_user(name).await?.unzip();
                // An unknown name costs as much time as a wrong password.
                let right = self.hashing.verify(password, hash.flatten()).await?;
                let user = user.filter(|_| right).ok_or(AuthError::BadPassword)?;
                self.with_token(user, "log-in").await
            }
            Auth::Guest(name) => {
                let now_ms = self.time.now_ms();
                let user = self
                    .store
                    .create_user(name.clone(), None, false, now_ms)
                    .await?
                    .ok_or(AuthError::NameTaken(name))?;
                self.with_token(user, "guest").await
            }
        }
    }

    /// Makes an account, or turns a guest into one.
    pub(crate) async fn sign_up(
        &self,
        guest: Option<&User>,
        name: UserName,
        password: Box<str>,
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
        let hash = self.hashing.hash(password).await?;
        let user = match guest {
            Some(guest) => self.store.upgrade_guest(guest.id, name.clone(), hash).await?,
            None => {
                self.store.create_user(name.clone(), Some(hash), false, self.time.now_ms()).await?
            }
        };
        self.with_token(user.ok_or(AuthError::NameTaken(name))?, "sign-up").await
    }

    /// Makes a token and gives back its secret, which is kept nowhere.
    pub(crate) async fn create_token(
        &self,
        user: &User,
        label: &str,
        bot: bool,
        expires_at: Option<u64>,
    ) -> Result<Box<str>, AuthError> {
        if label.is_empty() || label.len() > TOKEN_LABEL_BYTES_MAX {
            return Err(AuthError::TokenLabel);
        }
        let secret = new_secret();
        let token = NewToken {
            digest: digest(&secret),
            label: label.into(),
            bot,
            created_at: self.time.now_ms(),
            expires_at,
        };
        self.store.add_token(user.id, token).await?;
        Ok(secret)
    }

    /// The user of that name.
    pub(crate) async fn find(&self, name: UserName) -> Result<Option<User>, StoreError> {
        Ok(self.store.find_user(name).await?.map(|(user, _)| user))
    }

    /// The server's own player, made at the first start. If an account has had the name before,
    /// there is none.
    pub(crate) async fn house(&self, name: UserName) -> Result<Option<LoggedIn>, AuthError> {
        let found = self.find(name.clone()).await?;
        let user = match found {
            Some(user) => Some(user).filter(|user| user.house),
            None => self.store.create_user(name, None, true, self.time.now_ms()).await?,
        };
        match user {
            Some(user) => Ok(Some(self.with_token(user, "house").await?)),
            None => Ok(None),
        }
    }

    async fn has_played(&self, user: &UserName) -> Result<bool, StoreError> {
        if self.store.live().count_of_user(user) > 0 {
            return Ok(true);
        }
        let finished = self.store.history(user.clone(), None, None, 1).await?;
        Ok(!finished.is_empty())
    }

    async fn with_token(&self, user: User, label: &str) -> Result<LoggedIn, AuthError> {
        let secret = self.create_token(&user, label, false, None).await?;
        let token_digest = digest(&secret);
        Ok(LoggedIn { bot: user.house, user, token: Some(secret), token_digest })
    }
}

fn new_secret() -> Box<str> {
    use std::fmt::Write as _;
    let bytes: [u8; TOKEN_BYTES] = rand::rng().random();
    let mut secret = TOKEN_PREFIX.to_owned();
    for byte in bytes {
        write!(secret, "{byte:02x}").expect("writing to memory");
    }
    secret.into()
}

fn digest(secret: &str) -> [u8; 32] {
    *blake3::hash(secret.as_bytes()).as_bytes()
}
