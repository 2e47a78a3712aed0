//! One notification on its way by one channel: its words, the request, the attempts, and what is
//! stored of their outcome.

use std::sync::Arc;

use adamant_protocol::{
    ChallengeId, GameId, UserName,
    notification::{Notification, NotificationKind},
};
use bytes::Bytes;
use data_encoding::HEXLOWER;
use hmac::{Hmac, KeyInit as _, Mac as _};
use hyper::{
    HeaderMap, StatusCode,
    header::{AUTHORIZATION, CONTENT_ENCODING, CONTENT_TYPE, HeaderName, HeaderValue},
};
use rand::RngExt as _;
use sha2::Sha256;

use super::{
    channels::{Channel, NotificationChannels},
    notices::Notice,
    outgoing::{OutgoingClient, OutgoingError, OutgoingUrl, UrlError},
    push::{SubscriberKeys, new_secret},
};
use crate::{
    limits::{NOTIFICATION_FAILURES_MAX, NOTIFICATION_RETRIES_AFTER, PUSH_MESSAGE_LIFE},
    occasions::{GameSide, Occasion, OccasionKind},
    runtime::{
        environment::Environment,
        metrics::{Metrics, NotificationOutcome},
        time::milliseconds,
    },
    store::{DeliveryResult, StoredSubscription, StoredWebhook},
};

/// The header with the signature of a webhook's request.
const SIGNATURE: HeaderName = HeaderName::from_static("adamant-signature");

/// Time for which a push service keeps a message.
const TTL: HeaderName = HeaderName::from_static("ttl");

/// How soon a push service should wake a phone.
const URGENCY: HeaderName = HeaderName::from_static("urgency");

/// Of the messages of one topic, a push service keeps the last.
const TOPIC: HeaderName = HeaderName::from_static("topic");

/// A notification for one channel.
#[derive(Debug)]
pub(super) struct Delivery {
    pub(super) user: UserName,
    channel: Channel,
    kind: NotificationKind,
    topic: Box<str>,
    payload: Bytes,
    pub(super) notice: Option<Arc<Notice>>,
    tries: usize,
}

impl Delivery {
    pub(super) fn new(
        channel: Channel,
        notification: &Notification,
        notice: Option<Arc<Notice>>,
    ) -> Self {
        let Notification { user, kind, game, challenge, .. } = notification;
        let game = game.as_ref().map(GameId::as_str);
        let topic = game.or(challenge.as_ref().map(ChallengeId::as_str)).unwrap_or_default();
        // A line of talk does not take the place of the news that it is the user's turn.
        let topic = match kind {
            NotificationKind::Message => format!("{topic}-message"),
            NotificationKind::YourTurn
            | NotificationKind::Challenged
            | NotificationKind::GameOver
            | NotificationKind::Unknown(_) => topic.to_owned(),
        };
        let payload = serde_json::to_vec(notification).expect("a notification is JSON");
        Self {
            user: user.clone(),
            channel,
            kind: *kind,
            topic: topic.into(),
            payload: payload.into(),
            notice,
            tries: 0,
        }
    }

    /// The server that the request goes to, as host and port.
    pub(super) fn server(&self) -> &str {
        let url = match &self.channel {
            Channel::Push(subscription) => &*subscription.endpoint,
            Channel::Webhook(webhook) => &*webhook.url,
        };
        let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
        rest.split('/').next().unwrap_or(rest)
    }

    /// The failures of the channel when the notification was made.
    const fn failures(&self) -> u32 {
        match &self.channel {
            Channel::Push(subscription) => subscription.failures,
            Channel::Webhook(webhook) => webhook.failures,
        }
    }
}

#[derive(Debug)]
pub(super) enum AttemptOutcome {
    /// Nothing: the other server has accepted the notification.
    Accepted,
    Failed,
    /// Another attempt at this time, in epoch milliseconds.
    Later(u64, Box<Delivery>),
}

