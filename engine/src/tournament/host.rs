//! What games need of their surroundings.

use std::{fmt, sync::Arc};

use crate::tournament::game_time::GameTime;

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
