//! The state of a room, and the functions that its other files share.

use std::{sync::Arc, time::Duration};

use adamant_protocol::{GameId, UserName, to_client::LiveGame, values::RatingChange};
use adamant_record::{Head, RecordError};
use adamant_rules::{BySeat, Refusal, Seat, Table};
use bytes::Bytes;
use dashmap::DashMap;
use tokio::sync::OnceCell;

use super::{
    audience::Audience,
    command::RoomHandle,
    delayed_view::DelayedView,
    idempotency::AcceptedRequests,
    loaded::LoadedGame,
    parking::ParkedGames,
    presence::{ClaimAfter, PresenceTracker},
    snapshot,
};
use crate::{
    error::Denial,
    limits::RECORD_ROW_BYTES,
    outbound::client::ClientHandle,
    quotas::{Quotas, StorageBudget},
    room::live_feed::LiveFeed,
    runtime::{
        entropy::Entropy, logging::RateLimitedLog, metrics::Metrics, shutdown::Lifecycle,
        time::TimeSource, work_pool::WorkPool,
    },
    store::{ArchivedGame, ArchivedState, Journal, Outage, StoreError},
};

/// The room of one game. Concurrent requests open it once.
pub(crate) type Slot = Arc<OnceCell<RoomHandle>>;

/// The services and settings that rooms share.
#[derive(Debug, Clone)]
pub(crate) struct RoomContext {
    /// The open rooms. The registry adds them; each removes itself when it ends.
    pub slots: Arc<DashMap<GameId, Slot>>,
    pub journal: Arc<dyn Journal>,
    pub time: TimeSource,
    pub entropy: Entropy,
    /// Where games are replayed.
    pub work: WorkPool,
    pub metrics: Arc<Metrics>,
    pub quotas: Arc<Quotas>,
    /// Changes of games, for lists of live games.
    pub live_feed: LiveFeed,
    pub lifecycle: Lifecycle,
    /// Time after which a room without clients parks.
    pub park_after: Duration,
    pub claim_after: ClaimAfter,
    pub parked: Arc<ParkedGames>,
    /// Time at which this process began to serve games, in epoch milliseconds.
    pub opened_at: u64,
    /// Outages in order.
    pub outages: Arc<[Outage]>,
    /// Whether the store is read-only, so that games cannot change.
    pub reads_only: bool,
    /// Limits the log line about clients with unknown records.
    pub fork_log: Arc<RateLimitedLog>,
}

/// The state of a room.
pub(super) struct Room {
    pub(super) context: Arc<RoomContext>,
    pub(super) table: Table,
    pub(super) head: Head,
    pub(super) requests: AcceptedRequests,
    pub(super) started_at: u64,
    /// The rating change of a finished game.
    pub(super) ratings: Option<RatingChange>,
    pub(super) audience: Audience,
    /// The delayed view of spectators; `None` without a delay.
    pub(super) delayed: Option<Box<DelayedView>>,
    pub(super) presence: PresenceTracker,
    /// The storage budget of each seat, as far as known.
    pub(super) payers: BySeat<Option<Arc<StorageBudget>>>,
    /// Time of the last command, in epoch milliseconds.
    pub(super) idle_since: u64,
}

