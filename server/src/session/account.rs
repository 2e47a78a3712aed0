//! What a session does about accounts: `signup`, passwords, tokens, bots, and how users are
//! notified while they are away.

use std::sync::Arc;

use adamant_protocol::UserName;
use adamant_protocol::from_client::{
    AccountClose, BotCreate, BotList, BotStatus, Logout, MailConfirm, MailGet, MailSet,
    PasswordChange, PasswordMail, PasswordReset, PushList, PushSubscribe, PushUnsubscribe,
    RecoveryCode, Signup, TokenCreate, TokenList, TokenRevoke, WebhookDelete, WebhookGet,
    WebhookSet,
};
use adamant_protocol::to_client::{BotEntry, Bots, Done, Mail, TokenEntry, Tokens};

use crate::accounts::{TokenDigest, TokenSpec};
use crate::limits::{NOTIFICATION_ROW_BYTES, USER_ROW_BYTES};
use crate::session::session::{Handled, Services, Session};
use crate::{cluster::EndedSessions, error::Denial, outbound::client::ClientHandle, store::User};

impl Session {
    pub(super) async fn sign_up(&mut self, client: &Arc<ClientHandle>, request: Signup) -> Handled {
        let accounts = &self.services.accounts;
        let present = match &client.user {
            Some(_) => Some(self.person(client).await?),
            None => None,
        };
        let Services { policy, .. } = &*self.services;
        let admission = policy.admit(request.invitation.as_deref()).await?;
        let signed_up =
            accounts.sign_up(present.as_ref(), request.user, request.password, self.from).await;
        let logged_in = match signed_up {
            Ok(logged_in) => logged_in,
            Err(error) => {
                policy.withdraw(admission).await;
                return Err(error.into());
            }
        };
        self.services.metrics.sign_ups.inc();
        let address = self.from.as_ref().map(tracing::field::display);
        // operator: a sign-up
        tracing::info!(client = address, user = %logged_in.user.name, "account created");
        let mut done = Done::new(request.id);
        done.user = Some(logged_in.user.name.clone());
        done.token.clone_from(&logged_in.secret);
        done.token_id = Some(logged_in.token.id());
        // Without one the account is there all the same, and can ask for another.
        done.recovery = accounts.give_recovery_code(&logged_in.user).await.ok();
        let account = Arc::new(ClientHandle {
            prefs: client.prefs,
            // Rooms go on knowing the session as it was, and are to hear of changes.
            muted: Arc::clone(&client.muted),
            ..self.client_of(Some(&logged_in), &[])
        });
        self.services.lobby.leave(client).await;
        let is_new = |former: &&UserName| !former.is_same(logged_in.user.name.as_str());
        if let Some(former) = client.user.as_ref().filter(is_new) {
            // Nobody answers to that name any more. An offer that stays expires.
            drop(self.services.lobby.close_offers_of(former).await);
        }
        self.services.live_lists.leave(self.id);
        self.speak_as(&account);
        self.opened_with = Some(logged_in.token);
        self.expires_at = logged_in.expires_at;
        // The answer comes before challenges to the new account.
        self.reply(done).await;
        let lobby = &self.services.lobby;
        let challenges = lobby.enter(&account, Some(logged_in.token));
        // The guest's other tokens have ended; one may be left on a foreign computer.
        for name in client.user.iter().chain([&logged_in.user.name]) {
            lobby.end_other_sessions(name, logged_in.token.id(), true).await;
        }
        lobby.send_pending(&account, &challenges).await;
        Ok(())
    }

    /// The session's user.
    async fn account(&self, client: &ClientHandle) -> Result<User, Denial> {
        self.services.accounts.find(user(client)?).await?.ok_or_else(unknown)
    }

    /// The session's user, if it is not a program that speaks: a program's token that falls into
    /// wrong hands must not be worth the whole account.
    pub(super) async fn person(&self, client: &ClientHandle) -> Result<User, Denial> {
        if client.bot {
            let message = "a program does not change its account: its owner does";
            return Err(Denial::Forbidden(message.to_owned()));
        }
        self.account(client).await
    }

    /// The user whose tokens are meant: a bot of the account's, or the account itself.
    async fn token_owner(&self, account: &User, named: Option<UserName>) -> Result<User, Denial> {
        let Some(name) = named.filter(|name| !name.is_same(account.name.as_str())) else {
            return Ok(account.clone());
        };
        let found = self.services.accounts.find(name.clone()).await?;
        let user = found.ok_or_else(|| Denial::NotFound(format!("user {name}")))?;
        if user.owner.as_ref() != Some(&account.name) {
            return Err(Denial::Forbidden(format!("{} is not your bot", user.name)));
        }
        Ok(user)
    }

