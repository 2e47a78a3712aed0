//! How users want to be notified: their push subscriptions and webhooks.

use std::sync::Arc;

use adamant_protocol::{
    RequestId, UserName,
    from_client::{PushList, PushSubscribe, PushUnsubscribe},
    to_client::{Done, PushKey, PushSubscription, PushSubscriptions, Webhook},
};
use data_encoding::HEXLOWER;
use nix::unistd::gethostname;
use rand::RngExt as _;

use super::{
    outgoing::OutgoingUrl,
    push::{PushKeyError, SubscriberKeys, VapidKey, VapidKeys, new_secret},
};
use crate::{
    accounts::TokenDigest,
    config::{Config, NotificationsConfig},
    error::Denial,
    limits::NOTIFICATION_FAILURES_MAX,
    runtime::{entropy::Entropy, environment::Environment, time::TimeSource, work_pool::WorkPool},
    store::{Store, StoreError, StoredSubscription, StoredWebhook, User},
};

/// The channels of all users. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct NotificationChannels {
    pub(super) store: Store,
    /// `None` if the server sends no push messages.
    pub(super) keys: Option<Arc<VapidKeys>>,
    pub(super) config: Arc<NotificationsConfig>,
    pub(super) time: TimeSource,
    pub(super) entropy: Entropy,
}

/// A way to reach a user.
#[derive(Debug)]
pub(super) enum Channel {
    Push(StoredSubscription),
    Webhook(StoredWebhook),
}

/// The prefix of the secrets of webhooks, by which people recognise them.
const SECRET_PREFIX: &str = "whsec_";

impl NotificationChannels {
    /// Opens the channels in a store. A server that only reads sends nothing.
    pub(crate) async fn open(
        store: &Store,
        config: &Config,
        environment: &Environment,
        writes: bool,
    ) -> Result<Self, PushKeyError> {
        let Environment { time, mut entropy, .. } = environment.clone();
        let data = &config.store.data;
        let keys = match &store.keys {
            _ if !config.notifications.push || !writes => None,
            Some(keys) => Some(VapidKeys::shared(keys, data, &mut entropy).await?),
            None => Some(VapidKeys::open(data, &mut entropy)?),
        };
        let (store, keys) = (store.clone(), keys.map(Arc::new));
        Ok(Self { store, keys, config: Arc::new(config.notifications.clone()), time, entropy })
    }

    /// What a browser needs to subscribe; `None` if the server sends no push messages.
    pub(crate) fn push_key(&self) -> Option<PushKey> {
        self.public_keys().into_iter().next().map(|key| PushKey { key })
    }

    /// The public keys of push messages, the newest first.
    pub(crate) fn public_keys(&self) -> Vec<Box<str>> {
        let all = self.keys.as_ref().map(|keys| keys.all());
        all.iter().flat_map(|all| all.iter()).map(VapidKey::public).map(Into::into).collect()
    }

    /// Adds a key, to which browsers subscribe from now on. Returns `false` if the server sends no
    /// push messages.
    pub(crate) async fn replace_key(&self, work: &WorkPool) -> Result<bool, PushKeyError> {
        let Some(keys) = self.keys.clone() else { return Ok(false) };
        let new = new_secret(&mut self.entropy.clone());
        if let Some(shared) = &self.store.keys {
            shared.add_push_key(new.to_bytes().into()).await?;
            self.read_keys().await?;
        } else {
            let replaced = work.run(move || keys.replace(&new)).await;
            replaced.map_err(|error| StoreError::Failed(error.to_string().into()))??;
        }
        Ok(true)
    }

    /// Reads the keys that the nodes share. Another one may have added one.
    pub(crate) async fn read_keys(&self) -> Result<(), StoreError> {
        let (Some(keys), Some(shared)) = (&self.keys, &self.store.keys) else { return Ok(()) };
        keys.set_shared(&shared.push_keys(Vec::new()).await?.secrets)
    }

    /// Returns the ways to reach a user, without a webhook that is disabled.
    pub(super) async fn of(&self, user: UserName) -> Result<Vec<Channel>, StoreError> {
        let mut channels = Vec::new();
        if self.keys.is_some() {
            let subscriptions = self.store.subscriptions(user.clone()).await?;
            channels.extend(subscriptions.into_iter().map(Channel::Push));
        }
        if self.config.webhooks {
            let webhook = self.store.webhook(user).await?;
            let enabled = webhook.filter(|webhook| webhook.failures < NOTIFICATION_FAILURES_MAX);
            channels.extend(enabled.map(Channel::Webhook));
        }
        Ok(channels)
    }

    /// The configured URL of the page; empty if there is none.
    pub(crate) fn site(&self) -> &str {
        &self.config.url
    }

