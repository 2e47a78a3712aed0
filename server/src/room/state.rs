//! The state of a room, and the functions that its other files share.

use std::{collections::VecDeque, sync::Arc, time::Duration};

use adamant_protocol::{UserName, to_client::LiveGame, values::RatingChange};
use adamant_record::{Head, RecordError};
use adamant_rules::{BySeat, Refusal, Seat, Table, event::AdjustReason};
use bytes::Bytes;

use super::{
    audience::Audience,
    command::Command,
    delayed_view::DelayedView,
    idempotency::AcceptedRequests,
    input::{Output, Pass},
    loaded::LoadedGame,
    outages::Outages,
    parking::ParkedRoom,
    presence::{ClaimAfter, PresenceTracker},
    snapshot,
    step::Step,
};
use crate::{
    cluster::Cluster,
    error::Denial,
    limits::{RECORD_ROW_BYTES, WAKE_AGAIN},
    occasions::Occasions,
    outbound::{client::ClientHandle, closed::CloseListener},
    quotas::{Quotas, StorageBudget},
    room::live_feed::LiveFeed,
    runtime::{logging::RateLimitedLog, metrics::Metrics, time::milliseconds},
    store::{ArchivedGame, ArchivedState, PlayerAtGame, SharedPresence, StoreError},
};

/// The services and settings that rooms share.
#[derive(Debug)]
pub(crate) struct RoomContext {
    pub metrics: Arc<Metrics>,
    pub quotas: Arc<Quotas>,
    /// Changes of games, for lists of live games.
    pub live_feed: LiveFeed,
    /// Time after which a room without clients parks.
    pub park_after: Duration,
    pub claim_after: ClaimAfter,
    /// Times in which no game could be served.
    pub outages: Outages,
    /// Takes what players who are away may want to know.
    pub occasions: Occasions,
    /// Whether the store is read-only, so that games cannot change.
    pub reads_only: bool,
    /// Limits the log line about clients with unknown records.
    pub fork_log: RateLimitedLog,
    /// The other nodes.
    pub cluster: Cluster,
    /// The presence that all nodes share; `None` on a server that is alone.
    pub presence: Option<Arc<dyn SharedPresence>>,
}

/// One live game: its table, the head of its record, and its audience. A room has no task, socket,
/// store or clock of its own: it takes inputs, and says what it wants done.
#[derive(Debug)]
pub(crate) struct Room {
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
    /// What the room waits for; `None` if it can take the next command.
    pub(super) step: Option<Step>,
    /// The commands that wait for the step, in order.
    pub(super) waiting: VecDeque<Command>,
    /// Records up to this seq are announced. The room may have them already.
    pub(super) announced: u64,
    /// Number of outages that the game has been credited.
    pub(super) outages_seen: u32,
    /// The clock that stands while the player on the move cannot move.
    pub(super) standing: Option<Box<StandingClock>>,
    /// Appends in a row that another writer preceded.
    pub(super) conflicts: u8,
    /// Appends in a row with an unknown outcome.
    pub(super) failures: u8,
    /// Since when they have been failing, in epoch milliseconds.
    pub(super) failing_since: Option<u64>,
    /// Whether the room takes no more input.
    pub(super) closed: bool,
}

/// A clock that stands. The game's record shows it once it runs again.
#[derive(Debug, Clone, Copy)]
pub(super) struct StandingClock {
    /// Since when, in epoch milliseconds.
    pub(super) from: u64,
    /// Until when at the latest, in epoch milliseconds.
    pub(super) until: u64,
    /// The clock that runs in the record, and since when. If it is another one now, the wait is
    /// over.
    pub(super) running: (Seat, u64),
    pub(super) reason: AdjustReason,
    /// Whether it is credited only when the flag would fall: it is short, and an event for each
    /// would double the load of a store that is slow already.
    pub(super) is_short: bool,
}

