//! What chooses a bot's moves in one game: a level, or an engine.

use std::{sync::Arc, time::Duration};

use adamant_engine::choice::{Level, choose_after};
use adamant_engine::protocol::{
    Choice, EngineCommand, Log, Player, PlayerSettings, Request, Resort, messages::Limits,
};
use adamant_rules::{Seat, Table, TimeControl};
use clap::{Args, ValueEnum};
use tokio::time::Instant;

use crate::args::spelling::read_ms;

/// How a bot runs an engine.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Engine")]
pub(crate) struct EngineRunArgs {
    /// Let this program choose the moves; docs/ENGINES.md describes how it is spoken to
    #[arg(long, value_name = "COMMAND", conflicts_with = "level")]
    pub(crate) engine: Option<String>,
    /// Set an option of the engine
    #[arg(long, value_name = "NAME=VALUE", value_parser = read_setting)]
    pub(crate) engine_option: Vec<(String, String)>,
    /// Let it look at N positions for a move
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) nodes: Option<u64>,
    /// Let it think at most this long for a move, such as 2s; 5s in games without a running clock
    #[arg(long, value_name = "TIME", value_parser = read_ms)]
    pub(crate) movetime: Option<u64>,
    /// Keep this time of each move for the way to the server
    #[arg(long, value_name = "TIME", default_value = "300ms", value_parser = read_ms)]
    pub(crate) move_overhead: u64,
    /// Start it again up to N times without a move in between, then resign
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub(crate) restarts: u32,
    /// What to do if it does not answer in time: play its last plan or any legal move, or resign
    #[arg(long, value_name = "WHAT", value_enum, default_value_t = OnTimeout::Play)]
    pub(crate) on_timeout: OnTimeout,
    /// Let it think while the opponent does, if it can
    #[arg(long)]
    pub(crate) ponder: bool,
}

/// What a bot does if its engine does not answer in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum OnTimeout {
    /// Play its last plan, or any legal move.
    Play,
    /// Resign the game.
    Resign,
}

fn read_setting(word: &str) -> Result<(String, String), &'static str> {
    let (name, value) = word.split_once('=').ok_or("write NAME=VALUE")?;
    Ok((name.to_owned(), value.to_owned()))
}

/// The time for a move where no clock runs and no setting names one, in milliseconds.
const UNTIMED_MOVE_MS: u64 = 5_000;

/// How a bot chooses moves.
#[derive(Debug, Clone)]
pub(super) enum MindSettings {
    /// A level of this program.
    Level(Level),
    Engine(EngineSettings),
}

/// How an engine is run in each game.
#[derive(Debug, Clone)]
pub(super) struct EngineSettings {
    player: Arc<PlayerSettings>,
    nodes: Option<u64>,
    movetime_ms: Option<u64>,
    overhead: Duration,
    ponders: bool,
}

impl EngineSettings {
    /// Takes the settings of the command line.
    pub(super) fn new(command: EngineCommand, args: &EngineRunArgs) -> Self {
        let player = Arc::new(PlayerSettings {
            command,
            options: args.engine_option.clone(),
            restarts_max: args.restarts,
            resort: match args.on_timeout {
                OnTimeout::Play => Resort::Play,
                OnTimeout::Resign => Resort::Resign,
            },
        });
        Self {
            player,
            nodes: args.nodes,
            movetime_ms: args.movetime,
            overhead: Duration::from_millis(args.move_overhead),
            ponders: args.ponder,
        }
    }

    /// Returns what bounds a thought in a game.
    fn limits(&self, control: TimeControl) -> Limits {
        let is_timed = !matches!(control, TimeControl::None | TimeControl::Days { .. });
        let default_ms = (!is_timed && self.nodes.is_none()).then_some(UNTIMED_MOVE_MS);
        Limits {
            clock: is_timed,
            movetime_ms: self.movetime_ms.or(default_ms),
            nodes: self.nodes,
            ..Limits::default()
        }
    }
}

/// What chooses the moves of one game.
pub(super) enum Mind {
    /// A level of this program.
    Level(Level),
    Engine(Box<EnginePlayer>),
}

/// An engine in one game.
pub(super) struct EnginePlayer {
    player: Player,
    settings: EngineSettings,
}

impl Mind {
    /// Sits down at a table.
    pub(super) fn new(settings: &MindSettings, table: &Table, seat: Seat, log: Log) -> Self {
        match settings {
            MindSettings::Level(level) => Self::Level(*level),
            MindSettings::Engine(settings) => {
                let player = Player::new(Arc::clone(&settings.player), table, seat, log);
                Self::Engine(Box::new(EnginePlayer { player, settings: settings.clone() }))
            }
        }
    }

    /// Chooses a move of the seat to move. `deadline` is when the server must have it.
    pub(super) async fn choose(
        &mut self,
        table: &Table,
        deadline: Option<Instant>,
    ) -> anyhow::Result<Choice> {
        match self {
            Self::Level(level) => {
                let (position, level) = (table.position().clone(), *level);
                let seen = table.positions_seen().to_vec();
                // The search must not block the connection.
                let thought = tokio::task::spawn_blocking(move || {
                    choose_after(&seen, &position, level, &mut rand::rng())
                });
                let without = "the server asks for a move, but none is legal";
                let play = thought.await?.ok_or_else(|| anyhow::anyhow!(without))?;
                Ok(Choice::Move { notation: play.to_string(), ponder: None, draw: false })
            }
            Self::Engine(engine) => {
                let EnginePlayer { player, settings } = engine.as_mut();
                let left = deadline.map(|at| at.saturating_duration_since(Instant::now()));
                let limits = settings.limits(table.clock().control());
                let request = Request { limits, left, overhead: settings.overhead };
                Ok(player.choose(table, request).await)
            }
        }
    }

    /// Uses the opponents' time. Never returns.
    pub(super) async fn idle(&mut self) {
        match self {
            Self::Level(_) => std::future::pending().await,
            Self::Engine(engine) => engine.player.idle().await,
        }
    }

    /// Thinks about the position after a move that the mind expects, if it may.
    pub(super) async fn ponder(&mut self, expected: &Table) {
        if let Self::Engine(engine) = self
            && engine.settings.ponders
        {
            let limits = engine.settings.limits(expected.clock().control());
            engine.player.ponder(expected, limits).await;
        }
    }

    /// Asks whether to accept a draw.
    pub(super) async fn accepts_draw(&mut self, table: &Table) -> bool {
        match self {
            Self::Level(_) => false,
            Self::Engine(engine) => engine.player.accepts_draw(table).await,
        }
    }

    pub(super) async fn quit(self) {
        if let Self::Engine(engine) = self {
            engine.player.quit().await;
        }
    }
}
