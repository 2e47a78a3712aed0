//! Log-in, sign-up, passwords, tokens, bots and guests.

use std::{collections::BTreeSet, sync::Arc};

use adamant_protocol::{UserName, from_client::Auth, ids::TokenId};

use super::{
    error::AuthError,
    mail::{Letter, MailQueue, Mailer, new_mail_code},
    password::Hashing,
    throttle::Throttle,
    tokens::{
        IssuedToken, RevocationEpoch, Revocations, TokenDigest, TokenSpec, code_digest, new_code,
        new_secret,
    },
};
use crate::{
    address::ClientAddress,
    cluster::NodeId,
    config::{Config, LimitsInForce, is_mail_address},
    limits::{
        PASSWORD_BYTES, TOKEN_LABEL_BYTES_MAX, TOKEN_USE_GRAIN, TOKEN_USE_SHARE,
        TOKEN_USES_PER_WRITE,
    },
    quotas::Quotas,
    runtime::{
        entropy::Entropy,
        environment::Environment,
        metrics::Metrics,
        shutdown::Lifecycle,
        time::{TimeSource, milliseconds},
    },
    store::{
        AddTokenOutcome, CloseOutcome, CreateUserOutcome, GUEST_LABEL, MailAddresses, NewToken,
        NewUser, NewUserKind, PasswordChange, SessionSeed, Store, StoreError, StoredBot,
        StoredToken, Swept, UpgradeOutcome, User, Validity, is_reserved,
    },
};

/// The result of a successful log-in.
#[derive(Debug, Clone)]
pub(crate) struct LoggedIn {
    pub user: User,
    /// Whether the client is a program. A newer session with its token replaces this one.
    pub bot: bool,
    /// The secret of a new token, after a log-in that was not by token.
    pub secret: Option<Box<str>>,
    pub token: TokenDigest,
    /// When the token ends, in epoch milliseconds.
    pub expires_at: Option<u64>,
    /// When the token was last used.
    pub used_at: Option<u64>,
    /// Older tokens that the store deleted because the user has the maximum number.
    pub evicted: Vec<TokenDigest>,
    /// The epoch in which the token was found valid.
    checked_at: RevocationEpoch,
}

#[derive(Debug, Clone)]
pub(crate) struct Accounts {
    pub(super) store: Store,
    hashing: Arc<Hashing>,
    throttle: Arc<Throttle>,
    mail: MailQueue,
    revocations: Arc<Revocations>,
    pub(super) time: TimeSource,
    pub(super) entropy: Entropy,
    limits: LimitsInForce,
}

impl Accounts {
    pub(crate) fn new(
        store: Store,
        environment: &Environment,
        limits: LimitsInForce,
        quotas: Arc<Quotas>,
    ) -> Self {
        let Environment { time, entropy, work } = environment.clone();
        let throttle = Arc::new(Throttle::new(&limits, quotas));
        let (hashing, revocations) =
            (Arc::new(Hashing::new(work, entropy.clone())), Arc::default());
        let mail = MailQueue::default();
        Self { store, hashing, throttle, mail, revocations, time, entropy, limits }
    }

    /// Logs a client in. Also returns what its session starts with, because one read of the store
    /// has both for a client that comes by token.
    pub(crate) async fn log_in(
        &self,
        auth: Auth,
        from: Option<ClientAddress>,
    ) -> Result<(LoggedIn, SessionSeed), AuthError> {
        match auth {
            Auth::Token(secret) => self.log_in_with(TokenDigest::of(&secret)).await,
            Auth::Password { user: name, password } => {
                let (user, hash) = self.check_password(name, password, from).await?;
                let logged_in = self.issue_log_in(user, "log-in", Some(hash)).await?;
                let seed = self.store.session_seed(logged_in.user.name.clone()).await?;
                Ok((logged_in, seed))
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
    ) -> Result<(LoggedIn, SessionSeed), AuthError> {
        self.check_name(&name).await?;
        self.throttle.guest(from, self.time.now_ms())?;
        let logged_in = self.create_logged_in(name, NewUserKind::Guest, (GUEST_LABEL, bot)).await?;
        Ok((logged_in, SessionSeed::default()))
    }

    async fn log_in_with(&self, token: TokenDigest) -> Result<(LoggedIn, SessionSeed), AuthError> {
        let checked_at = self.revocations.epoch();
        let found = self.store.open_token(token.0, self.validity()).await?;
        let (user, stored, seed) = found.ok_or(AuthError::BadToken)?;
        let logged_in = LoggedIn {
            bot: stored.bot || user.is_bot(),
            user,
            secret: None,
            token,
            expires_at: stored.expires_at,
            used_at: stored.used_at,
            evicted: Vec::new(),
            checked_at,
        };
        Ok((logged_in, seed))
    }

    /// Returns the user and the stored hash if the password is right. An unknown name takes as much
    /// time as a wrong password.
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
            Ok(true) => attempt.reset(),
            // No password was checked.
            Err(_) => {
                attempt.reset();
                self.throttle.refund_check(from);
            }
        }
        match (right?, user, hash) {
            (true, Some(user), Some(hash)) => Ok((user, hash)),
            (_, _, _) => Err(AuthError::BadPassword),
        }
    }

