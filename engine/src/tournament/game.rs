//! Plays one game. An engine that fails loses it; in a game of three the others play on.

use std::{
    fmt::{self, Write as _},
    sync::Arc,
    time::Duration,
};

use adamant_record::{Head, wire};
use adamant_rules::{
    Act, Event, Events, Seat, Table, TimeControl, event::OfferKind, record, table::Outcome,
};
use tokio::time::Instant;

use super::{
    limits::{FLAG_SLACK, MOVETIME_MARGIN},
    plan::{EngineSpec, Plan},
    result::{Fault, FaultKind, GameResult, PlayedGame, Usage, game_id},
    schedule::ScheduledGame,
};
use crate::protocol::{
    Engine, EngineError, Log, Thought, Time,
    game::{clock, new_game},
    messages::{BestMove, Limits},
};

/// Why a game is drawn after [`Plan::max_plies`].
const MAX_PLIES: &str = "max_plies";

/// Why a game ends in which an engine does not make its first move.
const NO_SHOW: &str = "no_show";

/// A game in play.
struct Game<'a> {
    plan: &'a Plan,
    host: &'a Host,
    table: Table,
    head: Head,
    journal: Vec<u8>,
    /// The players in the order of the seats at the start.
    players: Vec<GamePlayer<'a>>,
    faults: Vec<Fault>,
    /// The reason of the end where it is not that of the record.
    reason: Option<&'static str>,
}

struct GamePlayer<'a> {
    spec: &'a EngineSpec,
    /// The running engine, or why there is none.
    engine: Result<Box<Engine>, EngineError>,
    usage: Usage,
}

pub(crate) async fn play(plan: &Plan, scheduled: &ScheduledGame, host: &Host) -> PlayedGame {
    let specs: Vec<&EngineSpec> =
        scheduled.seats.iter().map(|&engine| &plan.engines[engine]).collect();
    let setup = plan.rules.setup(|seat| specs[seat.index()].name.as_str().into());
    // The engines start before the clocks do.
    let shown = Table::for_analysis(setup.clone()).expect("the openings have this setup");
    let players = sit_down(&specs, &shown, host).await;
    let begun = if plan.rules.clock == TimeControl::None { 0 } else { host.time.now_ms() };
    let events = Table::begin(setup, begun).expect("the openings have this setup");
    let (created, later) = events.split_first().expect("a game begins with an event");
    let table = Table::new(created).expect("a table applies what it has decided");
    let mut head = Head::new(game_id(scheduled.number + 1));
    let mut journal = head.append(created, table.position(), None);
    journal.push(b'\n');
    let mut game =
        Game { plan, host, table, head, journal, players, faults: Vec::new(), reason: None };
    game.record(later);
    for notation in &plan.openings.all()[scheduled.opening] {
        game.make_move(notation, begun).expect("openings are legal");
    }
    while let Some(seat) = game.table.to_move() {
        if game.table.ply() >= plan.max_plies {
            if game.agree_on_draw(seat) {
                game.reason = Some(MAX_PLIES);
            }
            continue;
        }
        Box::pin(game.take_turn(seat)).await;
    }
    game.finish(scheduled).await
}

/// Starts the engines of a game and tells them what is played.
async fn sit_down<'a>(specs: &[&'a EngineSpec], table: &Table, host: &Host) -> Vec<GamePlayer<'a>> {
    let start = |spec: &&'a EngineSpec| {
        let (log, name) = (Arc::clone(&host.log), spec.name.to_string());
        let log: Log = Arc::new(move |line: &str| log(&name, line));
        let engine = Engine::start(&spec.command, &log).map(Box::new);
        GamePlayer { spec, engine, usage: Usage::default() }
    };
    let mut players: Vec<GamePlayer<'a>> = specs.iter().map(start).collect();
    for (player, seat) in players.iter_mut().zip(Seat::all(specs.len())) {
        let Ok(engine) = &mut player.engine else { continue };
        let mut greet = async || {
            engine.ready().await?;
            for (name, value) in &player.spec.options {
                engine.set_option(name, value)?;
            }
            engine.new_game(&new_game(table, seat))
        };
        if let Err(error) = greet().await {
            player.engine = Err(error);
        }
    }
    players
}

