//! How the server is reached, and the `hello` that opens each session.

use std::sync::Arc;

use adamant_protocol::{
    from_client::{Auth, Cursor, Hello},
    to_client::Welcome,
    values::Named,
};

use crate::{address::Address, config::Reconnect, dial::Dial};

/// A server with the settings of its connections.
pub(crate) struct Endpoint {
    pub(crate) dial: Arc<dyn Dial>,
    pub(crate) address: Address,
    pub(crate) hello: Hello,
    pub(crate) reconnect: Reconnect,
}

impl Endpoint {
    /// Returns the `hello` of a new session, with the cursors of the client's games.
    pub(crate) fn hello(&self, resume: Named<Cursor>) -> Hello {
        Hello { resume, ..self.hello.clone() }
    }

    /// Keeps the token of a `welcome`. A guest or a user with a password reconnects with it.
    pub(crate) fn record_welcome(&mut self, welcome: &Welcome) {
        if let Some(token) = &welcome.token {
            self.hello.auth = Some(Auth::Token(token.clone()));
        }
    }
}
