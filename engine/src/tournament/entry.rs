//! Starts every engine once before the first game, so that a wrong command is an error at once.

use std::sync::Arc;

use crate::protocol::{Engine, EngineError, Introduction, Log};
use adamant_protocol::UserName;

use crate::tournament::{plan::EngineSpec, rules::Rules};

/// Why an engine cannot take part.
#[derive(Debug, thiserror::Error)]
pub enum EntryError {
    /// It does not run.
    #[error("{name}: {error}")]
    Engine {
        /// The engine.
        name: UserName,
        /// What is wrong.
        error: EngineError,
    },
    /// It plays other games.
    #[error("{name} does not play {game} with {players} players")]
    Game {
        /// The engine.
        name: UserName,
        /// The game.
        game: &'static str,
        /// The number of players.
        players: usize,
    },
    /// It has no such option.
    #[error("{name} has no option {option}; it has {known}")]
    Option {
        /// The engine.
        name: UserName,
        /// The option.
        option: String,
        /// The options that it has.
        known: String,
    },
}

/// Starts an engine and asks what it is.
pub async fn enter(spec: &EngineSpec, rules: &Rules) -> Result<Introduction, EntryError> {
    let name = || spec.name.clone();
    let silent: Log = Arc::new(|_| {});
    let started = async {
        let mut engine = Engine::start(&spec.command, &silent)?;
        let introduction = engine.ready().await?.clone();
        engine.quit().await;
        Ok(introduction)
    };
    let introduction: Introduction =
        started.await.map_err(|error| EntryError::Engine { name: name(), error })?;
    let (kind, players) = (rules.kind, rules.players);
    if !introduction.plays(kind, players) {
        return Err(EntryError::Game { name: name(), game: kind.name(), players });
    }
    let known: Vec<&str> = introduction.options.iter().map(|option| option.name.as_str()).collect();
    match spec.options.iter().find(|(option, _)| !known.contains(&option.as_str())) {
        Some((option, _)) => {
            let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
            Err(EntryError::Option { name: name(), option: option.clone(), known })
        }
        None => Ok(introduction),
    }
}
