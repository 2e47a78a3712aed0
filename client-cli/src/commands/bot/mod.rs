//! Runs a bot: it accepts challenges, opens seeks and plays. Each game is a task of its own.

mod answering;
mod command;
mod filter;
mod game;
mod listing;
mod mind;
mod places;
mod requests;
mod run;
mod seeking;

pub(super) use command::bot;