    pub(super) async fn create_token(
        &self,
        client: &ClientHandle,
        request: TokenCreate,
    ) -> Handled {
        let account = self.person(client).await?;
        if request.expires.is_some_and(|expires| expires <= self.now_ms()) {
            return Err(Denial::BadMessage("the token would have expired already".to_owned()));
        }
        let owner = self.token_owner(&account, request.user).await?;
        let terms = TokenSpec {
            label: request.label,
            bot: request.bot || owner.is_bot(),
            expires_at: request.expires,
        };
        let accounts = &self.services.accounts;
        // Of the log-ins, this is not the one that was not used for longest.
        if let Some(token) = self.opened_with {
            accounts.record_use(token, None).await?;
        }
        let made = accounts.create_token(&owner, terms).await?;
        let mut done = Done::new(request.id);
        done.token = Some(made.secret);
        done.token_id = Some(made.digest.id());
        self.reply(done).await;
        if !made.evicted.is_empty() {
            self.services.lobby.end_sessions(&owner.name, sessions_of(&made.evicted));
        }
        Ok(())
    }

    pub(super) async fn list_tokens(&self, client: &ClientHandle, request: TokenList) -> Handled {
        let account = self.account(client).await?;
        let owner = self.token_owner(&account, request.user).await?;
        let tokens = self.services.accounts.tokens(&account, &owner.name).await?;
        let tokens = tokens
            .into_iter()
            .map(|(digest, token)| TokenEntry {
                token: digest.id(),
                label: token.label,
                bot: token.bot,
                created: token.created_at,
                expires: token.expires_at,
                last_used: token.used_at,
                current: self.opened_with == Some(digest),
            })
            .collect();
        self.reply(Tokens { re: request.id, tokens }).await;
        Ok(())
    }

    /// Ends a token, then tells so, then ends the sessions that it has opened, perhaps this one.
    pub(super) async fn revoke_token(
        &self,
        client: &Arc<ClientHandle>,
        request: TokenRevoke,
    ) -> Handled {
        let account = self.account(client).await?;
        let accounts = &self.services.accounts;
        let found = accounts.find_token(&account, &request.token).await?;
        let not_found = move || Denial::NotFound(format!("token {} of yours", request.token));
        let (owner, token) = found.ok_or_else(&not_found)?;
        // A program may put its own token out of use and no other.
        if client.bot && self.opened_with != Some(token) {
            self.person(client).await?;
        }
        let (services, client) = (Arc::clone(&self.services), Arc::clone(client));
        self.spawn_uncancelled(async move {
            if !services.accounts.revoke(token).await? {
                return Err(not_found());
            }
            client.reply(Done::new(request.id));
            services.lobby.end_sessions(&owner, sessions_of(&[token]));
            Ok(())
        })
        .await
    }

    /// Ends the session's own token. A guest who has no other one is gone for good.
    pub(super) async fn log_out(&self, client: &Arc<ClientHandle>, request: Logout) -> Handled {
        let account = self.account(client).await?;
        let token = self.opened_with.expect("a session with a user has a token");
        let Services { accounts, store, .. } = &*self.services;
        let gone = account.guest && accounts.tokens(&account, &account.name).await?.len() < 2;
        let live = store.count_live_of(&account.name).await?;
        if gone && live > 0 && !request.forget {
            let message = format!(
                "a guest who logs out cannot come back, and you have {live} live games: sign up first, \
                 or log out with forget"
            );
            return Err(Denial::Forbidden(message));
        }
        let (services, client) = (Arc::clone(&self.services), Arc::clone(client));
        self.spawn_uncancelled(async move {
            let Services { accounts, lobby, .. } = &*services;
            accounts.revoke(token).await?;
            if gone {
                lobby.close_offers_of(&account.name).await?;
                accounts.delete_guest(&account).await?;
            }
            client.reply(Done::new(request.id));
            lobby.end_sessions(&account.name, sessions_of(&[token]));
            Ok(())
        })
        .await
    }

