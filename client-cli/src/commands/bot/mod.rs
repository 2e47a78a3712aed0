//! Runs a bot: it accepts challenges, opens seeks and plays. Each game is a task of its own.

mod answering;
mod command;
mod filter;
mod game;
mod mind;
mod places;
mod requests;
mod run;

pub(super) use command::bot;
