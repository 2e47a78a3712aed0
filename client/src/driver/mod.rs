//! The task that owns the socket: it reads, writes, detects silence, and reconnects after a drop.

mod connected;
mod task;

pub(crate) use task::{Command, Driver, Endpoint, INBOX_MAX};
