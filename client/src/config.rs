//! What a connection is to be like. Nothing here is read from files or the environment.

use std::path::PathBuf;

use adamant_protocol::{
    from_client::{Auth, Cursor, Software},
    ids::GameId,
};

use crate::Address;

/// What a connection is to be like.
#[derive(Debug, Clone)]
pub struct Config {
    /// Where the server is.
    pub address: Address,
    /// Who the client is; without it the session may look and sign up, but not play.
    pub auth: Option<Auth>,
    /// What the client would like beyond the minimum, such as `legal`.
    pub caps: Vec<Box<str>>,
    /// The program that connects, as the server's logs shall name it.
    pub software: Software,
    /// A PEM file of further certificates to trust, beside those the machine trusts.
    pub extra_ca: Option<PathBuf>,
    /// What is known of games from an earlier run.
    pub resume: Vec<(GameId, Cursor)>,
    /// Whether to come back after a drop.
    pub reconnect: Reconnect,
}

/// Whether to come back after a drop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reconnect {
    /// The first drop is the end.
    Never,
    /// So many attempts in a row may fail.
    Attempts(u32),
    /// Until the server says not to.
    Forever,
}

impl Config {
    /// A nameless look at a server, coming back for ever.
    pub fn new(address: Address) -> Self {
        Self {
            address,
            auth: None,
            caps: Vec::new(),
            software: Software {
                name: env!("CARGO_PKG_NAME").into(),
                version: env!("CARGO_PKG_VERSION").into(),
            },
            extra_ca: None,
            resume: Vec::new(),
            reconnect: Reconnect::Forever,
        }
    }

    /// The same, but as somebody.
    #[must_use]
    pub fn with_auth(mut self, auth: Auth) -> Self {
        self.auth = Some(auth);
        self
    }
}