impl Game<'_> {
    /// The time in the record. Without clocks there is none, so that equal games are equal bytes.
    fn now(&self) -> u64 {
        match self.plan.rules.clock {
            TimeControl::None => 0,
            TimeControl::Fischer { .. }
            | TimeControl::PerMove { .. }
            | TimeControl::Byoyomi { .. }
            | TimeControl::Days { .. } => self.host.time.now_ms(),
        }
    }

    /// Applies events and writes them down.
    fn record(&mut self, events: &[Event]) {
        for event in events {
            self.journal.extend(self.head.append(event, self.table.position(), None));
            self.journal.push(b'\n');
            self.table.apply(event).expect("a table applies what it has decided");
        }
    }

    fn make_move(&mut self, notation: &str, now: u64) -> Result<(), String> {
        let seat = self.table.to_move().ok_or("the game is over")?;
        let act = Act::Move { seat, turn: self.table.turn(), notation, lag_ms: 0 };
        let events = self.table.decide(&act, now).map_err(|refusal| refusal.to_string())?;
        self.record(&events);
        Ok(())
    }

    /// The index of the player who has a seat now: a swap changes seats.
    fn player_in(&self, seat: Seat) -> usize {
        let name = &self.table.players()[seat].user;
        let found = self.players.iter().position(|player| player.spec.name.as_str() == &**name);
        found.expect("players only change seats")
    }

    /// Asks the seat to move for its move, and carries out what comes of it.
    async fn take_turn(&mut self, seat: Seat) {
        let player = self.player_in(seat);
        let answer = self.think(player).await;
        let now = self.now();
        if let Some(events) = self.table.overdue(now) {
            self.lose(seat, FaultKind::TimedOut, "it ran out of time", Some(events));
            return;
        }
        match answer {
            Ok(BestMove::Move { notation, draw, .. }) => {
                if let Err(why) = self.make_move(&notation, now) {
                    let why = format!("{notation}: {why}");
                    self.lose(seat, FaultKind::IllegalMove, &why, None);
                } else if draw {
                    self.offer_draw(seat).await;
                }
            }
            Ok(BestMove::Resign) => {
                let act = Act::Resign { seat };
                let events = self.table.decide(&act, now).expect("a seat that plays may resign");
                self.record(&events);
                if self.table.outcome().is_none() {
                    self.players[player].engine = Err(EngineError::Closed);
                }
            }
            Err(error) => {
                let is_timed = self.table.next_deadline().is_some()
                    || self.players[player].spec.movetime.is_some();
                let kind = FaultKind::of(&error, is_timed);
                self.lose(seat, kind, &error.to_string(), None);
            }
        }
    }

    /// Lets a player think within its budgets.
    async fn think(&mut self, player: usize) -> Result<BestMove, EngineError> {
        let now = self.now();
        let left = self.table.next_deadline().map(|at| Duration::from_millis(at - at.min(now)));
        let GamePlayer { spec, engine, usage } = &mut self.players[player];
        let engine = match engine {
            Ok(engine) => engine,
            Err(error) => return Err(std::mem::replace(error, EngineError::Closed)),
        };
        let limits = Limits {
            clock: left.is_some(),
            movetime_ms: spec.movetime.map(millis),
            nodes: spec.nodes,
            ..Limits::default()
        };
        let begun = Instant::now();
        let by_clock = left.map(|left| begun + left + FLAG_SLACK);
        let by_move = spec.movetime.map(|time| begun + time + MOVETIME_MARGIN);
        let hangs = begun + self.plan.hang_timeout;
        let give_up_at = by_clock.into_iter().chain(by_move).min().unwrap_or(hangs);
        let stop_at = spec.movetime.map_or(give_up_at, |time| give_up_at.min(begun + time));
        let time = Time { stop_at, give_up_at };
        let shown = clock(&self.table, left.map(millis));
        let best = engine.think(&self.table, &Thought { clock: shown, limits, time }).await?;
        usage.count(begun.elapsed(), engine.info().nodes);
        Ok(best)
    }

    /// Lets a seat lose for a fault. `events` are those of a fallen flag; otherwise it resigns.
    fn lose(&mut self, seat: Seat, kind: FaultKind, why: &str, events: Option<Events>) {
        let player = self.player_in(seat);
        let name = self.players[player].spec.name.as_str();
        self.faults.push(Fault::new(name, self.table.ply(), kind, why));
        // Dropping an engine kills it.
        self.players[player].engine = Err(EngineError::Closed);
        let events = events.unwrap_or_else(|| {
            let act = Act::Resign { seat };
            self.table.decide(&act, self.now()).expect("a seat that plays may resign")
        });
        self.record(&events);
        if self.table.outcome().is_some() {
            self.reason = Some(kind.name());
        }
    }

    /// Passes an offer of a draw on. The game ends if everyone accepts it.
    async fn offer_draw(&mut self, by: Seat) {
        if self.table.outcome().is_some() {
            return;
        }
        for seat in self.table.seats_in().without(by).iter() {
            let player = self.player_in(seat);
            let Ok(engine) = &mut self.players[player].engine else { return };
            if !matches!(engine.accepts_draw(&self.table).await, Ok(true)) {
                return;
            }
        }
        self.agree_on_draw(by);
    }

    /// Writes down that all agree on a draw. Returns whether they do: a flag may have fallen.
    fn agree_on_draw(&mut self, by: Seat) -> bool {
        while let Some(events) = self.table.overdue(self.now()) {
            self.record(&events);
        }
        let offer = Act::Offer { seat: by, what: OfferKind::Draw };
        let Ok(events) = self.table.decide(&offer, self.now()) else { return false };
        self.record(&events);
        for seat in self.table.seats_in().without(by).iter() {
            let Some(open) = self.table.offers().first() else { return false };
            let answer = Act::Answer { seat, offer: open.offer, accept: true };
            let Ok(events) = self.table.decide(&answer, self.now()) else { return false };
            self.record(&events);
        }
        self.table.outcome().is_some()
    }

    /// Ends the engines and returns the game.
    async fn finish(mut self, scheduled: &ScheduledGame) -> PlayedGame {
        let usage = self.players.iter().map(|player| player.usage).collect();
        for player in self.players.drain(..) {
            if let Ok(engine) = player.engine {
                engine.quit().await;
            }
        }
        let seats = self.table.setup().seats.iter().map(|player| player.user.to_string());
        let (winners, reason) = self.outcome();
        let mut text = record::write(&self.table);
        for Fault { engine, ply, kind, text: why } in &self.faults {
            writeln!(text, "# {engine} {kind} at ply {ply}: {why}")
                .expect("writing to a string does not fail");
        }
        if reason == MAX_PLIES {
            text.push_str("# a draw: the game had become too long for this match\n");
        }
        let result = GameResult {
            game: scheduled.number + 1,
            opening: scheduled.opening + 1,
            seats: seats.collect(),
            winners,
            reason,
            plies: self.table.ply(),
            faults: self.faults,
            chain: self.head.chain.to_string(),
            usage,
        };
        PlayedGame { result, journal: self.journal, text }
    }

    /// The names of the winners, and the reason of the end.
    fn outcome(&self) -> (Vec<String>, String) {
        let players = self.table.players();
        let name = |seat: Seat| players[seat].user.to_string();
        let outcome = self.table.outcome().expect("the game is over");
        let (winners, reason) = match outcome {
            Outcome::Ended { winners, .. } => {
                let reason = serde_json::to_value(wire::result(outcome).reason);
                let reason = reason.ok().and_then(|reason| reason.as_str().map(str::to_owned));
                (winners.iter().map(name).collect(), reason.unwrap_or_default())
            }
            Outcome::Aborted { by, .. } => {
                let others = self.table.seats_in().without(*by);
                (others.iter().map(name).collect(), NO_SHOW.to_owned())
            }
        };
        (winners, self.reason.map_or(reason, str::to_owned))
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// Receives what engines write to standard error, and what is wrong with their lines: the engine's
/// name and a line.
pub type EngineLog = Arc<dyn Fn(&str, &str) + Send + Sync>;

/// What games need of their surroundings.
#[derive(Clone)]
pub struct Host {
    /// The time in records of games with clocks.
    pub time: GameTime,
    /// The log of the engines.
    pub log: EngineLog,
    /// How many games are played at once.
    pub concurrency: usize,
}

impl fmt::Debug for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Host").field("concurrency", &self.concurrency).finish_non_exhaustive()
    }
}

/// A clock that never goes back: the time of day at its start, and what has passed since.
#[derive(Clone, Copy, Debug)]
pub struct GameTime {
    start_ms: u64,
    started: Instant,
}

impl GameTime {
    /// Starts at this time, in milliseconds of the Unix epoch.
    pub fn starting_at(start_ms: u64) -> Self {
        Self { start_ms, started: Instant::now() }
    }

    /// The time in milliseconds of the Unix epoch.
    pub(crate) fn now_ms(&self) -> u64 {
        let passed = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.start_ms.saturating_add(passed)
    }
}