    /// Creates an account, or turns a guest into one. The guest's tokens are revoked; the caller
    /// ends the sessions.
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
            if !guest.name.is_same(name.as_str())
                && self.store.count_live_of(&guest.name).await? > 0
            {
                return Err(AuthError::LiveUnderName(guest.name.clone()));
            }
        }
        // The check comes before the hash, which takes longer than all the rest.
        if guest.is_none_or(|guest| !guest.name.is_same(name.as_str())) {
            self.check_name(&name).await?;
        }
        self.throttle.sign_up(from, self.time.now_ms())?;
        self.throttle.check(from, self.time.now_ms())?;
        let hash = self.hashing.hash(password, from).await.inspect_err(|_| {
            self.throttle.refund_check(from);
            self.throttle.refund_sign_up(from);
        })?;
        let user = match guest {
            Some(guest) => {
                let now_ms = self.time.now_ms();
                let upgraded = self.store.upgrade_guest(guest.id, name.clone(), hash, now_ms).await;
                self.revocations.advance();
                match upgraded? {
                    UpgradeOutcome::Upgraded(user) => user,
                    UpgradeOutcome::NameTaken(like) => return Err(taken(name, like)),
                    UpgradeOutcome::HasLiveGames => {
                        return Err(AuthError::LiveUnderName(guest.name.clone()));
                    }
                    UpgradeOutcome::NoGuest => return Err(AuthError::HasAccount),
                }
            }
            None => {
                return self
                    .create_logged_in(name, NewUserKind::Account(hash), ("sign-up", false))
                    .await;
            }
        };
        self.issue_log_in(user, "sign-up", None).await
    }

    /// Changes the password of an account. Revokes its other log-in tokens, with `bots` also those
    /// of programs. The caller ends the sessions.
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
        let (user, keep) = (user.id, keep.0);
        let change = PasswordChange { user, old_hash, new_hash, keep, bots };
        let changed = self.store.change_password(change).await;
        self.revocations.advance();
        if changed? { Ok(()) } else { Err(AuthError::BadPassword) }
    }

    /// Closes an account for whoever knows its password: what is stored about the user goes, and
    /// the name stays taken. See [`Store::close_account`]. The caller ends the sessions.
    pub(crate) async fn close(
        &self,
        user: &User,
        password: Box<str>,
        from: Option<ClientAddress>,
    ) -> Result<(), AuthError> {
        if user.guest || user.is_bot() {
            return Err(AuthError::NoPassword);
        }
        let (_, hash) = self.check_password(user.name.clone(), password, from).await?;
        let closed = self.store.close_account(user.id, hash).await;
        self.revocations.advance();
        match closed? {
            CloseOutcome::Closed => Ok(()),
            CloseOutcome::PasswordChanged => Err(AuthError::BadPassword),
            CloseOutcome::HasLiveGames(games) => Err(AuthError::LiveGames(games)),
        }
    }

    /// Returns a code with which whoever has it sets the password of an account, and what the store
    /// keeps of it.
    pub(crate) fn new_reset_code(&self) -> (Box<str>, TokenDigest) {
        let code = new_code(&mut self.entropy.clone());
        let digest = code_digest(&code);
        (code, digest)
    }

    /// Gives an account a recovery code, in place of its last one.
    pub(crate) async fn give_recovery_code(&self, account: &User) -> Result<Box<str>, StoreError> {
        let (code, digest) = self.new_reset_code();
        self.store.set_recovery_code(account.id, digest.0).await?;
        Ok(code)
    }

    /// The same for whoever knows the password: a token alone must not be worth the account.
    pub(crate) async fn new_recovery_code(
        &self,
        user: &User,
        password: Box<str>,
        from: Option<ClientAddress>,
    ) -> Result<Box<str>, AuthError> {
        if user.guest || user.is_bot() {
            return Err(AuthError::NoPassword);
        }
        self.check_password(user.name.clone(), password, from).await?;
        Ok(self.give_recovery_code(user).await?)
    }

    /// Starts to hand mails to the configured command, if there is one.
    pub(crate) fn start_mail(
        &self,
        config: &Config,
        metrics: &Arc<Metrics>,
        lifecycle: &Lifecycle,
    ) {
        if !config.mail.is_on() {
            return;
        }
        let url = config.notifications.url.as_str();
        let mailer = Mailer {
            store: self.store.clone(),
            throttle: Arc::clone(&self.throttle),
            time: self.time.clone(),
            entropy: self.entropy.clone(),
            metrics: Arc::clone(metrics),
            config: config.mail.clone(),
            server: if url.is_empty() { "this Adamant server" } else { url }.to_owned(),
        };
        mailer.start(&self.mail, lifecycle);
    }

    /// Whether the server sends mail.
    pub(crate) fn sends_mail(&self) -> bool {
        self.mail.is_open()
    }

    /// Sends a code to an address that an account is to have, or deletes the address that it has.
    pub(crate) async fn set_mail_address(
        &self,
        user: &User,
        (password, address): (Box<str>, Option<Box<str>>),
        from: Option<ClientAddress>,
    ) -> Result<(), AuthError> {
        if user.guest || user.is_bot() {
            return Err(AuthError::NoPassword);
        }
        let Some(address) = address else {
            self.check_password(user.name.clone(), password, from).await?;
            return Ok(self.store.delete_mail_addresses(user.id).await?);
        };
        if !self.sends_mail() {
            return Err(AuthError::NoMail);
        }
        if !is_mail_address(&address) {
            return Err(AuthError::MailAddress);
        }
        self.check_password(user.name.clone(), password, from).await?;
        self.throttle.mail(from, Some(&user.name), self.time.now_ms())?;
        let (code, digest, until) = new_mail_code(&self.entropy, &self.time);
        self.store.add_mail_address(user.id, address.clone(), digest.0, until).await?;
        let letter = Letter::Confirm { user: user.name.clone(), address, code };
        if self.mail.put(letter) { Ok(()) } else { Err(AuthError::MailBusy) }
    }

    /// Confirms the address to which a code was sent. A wrong code counts as a failed log-in.
    pub(crate) async fn confirm_mail_address(
        &self,
        user: &User,
        code: &str,
        from: Option<ClientAddress>,
    ) -> Result<(), AuthError> {
        let attempt = self.throttle.attempt(from, &user.name, self.time.now_ms())?;
        let (digest, now_ms) = (code_digest(code), self.time.now_ms());
        if !self.store.confirm_mail_address(user.id, digest.0, now_ms).await? {
            return Err(AuthError::BadCode);
        }
        attempt.reset();
        Ok(())
    }

    /// Returns the addresses of an account.
    pub(crate) async fn mail_addresses(&self, user: &User) -> Result<MailAddresses, StoreError> {
        self.store.mail_addresses(user.id, self.time.now_ms()).await
    }

    /// Sends a code for a new password to the address of an account. Whether there is one, and
    /// whether anybody has the name, the client does not learn.
    pub(crate) fn mail_reset_code(
        &self,
        user: UserName,
        from: Option<ClientAddress>,
    ) -> Result<(), AuthError> {
        if !self.sends_mail() {
            return Err(AuthError::NoMail);
        }
        self.throttle.mail(from, None, self.time.now_ms())?;
        if self.mail.put(Letter::Reset { user }) { Ok(()) } else { Err(AuthError::MailBusy) }
    }

    /// Sets the password with a code: the account's own, one from a mail, or one of the operator.
    /// All tokens of the account and its bots end; the caller ends the sessions. A wrong code counts
    /// as a failed log-in.
    pub(crate) async fn reset_password(
        &self,
        name: UserName,
        code: &str,
        new: Box<str>,
        from: Option<ClientAddress>,
    ) -> Result<User, AuthError> {
        if !PASSWORD_BYTES.contains(&new.len()) {
            return Err(AuthError::PasswordLength);
        }
        let attempt = self.throttle.attempt(from, &name, self.time.now_ms())?;
        let (digest, now_ms) = (code_digest(code), self.time.now_ms());
        let found = self.store.reset_code(name, digest.0, now_ms).await;
        let user = found?.ok_or(AuthError::BadCode)?;
        attempt.reset();
        let hash = self.hashing.hash(new, from).await?;
        let is_set = self.store.use_reset_code(user.id, digest.0, hash, self.time.now_ms()).await;
        self.revocations.advance();
        if is_set? { Ok(user) } else { Err(AuthError::BadCode) }
    }

    /// Creates a bot that belongs to an account.
    pub(crate) async fn create_bot(&self, owner: &User, name: UserName) -> Result<User, AuthError> {
        self.check_name(&name).await?;
        self.create_user(name, NewUserKind::Bot(owner.id)).await
    }

    /// Returns a user's bots, the oldest first.
    pub(crate) async fn bots(&self, owner: &User) -> Result<Vec<StoredBot>, StoreError> {
        self.store.bots_of(owner.id).await
    }

    pub(crate) async fn find(&self, name: UserName) -> Result<Option<User>, StoreError> {
        Ok(self.store.find_user(name).await?.map(|(user, _)| user))
    }

    /// Logs in one of the server's own bots, which the first start creates. The token replaces that
    /// of the last start of this node. Returns `None` if an account has the name.
    pub(crate) async fn house(
        &self,
        name: UserName,
        node: Option<NodeId>,
    ) -> Result<Option<LoggedIn>, AuthError> {
        let label = node.map_or("house".to_owned(), |node| format!("house {node}"));
        let mut found = self.find(name.clone()).await?;
        if found.is_none() {
            let made = self.create_logged_in(name.clone(), NewUserKind::House, (&label, false));
            let made = made.await;
            match made {
                // Another node has created it at the same moment.
                Err(AuthError::NameTaken { .. }) => found = self.find(name).await?,
                made => return made.map(Some),
            }
        }
        match found {
            Some(user) if user.house => {
                self.delete_tokens_labelled(&user, &label).await?;
                Ok(Some(self.issue_log_in(user, &label, None).await?))
            }
            Some(_) | None => Ok(None),
        }
    }

    async fn delete_tokens_labelled(&self, user: &User, label: &str) -> Result<(), StoreError> {
        for (digest, token) in self.tokens(user, &user.name).await? {
            if &*token.label == label {
                self.store.delete_token(digest.0).await?;
            }
        }
        Ok(())
    }

    /// Deletes expired tokens, and guests without a game who last logged in `unused_guests_after`
    /// ago.
    pub(crate) async fn sweep(
        &self,
        unused_guests_after: std::time::Duration,
    ) -> Result<Swept, StoreError> {
        let now_ms = self.time.now_ms();
        let after_ms = u64::try_from(unused_guests_after.as_millis()).unwrap_or(u64::MAX);
        let swept = self.store.sweep(self.validity(), now_ms.saturating_sub(after_ms)).await;
        // The tokens of deleted guests end, perhaps while one of them opens a session.
        self.revocations.advance();
        swept
    }

    /// Deletes a guest without a token, unless there are games in the guest's name.
    pub(crate) async fn delete_guest(&self, guest: &User) -> Result<(), StoreError> {
        self.store.delete_guest(guest.id).await
    }

    /// Records that sessions of these tokens are still open.
    pub(crate) async fn record_uses(
        &self,
        tokens: BTreeSet<TokenDigest>,
    ) -> Result<(), StoreError> {
        let digests: Vec<[u8; 32]> = tokens.into_iter().map(|token| token.0).collect();
        for some in digests.chunks(TOKEN_USES_PER_WRITE) {
            self.store.touch_tokens(some.to_vec(), self.time.now_ms()).await?;
        }
        Ok(())
    }

    /// Rejects a name that is taken, looks like a taken one, or is reserved.
    async fn check_name(&self, name: &UserName) -> Result<(), AuthError> {
        match self.store.find_lookalike(name.clone()).await? {
            Some(like) => Err(taken(name.clone(), like)),
            None if is_reserved(name) => Err(AuthError::NameReserved(name.clone())),
            None => Ok(()),
        }
    }

    async fn create_user(&self, name: UserName, kind: NewUserKind) -> Result<User, AuthError> {
        let created_at = self.time.now_ms();
        let new = NewUser { name: name.clone(), kind, created_at };
        created(self.store.create_user(new, None).await?, name)
    }

    /// Creates a user that is logged in at once.
    async fn create_logged_in(
        &self,
        name: UserName,
        kind: NewUserKind,
        (label, bot): (&str, bool),
    ) -> Result<LoggedIn, AuthError> {
        let checked_at = self.revocations.epoch();
        let ends = matches!(kind, NewUserKind::Account(_));
        let (secret, token) = self.new_log_in_token((label, bot), None, ends);
        let (digest, expires_at) = (TokenDigest(token.digest), token.expires_at);
        let issued = IssuedToken { secret, digest, expires_at, evicted: Vec::new() };
        let new = NewUser { name: name.clone(), kind, created_at: token.created_at };
        let user = created(self.store.create_user(new, Some(token)).await?, name)?;
        Ok(LoggedIn { bot: bot || user.is_bot(), ..self.logged_in_with(user, issued, checked_at) })
    }

    async fn issue_log_in(
        &self,
        user: User,
        label: &str,
        password_hash: Option<String>,
    ) -> Result<LoggedIn, AuthError> {
        let checked_at = self.revocations.epoch();
        let issued = self.create_log_in(&user, label, password_hash).await?;
        Ok(self.logged_in_with(user, issued, checked_at))
    }

    /// Returns the log-in of a user with a new token.
    fn logged_in_with(
        &self,
        user: User,
        issued: IssuedToken,
        checked_at: RevocationEpoch,
    ) -> LoggedIn {
        LoggedIn {
            bot: user.is_bot(),
            user,
            secret: Some(issued.secret),
            token: issued.digest,
            expires_at: issued.expires_at,
            used_at: Some(self.time.now_ms()),
            evicted: issued.evicted,
            checked_at,
        }
    }
}