    pub(super) async fn change_password(
        &self,
        client: &Arc<ClientHandle>,
        request: PasswordChange,
    ) -> Handled {
        let account = self.person(client).await?;
        let accounts = &self.services.accounts;
        let keep = self.opened_with.expect("a session with a user has a token");
        let bots = if request.revoke_all { accounts.bots(&account).await? } else { Vec::new() };
        let (passwords, all) = ((request.old, request.new), request.revoke_all);
        let (services, client, from) = (Arc::clone(&self.services), Arc::clone(client), self.from);
        self.spawn_uncancelled(async move {
            let Services { accounts, lobby, .. } = &*services;
            accounts.change_password(&account, passwords, (keep, all), from).await?;
            client.reply(Done::new(request.id));
            lobby.end_other_sessions(&account.name, keep.id(), all).await;
            for bot in bots {
                lobby.end_sessions(&bot.name, EndedSessions::All);
            }
            Ok(())
        })
        .await
    }

    pub(super) async fn make_recovery_code(
        &self,
        client: &ClientHandle,
        request: RecoveryCode,
    ) -> Handled {
        let account = self.person(client).await?;
        let accounts = &self.services.accounts;
        let code = accounts.new_recovery_code(&account, request.password, self.from).await?;
        self.reply(Done { recovery: Some(code), ..Done::new(request.id) }).await;
        Ok(())
    }

    pub(super) async fn set_mail(&self, client: &ClientHandle, request: MailSet) -> Handled {
        let account = self.person(client).await?;
        let wish = (request.password, request.address);
        self.services.accounts.set_mail_address(&account, wish, self.from).await?;
        self.reply(Done::new(request.id)).await;
        Ok(())
    }

    pub(super) async fn confirm_mail(
        &self,
        client: &ClientHandle,
        request: MailConfirm,
    ) -> Handled {
        let account = self.person(client).await?;
        let accounts = &self.services.accounts;
        accounts.confirm_mail_address(&account, &request.code, self.from).await?;
        self.reply(Done::new(request.id)).await;
        Ok(())
    }

    pub(super) async fn show_mail(&self, client: &ClientHandle, request: MailGet) -> Handled {
        let account = self.person(client).await?;
        let found = self.services.accounts.mail_addresses(&account).await?;
        let (address, waiting) = (found.confirmed, found.waiting);
        self.reply(Mail { re: request.id, address, waiting }).await;
        Ok(())
    }

    pub(super) async fn mail_reset_code(&self, request: PasswordMail) -> Handled {
        self.services.accounts.mail_reset_code(request.user, self.from)?;
        self.reply(Done::new(request.id)).await;
        Ok(())
    }

    /// Closes the account, withdraws what it and its bots offer, and ends their sessions.
    pub(super) async fn close_account(
        &self,
        client: &Arc<ClientHandle>,
        request: AccountClose,
    ) -> Handled {
        let account = self.person(client).await?;
        let bots = self.services.accounts.bots(&account).await?;
        let (services, client, from) = (Arc::clone(&self.services), Arc::clone(client), self.from);
        self.spawn_uncancelled(async move {
            let Services { accounts, lobby, .. } = &*services;
            accounts.close(&account, request.password, from).await?;
            client.reply(Done::new(request.id));
            for user in bots.into_iter().map(|bot| bot.name).chain([account.name]) {
                if let Err(denial) = lobby.close_offers_of(&user).await {
                    // operator: the store failed; what the user offers stands until it expires
                    tracing::warn!(%user, ?denial, "withdrawing the offers of a closed account failed");
                }
                lobby.end_sessions(&user, EndedSessions::All);
            }
            Ok(())
        })
        .await
    }

    /// Sets the password of whoever has a code, and ends the account's sessions,
    /// this one perhaps included.
    pub(super) async fn reset_password(
        &self,
        client: &Arc<ClientHandle>,
        request: PasswordReset,
    ) -> Handled {
        let PasswordReset { id, user, code, new } = request;
        let (services, client, from) = (Arc::clone(&self.services), Arc::clone(client), self.from);
        self.spawn_uncancelled(async move {
            let Services { accounts, lobby, .. } = &*services;
            let account = accounts.reset_password(user, &code, new, from).await?;
            let address = from.as_ref().map(tracing::field::display);
            // operator: a password was set with a recovery code, or the code of an operator
            tracing::info!(client = address, user = %account.name, "password reset");
            let bots = accounts.bots(&account).await?;
            let recovery = accounts.give_recovery_code(&account).await.ok();
            let user = Some(account.name.clone());
            client.reply(Done { user, recovery, ..Done::new(id) });
            for name in bots.into_iter().map(|bot| bot.name).chain([account.name]) {
                lobby.end_sessions(&name, EndedSessions::All);
            }
            Ok(())
        })
        .await
    }

