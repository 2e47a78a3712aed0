//! The lobby: how players find each other, and how a game begins.
//!
//! The store decides about open games: seeks, challenges and invites. What this node knows of them
//! is a replica for lists, kept by its own decisions and by what other nodes announce. Its lock is
//! held for moments and never across an await.

mod away;
mod blocks;
mod bot_directory;
mod bot_requests;
mod cluster_events;
mod consent;
mod game_config;
mod lines_reported;
mod lobby;
mod offers;
mod online;
mod online_elsewhere;
mod online_events;
mod open_games;
mod owners;
mod pairing;
mod rematch;
mod subscribers;
mod terms;
mod token_checks;

pub(crate) use bot_directory::DirectoryQuery;
pub(crate) use lobby::{Lobby, StartedGame};
pub(crate) use offers::ChallengeMaker;
pub(crate) use rematch::RematchOutcome;
