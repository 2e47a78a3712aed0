//! The notifier: takes occasions, waits a moment for the user to come back, and sends notifications
//! to those who have not.

use std::{
    collections::{BTreeMap, HashMap, hash_map::Entry},
    hash::Hash,
    sync::Arc,
};

use adamant_protocol::UserName;
use futures::{FutureExt as _, StreamExt as _, future::BoxFuture, stream::FuturesUnordered};
use tokio::{
    sync::mpsc,
    time::{Instant, sleep_until},
};
use tokio_util::sync::CancellationToken;

use super::{
    channels::{Channel, NotificationChannels},
    delivery::{AttemptOutcome, Delivery, DeliveryClient, write},
    notices::{Notice, Notices, WaitingNotice},
};
use crate::{
    address::ClientNetwork,
    limits,
    lobby::Lobby,
    occasions::{Occasion, OccasionKind},
    rate_limiter::RateLimiter,
    runtime::{
        environment::Environment,
        metrics::{Metrics, NotificationOutcome, Warning},
        shutdown::Lifecycle,
        time::{TimeSource, milliseconds},
    },
    store::{OfferId, OpenGame, StoreError},
};

/// Notifications with their times, in epoch milliseconds.
type Steps = Vec<(u64, Box<Delivery>)>;

/// Notices on their way into the store, or out of it.
type Keeping<'a> = FuturesUnordered<BoxFuture<'a, Vec<WaitingNotice>>>;

/// Requests to other servers that run.
type Sending<'a> = FuturesUnordered<BoxFuture<'a, (Places, Steps)>>;

/// How often users are notified, by what it is about.
#[derive(Debug)]
struct NoticeRates {
    games: RateLimiter<UserName>,
    lines: RateLimiter<UserName>,
    /// Challenges to bots, which nobody hears ring.
    bots: RateLimiter<UserName>,
    challenges: RateLimiter<UserName>,
    guests: RateLimiter<UserName>,
    guests_of_networks: RateLimiter<(UserName, ClientNetwork)>,
}

impl Default for NoticeRates {
    fn default() -> Self {
        let of_users = |rate| RateLimiter::new(rate, limits::RATE_KEYS_MAX);
        Self {
            games: of_users(limits::GAMES_NOTIFIED_PER_USER),
            lines: of_users(limits::LINES_NOTIFIED_PER_USER),
            bots: of_users(limits::CHALLENGES_NOTIFIED_PER_BOT),
            challenges: of_users(limits::CHALLENGES_NOTIFIED_PER_USER),
            guests: of_users(limits::GUESTS_NOTIFIED_PER_USER),
            guests_of_networks: RateLimiter::new(
                limits::GUESTS_NOTIFIED_PER_NETWORK,
                limits::RATE_KEYS_MAX,
            ),
        }
    }
}

impl NoticeRates {
    fn take_challenge(&self, user: &UserName, challenge: &OpenGame, now_ms: u64) -> bool {
        let (is_guest, network) = (challenge.is_of_guest(), challenge.from);
        if is_guest {
            let of_network = network.map(|network| (user.clone(), network));
            let is_first = of_network
                .is_none_or(|of_network| self.guests_of_networks.take(&of_network, now_ms).is_ok());
            if !is_first || self.guests.take(user, now_ms).is_err() {
                return false;
            }
        }
        self.challenges.take(user, now_ms).is_ok()
    }
}

/// The places that one notification takes: its user's and its server's.
type Places = (UserName, Box<str>);

/// How many places are taken, by user and by server.
#[derive(Debug, Default)]
struct BusyPlaces {
    all: usize,
    users: HashMap<UserName, usize>,
    servers: HashMap<Box<str>, usize>,
}

impl BusyPlaces {
    fn has_room(&self, delivery: &Delivery) -> bool {
        let of_user = self.users.get(&delivery.user.folded()).copied().unwrap_or_default();
        let of_server = self.servers.get(delivery.server()).copied().unwrap_or_default();
        of_user < limits::OUTGOING_PER_USER_AT_ONCE
            && of_server < limits::OUTGOING_PER_SERVER_AT_ONCE
    }

    /// Returns the first notification that is due and for which there is a place.
    fn next(&self, waiting: &mut Schedule<Box<Delivery>>, now_ms: u64) -> Option<Box<Delivery>> {
        if self.all >= limits::OUTGOING_AT_ONCE {
            return None;
        }
        let due = waiting.steps.range(..=(now_ms, u64::MAX)).take(limits::DELIVERIES_LOOKED_AT_MAX);
        let (key, _) = due.into_iter().find(|(_, delivery)| self.has_room(delivery))?;
        let key = *key;
        waiting.steps.remove(&key)
    }

    fn take(&mut self, delivery: &Delivery) -> Places {
        let (user, server) = (delivery.user.folded(), Box::<str>::from(delivery.server()));
        self.all += 1;
        *self.users.entry(user.clone()).or_default() += 1;
        *self.servers.entry(server.clone()).or_default() += 1;
        (user, server)
    }

