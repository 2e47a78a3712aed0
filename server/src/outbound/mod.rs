//! The way out to a client: encoded frames, the outbox that queues them, and the client handle.

pub(crate) mod client;
pub(crate) mod closed;
pub(crate) mod frame;
pub(crate) mod outbox;
#[cfg(test)]
mod outbox_tests;
mod outcome;
mod queue;
mod session_id;

pub(crate) use outcome::{SendOutcome, SessionEnd};
pub(crate) use session_id::SessionId;