    pub(super) async fn create_bot(&self, client: &ClientHandle, request: BotCreate) -> Handled {
        let account = self.person(client).await?;
        if account.guest {
            return Err(Denial::Forbidden("only accounts own bots: sign up first".to_owned()));
        }
        self.allow_stored(client)?;
        let bot = self.services.accounts.create_bot(&account, request.name).await?;
        self.charge(client, USER_ROW_BYTES);
        let mut done = Done::new(request.id);
        done.user = Some(bot.name);
        self.reply(done).await;
        Ok(())
    }

    pub(super) async fn list_bots(&self, client: &ClientHandle, request: BotList) -> Handled {
        let account = self.account(client).await?;
        let bots = self.services.accounts.bots(&account).await?;
        let bots = bots
            .into_iter()
            .map(|bot| BotEntry { name: bot.name, created: bot.created_at, tokens: bot.tokens })
            .collect();
        self.reply(Bots { re: request.id, bots }).await;
        Ok(())
    }

    pub(super) async fn set_bot_status(
        &self,
        client: &ClientHandle,
        request: BotStatus,
    ) -> Handled {
        let re = request.id.clone();
        self.services.lobby.set_bot_status(client, request).await?;
        self.reply(Done::new(re)).await;
        Ok(())
    }

    pub(super) async fn subscribe_push(
        &self,
        client: &ClientHandle,
        request: PushSubscribe,
    ) -> Handled {
        let token = self.opened_with.ok_or_else(|| {
            Denial::Forbidden("a push subscription needs a session with a token".to_owned())
        })?;
        self.allow_stored(client)?;
        let done = self.services.notifications.subscribe(token, request).await?;
        self.charge(client, NOTIFICATION_ROW_BYTES);
        self.reply(done).await;
        Ok(())
    }

    pub(super) async fn unsubscribe_push(
        &self,
        client: &ClientHandle,
        request: PushUnsubscribe,
    ) -> Handled {
        let done = self.services.notifications.unsubscribe(user(client)?, request).await?;
        self.reply(done).await;
        Ok(())
    }

    pub(super) async fn list_push(&self, client: &ClientHandle, request: PushList) -> Handled {
        let list = self.services.notifications.subscriptions(user(client)?, request).await?;
        self.reply(list).await;
        Ok(())
    }

    /// The user whose webhook is meant: a bot of the session's user, or that user.
    async fn webhook_owner(
        &self,
        client: &ClientHandle,
        named: Option<UserName>,
    ) -> Result<User, Denial> {
        let account = self.person(client).await?;
        self.token_owner(&account, named).await
    }

    pub(super) async fn set_webhook(&self, client: &ClientHandle, request: WebhookSet) -> Handled {
        let WebhookSet { id, url, user } = request;
        let owner = self.webhook_owner(client, user).await?;
        self.allow_stored(client)?;
        let done = self.services.notifications.set_webhook(&owner, id, url).await?;
        self.charge(client, NOTIFICATION_ROW_BYTES);
        self.reply(done).await;
        Ok(())
    }

    pub(super) async fn show_webhook(&self, client: &ClientHandle, request: WebhookGet) -> Handled {
        let owner = self.webhook_owner(client, request.user).await?;
        let webhook = self.services.notifications.webhook(owner.name, request.id).await?;
        self.reply(webhook).await;
        Ok(())
    }

    pub(super) async fn delete_webhook(
        &self,
        client: &ClientHandle,
        request: WebhookDelete,
    ) -> Handled {
        let owner = self.webhook_owner(client, request.user).await?;
        let done = self.services.notifications.delete_webhook(&owner, request.id).await?;
        self.reply(done).await;
        Ok(())
    }
}

/// The session's user.
fn user(client: &ClientHandle) -> Result<UserName, Denial> {
    let user = client.user.clone();
    user.ok_or_else(unknown)
}

fn unknown() -> Denial {
    Denial::Forbidden("say who you are first".to_owned())
}

/// The sessions that some tokens have opened.
pub(super) fn sessions_of(tokens: &[TokenDigest]) -> EndedSessions {
    EndedSessions::Of(tokens.iter().map(|token| token.id()).collect())
}