/// Why an attempt has failed.
#[derive(Debug, thiserror::Error)]
enum DeliveryError {
    #[error("the URL cannot be used: {0}")]
    Url(#[from] UrlError),
    #[error("the stored keys are invalid")]
    Keys,
    #[error(transparent)]
    Request(#[from] OutgoingError),
    #[error("the answer is {0}")]
    Status(StatusCode),
}

impl DeliveryError {
    /// Whether a push service may have refused the key: services differ in how they say it.
    fn is_of_key(&self) -> bool {
        matches!(
            self,
            Self::Status(
                StatusCode::BAD_REQUEST | StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN
            )
        )
    }

    fn is_transient(&self) -> bool {
        match self {
            Self::Url(_) | Self::Keys | Self::Request(OutgoingError::Private) => false,
            Self::Request(_) => true,
            Self::Status(status) => {
                status.is_server_error() || *status == StatusCode::TOO_MANY_REQUESTS
            }
        }
    }

    /// Whether the push service no longer knows the subscription.
    fn is_gone(&self) -> bool {
        matches!(self, Self::Status(StatusCode::NOT_FOUND | StatusCode::GONE))
    }
}

#[derive(Debug)]
pub(super) struct DeliveryClient {
    channels: NotificationChannels,
    outgoing: OutgoingClient,
    metrics: Arc<Metrics>,
}

impl DeliveryClient {
    pub(super) fn new(
        channels: NotificationChannels,
        environment: &Environment,
        metrics: Arc<Metrics>,
    ) -> Self {
        let outgoing = OutgoingClient::new(channels.config.allow_private, environment);
        Self { channels, outgoing, metrics }
    }

    /// Sends a notification once, and stores the outcome if it was the last attempt.
    pub(super) async fn attempt(&self, mut delivery: Box<Delivery>) -> AttemptOutcome {
        let sent = match &delivery.channel {
            Channel::Push(subscription) => self.push(subscription, &delivery).await,
            Channel::Webhook(webhook) => self.call(webhook, &delivery).await,
        };
        let Err(error) = sent else {
            self.settle(&delivery, DeliveryResult::Delivered).await;
            return AttemptOutcome::Accepted;
        };
        let user = &delivery.user;
        tracing::debug!(%user, %error, tries = delivery.tries, "notification not delivered");
        if error.is_transient()
            && let Some(after) = NOTIFICATION_RETRIES_AFTER.get(delivery.tries)
        {
            delivery.tries += 1;
            let at = self.channels.time.now_ms().saturating_add(milliseconds(*after));
            return AttemptOutcome::Later(at, delivery);
        }
        let is_push = matches!(delivery.channel, Channel::Push(_));
        let is_gone = is_push && error.is_gone();
        let result = if is_gone { DeliveryResult::Gone } else { DeliveryResult::Failed };
        self.settle(&delivery, result).await;
        AttemptOutcome::Failed
    }

    /// Encrypts a notification and sends it to a push service. Browsers that have not been here
    /// since a key was replaced are reached with that one.
    async fn push(
        &self,
        subscription: &StoredSubscription,
        delivery: &Delivery,
    ) -> Result<(), DeliveryError> {
        let channels = &self.channels;
        let url = OutgoingUrl::read(&subscription.endpoint, channels.config.allow_private)?;
        let keys = SubscriberKeys::new(&subscription.key, &subscription.auth);
        let (Some(keys), Some(vapid)) = (keys, &channels.keys) else {
            return Err(DeliveryError::Keys);
        };
        let mut entropy = channels.entropy.clone();
        let (secret, salt) = (new_secret(&mut entropy), entropy.random());
        let body = Bytes::from(keys.encrypt(&delivery.payload, &secret, salt));
        let contact = channels.contact();
        let urgency = match delivery.kind {
            NotificationKind::YourTurn | NotificationKind::Challenged => "high",
            NotificationKind::GameOver
            | NotificationKind::Message
            | NotificationKind::Unknown(_) => "normal",
        };
        let octets = HeaderValue::from_static("application/octet-stream");
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, octets);
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static("aes128gcm"));
        headers.insert(TTL, PUSH_MESSAGE_LIFE.as_secs().into());
        headers.insert(URGENCY, HeaderValue::from_static(urgency));
        headers.insert(TOPIC, ascii(&delivery.topic));
        let mut refused = DeliveryError::Keys;
        for vapid in &*vapid.all() {
            let (origin, now_ms) = (url.origin(), channels.time.machine_ms());
            let authorization = vapid.authorization(&origin, &contact, now_ms);
            headers.insert(AUTHORIZATION, ascii(&authorization));
            match accepted(self.outgoing.post(&url, headers.clone(), body.clone()).await?) {
                Err(error) if error.is_of_key() => refused = error,
                answered => return answered,
            }
        }
        Err(refused)
    }

    /// Signs a notification and sends it to a webhook.
    async fn call(
        &self,
        webhook: &StoredWebhook,
        delivery: &Delivery,
    ) -> Result<(), DeliveryError> {
        let channels = &self.channels;
        let url = OutgoingUrl::read(&webhook.url, channels.config.allow_private)?;
        let seconds = channels.time.machine_ms() / 1000;
        let mut signature = Hmac::<Sha256>::new_from_slice(webhook.secret.as_bytes())
            .expect("a key may have any length");
        signature.update(format!("{seconds}.").as_bytes());
        signature.update(&delivery.payload);
        let signature = HEXLOWER.encode(&signature.finalize().into_bytes());
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(SIGNATURE, ascii(&format!("t={seconds},v1={signature}")));
        accepted(self.outgoing.post(&url, headers, delivery.payload.clone()).await?)
    }

