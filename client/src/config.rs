//! The settings of a connection. Nothing here is read from files or the environment.

use std::{path::PathBuf, time::Duration};

use adamant_protocol::{
    from_client::{Auth, CAP_LEGAL, Cursor, Software},
    ids::GameId,
};

use crate::address::Address;

/// The settings of a connection.
#[derive(Debug, Clone)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Config {
    /// The server's address.
    pub address: Address,
    /// The user's credentials. Without them a session may watch and sign up, but not play.
    pub auth: Option<Auth>,
    /// Optional capabilities to ask for, such as `legal`.
    pub caps: Vec<Box<str>>,
    /// The name and version of the program, for the server's logs.
    pub software: Software,
    /// A PEM file of certificates to trust besides those of the machine.
    pub extra_ca: Option<PathBuf>,
    /// The cursors of games from an earlier run.
    pub resume: Vec<(GameId, Cursor)>,
    /// Whether to reconnect after a drop.
    pub reconnect: Reconnect,
    /// The longest wait, named by the server, after which the client sends a refused request again
    /// by itself. A program where a person waits may prefer the refusal.
    pub retry_wait_max: Duration,
}

/// The longest wait of a program for a refused request.
const RETRY_WAIT_MAX: Duration = Duration::from_mins(1);

/// Whether to reconnect after a drop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum Reconnect {
    /// The first drop ends the connection for good.
    Never,
    /// Gives up after this number of failed attempts in a row.
    Attempts(u32),
    /// Reconnects until the server forbids it.
    Forever,
}

impl Config {
    /// Returns settings without credentials, which reconnect forever.
    pub fn new(address: Address) -> Self {
        Self {
            address,
            auth: None,
            caps: Vec::new(),
            software: Software::new(
                env!("CARGO_PKG_NAME").into(),
                env!("CARGO_PKG_VERSION").into(),
            ),
            extra_ca: None,
            resume: Vec::new(),
            reconnect: Reconnect::Forever,
            retry_wait_max: RETRY_WAIT_MAX,
        }
    }

    /// Asks for a list of legal moves with each turn.
    #[must_use]
    pub fn with_legal_moves(mut self) -> Self {
        self.caps.push(CAP_LEGAL.into());
        self
    }

    /// Sets the user's credentials.
    #[must_use]
    pub fn with_auth(mut self, auth: Auth) -> Self {
        self.auth = Some(auth);
        self
    }
}
