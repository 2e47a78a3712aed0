//! The task that owns the socket: it reads, writes, detects silence, and reconnects after a drop.

mod connected;
mod endpoint;
mod reconnect;
mod task;

pub(crate) use endpoint::Endpoint;
pub(crate) use task::{Command, Driver, INBOX_MAX};
