//! The front door: one port for WebSocket and HTTP, with a deadline on everything that comes
//! before a session.

mod admitted;
mod answers;
mod api;
mod app_state;
mod board_picture;
mod descriptions;
mod downloads;
mod event_stream;
mod limits;
mod page;
mod painter;
mod pictures;
mod port;
mod proxies;
mod routes;
mod security_headers;
mod server;
mod static_content;
mod status;
mod websocket;

pub(crate) use admitted::Admitted;
pub(crate) use port::{BindError, Certificate, KeptPort, TakenPort};
pub(crate) use server::Server;
