//! The state of a room, how it takes its inputs one by one, and its deadlines.
//!
//! A room has at most one question to the store at a time: the step that it waits for. Its commands
//! wait with it.

use std::{collections::VecDeque, sync::Arc, time::Duration};

use adamant_protocol::to_client::{Done, LiveGame, SnapshotReason};
use adamant_protocol::{CloseCode, UserName, ids::Chain, values::RatingChange};
use adamant_record::{Head, RecordError};
use adamant_rules::{BySeat, Event, Refusal, Seat, Table, event::AdjustReason};
use smallvec::SmallVec;

use crate::limits::{
    FINISHED_ROOM_IDLE_MAX, RECORD_ROW_BYTES, ROOM_COMMANDS_WAITING_MAX, ROOM_RETRY, WAKE_AGAIN,
};
use crate::outbound::{client::ClientHandle, frame::Frame, outbox::CloseListener};
use crate::quotas::{Quotas, StorageBudget};
use crate::room::{
    AcceptedRequests, ActRequest, Audience, ClaimAfter, Command, DelayedView, Input, JoinRequest,
    LoadedGame, Outages, Output, ParkedRoom, Pass, PlanRequest, PresenceTracker, RulingRequest,
    Substitutes, live_feed::LiveFeed, snapshot,
};
use crate::runtime::{logging::RateLimitedLog, metrics::Metrics, time::milliseconds};
use crate::store::{
    ArchiveError, ArchivedGame, ArchivedState, Outage, PlayerAtGame, Records, SharedPresence,
    StoreError, entry_of,
};
use crate::{cluster::Cluster, error::Denial, occasions::Occasions};

/// What a room waits for. Its commands wait with it.
#[derive(Debug)]
pub(super) enum Step {
    Append(Box<PendingAppend>),
    /// Records of another writer are being read.
    Follow(Unpublished),
    /// Records that another node has announced are being read.
    FollowAnnounced(Unpublished),
    /// The node at which the rated game ended is to record the rating change first.
    AwaitRating(Box<AwaitedRating>),
    /// A flag has fallen. The node of the player on the move decides first until this time, in
    /// epoch milliseconds.
    FlagGrace(u64),
    /// The presence that all nodes share is being read for a claim, the first command that waits.
    AskPresence,
    /// The rating change of the finished game is being read.
    ReadRating(Unpublished),
    /// The finished game is being archived.
    Finish(Unpublished),
    /// The live game is being archived. Then the room closes.
    Park,
    /// Records for a session that joins are being read.
    Tail(Box<JoinRequest>),
    /// The record of a cursor is being read.
    Cursor(Box<PlanRequest>),
}

/// A rating change that another node is to record.
#[derive(Debug)]
pub(super) struct AwaitedRating {
    pub(super) unpublished: Unpublished,
    /// The time from which this room records it, in epoch milliseconds.
    pub(super) until: u64,
}

/// Events that are being appended.
#[derive(Debug)]
pub(super) struct PendingAppend {
    /// Nearly always one: what waits is kept small, since it is out of the cache by then.
    pub(super) events: SmallVec<[Event; 1]>,
    pub(super) records: Records,
    /// The seq and the chain after the events.
    pub(super) end: (u64, Chain),
    pub(super) cause: Cause,
    /// When the append was begun, in epoch milliseconds.
    pub(super) begun_at: u64,
}

/// Why events are appended.
#[derive(Debug)]
pub(super) enum Cause {
    /// A request of a player, which is answered.
    Request(ActRequest),
    /// A clock that has run out, or an outage.
    Server,
    /// An operator's decision, which is answered.
    Ruling(Box<RulingRequest>),
    /// The rating change of a finished game, whose end is published with it.
    Rating(Unpublished),
}

