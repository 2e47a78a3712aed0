//! A typed client of the Adamant wire protocol that survives restarts and bad networks.
//!
//! [`Client::connect`] opens a session and starts a task that owns the socket. A [`Client`] sends
//! requests and can be cloned; an [`Inbox`] receives all other messages.
//!
//! ```no_run
//! use adamant_client::{
//!     Client, Config, Incoming,
//!     protocol::from_client::{Auth, Move, Seek},
//! };
//!
//! # async fn play() -> Result<(), Box<dyn std::error::Error>> {
//! let config = Config::new("play.example.org".parse()?).with_auth(Auth::Guest("ann".parse()?));
//! let (client, mut inbox, welcome) = Client::connect(config).await?;
//! println!("games: {:?}", welcome.rules);
//!
//! let rules = "adamas".parse()?;
//! client.done(|id| Seek::new(id, rules)).await?;
//! while let Some(incoming) = inbox.next().await {
//!     if let Incoming::YourTurn(turn) = incoming {
//!         let (game, turn) = (turn.game, turn.turn);
//!         client.done(|id| Move::new(id, game, turn, "c1-c2".into())).await?;
//!     }
//! }
//! # Ok(())
//! # }
//! ```
//!
//! When the connection breaks, the task reconnects with a cursor for each game, so that the server
//! sends only the missing events. It sends unanswered acts again under the same id. This crate
//! knows no rules of any game, stores nothing by itself and prints nothing.

mod client;
mod config;
mod dial;
mod driver;
mod error;
mod incoming;
mod pending;
mod subscriptions;
#[cfg(feature = "tls")]
mod tls;
mod token_file;

pub use self::{
    client::{Client, Inbox},
    config::{Address, Config, ParseAddressError, Reconnect},
    dial::{Dial, DialFuture, Network, Transport},
    error::{ConnectError, DisconnectReason, RequestError},
    incoming::Incoming,
    token_file::{read_token, write_private, write_token},
};
/// The protocol, so that programs need not depend on it themselves.
pub use adamant_protocol as protocol;

/// Has the programs of README.md tested.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
