//! What a room holds, and the little that both its halves need: the actor, which takes commands,
//! and the referee, which changes the game.

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
    runtime::{logging::Seldom, metrics::Metrics, shutdown::Lifecycle, time::TimeSource},
    store::{ArchivedGame, ArchivedState, Journal, Outage, StoreError},
};

/// One room at the most per game, even while several ask for it at once.
pub(crate) type Slot = Arc<OnceCell<RoomHandle>>;

/// What every room needs from the server.
#[derive(Debug, Clone)]
pub(crate) struct RoomContext {
    /// The rooms that are open. What opens them stands above; each takes itself away in the end.
    pub slots: Arc<DashMap<GameId, Slot>>,
    /// Where events are made durable.
    pub journal: Arc<dyn Journal>,
    /// What time it is.
    pub time: TimeSource,
    /// What is counted.
    pub metrics: Arc<Metrics>,
    /// What players may have stored.
    pub quotas: Arc<Quotas>,
    /// Where games are shown to those who look at many.
    pub live_feed: LiveFeed,
    /// When to stop.
    pub lifecycle: Lifecycle,
    /// How long a room without clients stays open.
    pub park_after: Duration,
    /// How long a player is away before the others may claim.
    pub claim_after: ClaimAfter,
    /// The games without a room.
    pub parked: Arc<ParkedGames>,
    /// When this process began to serve games, in epoch milliseconds.
    pub opened_at: u64,
    /// When there was no server, the latest last.
    pub outages: Arc<[Outage]>,
    /// Whether games are only shown: nothing can be stored, so nothing happens in them.
    pub reads_only: bool,
    /// When it was last logged that a client knows more of a game than this server.
    pub fork_told: Arc<Seldom>,
}

/// What a room holds.
pub(super) struct Room {
    pub(super) context: Arc<RoomContext>,
    pub(super) table: Table,
    pub(super) head: Head,
    pub(super) requests: AcceptedRequests,
    pub(super) started_at: u64,
    /// What the game has made of its players' ratings.
    pub(super) ratings: Option<RatingChange>,
    pub(super) audience: Audience,
    /// What spectators are kept from; `None` if they may see everything.
    pub(super) delayed: Option<Box<DelayedView>>,
    pub(super) presence: PresenceTracker,
    /// Who pays for what is stored, as far as that is known.
    pub(super) payers: BySeat<Option<Arc<StorageBudget>>>,
    /// Since when nobody has listened or asked, in epoch milliseconds.
    pub(super) idle_since: u64,
}

/// Why a room cannot go on.
#[derive(Debug, thiserror::Error)]
pub(super) enum RoomError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("the record has been written by another, and wrongly: {0}")]
    Record(#[from] RecordError),
    #[error("the table refuses its own event: {0}")]
    ApplyError(#[from] adamant_rules::table::ApplyError),
    #[error("the table refuses what the server has decided: {0}")]
    Refused(#[from] Refusal),
    #[error("another writer was always first")]
    Contended,
}

impl Room {
    /// A room that nobody is in yet.
    pub(super) fn new(context: Arc<RoomContext>, loaded: LoadedGame) -> Self {
        let LoadedGame { table, head, requests, started_at, ratings, delayed } = loaded;
        // Who was away when the room was closed still is. Of what was before this process nothing
        // is known, and it counts from its start; of a new game, from now.
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
                room.remember_payer(&listener.client, seat);
            }
            room.audience.restore(listener, seat);
        }
        if !listeners.is_empty() {
            room.update_presence();
        }
        room
    }

    /// From now on a player's session pays for the player.
    pub(super) fn remember_payer(&mut self, client: &ClientHandle, seat: Seat) {
        let Some(quota) = &client.quota else { return };
        let payer = &mut self.payers[seat];
        if !payer.as_ref().is_some_and(|payer| Arc::ptr_eq(payer, &quota.stored)) {
            *payer = Some(Arc::clone(&quota.stored));
        }
    }

    /// Counts records that have been stored: for the player who has caused them or, where that is
    /// the server or one of its own players, for everybody who plays.
    pub(super) fn charge(&self, by: Option<&ClientHandle>, records: &[Bytes]) {
        let bytes = records.iter().map(|record| record.len() as u64 + RECORD_ROW_BYTES).sum();
        let now = self.context.time.now_ms();
        match by.and_then(|client| client.quota.as_ref()) {
            Some(quota) => quota.stored.charge(bytes, now),
            None => self.payers.iter().flatten().for_each(|payer| payer.charge(bytes, now)),
        }
    }

    /// The seat of a caller's user, if they play.
    pub(super) fn seat_of(&self, client: &ClientHandle) -> Option<Seat> {
        self.seat_of_user(client.user.as_ref())
    }

    /// The seat of a user, if they play.
    pub(super) fn seat_of_user(&self, user: Option<&UserName>) -> Option<Seat> {
        self.table.seat_of(user?.as_str())
    }

    /// The game as somebody in this seat may see it, or somebody without one.
    pub(super) fn seen_from(&self, seat: Option<Seat>) -> (&Table, &Head) {
        match &self.delayed {
            Some(delayed) if seat.is_none() && self.table.outcome().is_none() => {
                (delayed.table(), delayed.head())
            }
            Some(_) | None => (&self.table, &self.head),
        }
    }

    /// A refusal of the table, as the caller is told it.
    pub(super) fn refused(&self, refusal: Refusal) -> Denial {
        Denial::Refused { game: self.head.game.clone(), refusal }
    }

    /// How the game looks to its spectators.
    pub(super) fn live_game(&self) -> LiveGame {
        let (table, head) = self.seen_from(None);
        snapshot::live_game(table, head, self.started_at, self.ratings.as_ref())
    }

    /// Shows the game to those who look at many, if there are any.
    pub(super) fn publish_live(&self) {
        if self.context.live_feed.wants(&self.head.game) {
            self.context.live_feed.publish(self.live_game());
        }
    }

    /// Moves the game out of the journal.
    pub(super) async fn archive(&self, state: ArchivedState) {
        if state == ArchivedState::Finished {
            self.context.quotas.game_over(&self.head.game);
        }
        let (table, head) = self.seen_from(None);
        let entry = Box::new(snapshot::entry(table, head, self.started_at, self.ratings.as_ref()));
        let deadline = self.table.next_deadline();
        let archived = ArchivedGame { game: self.head.game.clone(), state, entry, deadline };
        if let Err(error) = self.context.journal.archive(archived).await {
            // Nothing is lost: the records stay in the journal and are folded at the next start.
            tracing::warn!(game = %self.head.game, %error, "the game could not be folded");
        }
    }
}
