//! Runs a bot: it accepts challenges, opens seeks and plays. Each game is a task of its own.

pub(crate) mod filter;
pub(crate) mod game;
pub(crate) mod mind;
pub(crate) mod run;

pub(super) use run::bot;
