//! Plays one game with an engine, whatever the engine does: it is started again after a crash, and
//! a move is chosen for one that does not answer.

use std::{sync::Arc, time::Duration};

use adamant_rules::{Seat, Table};
use tokio::time::{Instant, sleep};

use super::{
    engine::{Engine, Thought, Time},
    game,
    limits::{MOVETIME_SLACK, RESTART_WAIT, STOP_WAIT, THOUGHT_MAX, UNTIMED_STOP_WAIT},
    messages::{BestMove, Limits, NewGame},
    process::{EngineCommand, EngineError, Log},
};

/// What to do if an engine does not answer in time.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Resort {
    /// To make the first move of its last `pv`, or any legal move.
    #[default]
    Play,
    /// To resign.
    Resign,
}

/// How engines are run.
#[derive(Clone, Debug)]
pub struct PlayerSettings {
    /// The command line.
    pub command: EngineCommand,
    /// The options to set, with their values.
    pub options: Vec<(String, String)>,
    /// How often an engine that fails is started again without a move in between.
    pub restarts_max: u32,
    /// What to do if it does not answer in time.
    pub resort: Resort,
}

/// A question for a move in a game.
#[derive(Clone, Copy, Debug)]
pub struct Request {
    /// What bounds the thought.
    pub limits: Limits,
    /// The time in which the move must be made, if there is any.
    pub left: Option<Duration>,
    /// What of that time is kept for the way to the server.
    pub overhead: Duration,
}

/// What a player chooses.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Choice {
    /// A legal move in canonical notation.
    Move {
        /// The move.
        notation: String,
        /// The answer that the engine expects.
        ponder: Option<String>,
        /// Whether to offer a draw with it.
        draw: bool,
    },
    /// To resign, with the reason.
    Resign(String),
}

/// An engine in a seat of one game.
pub struct Player {
    settings: Arc<PlayerSettings>,
    game: NewGame,
    log: Log,
    engine: Option<Engine>,
    /// Failures since the last move of the engine.
    failures: u32,
}

impl std::fmt::Debug for Player {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Player").field("game", &self.game).finish_non_exhaustive()
    }
}

impl Player {
    /// Sits down at a table. The engine starts with the first call that needs it.
    pub fn new(settings: Arc<PlayerSettings>, table: &Table, seat: Seat, log: Log) -> Self {
        let game = game::new_game(table, seat);
        Self { settings, game, log, engine: None, failures: 0 }
    }

    /// Chooses a move. The future may be dropped when the turn is over.
    pub async fn choose(&mut self, table: &Table, request: Request) -> Choice {
        let time = request.time(Instant::now());
        loop {
            let error = match self.think(table, request, time).await {
                Ok(BestMove::Resign) => {
                    return Choice::Resign("the engine resigns".to_owned());
                }
                Ok(BestMove::Move { notation, ponder, draw }) => {
                    self.failures = 0;
                    return Choice::Move { notation, ponder, draw };
                }
                Err(error) => error,
            };
            let planned = self.planned_move(table);
            self.drop_engine(&error);
            if self.is_hopeless() {
                let failures = self.failures;
                return Choice::Resign(format!("the engine failed {failures} times: {error}"));
            }
            if Instant::now() + RESTART_WAIT >= time.stop_at {
                return self.last_resort(table, planned);
            }
            sleep(RESTART_WAIT).await;
        }
    }

    /// Lets the engine think about the position after the move that it expects.
    pub async fn ponder(&mut self, expected: &Table, limits: Limits) {
        let clock = game::clock(expected, None);
        if let Some(engine) = &mut self.engine
            && engine.introduction().can("ponder")
            && let Err(error) = engine.ponder(expected, clock, limits).await
        {
            self.drop_engine(&error);
        }
    }

