//! A loop: it drives many rooms, and wakes for a pass over all that waits, not for each move.
//!
//! One pass takes the answers of the store, everything in the inbox, and the deadlines that have
//! come. It hands each input to its room, and gives all appends of the pass to the store as one
//! batch. Spectators are served in slices, while nothing else waits.

use std::collections::{BinaryHeap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{cmp::Reverse, pin::pin};

use adamant_protocol::GameId;
use prometheus_client::metrics::counter::Counter;
use tokio::{sync::mpsc, task::yield_now, time::Instant};
use tokio_util::sync::CancellationToken;

use crate::cluster::{AppendedRecords, GoneNode, NodeId};
use crate::limits::{
    AUDIT_EVERY, AUDIT_GAMES_MAX, AUDIT_RETRY, FAN_OUT_CHUNK, LOOP_PASS_INPUTS_MAX,
    ROOM_COMMANDS_WAITING_MAX, WAKE_AGAIN,
};
use crate::room::loops::effects::{Completion, Effects};
use crate::room::loops::slots::{OpenSlot, OpeningSlot, Slot, Slots};
use crate::room::{
    AudienceElsewhere, Command, GameSource, Input, LoadedGame, Output, ParkedGames, Pass, ReadFor,
    Room, RoomContext,
};
use crate::runtime::time::{TimeSource, milliseconds};
use crate::store::{Journal, PlayerAtGame, StoreError};
use crate::{error::Denial, outbound::outbox::ClosedSessions, quotas::StorageBudget};

#[derive(Debug)]
pub(super) enum LoopMessage {
    Command(GameId, Command),
    Begun(Box<BegunGame>),
    /// Other nodes have appended records of these games.
    Announced(Vec<AppendedRecords>),
    /// Announcements may be lost.
    Audit,
    /// Another node announces who is at a game there.
    Elsewhere(NodeId, GameId, AudienceElsewhere),
    /// A node has gone. Its announcements may be lost.
    NodeGone(GoneNode),
    /// The clock of this game has run out, or its end is not archived.
    Due(GameId),
}

/// A game that has just begun, and whose records are stored.
#[derive(Debug)]
pub(super) struct BegunGame {
    pub(super) loaded: LoadedGame,
    pub(super) payers: Vec<Option<Arc<StorageBudget>>>,
}

/// The number of rooms of a loop, for metrics.
#[derive(Debug, Default)]
pub(crate) struct LoopCounts {
    pub(crate) open: AtomicUsize,
    /// Open rooms of finished games.
    pub(crate) over: AtomicUsize,
}

#[derive(Debug, Default)]
pub(crate) struct LoopStart {
    /// Live games, whose rooms are open from the start.
    pub(crate) live: Vec<LoadedGame>,
    /// The deadlines of parked games.
    pub(crate) deadlines: Vec<(GameId, u64)>,
}

#[derive(Debug)]
pub(crate) struct LoopServices {
    pub(crate) context: Arc<RoomContext>,
    pub(crate) journal: Arc<dyn Journal>,
    pub(crate) source: GameSource,
    pub(crate) time: TimeSource,
    /// Time from which players without a session count as absent, in epoch milliseconds.
    pub(crate) absent_since: u64,
}

/// The games that a loop is about to ask the store for.
#[derive(Debug, Default)]
struct Audit {
    /// The games that the loop has still to ask for.
    queue: VecDeque<GameId>,
    /// Whether the store has not answered yet.
    is_asking: bool,
    /// Whether an announcement may have been lost since the queue was made.
    again: bool,
    /// The time of the next audit, in epoch milliseconds; `None` on a server that is alone.
    at: Option<u64>,
}

impl Audit {
    /// Returns the audit of a loop that starts. On a server that is alone it never comes.
    fn starting_at(now: u64, is_alone: bool) -> Self {
        let at = (!is_alone).then(|| now.saturating_add(milliseconds(AUDIT_EVERY)));
        Self { at, ..Self::default() }
    }
}

/// Wake-up times of rooms in order. A room that wants to be woken later than it has said keeps its
/// earlier time, since most deadlines move later with each command.
#[derive(Debug, Default)]
struct Timers(BinaryHeap<Reverse<(u64, usize)>>);

impl Timers {
    /// Wakes a room at this time in epoch milliseconds.
    fn insert(&mut self, at: u64, room: usize) {
        self.0.push(Reverse((at, room)));
    }

    fn next(&self) -> Option<u64> {
        self.0.peek().map(|Reverse((at, _))| *at)
    }

    /// Removes and returns the next timer that is due.
    fn pop_due(&mut self, now: u64) -> Option<(u64, usize)> {
        let Reverse((at, _)) = self.0.peek()?;
        if *at > now {
            return None;
        }
        self.0.pop().map(|Reverse(timer)| timer)
    }
}

/// The listener number of parked games. Rooms have the number of their slot.
const PARKED: usize = usize::MAX;

/// One loop, with the games that belong to it.
#[derive(Debug)]
pub(super) struct RoomLoop {
    services: Arc<LoopServices>,
    inbox: mpsc::Receiver<LoopMessage>,
    counts: Arc<LoopCounts>,
    /// The moves received, for metrics.
    moves: Counter,
    slots: Slots,
    parked: ParkedGames,
    timers: Timers,
    effects: Effects,
    /// What the loop asks the store about games that other nodes append to.
    audit: Audit,
    /// Rooms whose spectators wait for frames.
    behind: VecDeque<usize>,
    /// Sessions in an audience that have ended.
    closed_sessions: Arc<ClosedSessions>,
    /// The outputs of the room that has handled an input.
    outputs: Vec<Output>,
    /// When the inputs that are being handled had all arrived, in epoch milliseconds: the clock is
    /// not read for each.
    now: u64,
}

impl RoomLoop {
    pub(super) fn new(
        services: Arc<LoopServices>,
        inbox: mpsc::Receiver<LoopMessage>,
        counts: Arc<LoopCounts>,
        moves: Counter,
        start: LoopStart,
    ) -> Self {
        let closed_sessions = Arc::<ClosedSessions>::default();
        let journal = Arc::clone(&services.journal);
        let presence = services.context.presence.clone();
        let effects = Effects::new(journal, presence, services.source.clone());
        let is_alone = services.context.cluster.is_alone();
        let now = services.time.now_ms();
        let audit = Audit::starting_at(now, is_alone);
        let mut room_loop = Self {
            services,
            inbox,
            counts,
            moves,
            slots: Slots::default(),
            parked: ParkedGames::new(closed_sessions.listener(PARKED)),
            timers: Timers::default(),
            effects,
            audit,
            behind: VecDeque::new(),
            closed_sessions,
            outputs: Vec::new(),
            now,
        };
        for (game, deadline) in start.deadlines {
            room_loop.parked.set_deadline(&game, deadline);
        }
        for loaded in start.live {
            room_loop.open(None, loaded);
        }
        room_loop
    }

    /// Runs until shutdown. Then the accepted commands are answered, and live games stay in the
    /// journal, where a restart loads them fastest.
    pub(super) async fn run(mut self, stop: CancellationToken) {
        let closed_sessions = Arc::clone(&self.closed_sessions);
        let time = self.services.time.clone();
        // The futures are kept across passes. The timer is set again when a deadline moves earlier,
        // and when it has fired.
        let mut stopping = pin!(stop.cancelled());
        let mut session_closed = pin!(closed_sessions.changed());
        let mut set_to = self.next_deadline();
        let mut timer = pin!(time.reaches(set_to));
        let mut messages = Vec::new();
        let mut inbox_ended = false;
        self.effects.flush();
        loop {
            let due = self.next_deadline();
            if due != set_to {
                set_to = due;
                timer.set(time.reaches(due));
            }
            if inbox_ended && self.effects.is_empty() && self.behind.is_empty() {
                return;
            }
            let mut completion = None;
            tokio::select! {
                biased;
                () = stopping.as_mut(), if !self.inbox.is_closed() => self.inbox.close(),
                ended = self.effects.next(), if !self.effects.is_empty() => completion = ended,
                count = self.inbox.recv_many(&mut messages, LOOP_PASS_INPUTS_MAX),
                    if !inbox_ended =>
                {
                    inbox_ended = count == 0;
                }
                () = session_closed.as_mut() => session_closed.set(closed_sessions.changed()),
                // No deadline counts any more once the loop has stopped taking messages.
                () = timer.as_mut(), if !inbox_ended => {
                    set_to = None;
                    timer.set(time.reaches(None));
                }
                // Last, so that spectators never delay players.
                () = yield_now(), if !self.behind.is_empty() => {
                    self.fan_out();
                    continue;
                }
            }
            // Sessions that are ready to run send their requests first, so that they share the
            // pass.
            yield_now().await;
            let begun = Instant::now();
            self.pass(completion, &mut messages, inbox_ended);
            self.services.context.metrics.observe_pass(begun.elapsed());
        }
    }

    /// Handles all that waits: answers of the store, then messages, then ended sessions. Deadlines
    /// come last, so that a move that was received in time beats the flag.
    fn pass(
        &mut self,
        completion: Option<Completion>,
        messages: &mut Vec<LoopMessage>,
        is_stopping: bool,
    ) {
        self.now = self.services.time.now_ms();
        let mut completion = completion.or_else(|| self.effects.next_ended());
        while let Some(ended) = completion {
            self.on_completion(ended);
            completion = self.effects.next_ended();
        }
        while messages.len() < LOOP_PASS_INPUTS_MAX
            && let Ok(message) = self.inbox.try_recv()
        {
            messages.push(message);
        }
        self.now = self.services.time.now_ms();
        for message in messages.drain(..) {
            match message {
                LoopMessage::Command(game, command) => {
                    if command.is_move() {
                        self.moves.inc();
                    }
                    self.deliver(&game, command);
                }
                LoopMessage::Begun(begun) => self.begin(*begun),
                LoopMessage::Announced(games) => self.announced(games),
                LoopMessage::Audit => self.start_audit(),
                LoopMessage::Elsewhere(node, game, what) => self.elsewhere(node, &game, what),
                LoopMessage::NodeGone(gone) => self.node_gone(gone),
                LoopMessage::Due(game) => self.open_due(&game),
            }
        }
        for closed in self.closed_sessions.drain() {
            if closed.listener == PARKED {
                self.parked.session_closed(closed.session, self.now);
            } else {
                self.handle(closed.listener, Input::SessionClosed(closed.session));
            }
        }
        if !is_stopping && self.inbox.is_empty() {
            self.on_deadlines(self.now);
        }
        self.effects.flush();
    }

    fn on_completion(&mut self, completion: Completion) {
        match completion {
            Completion::Answer(key, input) => self.handle(key, input),
            Completion::Appended(batch, outcomes) => {
                for (place, outcome) in outcomes {
                    if let Some(key) = batch.key(place) {
                        self.handle(key, Input::Appended(outcome));
                    }
                }
                self.effects.await_rest(batch);
            }
            Completion::Followed(keys, pages) => {
                let missing = || Err(StoreError::Stopped);
                let pages = pages.into_iter().chain(std::iter::repeat_with(missing));
                for (key, page) in keys.into_iter().zip(pages) {
                    self.handle(key, Input::Records(page));
                }
            }
            Completion::PresenceRead(games, found) => self.on_presence(&games, found),
            Completion::Audited(moved_on) => self.on_audited(moved_on),
            Completion::Loaded(key, loaded) => self.on_loaded(key, loaded),
        }
    }

    /// Delivers a command to the room of its game. Opens the room if needed.
    fn deliver(&mut self, game: &GameId, command: Command) {
        let Some(key) = self.slots.key(game) else { return self.deliver_closed(game, command) };
        match self.slots.get_mut(key) {
            Some(Slot::Open(_)) => self.handle(key, Input::Command(command)),
            Some(Slot::Opening(opening)) => {
                if opening.waiting.len() < ROOM_COMMANDS_WAITING_MAX {
                    opening.waiting.push_back(command);
                } else {
                    command.deny(Room::busy());
                }
            }
            None => command.deny(StoreError::Stopped.into()),
        }
    }

    /// Delivers a command to a game without a room.
    fn deliver_closed(&mut self, game: &GameId, command: Command) {
        match command {
            Command::Leave { client, re } => {
                if self.parked.leave(game, client.session, self.now) {
                    let mut done = adamant_protocol::to_client::Done::new(re);
                    done.game = Some(game.clone());
                    client.reply(done);
                } else {
                    self.start_opening(game, Some(Command::Leave { client, re }));
                }
            }
            Command::BroadcastTalk(_) if !self.parked.has_listeners(game) => {}
            Command::NoteAnnulled => {}
            // The game may be played at other nodes.
            Command::ReadLiveGame { .. } if !self.services.context.cluster.is_alone() => {
                self.start_opening(game, Some(command));
            }
            Command::ReadLiveGame { .. } | Command::ReadTable { .. } => {
                command.deny(Denial::NotFound(format!("open room of game {game}")));
            }
            Command::Join(_)
            | Command::Act(_)
            | Command::CatchUp { .. }
            | Command::Query { .. }
            | Command::ReadSnapshot { .. }
            | Command::BroadcastTalk(_)
            | Command::Rule(_)
            | Command::PlanResume(_) => self.start_opening(game, Some(command)),
        }
    }

    /// Loads a game. The command waits for its room.
    fn start_opening(&mut self, game: &GameId, command: Option<Command>) {
        let reason = command.as_ref().map_or(ReadFor::Client(None), Command::reason);
        let waiting = command.into_iter().collect();
        // Other nodes may have appended to the game since it was parked. Its audience gets these
        // records from the room.
        let is_alone = self.services.context.cluster.is_alone();
        let until = self.parked.seq_of(game).filter(|_| !is_alone);
        let behind = until.is_some();
        let opening = OpeningSlot { waiting, behind, ..OpeningSlot::default() };
        let key = self.slots.insert(game, Slot::Opening(Box::new(opening)));
        self.effects.load(key, game.clone(), until.unwrap_or(u64::MAX), reason);
    }

    fn on_loaded(&mut self, key: usize, loaded: Result<Box<LoadedGame>, Denial>) {
        match loaded {
            Ok(loaded) => {
                self.open(Some(key), *loaded);
            }
            Err(denial) => {
                let Some((game, slot)) = self.slots.remove(key) else { return };
                if matches!(denial, Denial::Damaged(_) | Denial::NotFound(_)) {
                    self.parked.forget(&game);
                } else {
                    // operator: the store failed or is too busy. Clients that asked for the game
                    // received an error. If a clock has run out, the server retries every minute
                    tracing::warn!(%game, %denial, "opening a game failed");
                }
                let Slot::Opening(opening) = slot else { return };
                for command in opening.waiting {
                    command.deny(denial.clone());
                }
            }
        }
    }

    /// Opens the room of a game that has just begun, unless a client was faster.
    fn begin(&mut self, begun: BegunGame) {
        let BegunGame { loaded, payers } = begun;
        match self.slots.key(&loaded.head.game) {
            None => {
                let key = self.open(None, loaded);
                if let Some(open) = self.slots.open_mut(key) {
                    open.room.set_payers(payers);
                    open.room.publish_live();
                    open.room.await_first_player();
                }
            }
            Some(key) => match self.slots.get_mut(key) {
                Some(Slot::Open(open)) => open.room.set_payers(payers),
                Some(Slot::Opening(opening)) => opening.payers = payers,
                None => {}
            },
        }
    }

    /// Opens the room of a loaded game, in its slot or in a new one. Returns its key.
    fn open(&mut self, key: Option<usize>, loaded: LoadedGame) -> usize {
        let game = loaded.head.game.clone();
        let next = key.unwrap_or_else(|| self.slots.next_key());
        let room = Room::new(
            Arc::clone(&self.services.context),
            loaded,
            self.parked.unpark(&game),
            self.services.absent_since,
            self.closed_sessions.listener(next),
            self.now,
        );
        let is_over = room.is_over();
        let mut since = OpeningSlot::default();
        let opened = |room| {
            let (timer_at, is_queued) = (u64::MAX, false);
            Slot::Open(Box::new(OpenSlot { room, timer_at, is_queued, is_over }))
        };
        let key = match key.and_then(|key| self.slots.get_mut(key)) {
            Some(slot) => {
                if let Slot::Opening(opening) = slot {
                    since = std::mem::take(opening);
                }
                *slot = opened(room);
                next
            }
            None => self.slots.insert(&game, opened(room)),
        };
        self.counts.open.fetch_add(1, Ordering::Relaxed);
        self.counts.over.fetch_add(is_over.into(), Ordering::Relaxed);
        let OpeningSlot { waiting, payers, announced, elsewhere, gone, is_due, behind } = since;
        if let Some(open) = self.slots.open_mut(key) {
            open.room.set_payers(payers);
        }
        self.handle(key, Input::Opened { archived: !is_due, behind });
        if announced > 0 {
            self.handle(key, Input::Announced(AppendedRecords::up_to(game.clone(), announced)));
        }
        for gone in gone {
            self.handle(key, Input::NodeGone(gone));
        }
        for (node, what) in elsewhere {
            self.handle(key, Input::Elsewhere(node, what));
        }
        for command in waiting {
            self.deliver(&game, command);
        }
        key
    }

    /// Hands an input to a room, and does what the room wants done.
    fn handle(&mut self, key: usize, input: Input) {
        let Some(open) = self.slots.open_mut(key) else { return };
        open.room.handle(input, &mut Pass { now: self.now, outputs: &mut self.outputs });
        if open.room.is_behind() && !open.is_queued {
            open.is_queued = true;
            self.behind.push_back(key);
        }
        if open.room.is_over() && !open.is_over {
            open.is_over = true;
            self.counts.over.fetch_add(1, Ordering::Relaxed);
        }
        let mut outputs = std::mem::take(&mut self.outputs);
        for output in outputs.drain(..) {
            if matches!(output, Output::Close) {
                self.close(key);
            } else if let Some(game) = self.slots.game(key) {
                self.effects.start(key, &game.clone(), output);
            }
        }
        self.outputs = outputs;
        self.set_timer(key);
    }

    /// Removes a room. Commands that it has not taken open the game again.
    fn close(&mut self, key: usize) {
        let Some((game, Slot::Open(open))) = self.slots.remove(key) else { return };
        let OpenSlot { mut room, is_over, .. } = *open;
        self.counts.open.fetch_sub(1, Ordering::Relaxed);
        self.counts.over.fetch_sub(is_over.into(), Ordering::Relaxed);
        let waiting = room.take_waiting();
        let left = room.into_parked(self.now);
        // The store wakes the games of a cluster. A node remembers those with an audience.
        if self.services.context.cluster.is_alone() || left.has_audience() {
            self.parked.park(&game, left);
        }
        if !is_over {
            tracing::debug!(%game, "game parked");
        }
        for command in waiting {
            self.deliver(&game, command);
        }
    }

    /// Sends queued frames to the next spectators, of as many rooms as their number allows.
    fn fan_out(&mut self) {
        let mut left = FAN_OUT_CHUNK;
        while left > 0
            && let Some(key) = self.behind.pop_front()
        {
            let Some(open) = self.slots.open_mut(key) else { continue };
            left = left.saturating_sub(open.room.fan_out(left).max(1));
            if open.room.is_behind() {
                self.behind.push_back(key);
            } else {
                open.is_queued = false;
            }
        }
    }

    /// Returns the time of the next deadline, in epoch milliseconds.
    fn next_deadline(&self) -> Option<u64> {
        [self.timers.next(), self.parked.next_deadline(), self.audit.at].into_iter().flatten().min()
    }

    /// Wakes the rooms and the parked games whose deadline has passed.
    fn on_deadlines(&mut self, now: u64) {
        while let Some((at, key)) = self.timers.pop_due(now) {
            let Some(open) = self.slots.open_mut(key).filter(|open| open.timer_at == at) else {
                continue;
            };
            open.timer_at = u64::MAX;
            if open.room.deadline().is_some_and(|deadline| deadline <= now) {
                self.handle(key, Input::Deadline);
            } else {
                self.set_timer(key);
            }
        }
        self.audit_if_due(now);
        for game in self.parked.due(now) {
            // The room decides the rest. Without one the loop tries again later.
            let again = now.saturating_add(milliseconds(WAKE_AGAIN));
            self.parked.set_deadline(&game, again);
            if self.slots.key(&game).is_none() {
                tracing::debug!(%game, "parked game's deadline passed");
                self.start_opening(&game, None);
            }
        }
    }

    /// Wakes a room at its deadline, if that is earlier than its timer.
    fn set_timer(&mut self, key: usize) {
        let Some(open) = self.slots.open_mut(key) else { return };
        if let Some(at) = open.room.deadline().filter(|at| *at < open.timer_at) {
            open.timer_at = at;
            self.timers.insert(at, key);
        }
    }

    /// Hands announcements to the rooms. A game without a room opens if it has an audience.
    fn announced(&mut self, games: Vec<AppendedRecords>) {
        for appended in games {
            let game = &appended.game;
            let Some(key) = self.slots.key(game) else {
                let feed = &self.services.context.live_feed;
                if self.parked.has_listeners(game) || feed.is_subscribed(game) {
                    self.start_opening(&appended.game, None);
                }
                continue;
            };
            match self.slots.get_mut(key) {
                Some(Slot::Open(_)) => self.handle(key, Input::Announced(appended)),
                Some(Slot::Opening(opening)) => {
                    opening.announced = opening.announced.max(appended.until);
                }
                None => {}
            }
        }
    }

    /// Hands what another node announces of a game's audience to its room.
    fn elsewhere(&mut self, node: NodeId, game: &GameId, what: AudienceElsewhere) {
        let Some(key) = self.slots.key(game) else { return };
        match self.slots.get_mut(key) {
            Some(Slot::Open(_)) => self.handle(key, Input::Elsewhere(node, what)),
            Some(Slot::Opening(opening)) => opening.note_elsewhere(node, what),
            None => {}
        }
    }

    /// Forgets the sessions at a node that has gone. Its last writes may not be announced.
    fn node_gone(&mut self, gone: GoneNode) {
        for opening in self.slots.openings() {
            opening.elsewhere.retain(|(known, _)| *known != gone.node);
            opening.gone.push(gone);
        }
        for key in self.slots.open_keys() {
            self.handle(key, Input::NodeGone(gone));
        }
        self.start_audit();
    }

    /// Opens the room of a game that has something due. A room that a client has opened before may
    /// not know that the game's end is not archived.
    fn open_due(&mut self, game: &GameId) {
        if self.slots.key(game).is_none() {
            tracing::debug!(%game, "parked game's deadline passed");
            self.start_opening(game, None);
        }
        let Some(key) = self.slots.key(game) else { return };
        match self.slots.get_mut(key) {
            Some(Slot::Opening(opening)) => opening.is_due = true,
            Some(Slot::Open(_)) => self.handle(key, Input::Due),
            None => {}
        }
    }

    /// Hands the players at other nodes to the rooms.
    fn on_presence(&mut self, games: &[GameId], found: Result<Vec<Vec<PlayerAtGame>>, StoreError>) {
        match found {
            Ok(found) => {
                for (game, players) in games.iter().zip(found) {
                    let key = self.slots.key(game);
                    if let Some(key) = key.filter(|key| self.slots.open_mut(*key).is_some()) {
                        self.handle(key, Input::PlayersElsewhere(players));
                    }
                }
            }
            // The next audit reads it again, and claims ask.
            Err(error) => tracing::debug!(%error, "reading the presence failed"),
        }
    }

    /// Asks the store for all games with a room or an audience: an announcement may be lost.
    fn start_audit(&mut self) {
        if self.audit.is_asking {
            self.audit.again = true;
            return;
        }
        let open = self.slots.open_games();
        self.audit.queue = open.chain(self.parked.games_with_listeners()).cloned().collect();
        self.continue_audit();
    }

    fn audit_if_due(&mut self, now: u64) {
        if self.audit.at.is_some_and(|at| at <= now) {
            self.audit.at = Some(now.saturating_add(milliseconds(AUDIT_EVERY)));
            self.start_audit();
        }
    }

    fn continue_audit(&mut self) {
        let mut known = Vec::new();
        while known.len() < AUDIT_GAMES_MAX
            && let Some(game) = self.audit.queue.pop_front()
        {
            // The game may have closed meanwhile.
            if let Some(seq) = self.known_seq(&game) {
                known.push((game, seq));
            }
        }
        if !known.is_empty() {
            self.audit.is_asking = true;
            self.effects.audit(known);
        } else if std::mem::take(&mut self.audit.again) {
            self.start_audit();
        }
    }

    /// Returns the last seq of a game that a room here, or its audience, has.
    fn known_seq(&mut self, game: &GameId) -> Option<u64> {
        let Some(key) = self.slots.key(game) else { return self.parked.seq_of(game) };
        let OpenSlot { room, .. } = self.slots.open_mut(key)?;
        Some(room.last_seq())
    }

    /// The store has answered which games have moved on.
    fn on_audited(&mut self, moved_on: Result<Vec<(GameId, u64)>, StoreError>) {
        self.audit.is_asking = false;
        match moved_on {
            Ok(games) => {
                let named = |(game, until)| AppendedRecords::up_to(game, until);
                self.announced(games.into_iter().map(named).collect());
                self.continue_audit();
            }
            Err(error) => {
                tracing::debug!(%error, "asking which games have moved on failed");
                self.audit.queue.clear();
                self.audit.again = false;
                self.audit.at = Some(self.now.saturating_add(milliseconds(AUDIT_RETRY)));
            }
        }
    }
}