/// Tokens: secrets that open sessions without a password.
impl Accounts {
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
    async fn create_log_in(
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
        (!guest)
            .then(|| created_at.saturating_add(milliseconds(self.limits.get().log_ins_end_after)))
    }

    /// How long a token is valid after its last use.
    fn idle_ms(&self) -> u64 {
        milliseconds(self.limits.get().log_ins_idle_after)
    }

    /// Returns what a token must fulfil to be valid now.
    pub(super) fn validity(&self) -> Validity {
        let now_ms = self.time.now_ms();
        Validity { now_ms, used_since: now_ms.saturating_sub(self.idle_ms()) }
    }

    /// Returns a secret and the row of its token, not stored yet.
    fn new_log_in_token(
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
        let grain_ms = milliseconds(TOKEN_USE_GRAIN).min(self.idle_ms() / TOKEN_USE_SHARE);
        if used_at.is_some_and(|used_at| now_ms < used_at.saturating_add(grain_ms)) {
            return Ok(());
        }
        self.store.touch_tokens(vec![token.0], now_ms).await
    }
}

fn created(outcome: CreateUserOutcome, name: UserName) -> Result<User, AuthError> {
    match outcome {
        CreateUserOutcome::Created(user) => Ok(user),
        CreateUserOutcome::NameTaken(like) => Err(taken(name, like)),
        CreateUserOutcome::BotLimitReached => Err(AuthError::BotsFull),
    }
}

fn taken(name: UserName, like: UserName) -> AuthError {
    if name.is_same(like.as_str()) {
        AuthError::NameTaken(name)
    } else {
        AuthError::NameAlike { name, like }
    }
}
