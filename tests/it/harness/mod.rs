//! What every test needs: a server of its own, peers to speak to it with, and games to play.

mod binaries;
pub(crate) mod game;
mod peer;
mod server;

use std::time::Duration;

pub(crate) use binaries::{binary, repository, target};
pub(crate) use peer::{Frame, Peer, Stream};
pub(crate) use server::Server;

/// How long anything may take that a test waits for. Far more than it ever does: a test that
/// runs into it has found a fault, and says what it has seen so far.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);
