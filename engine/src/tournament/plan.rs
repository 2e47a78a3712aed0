//! What is played: everything on which the games depend.

use std::time::Duration;

use crate::protocol::{EngineCommand, EngineError};
use adamant_protocol::UserName;
use adamant_rules::TimeControl;
use serde_json::{Value, json};

use crate::tournament::{
    limits::{ENGINES_MAX, PLIES_MAX},
    openings::Openings,
    rules::Rules,
    schedule::{Format, Schedule, ScheduleError},
    stats::SprtBounds,
};

/// The version of the form of results files.
const FORM_VERSION: u32 = 1;

/// An engine that takes part.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EngineSpec {
    /// Its name in records and tables.
    pub name: UserName,
    /// The command line as it was written.
    pub line: String,
    /// The command.
    pub command: EngineCommand,
    /// The options to set, with their values.
    pub options: Vec<(String, String)>,
    /// The nodes of each move.
    pub nodes: Option<u64>,
    /// The time of each move.
    pub movetime: Option<Duration>,
}

impl EngineSpec {
    /// Reads a command line.
    pub fn new(name: UserName, line: &str) -> Result<Self, EngineError> {
        let command = EngineCommand::parse(line)?;
        let line = line.to_owned();
        Ok(Self { name, line, command, options: Vec::new(), nodes: None, movetime: None })
    }
}

/// Why a plan is no plan.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PlanError {
    /// The schedule is impossible.
    #[error(transparent)]
    Schedule(#[from] ScheduleError),
    /// Too many engines.
    #[error("there are more than {ENGINES_MAX} engines")]
    TooManyEngines,
    /// Two engines have one name.
    #[error("two engines are called {0}; name each")]
    SameName(UserName),
    /// An engine would think for ever.
    #[error("{0} has no budget: give --nodes, --movetime or --clock")]
    NoBudget(UserName),
    /// A test needs two engines.
    #[error("a sequential test needs two engines and a game for two")]
    Sprt,
    /// The number of plies is out of bounds.
    #[error("a game is drawn after 1 to {PLIES_MAX} plies")]
    MaxPlies,
}

/// What is played.
#[derive(Clone, PartialEq, Debug)]
pub struct Plan {
    /// The game.
    pub rules: Rules,
    /// The engines.
    pub engines: Vec<EngineSpec>,
    /// Who meets whom.
    pub format: Format,
    /// The games of each pairing.
    pub games: u32,
    /// The openings.
    pub openings: Openings,
    /// The seed from which random openings are drawn.
    pub seed: u64,
    /// A game with this number of plies is drawn.
    pub max_plies: u32,
    /// How long an engine may think where nothing else limits its time.
    pub hang_timeout: Duration,
    /// The sequential test after which the match ends.
    pub sprt: Option<SprtBounds>,
}

impl Plan {
    /// Checks the plan and schedules its games.
    pub fn schedule(&self) -> Result<Schedule, PlanError> {
        let engines = &self.engines;
        if engines.len() > ENGINES_MAX {
            return Err(PlanError::TooManyEngines);
        }
        for (index, engine) in engines.iter().enumerate() {
            if engines[..index].iter().any(|other| other.name.is_same(engine.name.as_str())) {
                return Err(PlanError::SameName(engine.name.clone()));
            }
            let has_budget = engine.nodes.is_some() || engine.movetime.is_some();
            if !has_budget && self.rules.clock == TimeControl::None {
                return Err(PlanError::NoBudget(engine.name.clone()));
            }
        }
        if !(1..=PLIES_MAX).contains(&self.max_plies) {
            return Err(PlanError::MaxPlies);
        }
        if self.sprt.is_some() && (engines.len() != 2 || self.rules.players != 2) {
            return Err(PlanError::Sprt);
        }
        Ok(Schedule::new(self.format, engines.len(), self.rules.players, self.games)?)
    }

    /// Describes everything on which the games depend. A match that goes on must have been begun
    /// with the same words.
    pub(crate) fn words(&self) -> Value {
        let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let engine = |engine: &EngineSpec| {
            json!({
                "name": engine.name,
                "command": engine.line,
                "options": engine.options,
                "nodes": engine.nodes,
                "movetime_ms": engine.movetime.map(millis),
            })
        };
        let rules = &self.rules;
        json!({
            "version": FORM_VERSION,
            "game": rules.kind.name(),
            "options": rules.options.to_string(),
            "players": rules.players,
            "clock": format!("{:?}", rules.clock),
            "engines": self.engines.iter().map(engine).collect::<Vec<_>>(),
            "format": self.format.name(),
            "games": self.games,
            "openings": self.openings.words(),
            "seed": self.seed,
            "max_plies": self.max_plies,
            "hang_timeout_ms": millis(self.hang_timeout),
            "sprt": self.sprt,
        })
    }
}
