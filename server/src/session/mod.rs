//! A session: one connection from its upgrade to its goodbye. Reading, and writing what could not
//! be written at once, are two futures of one task, so that neither waits for the other and an idle
//! session costs one task.

mod close_reason;
mod dispatch;
mod hello;
mod identity;
mod rate_checks;
mod rate_limits;
mod reader;
mod request_limits;
mod requests;
mod round_trip;
mod serve;
mod services;
mod session;
mod terms; // who may send each request, and what it costs
mod transport;
mod watching;
mod writer;

pub(crate) use rate_limits::UserRateLimits;
pub(crate) use requests::catalogue::catalogue;
pub(crate) use serve::{serve_stream, serve_tcp};
pub(crate) use services::Services;
