//! The lobby: how players find each other, and how a game begins.
//!
//! The store decides about challenges, invites and seeks. What this node knows of them is a replica
//! for lists, kept by its own decisions and by what other nodes announce. Its lock is held for
//! moments and never across an await.

mod away;
mod blocks;
mod bot_directory;
mod bot_requests;
mod challenge_requests;
mod challenges;
mod cluster_events;
mod consent;
mod expiry;
mod game_config;
mod invite_requests;
mod invites;
mod lines_reported;
mod lobby;
mod online;
mod online_elsewhere;
mod online_events;
mod open_index;
mod open_seek;
mod owners;
mod pairing;
mod reload;
mod rematch;
mod replica;
mod seek_requests;
mod seeks;
mod subscribers;
mod token_checks;

pub(crate) use bot_directory::DirectoryQuery;
pub(crate) use challenge_requests::ChallengeMaker;
pub(crate) use lobby::{Lobby, StartedGame};
pub(crate) use rematch::RematchOutcome;