/// An error that ends the room.
#[derive(Debug, thiserror::Error)]
pub(super) enum RoomError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("records of another writer are invalid: {0}")]
    Record(#[from] RecordError),
    #[error("the table rejects its own event: {0}")]
    ApplyError(#[from] adamant_rules::table::ApplyError),
    #[error("the table rejects a server action: {0}")]
    Refused(#[from] Refusal),
    #[error("other writers appended first too often")]
    Contended,
}

impl Room {
    /// Returns the room of a loaded game, with the audience that it had when it parked.
    pub(super) fn new(context: Arc<RoomContext>, loaded: LoadedGame) -> Self {
        let LoadedGame { table, head, requests, started_at, ratings, delayed } = loaded;
        // Players who were away when the room parked still are. Absences before this process are
        // unknown and count from its start, or from the start of the game.
        let left = context.parked.unpark(&head.game);
        let (since, published, listeners) = if let Some(left) = left {
            (left.away_since, left.published, left.listeners)
        } else {
            let since = context.opened_at.max(started_at);
            (BySeat::from_fn(table.players().len(), |_| since), None, Vec::new())
        };
        let now = context.time.now_ms();
        let metrics = Arc::clone(&context.metrics);
        let mut presence = PresenceTracker::new(&table, &since, context.claim_after, now);
        presence.restore_published(published);
        let payers = BySeat::from_fn(table.players().len(), |_| None);
        let mut room = Self {
            context,
            payers,
            table,
            head,
            requests,
            started_at,
            ratings,
            audience: Audience::new(metrics),
            delayed,
            presence,
            idle_since: now,
        };
        for listener in &listeners {
            let seat = room.seat_of(&listener.client);
            if let Some(seat) = seat {
                room.set_payer(&listener.client, seat);
            }
            room.audience.restore(listener, seat);
        }
        if !listeners.is_empty() {
            room.update_presence();
        }
        room
    }

    /// Records the storage budget of a player's session.
    pub(super) fn set_payer(&mut self, client: &ClientHandle, seat: Seat) {
        let Some(quota) = &client.quota else { return };
        let payer = &mut self.payers[seat];
        if !payer.as_ref().is_some_and(|payer| Arc::ptr_eq(payer, &quota.stored)) {
            *payer = Some(Arc::clone(&quota.stored));
        }
    }

    /// Charges stored records to the player who caused them, or to all players if that was the
    /// server or a server bot.
    pub(super) fn charge(&self, by: Option<&ClientHandle>, records: &[Bytes]) {
        let bytes = records.iter().map(|record| record.len() as u64 + RECORD_ROW_BYTES).sum();
        let now = self.context.time.now_ms();
        match by.and_then(|client| client.quota.as_ref()) {
            Some(quota) => quota.stored.charge(bytes, now),
            None => self.payers.iter().flatten().for_each(|payer| payer.charge(bytes, now)),
        }
    }

    /// Returns the seat of the client's user; `None` for a spectator.
    pub(super) fn seat_of(&self, client: &ClientHandle) -> Option<Seat> {
        self.seat_of_user(client.user.as_ref())
    }

    /// Returns the seat of a user; `None` for a spectator.
    pub(super) fn seat_of_user(&self, user: Option<&UserName>) -> Option<Seat> {
        self.table.seat_of(user?.as_str())
    }

    /// Returns the game as this seat may see it, or a spectator.
    pub(super) fn visible_to(&self, seat: Option<Seat>) -> (&Table, &Head) {
        match &self.delayed {
            Some(delayed) if seat.is_none() && self.table.outcome().is_none() => {
                (delayed.table(), delayed.head())
            }
            Some(_) | None => (&self.table, &self.head),
        }
    }

    /// Converts a refusal of the table to a denial.
    pub(super) fn refused(&self, refusal: Refusal) -> Denial {
        Denial::Refused { game: self.head.game.clone(), refusal }
    }

    /// Returns the game as lists show it to spectators.
    pub(super) fn live_game(&self) -> LiveGame {
        let (table, head) = self.visible_to(None);
        snapshot::live_game(table, head, self.started_at, self.ratings.as_ref())
    }

    /// Publishes the game to the live feed, if a list wants it.
    pub(super) fn publish_live(&self) {
        if self.context.live_feed.wants(&self.head.game) {
            self.context.live_feed.publish(self.live_game());
        }
    }

    /// Archives the game.
    pub(super) async fn archive(&self, state: ArchivedState) {
        if state == ArchivedState::Finished {
            self.context.quotas.game_over(&self.head.game);
        }
        let (table, head) = self.visible_to(None);
        let entry = Box::new(snapshot::entry(table, head, self.started_at, self.ratings.as_ref()));
        let deadline = self.table.next_deadline();
        let (game, seq) = (self.head.game.clone(), self.head.seq);
        let archived = ArchivedGame { game, seq, state, entry, deadline };
        if let Err(error) = self.context.journal.archive(archived).await {
            // Harmless: the records stay in the journal, and the next start archives them.
            tracing::warn!(game = %self.head.game, %error, "archiving failed");
        }
    }
}
