//! The way out to a client: encoded frames, the outbox that queues them, and the client handle.

pub(crate) mod client;
pub(crate) mod frame;
pub(crate) mod outbox;
mod queue;

pub(crate) use outbox::{SessionEnd, SessionId};
pub(crate) use queue::SendOutcome;