    /// The operator's address for push services, some of which refuse a message without one: the
    /// configured one, or the page, or this machine's.
    pub(super) fn contact(&self) -> String {
        let NotificationsConfig { contact, url, .. } = &*self.config;
        if !contact.is_empty() {
            return contact.clone();
        }
        if url.starts_with("https://") {
            return url.clone();
        }
        let host = gethostname().unwrap_or_default().into_string().unwrap_or_default();
        let host = if host.contains('.') { &*host } else { "example.org" };
        format!("mailto:operator@{host}")
    }

    fn read_url(&self, field: &str, url: &str) -> Result<OutgoingUrl, Denial> {
        OutgoingUrl::read(url, self.config.allow_private)
            .map_err(|error| Denial::BadMessage(format!("{field} cannot be used: {error}")))
    }

    /// Stores the subscription of the browser that has a token.
    pub(crate) async fn subscribe(
        &self,
        token: TokenDigest,
        request: PushSubscribe,
    ) -> Result<Done, Denial> {
        if self.keys.is_none() {
            return Err(Denial::Forbidden("this server sends no push messages".to_owned()));
        }
        let PushSubscribe { id, endpoint, p256dh, auth } = request;
        self.read_url("endpoint", &endpoint)?;
        let keys = SubscriberKeys::read(&p256dh, &auth).ok_or_else(|| {
            let message = "p256dh is a point of P-256 and auth has 16 bytes, both in base64url";
            Denial::BadMessage(message.to_owned())
        })?;
        let (key, auth) = (keys.public_bytes(), keys.auth());
        let created_at = self.time.now_ms();
        let subscription = StoredSubscription { endpoint, key, auth, created_at, failures: 0 };
        if self.store.add_subscription(token.0, subscription).await? {
            Ok(Done::new(id))
        } else {
            Err(Denial::Forbidden("the token of this session has ended".to_owned()))
        }
    }

    /// Deletes a subscription of a user.
    pub(crate) async fn unsubscribe(
        &self,
        user: UserName,
        request: PushUnsubscribe,
    ) -> Result<Done, Denial> {
        if self.store.delete_subscription(user, request.endpoint).await? {
            Ok(Done::new(request.id))
        } else {
            Err(Denial::NotFound("push subscription with this endpoint".to_owned()))
        }
    }

    pub(crate) async fn subscriptions(
        &self,
        user: UserName,
        request: PushList,
    ) -> Result<PushSubscriptions, Denial> {
        let entry = |stored: StoredSubscription| PushSubscription {
            endpoint: stored.endpoint,
            created: stored.created_at,
            failures: stored.failures,
        };
        let stored = self.store.subscriptions(user).await?;
        let subscriptions = stored.into_iter().map(entry).collect();
        Ok(PushSubscriptions { re: request.id, subscriptions })
    }

    /// Sets the webhook of a user, with a new secret.
    pub(crate) async fn set_webhook(
        &self,
        user: &User,
        re: RequestId,
        url: Box<str>,
    ) -> Result<Done, Denial> {
        self.must_call_webhooks()?;
        if user.guest {
            let message = "only accounts and their bots have webhooks: sign up first";
            return Err(Denial::Forbidden(message.to_owned()));
        }
        self.read_url("url", &url)?;
        let secret: [u8; 32] = self.entropy.clone().random();
        let secret: Box<str> = format!("{SECRET_PREFIX}{}", HEXLOWER.encode(&secret)).into();
        let mut done = Done::new(re);
        done.secret = Some(secret.clone());
        let created_at = self.time.now_ms();
        let webhook = StoredWebhook { user: user.id, url, secret, created_at, failures: 0 };
        self.store.set_webhook(webhook).await?;
        Ok(done)
    }

    fn must_call_webhooks(&self) -> Result<(), Denial> {
        if self.config.webhooks {
            return Ok(());
        }
        Err(Denial::Forbidden("this server calls no webhooks".to_owned()))
    }

    pub(crate) async fn webhook(&self, user: UserName, re: RequestId) -> Result<Webhook, Denial> {
        self.must_call_webhooks()?;
        let nothing = Webhook { re, url: None, created: None, failures: None, disabled: false };
        Ok(match self.store.webhook(user).await? {
            None => nothing,
            Some(stored) => Webhook {
                url: Some(stored.url),
                created: Some(stored.created_at),
                failures: Some(stored.failures),
                disabled: stored.failures >= NOTIFICATION_FAILURES_MAX,
                ..nothing
            },
        })
    }

    pub(crate) async fn delete_webhook(&self, user: &User, re: RequestId) -> Result<Done, Denial> {
        if self.store.delete_webhook(user.id).await? {
            Ok(Done::new(re))
        } else {
            Err(Denial::NotFound(format!("webhook of {}", user.name)))
        }
    }
}
