//! The Adamant game server.
//!
//! Floors, from top to bottom; what stands higher may use what stands lower:
//! app, edge and house, session, lobby, rooms, room and accounts, store and config,
//! outbox, limits, time and lifecycle.

pub mod accounts;
mod caller;
pub mod config;
mod error;
pub mod lifecycle;
pub mod limits;
mod lobby;
pub mod outbox;
mod room;
mod rooms;
mod session;
pub mod store;
pub mod time;
