//! The Adamant game server.
//!
//! Floors, from top to bottom; what stands higher may use what stands lower:
//! app, edge and house, session, lobby, rooms, room and accounts, store and config,
//! outbox, address, rates, limits, time and lifecycle.

mod accounts;
mod address;
pub mod app;
mod caller;
pub mod config;
mod edge;
mod error;
mod house;
pub mod lifecycle;
mod limits;
mod lobby;
mod outbox;
mod rates;
mod room;
mod rooms;
mod session;
mod store;
pub mod telemetry;
mod time;