    /// Counts the outcome of a notification, and stores it with the channel.
    async fn settle(&self, delivery: &Delivery, result: DeliveryResult) {
        self.metrics.count_notification(match result {
            DeliveryResult::Delivered => NotificationOutcome::Delivered,
            DeliveryResult::Failed => NotificationOutcome::Failed,
            DeliveryResult::Gone => NotificationOutcome::Gone,
        });
        let (user, store) = (&delivery.user, &self.channels.store);
        if delivery.failures() == 0 && result == DeliveryResult::Delivered {
            return;
        }
        let stored = match &delivery.channel {
            Channel::Push(subscription) => {
                store.settle_subscription(subscription.endpoint.clone(), result).await
            }
            Channel::Webhook(webhook) => {
                let failures = store.settle_webhook(webhook.clone(), result).await;
                if failures.as_ref().is_ok_and(|now| *now == NOTIFICATION_FAILURES_MAX) {
                    // operator: the webhook has failed 10 times in a row; its user sets it again
                    tracing::info!(%user, "webhook disabled after failures");
                }
                failures.map(drop)
            }
        };
        if let Err(error) = stored {
            // operator: the store failed; the failure does not count
            tracing::warn!(%user, %error, "recording the outcome of a notification failed");
        }
    }
}

fn accepted(status: StatusCode) -> Result<(), DeliveryError> {
    if status.is_success() { Ok(()) } else { Err(DeliveryError::Status(status)) }
}

/// Returns a header's value. Ids, tokens and digits have only printable ASCII.
fn ascii(text: &str) -> HeaderValue {
    HeaderValue::from_str(text).expect("the text is printable ASCII")
}

/// Writes the notification of an occasion. `site` is the URL of the page, or empty.
pub(super) fn write(occasion: Occasion, site: &str) -> Notification {
    let Occasion { user, rules, others, at, subject } = occasion;
    let name = capitalised(&rules.name);
    let names = listed(&others);
    let (kind, title, body, game, challenge) = match subject {
        OccasionKind::Turn(game) => {
            let body = format!("{name} against {names}: it is your move.");
            (NotificationKind::YourTurn, "Your turn", body, Some(game), None)
        }
        OccasionKind::End(game, ending) => {
            let end = match ending {
                GameSide::Won => "you won",
                GameSide::Lost => "you lost",
                GameSide::Drew => "a draw",
                GameSide::Aborted => "the game was aborted",
            };
            let body = format!("{name} against {names}: {end}.");
            (NotificationKind::GameOver, "Game over", body, Some(game), None)
        }
        OccasionKind::Challenge(challenge) => {
            let by = others.first().map_or("Somebody", UserName::as_str);
            let body = format!("{by} challenges you to a game of {name}.");
            (NotificationKind::Challenged, "Challenge", body, None, Some(challenge))
        }
        OccasionKind::Line(game) => {
            let by = others.first().map_or("Somebody", UserName::as_str);
            let body = format!("{by} has written to you in a game of {name}.");
            (NotificationKind::Message, "Message", body, Some(game), None)
        }
    };
    let url = match &game {
        Some(game) => format!("{site}/game/{game}"),
        None => format!("{site}/"),
    };
    let (title, body, url) = (title.into(), body.into(), url.into());
    Notification { kind, user, game, challenge, rules, others, at, title, body, url }
}

fn capitalised(name: &str) -> String {
    let mut letters = name.chars();
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}

/// Lists names: `bob`, or `bob and cy`.
fn listed(names: &[UserName]) -> String {
    let names: Vec<&str> = names.iter().map(UserName::as_str).collect();
    names.join(" and ")
}

#[cfg(test)]
mod tests {
    use adamant_protocol::ids::RulesName;

    use super::*;

    fn occasion(subject: OccasionKind, others: &[&str]) -> Occasion {
        Occasion {
            user: "ann".parse().unwrap(),
            rules: RulesName::pinned("adamas", 1),
            others: others.iter().map(|name| name.parse().unwrap()).collect(),
            at: 5,
            subject,
        }
    }

    #[test]
    fn each_occasion_has_its_words_and_its_page() {
        let game = || "k7q2mx".parse().unwrap();
        let site = "https://play.example.org";
        let turn = write(occasion(OccasionKind::Turn(game()), &["bob", "cy"]), site);
        assert_eq!(&*turn.body, "Adamas against bob and cy: it is your move.");
        assert_eq!(&*turn.url, "https://play.example.org/game/k7q2mx");
        let end = write(occasion(OccasionKind::End(game(), GameSide::Lost), &["bob"]), "");
        assert_eq!((&*end.body, &*end.url), ("Adamas against bob: you lost.", "/game/k7q2mx"));
        let line = write(occasion(OccasionKind::Line(game()), &["bob", "cy"]), "");
        assert_eq!(&*line.body, "bob has written to you in a game of Adamas.");
        assert_eq!((line.kind, &*line.url), (NotificationKind::Message, "/game/k7q2mx"));
        let challenge = "h_9de6cde8e61fce92".parse().unwrap();
        let challenge = write(occasion(OccasionKind::Challenge(challenge), &["bob"]), "");
        assert_eq!(&*challenge.body, "bob challenges you to a game of Adamas.");
        assert_eq!((&*challenge.url, challenge.game), ("/", None));
    }
}