/// An error that ends the room.
#[derive(Debug, thiserror::Error)]
pub(super) enum RoomError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("the journal ends at event {last_seq}, and clients have event {seq}")]
    JournalBehind { last_seq: u64, seq: u64 },
    #[error("records of another writer are invalid: {0}")]
    Record(#[from] RecordError),
    #[error("the table rejects its own event: {0}")]
    ApplyError(#[from] adamant_rules::table::ApplyError),
    #[error("the table rejects a server action: {0}")]
    Refused(#[from] Refusal),
}

impl RoomError {
    /// Returns the denial of the command that has met the error. Unless the store is read-only the
    /// command may have had its effect.
    pub(super) fn to_denial(&self) -> Denial {
        match self {
            Self::Store(StoreError::ReadOnly) => Denial::ReadOnly,
            Self::Store(_)
            | Self::JournalBehind { .. }
            | Self::Record(_)
            | Self::ApplyError(_)
            | Self::Refused(_) => StoreError::Failed(self.to_string().into()).into(),
        }
    }
}

impl Room {
    /// Returns the room of a loaded game. Players are absent since `absent_since`, or as the parked
    /// room has left them. `listener` is notified when a session in the audience ends.
    pub(crate) fn new(
        context: Arc<RoomContext>,
        loaded: LoadedGame,
        parked: Option<ParkedRoom>,
        absent_since: u64,
        listener: CloseListener,
        now: u64,
    ) -> Self {
        let LoadedGame { table, head, requests, started_at, ratings, delayed, present, adjusted } =
            loaded;
        // Players who were away when the room parked still are. Of others the store may know since
        // when they are away. Otherwise an absence counts from the start of this process, or from
        // the start of the game.
        let (since, published, listeners) = if let Some(parked) = parked {
            (parked.away_since, parked.published, parked.listeners)
        } else {
            let unknown = absent_since.max(started_at);
            let since = |seat| left_at(&present, &table, seat).unwrap_or(unknown);
            (BySeat::from_fn(table.players().len(), since), None, Vec::new())
        };
        let mut presence = PresenceTracker::new(&table, &since, context.claim_after, now);
        presence.restore_published(published);
        let payers = BySeat::from_fn(table.players().len(), |_| None);
        let audience = Audience::new(Arc::clone(&context.metrics), listener);
        let mut room = Self {
            context,
            payers,
            table,
            head,
            requests,
            started_at,
            ratings,
            audience,
            delayed,
            presence,
            idle_since: now,
            step: None,
            waiting: VecDeque::new(),
            announced: 0,
            outages_seen: 0,
            standing: None,
            conflicts: 0,
            failures: 0,
            failing_since: None,
            closed: false,
        };
        if let Some((seat, at)) = adjusted {
            room.presence.set_adjusted(&room.table, seat, at);
        }
        if let Some(here) = room.context.cluster.node() {
            room.presence.replace_elsewhere(&present, here, now);
        }
        for listener in &listeners {
            let seat = room.seat_of(&listener.client);
            if let Some(seat) = seat {
                room.set_payer(&listener.client, seat);
            }
            room.audience.restore(listener, seat);
        }
        if !listeners.is_empty() || !present.is_empty() {
            room.update_presence(now);
        }
        room
    }

    /// Ends the room, and returns what stays in memory while the game has none.
    pub(crate) fn into_parked(mut self, now: u64) -> ParkedRoom {
        self.update_presence(now);
        self.forget_players(now);
        let clock = self.table.next_deadline().filter(|_| !self.context.reads_only);
        // A room that could not store that a clock has run out has ended. It is opened again, but
        // not at once.
        let again = now.saturating_add(milliseconds(WAKE_AGAIN));
        ParkedRoom {
            seq: self.head.seq,
            over: self.is_over(),
            deadline: clock.map(|at| if at <= now { again } else { at }),
            away_since: self.presence.away_since_by_seat(&self.table, now),
            published: self.presence.published().cloned(),
            listeners: self.audience.into_listeners(),
        }
    }

    /// Records the storage budgets of the players of a new game.
    pub(crate) fn set_payers(&mut self, payers: Vec<Option<Arc<StorageBudget>>>) {
        for (seat, payer) in Seat::all(payers.len()).zip(payers) {
            self.payers[seat] = payer;
        }
    }

    /// Returns the commands that the closed room has not taken.
    pub(crate) fn take_waiting(&mut self) -> VecDeque<Command> {
        std::mem::take(&mut self.waiting)
    }

    /// Returns the seq of the last record that the room has.
    pub(crate) const fn last_seq(&self) -> u64 {
        self.head.seq
    }

    /// Whether the game is over.
    pub(crate) fn is_over(&self) -> bool {
        self.table.outcome().is_some()
    }

    /// Waits for the answer to an output.
    pub(super) fn wait_for(&mut self, step: Step, output: Output, pass: &mut Pass<'_>) {
        self.step = Some(step);
        pass.outputs.push(output);
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
    pub(super) fn charge(&self, by: Option<&ClientHandle>, records: &[Bytes], now: u64) {
        let bytes = records.iter().map(|record| record.len() as u64 + RECORD_ROW_BYTES).sum();
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
    pub(crate) fn publish_live(&self) {
        if !self.table.setup().unlisted && self.context.live_feed.wants(&self.head.game) {
            self.context.live_feed.publish(self.live_game());
        }
    }

    /// Returns the game for the archive.
    pub(super) fn archived(&self, state: ArchivedState) -> ArchivedGame {
        let (table, head) = self.visible_to(None);
        ArchivedGame {
            game: self.head.game.clone(),
            seq: self.head.seq,
            state,
            entry: Box::new(snapshot::entry(table, head, self.started_at, self.ratings.as_ref())),
            deadline: self.table.next_deadline(),
        }
    }
}

/// Returns the time at which the user of a seat left the game, as the store knows it.
fn left_at(present: &[PlayerAtGame], table: &Table, seat: Seat) -> Option<u64> {
    let user = &table.players().get(seat)?.user;
    let found = present.iter().find(|found| found.user.as_str().eq_ignore_ascii_case(user))?;
    found.left_at
}