/// Records that are durable and applied, and not published yet.
#[derive(Debug)]
pub(super) struct Unpublished {
    pub(super) records: Vec<Frame>,
    /// The turn before these records.
    pub(super) turn_before: u32,
    /// Whether this node reports to players who are away what has happened: it has appended the
    /// records, or is alone.
    pub(super) reports: bool,
}

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
    pub cluster: Cluster,
    /// The server's bots that may take seats of players who leave.
    pub substitutes: Substitutes,
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
    pub(super) ratings: Option<Box<RatingChange>>,
    /// Whether an operator has annulled the result.
    pub(super) annulled: bool,
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
    fn to_denial(&self) -> Denial {
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
        let LoadedGame { table, head, requests, started_at, ratings, annulled, .. } = loaded;
        let LoadedGame { delayed, present, adjusted, .. } = loaded;
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
            annulled,
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
        debug_assert!(self.closed && self.waiting.is_empty(), "its commands are taken before");
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
            published: self.presence.published(),
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

    pub(crate) fn is_over(&self) -> bool {
        self.table.outcome().is_some()
    }

    /// Waits for the answer to an output.
    pub(super) fn wait_for(&mut self, step: Step, output: Output, pass: &mut Pass<'_>) {
        debug_assert!(self.step.is_none(), "a room has one question at a time: {:?}", self.step);
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
    pub(super) fn charge(&self, by: Option<&ClientHandle>, records: &[Frame], now: u64) {
        let bytes =
            records.iter().map(|record| record.payload().len() as u64 + RECORD_ROW_BYTES).sum();
        match by.and_then(|client| client.quota.as_ref()) {
            Some(quota) => quota.stored.charge(bytes, now),
            None => self.payers.iter().flatten().for_each(|payer| payer.charge(bytes, now)),
        }
    }

    /// Returns the seat of the client's user; `None` for a spectator.
    pub(super) fn seat_of(&self, client: &ClientHandle) -> Option<Seat> {
        let known = self.audience.seat_of(client.session);
        known.or_else(|| self.seat_of_user(client.user.as_ref()))
    }

    /// Returns the seat of a user; `None` for a spectator.
    pub(super) fn seat_of_user(&self, user: Option<&UserName>) -> Option<Seat> {
        self.table.seat_of(user?.as_str())
    }

    /// Returns the game as this seat may see it, or a spectator.
    pub(super) fn visible_to(&self, seat: Option<Seat>) -> (&Table, &Head) {
        match &self.delayed {
            Some(delayed) if seat.is_none() && self.table.outcome().is_none() => {
                debug_assert!(delayed.head().seq <= self.head.seq, "the view is a prefix");
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
        snapshot::live_game(table, head, self.started_at, self.ratings.as_deref())
    }

    /// Publishes the game to the live feed, if a list wants it.
    pub(crate) fn publish_live(&self) {
        if !self.table.setup().unlisted && self.context.live_feed.wants(&self.head.game) {
            self.context.live_feed.publish(self.live_game());
        }
    }

    pub(super) fn archived(&self, state: ArchivedState) -> ArchivedGame {
        let (table, head) = self.visible_to(None);
        ArchivedGame {
            game: self.head.game.clone(),
            seq: self.head.seq,
            state,
            entry: Box::new(entry_of(table, head, self.started_at, self.ratings.as_deref())),
            deadline: self.table.next_deadline(),
        }
    }

    pub(crate) fn handle(&mut self, input: Input, pass: &mut Pass<'_>) {
        debug_assert!(!self.closed, "a closed room takes no input");
        let mut next = None;
        let result = match input {
            // It need not wait: most rooms never have a queue.
            Input::Command(command) if self.step.is_none() && self.waiting.is_empty() => {
                next = Some(command);
                Ok(())
            }
            Input::Command(command) => {
                self.receive(command);
                Ok(())
            }
            Input::SessionClosed(session) => {
                let left = self.audience.seat_of(session);
                self.audience.leave(session);
                self.report_unseen_turn(left, pass.now);
                self.update_presence(pass.now);
                Ok(())
            }
            Input::Deadline => {
                self.on_deadline(pass);
                Ok(())
            }
            Input::Opened { archived: _, behind: true } => {
                self.follow(pass);
                Ok(())
            }
            Input::Opened { archived, behind: false } => {
                self.complete(archived, pass);
                Ok(())
            }
            Input::Due => {
                if self.is_over() && self.step.is_none() {
                    self.complete(false, pass);
                }
                Ok(())
            }
            Input::Announced(appended) => self.on_announced(&appended, pass),
            Input::Elsewhere(node, what) => {
                self.note_elsewhere(node, what, pass.now);
                if self.step.is_none() {
                    self.credit_standing(false, pass);
                }
                Ok(())
            }
            Input::PlayersElsewhere(players) => {
                self.refresh_elsewhere(&players, pass.now);
                Ok(())
            }
            Input::NodeGone(gone) => {
                self.on_node_gone(gone, pass.now);
                Ok(())
            }
            Input::Presence(players) => self.on_presence(players, pass),
            Input::Appended(outcome) => self.on_appended(outcome, pass),
            Input::Archived(outcome) => self.on_archived(outcome, pass),
            Input::Records(records) => self.on_records(records, pass),
            Input::Rating(change) => self.on_rating(change, pass),
        };
        match result {
            Ok(()) => {
                self.await_cut_off_player();
                self.take_commands(next, pass);
            }
            Err(error) => self.fail(&error, pass),
        }
    }

    /// Adds a command to those that wait, unless there are too many.
    fn receive(&mut self, command: Command) {
        if self.waiting.len() < ROOM_COMMANDS_WAITING_MAX {
            self.waiting.push_back(command);
        } else {
            command.deny(Self::busy());
        }
    }

    /// The denial of a command that the room cannot take now.
    pub(super) fn busy() -> Denial {
        let what = "the game is busy".to_owned();
        Denial::Busy { what, retry_after_ms: milliseconds(ROOM_RETRY) }
    }

    /// Takes commands until one has to wait for the store: `next`, if no other was before it, and
    /// those that wait.
    fn take_commands(&mut self, mut next: Option<Command>, pass: &mut Pass<'_>) {
        while self.step.is_none() && !self.closed {
            if self.catch_up_with_announced(pass) {
                break;
            }
            let Some(command) = next.take().or_else(|| self.waiting.pop_front()) else { break };
            if self.credit_outage(self.is_there_with(&command), pass) {
                self.waiting.push_front(command);
                break;
            }
            self.idle_since = pass.now;
            self.on_command(command, pass);
        }
        if let Some(command) = next {
            self.receive(command);
        } else if self.waiting.is_empty() {
            self.waiting = VecDeque::new();
        }
    }

    /// Ends the room after an error. The next command opens it again from the journal. Its clients
    /// reconnect, resume by cursor and send requests without a response again. The next command is
    /// refused: it would open the game again and again while the store fails.
    fn fail(&mut self, error: &RoomError, pass: &mut Pass<'_>) {
        // operator: a game's room shut down, usually after failed commits. The next request reloads
        // it. With `the journal ends at event N, and clients have event M` the database has lost
        // what clients have: a stale standby was promoted, or a backup was restored while a node
        // ran. Stop and look
        tracing::error!(game = %self.head.game, %error, "room terminated");
        if let Some(from) = self.failing_since {
            let outage = Outage { from, until: pass.now };
            self.context.outages.note_unstored(&self.head.game, outage);
        }
        self.step = None;
        self.closed = true;
        self.audience.end_all(CloseCode::Restart);
        if let Some(command) = self.waiting.pop_front() {
            command.deny(error.to_denial());
        }
        pass.outputs.clear();
        pass.outputs.push(Output::Close);
    }

    /// Returns the time at which the room wants [`Input::Deadline`]: a clock, presence or parking.
    /// `None` while it waits for the store.
    pub(crate) fn deadline(&self) -> Option<u64> {
        if self.closed {
            return None;
        }
        match &self.step {
            None => {}
            Some(Step::AwaitRating(awaited)) => return Some(awaited.until),
            Some(Step::FlagGrace(until)) => return Some(*until),
            Some(_) => return None,
        }
        let deadlines = [self.flag_at(), self.presence.next_deadline()];
        Some(deadlines.into_iter().flatten().fold(self.park_at(), u64::min))
    }

    fn park_at(&self) -> u64 {
        let park_after = self.context.park_after;
        let idle = if self.is_over() { park_after.min(FINISHED_ROOM_IDLE_MAX) } else { park_after };
        self.idle_since.saturating_add(milliseconds(idle))
    }

    fn on_deadline(&mut self, pass: &mut Pass<'_>) {
        match self.step.take() {
            Some(Step::AwaitRating(awaited)) if awaited.until <= pass.now => {
                let step = Step::ReadRating(awaited.unpublished);
                return self.wait_for(step, Output::ReadRating, pass);
            }
            Some(Step::FlagGrace(until)) if until <= pass.now => {}
            step => self.step = step,
        }
        if self.step.is_some() || self.closed || self.credit_outage(false, pass) {
            return;
        }
        let is_overdue = self.flag_at().is_some_and(|at| at <= pass.now);
        if is_overdue && self.decide_overdue(pass.now, pass) {
            return;
        }
        if self.presence.next_deadline().is_some_and(|at| at <= pass.now) {
            self.publish_presence(pass.now);
        }
        if self.park_at() <= pass.now {
            self.update_presence(pass.now);
            if self.may_park(pass.now) {
                self.park(pass);
            } else {
                self.idle_since = pass.now;
            }
        }
    }

    /// Whether the room can park. A finished game needs no room. A live game keeps its room while a
    /// client is in it, and while its clock runs out soon, since the room would be reopened for
    /// that.
    fn may_park(&self, now: u64) -> bool {
        let soon = now.saturating_add(milliseconds(self.context.park_after));
        let clock = self.table.next_deadline().filter(|_| !self.context.reads_only);
        let is_due = clock.is_some_and(|deadline| deadline <= soon);
        let is_quiet = self.audience.has_no_clients() && self.standing().is_none();
        self.is_over() || (is_quiet && !is_due)
    }

    /// Archives a live game, then closes the room. A finished game is archived already.
    fn park(&mut self, pass: &mut Pass<'_>) {
        if self.is_over() || self.context.reads_only {
            self.close(pass);
        } else {
            let archived = self.archived(ArchivedState::Parked);
            self.wait_for(Step::Park, Output::Archive(archived), pass);
        }
    }

    fn close(&mut self, pass: &mut Pass<'_>) {
        while self.audience.is_behind() {
            self.fan_out(usize::MAX);
        }
        self.closed = true;
        pass.outputs.push(Output::Close);
    }

    fn on_archived(
        &mut self,
        outcome: Result<(), ArchiveError>,
        pass: &mut Pass<'_>,
    ) -> Result<(), RoomError> {
        match outcome {
            Ok(()) => {}
            // Another node plays on, and archives the game when it is done.
            Err(ArchiveError::Conflict { last_seq }) if !self.context.cluster.is_alone() => {
                tracing::debug!(game = %self.head.game, last_seq, "another node has moved on");
            }
            // Harmless: the records stay in the journal, and the next start archives them.
            // operator: harmless: the game stays in the journal, and the server archives it after
            // the next start
            Err(error) => tracing::warn!(game = %self.head.game, %error, "archiving failed"),
        }
        match self.step.take() {
            Some(Step::Finish(unpublished)) => self.publish_end(unpublished, pass),
            Some(Step::Park) => {
                self.close(pass);
                Ok(())
            }
            step => self.unexpected(step.as_ref()),
        }
    }

    /// The store has answered what the room did not ask.
    pub(super) fn unexpected(&self, step: Option<&Step>) -> Result<(), RoomError> {
        // operator: a fault of the server: report it. The room shuts down
        tracing::error!(game = %self.head.game, ?step, "unexpected answer of the store");
        Err(StoreError::Stopped.into())
    }

    /// Whether queued frames wait for some spectators.
    pub(crate) fn is_behind(&self) -> bool {
        self.audience.is_behind()
    }

    /// Sends queued frames to up to `visits` spectators. Returns how many it visited.
    pub(crate) fn fan_out(&mut self, visits: usize) -> usize {
        self.audience.fan_out(&self.head.game, visits)
    }

    fn on_command(&mut self, command: Command, pass: &mut Pass<'_>) {
        match command {
            Command::Act(request) => self.act(request, pass),
            Command::Join(request) => self.join(request, pass),
            Command::PlanResume(request) => self.plan_resume(request, pass),
            Command::Leave { client, re } => {
                self.audience.leave(client.session);
                self.update_presence(pass.now);
                let mut done = Done::new(re);
                done.game = Some(self.head.game.clone());
                client.reply(done);
            }
            Command::CatchUp { client } => {
                if self.audience.catch_up(client.session) {
                    self.send_snapshot(&client, None, Some(SnapshotReason::Lagged));
                    self.presence.mark_dirty(pass.now);
                }
            }
            Command::Query { client, re, query } => self.answer(&client, &re, &query, pass.now),
            // Those who asked may have stopped waiting.
            Command::ReadSnapshot { from: _, reply } => {
                drop(reply.send(Ok(Frame::of(&self.snapshot_for(None, None, None).into()))));
            }
            Command::ReadLiveGame { reply } => drop(reply.send(Ok(self.live_game()))),
            Command::ReadTable { as_seen, reply } => {
                let table = if as_seen { self.visible_to(None).0 } else { &self.table };
                drop(reply.send(Ok(Box::new(table.clone()))));
            }
            Command::Rule(request) => self.rule(request, pass),
            Command::NoteAnnulled => self.annulled = true,
            Command::BroadcastTalk(broadcast) => {
                let over = self.is_over();
                self.audience.broadcast_talk(&self.head.game, *broadcast, over);
            }
        }
    }
}

/// Returns the time at which the user of a seat left the game, as the store knows it.
fn left_at(present: &[PlayerAtGame], table: &Table, seat: Seat) -> Option<u64> {
    let user = &table.players().get(seat)?.user;
    let found = present.iter().find(|found| found.user.as_str().eq_ignore_ascii_case(user))?;
    found.left_at
}
