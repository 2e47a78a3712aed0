//! The Adamant game server.
//!
//! Floors, from top to bottom; what stands higher may use what stands lower:
//! app, edge and house, session, lobby, display, review and talk, rooms, room and accounts, store and config,
//! outbox, gallery, limits, time and lifecycle.

mod accounts;
pub mod app;
mod caller;
pub mod config;
mod display;
mod edge;
mod error;
mod gallery;
mod house;
pub mod lifecycle;
mod limits;
mod lobby;
mod outbox;
mod review;
mod room;
mod rooms;
mod session;
mod store;
mod talk;
pub mod telemetry;
mod time;
