//! The notifier: takes occasions, waits a moment for the user to come back, and sends notifications
//! to those who have not.

use std::{collections::BTreeMap, sync::Arc};

use adamant_protocol::UserName;
use futures::{FutureExt as _, StreamExt as _, future::BoxFuture, stream::FuturesUnordered};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::{
    channels::NotificationChannels,
    delivery::{AttemptOutcome, Delivery, DeliveryClient},
    text,
};
use crate::{
    limits::{NOTIFICATIONS_PER_USER, NOTIFICATIONS_WAITING_MAX, OUTGOING_AT_ONCE, RATE_KEYS_MAX},
    lobby::Lobby,
    occasions::Occasion,
    rate_limiter::RateLimiter,
    runtime::{
        environment::Environment,
        metrics::{Metrics, NotificationOutcome},
        time::{TimeSource, milliseconds},
    },
};

/// What the notifier does at a time.
#[derive(Debug)]
enum NotifierStep {
    /// Looks whether the user is still away.
    Occasion(Occasion),
    /// Sends a notification by one channel.
    Delivery(Box<Delivery>),
}

/// Steps with their times, in epoch milliseconds.
type Steps = Vec<(u64, NotifierStep)>;

/// Sends notifications.
#[derive(Debug)]
pub(crate) struct Notifier {
    channels: NotificationChannels,
    client: DeliveryClient,
    lobby: Lobby,
    users: RateLimiter<UserName>,
    metrics: Arc<Metrics>,
    time: TimeSource,
}

impl Notifier {
    /// Returns a notifier. The lobby knows who is connected.
    pub(crate) fn new(
        channels: &NotificationChannels,
        lobby: &Lobby,
        environment: &Environment,
        metrics: &Arc<Metrics>,
    ) -> Self {
        let client = DeliveryClient::new(channels.clone(), environment, Arc::clone(metrics));
        let users = RateLimiter::new(NOTIFICATIONS_PER_USER, RATE_KEYS_MAX);
        let (channels, lobby, metrics) = (channels.clone(), lobby.clone(), Arc::clone(metrics));
        Self { channels, client, lobby, users, metrics, time: environment.time.clone() }
    }

    /// Notifies until shutdown. What waits then is not sent.
    pub(crate) async fn run(
        self,
        mut occasions: mpsc::Receiver<Occasion>,
        stop: CancellationToken,
    ) {
        let mut schedule = Schedule::default();
        let mut running: FuturesUnordered<BoxFuture<'_, Steps>> = FuturesUnordered::new();
        let grace_ms = milliseconds(self.channels.config.grace);
        loop {
            let next = schedule.first_at().filter(|_| running.len() < OUTGOING_AT_ONCE);
            tokio::select! {
                biased;
                () = stop.cancelled() => return,
                Some(occasion) = occasions.recv() => {
                    let at = occasion.at.saturating_add(grace_ms);
                    self.schedule(&mut schedule, vec![(at, NotifierStep::Occasion(occasion))]);
                }
                Some(steps) = running.next() => self.schedule(&mut schedule, steps),
                () = self.time.reaches(next) => {
                    if let Some(step) = schedule.take_first() {
                        running.push(self.take(step).boxed());
                    }
                }
            }
        }
    }

    /// Schedules steps. If too many wait, the last are dropped.
    fn schedule(&self, schedule: &mut Schedule, steps: Steps) {
        for (at, step) in steps {
            if !schedule.push(at, step) {
                self.metrics.count_notification(NotificationOutcome::Dropped);
            }
        }
    }

    /// Takes a step; returns those that follow.
    async fn take(&self, step: NotifierStep) -> Steps {
        let deliveries = match step {
            NotifierStep::Occasion(occasion) => self.deliveries(occasion).await,
            NotifierStep::Delivery(delivery) if self.lobby.is_online(&delivery.user) => Vec::new(),
            NotifierStep::Delivery(delivery) => match self.client.attempt(delivery).await {
                AttemptOutcome::Settled => Vec::new(),
                AttemptOutcome::Later(at, delivery) => {
                    return vec![(at, NotifierStep::Delivery(delivery))];
                }
            },
        };
        let now_ms = self.time.now_ms();
        deliveries.into_iter().map(|delivery| (now_ms, NotifierStep::Delivery(delivery))).collect()
    }

    /// Returns the notifications of an occasion, one for each channel of a user who is away.
    async fn deliveries(&self, occasion: Occasion) -> Vec<Box<Delivery>> {
        let user = occasion.user.clone();
        if self.lobby.is_online(&user) {
            return Vec::new();
        }
        let channels = match self.channels.of(user.clone()).await {
            Ok(channels) => channels,
            Err(error) => {
                tracing::warn!(%user, %error, "reading how to notify a user failed");
                return Vec::new();
            }
        };
        if channels.is_empty() {
            return Vec::new();
        }
        if self.users.take(&user.folded(), self.time.now_ms()).is_err() {
            self.metrics.count_notification(NotificationOutcome::RateLimited);
            return Vec::new();
        }
        let notification = text::write(occasion, self.channels.site());
        let deliveries = channels.into_iter();
        deliveries.map(|channel| Box::new(Delivery::new(channel, &notification))).collect()
    }
}

/// Steps in the order of their times.
#[derive(Debug, Default)]
struct Schedule {
    steps: BTreeMap<(u64, u64), NotifierStep>,
    /// Number of steps so far, which orders those of the same time.
    count: u64,
}

impl Schedule {
    fn first_at(&self) -> Option<u64> {
        self.steps.first_key_value().map(|((at, _), _)| *at)
    }

    fn take_first(&mut self) -> Option<NotifierStep> {
        self.steps.pop_first().map(|(_, step)| step)
    }

    /// Adds a step; returns whether there was room for it.
    fn push(&mut self, at: u64, step: NotifierStep) -> bool {
        if self.steps.len() >= NOTIFICATIONS_WAITING_MAX {
            return false;
        }
        self.count += 1;
        self.steps.insert((at, self.count), step);
        true
    }
}
