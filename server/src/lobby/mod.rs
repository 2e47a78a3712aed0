//! The lobby: how players find each other, and how a game begins.
//!
//! The store decides about open games: seeks, challenges and invites. What this node knows of them
//! is a replica for lists, kept by its own decisions and by what other nodes announce. Its lock is
//! held for moments and never across an await.

mod bots;
mod events;
mod exhibitions;
mod lobby;
mod offers;
mod online;
mod open_games;
mod rematch;
mod terms;

pub(crate) use bots::DirectoryQuery;
pub(crate) use lobby::Lobby;
pub(crate) use offers::Refusal;
pub(crate) use rematch::RematchOutcome;
