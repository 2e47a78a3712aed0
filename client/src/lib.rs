//! A typed client of the Adamant wire protocol that survives restarts and bad networks.
//!
//! [`Client::connect`] opens a session and starts a task that owns the socket. A [`Client`] sends
//! requests and can be cloned; an [`Inbox`] receives all other messages. When the connection
//! breaks, the task reconnects with a cursor for each game, so that the server sends only the
//! missing events. It sends unanswered acts again under the same id. This crate knows no rules of
//! any game, stores no credentials and prints nothing.

mod address;
mod backoff;
mod client;
mod config;
mod dial;
mod driver;
mod error;
mod ids;
mod incoming;
mod open;
mod partial_decode;
mod pending;
mod subscriptions;
mod tls;

pub use address::{Address, ParseAddressError};
pub use client::{Client, Inbox};
pub use config::{Config, Reconnect};
pub use dial::{Dial, DialFuture, Transport};
pub use error::{ConnectError, DisconnectReason, RequestError};
pub use incoming::Incoming;

/// The protocol, so that programs need not depend on it themselves.
pub use adamant_protocol as protocol;