    fn release(&mut self, (user, server): Places) {
        self.all -= 1;
        release(&mut self.users, user);
        release(&mut self.servers, server);
    }
}

fn release<K: Eq + Hash>(counts: &mut HashMap<K, usize>, key: K) {
    if let Entry::Occupied(mut count) = counts.entry(key) {
        *count.get_mut() -= 1;
        if *count.get() == 0 {
            count.remove();
        }
    }
}

#[derive(Debug)]
pub(crate) struct Notifier {
    channels: NotificationChannels,
    client: DeliveryClient,
    notices: Notices,
    lobby: Lobby,
    rates: NoticeRates,
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
        if channels.keys.as_ref().is_some_and(|keys| keys.is_exposed()) {
            metrics.warn(Warning::KeyExposed);
        }
        let client = DeliveryClient::new(channels.clone(), environment, Arc::clone(metrics));
        let Environment { time, entropy, .. } = environment.clone();
        let notices = Notices::new(channels.store.clone(), time.clone(), entropy);
        let (channels, lobby, metrics) = (channels.clone(), lobby.clone(), Arc::clone(metrics));
        let rates = NoticeRates::default();
        Self { channels, client, notices, lobby, rates, metrics, time }
    }

    /// Notifies until shutdown. What waits then is in the store, for another process.
    pub(crate) async fn run(self, mut occasions: mpsc::Receiver<Occasion>, lifecycle: Lifecycle) {
        // Occasions come in the order of their times, and their steps take milliseconds.
        let (mut looks, mut deliveries) = (Schedule::default(), Schedule::default());
        let mut keeping: Keeping<'_> = FuturesUnordered::new();
        let mut looking: FuturesUnordered<BoxFuture<'_, Steps>> = FuturesUnordered::new();
        let mut sending: Sending<'_> = FuturesUnordered::new();
        let mut busy = BusyPlaces::default();
        let mut look_at = Instant::now();
        loop {
            while let Some(delivery) = busy.next(&mut deliveries, self.time.now_ms()) {
                let places = busy.take(&delivery);
                sending.push(self.send(delivery).map(|steps| (places, steps)).boxed());
            }
            let next_look = looks.first_at().filter(|_| looking.len() < limits::OCCASIONS_AT_ONCE);
            let next_delivery = deliveries.first_after(self.time.now_ms());
            tokio::select! {
                biased;
                () = lifecycle.soft.cancelled() => break,
                Some(occasion) = occasions.recv(), if keeping.len() < limits::OCCASIONS_AT_ONCE => {
                    keeping.push(self.keep(occasion).boxed());
                }
                Some(notices) = keeping.next() => {
                    for notice in notices {
                        let at = self.due_at(&notice.occasion);
                        self.schedule(&mut looks, at, notice);
                    }
                }
                () = sleep_until(look_at), if keeping.is_empty() => {
                    look_at = Instant::now() + limits::NOTICES_LOOKED_AT_EVERY;
                    keeping.push(self.notices.take_overdue().boxed());
                }
                Some(steps) = looking.next() => {
                    for (at, delivery) in steps {
                        self.schedule(&mut deliveries, at, delivery);
                    }
                }
                Some((places, steps)) = sending.next() => {
                    busy.release(places);
                    for (at, delivery) in steps {
                        self.schedule(&mut deliveries, at, delivery);
                    }
                }
                () = self.time.reaches(next_look) => {
                    if let Some(notice) = looks.take_first() {
                        looking.push(self.look(notice).boxed());
                    }
                }
                () = self.time.reaches(next_delivery) => {}
            }
        }
        self.finish(occasions, keeping, sending, lifecycle.drained).await;
    }

    /// Stores what the rooms still report, and waits for the answers to the last requests, so that
    /// no other process sends them again.
    async fn finish(
        &self,
        mut occasions: mpsc::Receiver<Occasion>,
        mut keeping: Keeping<'_>,
        mut sending: Sending<'_>,
        drained: CancellationToken,
    ) {
        while let Some(occasion) = drained.run_until_cancelled(occasions.recv()).await.flatten() {
            self.keep(occasion).await;
        }
        while let Ok(occasion) = occasions.try_recv() {
            self.keep(occasion).await;
        }
        while keeping.next().await.is_some() {}
        while sending.next().await.is_some() {}
    }

    /// Stores the notice of an occasion if the user is away and wants to be notified.
    async fn keep(&self, occasion: Occasion) -> Vec<WaitingNotice> {
        let user = &occasion.user;
        if self.lobby.is_online(user) {
            return vec![WaitingNotice { occasion, stored: None }];
        }
        let stored = match self.channels.of(user.clone()).await {
            Ok(channels) if channels.is_empty() => return Vec::new(),
            Ok(_) => self.notices.keep(&occasion, self.due_at(&occasion)).await,
            Err(error) => {
                // operator: the store failed; the user is not notified
                tracing::warn!(%user, %error, "reading how to notify a user failed");
                None
            }
        };
        vec![WaitingNotice { occasion, stored }]
    }

    fn due_at(&self, occasion: &Occasion) -> u64 {
        occasion.at.saturating_add(milliseconds(self.channels.config.grace))
    }

    /// Schedules a step. If too many wait, it is dropped.
    fn schedule<T>(&self, schedule: &mut Schedule<T>, at: u64, step: T) {
        if !schedule.push(at, step) {
            self.metrics.count_notification(NotificationOutcome::Dropped);
        }
    }

    /// Looks whether a user is still away; returns the notifications that are due then, one for each
    /// channel.
    async fn look(&self, notice: WaitingNotice) -> Steps {
        let WaitingNotice { occasion, stored } = notice;
        let channels = match self.channels_for(&occasion).await {
            Ok(channels) if channels.is_empty() => {
                self.forget(stored.as_deref()).await;
                return Vec::new();
            }
            Ok(channels) => channels,
            Err(error) => {
                let user = &occasion.user;
                tracing::warn!(%user, %error, "reading how to notify a user failed");
                return Vec::new();
            }
        };
        if let Some(stored) = &stored {
            stored.set_channels(channels.len());
        }
        let notification = write(occasion, self.channels.site());
        let delivery = |channel| Box::new(Delivery::new(channel, &notification, stored.clone()));
        let now_ms = self.time.now_ms();
        channels.into_iter().map(|channel| (now_ms, delivery(channel))).collect()
    }

    /// Returns the channels by which a user is notified now; none if the user is back, or has been
    /// notified too often.
    async fn channels_for(&self, occasion: &Occasion) -> Result<Vec<Channel>, StoreError> {
        if self.lobby.is_online(&occasion.user) {
            return Ok(Vec::new());
        }
        let channels = self.channels.of(occasion.user.clone()).await?;
        if channels.is_empty() || self.is_due(occasion).await {
            return Ok(channels);
        }
        self.metrics.count_notification(NotificationOutcome::RateLimited);
        Ok(Vec::new())
    }

    /// Sends a notification, unless the user is back; returns the next attempt, if there is one.
    async fn send(&self, delivery: Box<Delivery>) -> Steps {
        let notice = delivery.notice.clone();
        if self.lobby.is_online(&delivery.user) {
            self.forget(notice.as_deref()).await;
            return Vec::new();
        }
        if let Some(notice) = &notice
            && !self.notices.claim(notice).await
        {
            return Vec::new();
        }
        match (self.client.attempt(delivery).await, notice) {
            (AttemptOutcome::Accepted, Some(notice)) => self.notices.settle(&notice).await,
            (AttemptOutcome::Failed, Some(notice)) => self.notices.failed(&notice).await,
            (AttemptOutcome::Accepted | AttemptOutcome::Failed, None) => {}
            (AttemptOutcome::Later(at, delivery), _) => return vec![(at, delivery)],
        }
        Vec::new()
    }

    /// The user is not to be notified: what the store has of it goes.
    async fn forget(&self, notice: Option<&Notice>) {
        if let Some(notice) = notice {
            self.notices.settle(notice).await;
        }
    }

    /// Whether there is any rate left for an occasion, which is no longer one if it is a challenge
    /// that was taken back.
    async fn is_due(&self, occasion: &Occasion) -> bool {
        let (user, now_ms) = (occasion.user.folded(), self.time.now_ms());
        match &occasion.subject {
            OccasionKind::Turn(_) | OccasionKind::End(..) => {
                self.rates.games.take(&user, now_ms).is_ok()
            }
            OccasionKind::Line(_) => self.rates.lines.take(&user, now_ms).is_ok(),
            OccasionKind::Challenge(challenge) => {
                match self.lobby.find_open(&OfferId::Challenge(challenge.clone())).await {
                    Ok(_) if self.lobby.is_bot(&occasion.user).await => {
                        self.rates.bots.take(&user, now_ms).is_ok()
                    }
                    Ok(open) => self.rates.take_challenge(&user, &open, now_ms),
                    Err(_) => false,
                }
            }
        }
    }
}

/// Steps in the order of their times.
#[derive(Debug)]
struct Schedule<T> {
    steps: BTreeMap<(u64, u64), T>,
    /// Number of steps so far, which orders those of the same time.
    count: u64,
}

impl<T> Default for Schedule<T> {
    fn default() -> Self {
        Self { steps: BTreeMap::new(), count: 0 }
    }
}

impl<T> Schedule<T> {
    fn first_at(&self) -> Option<u64> {
        self.steps.first_key_value().map(|((at, _), _)| *at)
    }

    /// The first time after `now_ms`: what is due already waits for a place.
    fn first_after(&self, now_ms: u64) -> Option<u64> {
        self.steps.range((now_ms, u64::MAX)..).next().map(|((at, _), _)| *at)
    }

    fn take_first(&mut self) -> Option<T> {
        self.steps.pop_first().map(|(_, step)| step)
    }

    /// Adds a step; returns whether there was room for it.
    fn push(&mut self, at: u64, step: T) -> bool {
        if self.steps.len() >= limits::NOTIFICATIONS_WAITING_MAX {
            return false;
        }
        self.count += 1;
        self.steps.insert((at, self.count), step);
        true
    }
}
