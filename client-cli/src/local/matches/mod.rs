//! `adamant match`: engines play each other on this machine.

mod command;
mod config;
mod naming;
mod progress;
mod table;

pub(crate) use command::play_match;
