//! Tokens: secrets that open sessions without a password.

use adamant_protocol::{UserName, ids::TokenId};
use data_encoding::HEXLOWER;
use rand::RngExt as _;

use super::accounts::{Accounts, AuthError, LoggedIn};
use crate::{
    limits::{TOKEN_LABEL_BYTES_MAX, TOKEN_USE_GRAIN, TOKEN_USE_SHARE},
    runtime::time::milliseconds,
    store::{GoodAt, NewToken, StoreError, StoredToken, TokenStored, User},
};

/// What every token begins with, so that people and scanners recognise one.
const TOKEN_PREFIX: &str = "at_";

/// Random bytes in a token.
const TOKEN_BYTES: usize = 24;

/// Bytes of a token's digest that name it.
const TOKEN_ID_BYTES: usize = 8;

/// The digest of a token's secret: names it without telling it, inside the process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct TokenDigest(pub(super) [u8; 32]);

impl TokenDigest {
    pub(super) fn of(secret: &str) -> Self {
        Self(*blake3::hash(secret.as_bytes()).as_bytes())
    }

    /// What the token is called on the wire. Of a digest of so many random bytes a part may be
    /// told.
    pub(crate) fn id(self) -> TokenId {
        let id = format!("t_{}", HEXLOWER.encode_display(&self.0[..TOKEN_ID_BYTES]));
        id.parse().expect("these digits make an id")
    }
}

/// What a new token is to be.
#[derive(Debug, Clone)]
pub(crate) struct TokenTerms {
    /// What it is for.
    pub label: Box<str>,
    /// Whether its sessions are a program's.
    pub bot: bool,
    /// When it ends, in epoch milliseconds.
    pub expires_at: Option<u64>,
}

/// A token that was just made.
#[derive(Debug, Clone)]
pub(crate) struct MadeToken {
    /// The secret, which is kept nowhere.
    pub secret: Box<str>,
    /// Its digest.
    pub digest: TokenDigest,
    /// When it ends, in epoch milliseconds.
    pub expires_at: Option<u64>,
    /// Those that had to make room for it.
    pub evicted: Vec<TokenDigest>,
}

impl Accounts {
    /// Makes a token.
    pub(crate) async fn create_token(
        &self,
        user: &User,
        terms: TokenTerms,
    ) -> Result<MadeToken, AuthError> {
        let TokenTerms { label, bot, expires_at } = terms;
        if label.is_empty() || label.len() > TOKEN_LABEL_BYTES_MAX {
            return Err(AuthError::TokenLabel);
        }
        let secret = new_secret();
        let created_at = self.time.now_ms();
        let longest = if bot { None } else { self.log_in_ends_at(user.guest, created_at) };
        let new = NewToken {
            digest: TokenDigest::of(&secret).0,
            label,
            bot,
            created_at,
            expires_at: expires_at.into_iter().chain(longest).min(),
            used_at: None,
            password_hash: None,
        };
        self.store_token(user, secret, new).await
    }

    /// Makes the token of a log-in: it is used at once. If there was a password, it must still have
    /// this hash.
    pub(super) async fn create_log_in(
        &self,
        user: &User,
        label: &str,
        password_hash: Option<String>,
    ) -> Result<MadeToken, AuthError> {
        let ends = !user.guest && !user.house;
        let (secret, new) = self.draft_log_in((label, false), password_hash, ends);
        self.store_token(user, secret, new).await
    }

    /// When a token ends at the latest that a person logs in with. A guest has no other way in, and
    /// keeps it as long as it is used.
    fn log_in_ends_at(&self, guest: bool, created_at: u64) -> Option<u64> {
        (!guest).then(|| created_at.saturating_add(self.log_ins.life_ms))
    }

    /// As of when tokens are good now.
    pub(super) fn good_now(&self) -> GoodAt {
        let now_ms = self.time.now_ms();
        GoodAt { now_ms, used_since: now_ms.saturating_sub(self.log_ins.idle_ms) }
    }

    /// What such a token is before it is stored.
    pub(super) fn draft_log_in(
        &self,
        (label, bot): (&str, bool),
        password_hash: Option<String>,
        ends: bool,
    ) -> (Box<str>, NewToken) {
        let secret = new_secret();
        let created_at = self.time.now_ms();
        let new = NewToken {
            digest: TokenDigest::of(&secret).0,
            label: label.into(),
            bot,
            created_at,
            expires_at: self.log_in_ends_at(!ends, created_at),
            used_at: Some(created_at),
            password_hash,
        };
        (secret, new)
    }

    async fn store_token(
        &self,
        user: &User,
        secret: Box<str>,
        new: NewToken,
    ) -> Result<MadeToken, AuthError> {
        let (digest, expires_at) = (TokenDigest(new.digest), new.expires_at);
        match self.store.add_token(user.id, new).await? {
            TokenStored::Yes { evicted } => {
                if !evicted.is_empty() {
                    self.endings.note();
                }
                let evicted = evicted.into_iter().map(TokenDigest).collect();
                Ok(MadeToken { secret, digest, expires_at, evicted })
            }
            TokenStored::PasswordChanged => Err(AuthError::BadPassword),
            TokenStored::Full => Err(AuthError::TokensFull),
        }
    }

    /// A user's tokens, or those of one of the user's bots, the newest first.
    pub(crate) async fn tokens(
        &self,
        account: &User,
        of: &UserName,
    ) -> Result<Vec<(TokenDigest, StoredToken)>, StoreError> {
        let mut tokens = self.store.tokens_under(account.id, self.good_now()).await?;
        tokens.retain(|(owner, _)| owner.is_same(of.as_str()));
        Ok(tokens.into_iter().map(|(_, token)| (TokenDigest(token.digest), token)).collect())
    }

    /// The token of that name, of a user or of one of the user's bots, and whose it is.
    pub(crate) async fn find_token(
        &self,
        account: &User,
        id: &TokenId,
    ) -> Result<Option<(UserName, TokenDigest)>, StoreError> {
        let tokens = self.store.tokens_under(account.id, self.good_now()).await?;
        let named = tokens.into_iter().map(|(owner, token)| (owner, TokenDigest(token.digest)));
        Ok(named.into_iter().find(|(_, digest)| digest.id() == *id))
    }

    /// Ends a token. Sessions that it has opened are the caller's to end.
    pub(crate) async fn revoke(&self, token: TokenDigest) -> Result<bool, StoreError> {
        let deleted = self.store.delete_token(token.0).await;
        self.endings.note();
        deleted
    }

    /// Whether the token that somebody came with is still good.
    pub(crate) async fn is_still_good(&self, logged_in: &LoggedIn) -> Result<bool, StoreError> {
        if self.endings.now() == logged_in.good_as_of {
            return Ok(true);
        }
        self.store.has_token(logged_in.token.0, self.good_now()).await
    }

    /// Notes that a session was opened with a token; `used_at` is when one was before.
    pub(crate) async fn note_use(
        &self,
        token: TokenDigest,
        used_at: Option<u64>,
    ) -> Result<(), StoreError> {
        let now_ms = self.time.now_ms();
        let grain_ms = milliseconds(TOKEN_USE_GRAIN).min(self.log_ins.idle_ms / TOKEN_USE_SHARE);
        if used_at.is_some_and(|used_at| now_ms < used_at.saturating_add(grain_ms)) {
            return Ok(());
        }
        self.store.touch_token(token.0, now_ms).await
    }
}

fn new_secret() -> Box<str> {
    let bytes: [u8; TOKEN_BYTES] = rand::rng().random();
    format!("{TOKEN_PREFIX}{}", HEXLOWER.encode_display(&bytes)).into()
}
