//! A loop: it drives many rooms, and wakes for a pass over all that waits, not for each move.
//!
//! One pass takes the answers of the store, everything in the inbox, and the deadlines that have
//! come. It hands each input to its room, and gives all appends of the pass to the store as one
//! batch. Spectators are served in slices, while nothing else waits.

use std::{
    collections::VecDeque,
    pin::pin,
    sync::{Arc, atomic::Ordering},
};

use adamant_protocol::GameId;
use prometheus_client::metrics::counter::Counter;
use tokio::{sync::mpsc, task::yield_now, time::Instant};
use tokio_util::sync::CancellationToken;

use super::{
    effects::{Completion, Effects},
    message::{BegunGame, LoopCounts, LoopMessage, LoopServices, LoopStart},
    slots::{OpenSlot, OpeningSlot, Slot, Slots},
    timers::Timers,
};
use crate::{
    error::Denial,
    limits::{FAN_OUT_CHUNK, LOOP_PASS_INPUTS_MAX, ROOM_COMMANDS_WAITING_MAX, WAKE_AGAIN},
    outbound::closed::ClosedSessions,
    room::{
        Command, LoadedGame, Room,
        input::{Input, Output, Pass},
        parking::ParkedGames,
    },
    runtime::time::milliseconds,
    store::{AppendOutcome, StoreError},
};

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
    /// Rooms whose spectators wait for frames.
    behind: VecDeque<usize>,
    /// Sessions in an audience that have ended.
    closed_sessions: Arc<ClosedSessions>,
    /// The outputs of the room that has handled an input.
    outputs: Vec<Output>,
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
        let effects = Effects::new(Arc::clone(&services.journal), services.source.clone());
        let mut room_loop = Self {
            services,
            inbox,
            counts,
            moves,
            slots: Slots::default(),
            parked: ParkedGames::new(closed_sessions.listener(PARKED)),
            timers: Timers::default(),
            effects,
            behind: VecDeque::new(),
            closed_sessions,
            outputs: Vec::new(),
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
        let time = self.services.time;
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
                () = timer.as_mut() => {
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
        for message in messages.drain(..) {
            match message {
                LoopMessage::Command(game, command) => {
                    if command.is_move() {
                        self.moves.inc();
                    }
                    self.deliver(&game, command);
                }
                LoopMessage::Begun(begun) => self.begin(*begun),
            }
        }
        let now = self.services.time.now_ms();
        for closed in self.closed_sessions.drain() {
            if closed.listener == PARKED {
                self.parked.session_closed(closed.session, now);
            } else {
                self.handle(closed.listener, Input::SessionClosed(closed.session));
            }
        }
        if !is_stopping && self.inbox.is_empty() {
            self.on_deadlines(now);
        }
        self.effects.flush();
    }

    fn next_deadline(&self) -> Option<u64> {
        [self.timers.next(), self.parked.next_deadline()].into_iter().flatten().min()
    }

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

    fn on_completion(&mut self, completion: Completion) {
        match completion {
            Completion::Answer(key, input) => self.handle(key, input),
            Completion::Appended(keys, outcomes) => {
                let missing = || AppendOutcome::Err(StoreError::Stopped.into());
                let outcomes = outcomes.into_iter().chain(std::iter::repeat_with(missing));
                for (key, outcome) in keys.into_iter().zip(outcomes) {
                    self.handle(key, Input::Appended(outcome));
                }
            }
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
                let now = self.services.time.now_ms();
                if self.parked.leave(game, client.session, now) {
                    let mut done = adamant_protocol::to_client::Done::new(re);
                    done.game = Some(game.clone());
                    client.reply(done);
                } else {
                    self.start_opening(game, Some(Command::Leave { client, re }));
                }
            }
            Command::BroadcastTalk(_) if !self.parked.has_listeners(game) => {}
            Command::ReadLiveGame { .. } | Command::ReadTable { .. } => {
                command.deny(Denial::NotFound(format!("open room of game {game}")));
            }
            Command::Join(_)
            | Command::Act(_)
            | Command::CatchUp { .. }
            | Command::Query { .. }
            | Command::ReadSnapshot { .. }
            | Command::BroadcastTalk(_)
            | Command::PlanResume(_) => self.start_opening(game, Some(command)),
        }
    }

    /// Loads a game. The command waits for its room.
    fn start_opening(&mut self, game: &GameId, command: Option<Command>) {
        let from = command.as_ref().and_then(Command::origin);
        let waiting = command.into_iter().collect();
        let opening = OpeningSlot { waiting, payers: Vec::new() };
        let key = self.slots.insert(game, Slot::Opening(Box::new(opening)));
        self.effects.load(key, game.clone(), from);
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
        let now = self.services.time.now_ms();
        let mut room = Room::new(
            Arc::clone(&self.services.context),
            loaded,
            self.parked.unpark(&game),
            self.services.absent_since,
            self.closed_sessions.listener(next),
            now,
        );
        let is_over = room.is_over();
        let mut waiting = VecDeque::new();
        let opened = |room| {
            let (timer_at, is_queued) = (u64::MAX, false);
            Slot::Open(Box::new(OpenSlot { room, timer_at, is_queued, is_over }))
        };
        let key = match key.and_then(|key| self.slots.get_mut(key)) {
            Some(slot) => {
                if let Slot::Opening(opening) = slot {
                    room.set_payers(std::mem::take(&mut opening.payers));
                    waiting = std::mem::take(&mut opening.waiting);
                }
                *slot = opened(room);
                next
            }
            None => self.slots.insert(&game, opened(room)),
        };
        self.counts.open.fetch_add(1, Ordering::Relaxed);
        self.counts.over.fetch_add(is_over.into(), Ordering::Relaxed);
        self.handle(key, Input::Opened { archived: true });
        for command in waiting {
            self.deliver(&game, command);
        }
        key
    }

    /// Hands an input to a room, and does what the room wants done.
    fn handle(&mut self, key: usize, input: Input) {
        let Some(open) = self.slots.open_mut(key) else { return };
        let now = self.services.time.now_ms();
        open.room.handle(input, &mut Pass { now, outputs: &mut self.outputs });
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

    /// Wakes a room at its deadline, if that is earlier than its timer.
    fn set_timer(&mut self, key: usize) {
        let Some(open) = self.slots.open_mut(key) else { return };
        if let Some(at) = open.room.deadline().filter(|at| *at < open.timer_at) {
            open.timer_at = at;
            self.timers.insert(at, key);
        }
    }

    /// Removes a room. Commands that it has not taken open the game again.
    fn close(&mut self, key: usize) {
        let Some((game, Slot::Open(open))) = self.slots.remove(key) else { return };
        let OpenSlot { mut room, is_over, .. } = *open;
        self.counts.open.fetch_sub(1, Ordering::Relaxed);
        self.counts.over.fetch_sub(is_over.into(), Ordering::Relaxed);
        let waiting = room.take_waiting();
        self.parked.park(&game, room.into_parked(self.services.time.now_ms()));
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
}
