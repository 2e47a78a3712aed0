//! The Adamant game server.
//!
//! Floors, from top to bottom; what stands higher may use what stands lower:
//! simulation and parts, app and audit, edge and house, session, directory, lobby, display, review and talk, rooms,
//! reading, room and accounts, store, signing, config and quotas, outbox, frame, gallery, address, descriptors, metrics,
//! rates, ratings, texts, turns, limits, time and lifecycle.

mod accounts;
mod address;
pub mod app;
pub mod audit;
mod caller;
pub mod config;
mod descriptors;
mod directory;
mod disk;
mod display;
mod edge;
mod error;
mod frame;
mod gallery;
mod house;
pub mod lifecycle;
mod limits;
mod lobby;
mod metrics;
mod outbox;
pub mod parts;
mod quotas;
mod rates;
mod ratings;
mod reading;
mod review;
mod room;
mod rooms;
pub mod sd_notify;
mod session;
mod signing;
pub mod simulation;
mod store;
mod talk;
pub mod telemetry;
mod texts;
mod time;
mod turns;
