//! A typed client of the Adamant wire protocol that survives restarts and bad networks.
//!
//! [`Client::connect`] says hello and leaves a task behind that owns the socket. A [`Client`] sends
//! requests and can be cloned; an [`Inbox`] hears what the server says unasked. When the connection
//! breaks, the task comes back by itself with what it knows of each game, so that only the missing
//! events follow, and sends unanswered acts again under the same id. Nothing here knows the rules
//! of any game, keeps credentials or prints.

mod address;
mod backoff;
mod client;
mod config;
mod dial;
mod driver;
mod error;
mod followed;
mod ids;
mod incoming;
mod open;
mod pending;
mod tls;
mod unreadable;

pub use address::{Address, BadAddress};
pub use client::{Client, Inbox};
pub use config::{Config, Reconnect};
pub use dial::{Dial, DialFuture, Transport};
pub use error::{ConnectError, DisconnectReason, RequestError};
pub use incoming::Incoming;

/// The protocol that is spoken, so that users of this crate need not name it themselves.
pub use adamant_protocol as protocol;
