//! The lobby: how players find each other, and how a game begins.
//!
//! The lock is held for moments and never across an await. Seeks and challenges are no games: what
//! is acknowledged here is either stored (challenges) or ends with its session (seeks).

mod challenge_requests;
mod challenges;
mod game_config;
mod lobby;
mod online;
mod pairing;
mod rematch;
mod seeks;
mod subscribers;

pub(crate) use lobby::{Lobby, StartedGame};
pub(crate) use rematch::RematchOutcome;