    /// Asks whether the engine accepts a draw.
    pub async fn accepts_draw(&mut self, table: &Table) -> bool {
        let Some(engine) = &mut self.engine else { return false };
        match engine.accepts_draw(table).await {
            Ok(accepts) => accepts,
            Err(error) => {
                self.drop_engine(&error);
                false
            }
        }
    }

    /// Reads what the engine says while the opponents think, and starts it again if it ends. Never
    /// returns.
    pub async fn idle(&mut self) {
        while !self.is_hopeless() {
            let error = match self.running() {
                Ok(engine) => match engine.ready().await {
                    Ok(_) => engine.idle().await,
                    Err(error) => error,
                },
                Err(error) => error,
            };
            self.drop_engine(&error);
            sleep(RESTART_WAIT).await;
        }
        std::future::pending::<()>().await;
    }

    /// Ends the engine.
    pub async fn quit(self) {
        if let Some(engine) = self.engine {
            engine.quit().await;
        }
    }

    async fn think(
        &mut self,
        table: &Table,
        request: Request,
        time: Time,
    ) -> Result<BestMove, EngineError> {
        let engine = self.running()?;
        let ready = tokio::time::timeout_at(time.give_up_at, engine.ready()).await;
        ready.map_err(|_| EngineError::NoAnswer)??;
        // What has passed since the request began is off the clock.
        let left = request.left.map(|_| time.give_up_at.saturating_duration_since(Instant::now()));
        let left_ms = left.map(|left| u64::try_from(left.as_millis()).unwrap_or(u64::MAX));
        let clock = game::clock(table, left_ms);
        engine.think(table, &Thought { clock, limits: request.limits, time }).await
    }

    /// Returns the running engine, or starts it.
    fn running(&mut self) -> Result<&mut Engine, EngineError> {
        if self.engine.is_none() {
            let mut engine = Engine::start(&self.settings.command, &self.log)?;
            for (name, value) in &self.settings.options {
                engine.set_option(name, value)?;
            }
            engine.new_game(&self.game)?;
            self.engine = Some(engine);
        }
        Ok(self.engine.as_mut().expect("it has just been started"))
    }

    fn drop_engine(&mut self, error: &EngineError) {
        self.failures += 1;
        (self.log)(&error.to_string());
        self.engine = None;
    }

    fn is_hopeless(&self) -> bool {
        self.failures > self.settings.restarts_max
    }

    /// Returns the move that the engine last planned to make, if it is legal.
    fn planned_move(&self, table: &Table) -> Option<String> {
        let planned = self.engine.as_ref()?.info().pv.first()?;
        game::check_move(table.position(), planned).ok()
    }

    fn last_resort(&self, table: &Table, planned: Option<String>) -> Choice {
        let any = || game::legal(table.position(), 1).0.pop();
        let played = match self.settings.resort {
            Resort::Play => planned.or_else(any),
            Resort::Resign => None,
        };
        match played {
            Some(notation) => {
                (self.log)(&format!("no move in time: playing {notation}"));
                Choice::Move { notation, ponder: None, draw: false }
            }
            None => Choice::Resign("the engine gave no move in time".to_owned()),
        }
    }
}

impl Request {
    /// Returns the deadlines of a thought that begins now.
    fn time(&self, now: Instant) -> Time {
        let timed = self.left.map(|left| {
            let left = left.saturating_sub(self.overhead);
            Time { stop_at: now + left.saturating_sub(STOP_WAIT), give_up_at: now + left }
        });
        let allowed = self
            .limits
            .movetime_ms
            .map_or(THOUGHT_MAX, |ms| Duration::from_millis(ms).min(THOUGHT_MAX) + MOVETIME_SLACK);
        let untimed =
            Time { stop_at: now + allowed, give_up_at: now + allowed + UNTIMED_STOP_WAIT };
        match timed {
            Some(timed) => Time {
                stop_at: timed.stop_at.min(untimed.stop_at),
                give_up_at: timed.give_up_at.min(untimed.give_up_at),
            },
            None => untimed,
        }
    }
}
