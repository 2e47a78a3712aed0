//! The way out to a client: encoded frames, the outbox that queues them, and the client's handle.

pub(crate) mod client;
pub(crate) mod closed;
pub(crate) mod frame;
pub(crate) mod outbox;
mod queue;
