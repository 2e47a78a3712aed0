//! Administration: the socket of `adamant-server admin`, what its requests do, and the client.
//!
//! Only the socket leads here. It is a file, so that the machine decides who may use it, and no
//! client of the network ever can.

mod acts;
mod bans;
mod client;
mod effects;
mod error;
mod games;
mod keys;
mod listener;
mod operator;
mod peer;
mod reloaded;
mod reports;
mod sign_ups;
mod users;

pub use client::{AskError, ask};
pub(crate) use effects::{end_passed_maintenance, on_heard};
pub(crate) use listener::AdminSocket;
pub use listener::AdminSocketError;
pub use reloaded::Reloaded;
pub(crate) use reloaded::{ReloadAnswer, ReloadRequests, settings_changed};
