//! The lobby: how players find each other, and how a game begins.
//!
//! The lock is held for moments and never across an await. Seeks, challenges and invites are no
//! games: what is acknowledged here is either stored (challenges, invites, lasting seeks) or ends
//! with its session (other seeks).

mod away;
mod blocks;
mod challenge_requests;
mod challenges;
mod consent;
mod expiry;
mod game_config;
mod invite_requests;
mod invites;
mod lines_reported;
mod lobby;
mod online;
mod open_index;
mod open_seek;
mod pairing;
mod rematch;
mod seek_requests;
mod seeks;
mod subscribers;

pub(crate) use lobby::{Lobby, StartedGame};
pub(crate) use rematch::RematchOutcome;
