//! Tokens: secrets that open sessions without a password.

use adamant_protocol::{UserName, ids::TokenId};

use super::{
    accounts::{Accounts, LoggedIn},
    error::AuthError,
    token::{IssuedToken, TokenDigest, TokenSpec, new_secret},
};
use crate::{
    limits::{TOKEN_LABEL_BYTES_MAX, TOKEN_USE_GRAIN, TOKEN_USE_SHARE},
    runtime::time::milliseconds,
    store::{AddTokenOutcome, NewToken, StoreError, StoredToken, User, Validity},
};

impl Accounts {
    /// Creates a token.
    pub(crate) async fn create_token(
        &self,
        user: &User,
        spec: TokenSpec,
    ) -> Result<IssuedToken, AuthError> {
        let TokenSpec { label, bot, expires_at } = spec;
        if label.is_empty() || label.len() > TOKEN_LABEL_BYTES_MAX {
            return Err(AuthError::TokenLabel);
        }
        let secret = new_secret(&mut self.entropy.clone());
        let created_at = self.time.now_ms();
        let longest = if bot { None } else { self.log_in_expiry(user.guest, created_at) };
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

    /// Creates the token of a log-in. If the log-in was by password, the password must still have
    /// this hash.
    pub(super) async fn create_log_in(
        &self,
        user: &User,
        label: &str,
        password_hash: Option<String>,
    ) -> Result<IssuedToken, AuthError> {
        let ends = !user.guest && !user.house;
        let (secret, new) = self.new_log_in_token((label, false), password_hash, ends);
        self.store_token(user, secret, new).await
    }

    /// Returns when the token of a log-in expires. A guest's token never does while it is used,
    /// because a guest has no other way to log in.
    fn log_in_expiry(&self, guest: bool, created_at: u64) -> Option<u64> {
        (!guest).then(|| created_at.saturating_add(self.token_lifetimes.life_ms))
    }

    /// Returns what a token must fulfil to be valid now.
    pub(super) fn validity(&self) -> Validity {
        let now_ms = self.time.now_ms();
        Validity { now_ms, used_since: now_ms.saturating_sub(self.token_lifetimes.idle_ms) }
    }

    /// Returns a secret and the row of its token, not stored yet.
    pub(super) fn new_log_in_token(
        &self,
        (label, bot): (&str, bool),
        password_hash: Option<String>,
        ends: bool,
    ) -> (Box<str>, NewToken) {
        let secret = new_secret(&mut self.entropy.clone());
        let created_at = self.time.now_ms();
        let new = NewToken {
            digest: TokenDigest::of(&secret).0,
            label: label.into(),
            bot,
            created_at,
            expires_at: self.log_in_expiry(!ends, created_at),
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
    ) -> Result<IssuedToken, AuthError> {
        let (digest, expires_at) = (TokenDigest(new.digest), new.expires_at);
        match self.store.add_token(user.id, new).await? {
            AddTokenOutcome::Added { evicted } => {
                if !evicted.is_empty() {
                    self.revocations.advance();
                }
                let evicted = evicted.into_iter().map(TokenDigest).collect();
                Ok(IssuedToken { secret, digest, expires_at, evicted })
            }
            AddTokenOutcome::PasswordChanged => Err(AuthError::BadPassword),
            AddTokenOutcome::LimitReached => Err(AuthError::TokensFull),
        }
    }

    /// Returns the tokens of a user, or of one of the user's bots, the newest first.
    pub(crate) async fn tokens(
        &self,
        account: &User,
        of: &UserName,
    ) -> Result<Vec<(TokenDigest, StoredToken)>, StoreError> {
        let mut tokens = self.store.tokens_under(account.id, self.validity()).await?;
        tokens.retain(|(owner, _)| owner.is_same(of.as_str()));
        Ok(tokens.into_iter().map(|(_, token)| (TokenDigest(token.digest), token)).collect())
    }

    /// Returns the tokens of a user and of the user's bots, each with its user, the newest first.
    pub(crate) async fn tokens_under(
        &self,
        account: &User,
    ) -> Result<Vec<(UserName, TokenDigest, StoredToken)>, StoreError> {
        let tokens = self.store.tokens_under(account.id, self.validity()).await?;
        let with_digest =
            |(owner, token): (UserName, StoredToken)| (owner, TokenDigest(token.digest), token);
        Ok(tokens.into_iter().map(with_digest).collect())
    }

    /// Returns a token of the user, or of one of the user's bots, with the name of its user.
    pub(crate) async fn find_token(
        &self,
        account: &User,
        id: &TokenId,
    ) -> Result<Option<(UserName, TokenDigest)>, StoreError> {
        let tokens = self.store.tokens_under(account.id, self.validity()).await?;
        let named = tokens.into_iter().map(|(owner, token)| (owner, TokenDigest(token.digest)));
        Ok(named.into_iter().find(|(_, digest)| digest.id() == *id))
    }

    /// Revokes a token. The caller ends its sessions.
    pub(crate) async fn revoke(&self, token: TokenDigest) -> Result<bool, StoreError> {
        let deleted = self.store.delete_token(token.0).await;
        self.revocations.advance();
        deleted
    }

    /// Tokens have ended on another node: a session that is being opened checks its token again.
    pub(crate) fn note_revocation(&self) {
        self.revocations.advance();
    }

    /// Whether the token of a log-in is still valid.
    pub(crate) async fn is_still_valid(&self, logged_in: &LoggedIn) -> Result<bool, StoreError> {
        if self.revocations.epoch() == logged_in.checked_at {
            return Ok(true);
        }
        self.store.has_token(logged_in.token.0, self.validity()).await
    }

    /// Returns those of some tokens that are valid no longer.
    pub(crate) async fn ended_tokens(
        &self,
        tokens: &[TokenDigest],
    ) -> Result<Vec<TokenDigest>, StoreError> {
        let digests = tokens.iter().map(|token| token.0).collect();
        let ended = self.store.invalid_tokens(digests, self.validity()).await?;
        Ok(ended.into_iter().map(TokenDigest).collect())
    }

    /// Records that a token opened a session, unless its last use, `used_at`, is recent.
    pub(crate) async fn record_use(
        &self,
        token: TokenDigest,
        used_at: Option<u64>,
    ) -> Result<(), StoreError> {
        let now_ms = self.time.now_ms();
        let grain_ms =
            milliseconds(TOKEN_USE_GRAIN).min(self.token_lifetimes.idle_ms / TOKEN_USE_SHARE);
        if used_at.is_some_and(|used_at| now_ms < used_at.saturating_add(grain_ms)) {
            return Ok(());
        }
        self.store.touch_tokens(vec![token.0], now_ms).await
    }
}
