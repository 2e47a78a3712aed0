//! What every test needs: a server of its own, peers to speak to it with, and games to play.

mod binaries;
pub(crate) mod game;
pub(crate) mod http;
mod peer;
pub(crate) mod raw_socket;
pub(crate) mod schema;
mod self_test;
mod server;
mod variant;

use std::time::Duration;

use serde_json::Value;

pub(crate) use binaries::{binary, repository, target};
pub(crate) use peer::{Frame, Peer, Stream};
pub(crate) use server::{Server, Setup};
pub(crate) use variant::Variant;

/// How long anything may take that a test waits for. Far more than it ever does: a test that
/// runs into it has found a fault, and says what it has seen so far.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// A frame with some fields more, or with others in their place.
pub(crate) fn with(mut frame: Value, fields: Value) -> Value {
    let (Some(object), Value::Object(fields)) = (frame.as_object_mut(), fields) else {
        panic!("frames and fields are objects")
    };
    object.extend(fields);
    frame
}
