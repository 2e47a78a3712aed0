//! The front door: one port for WebSocket and HTTP, with a deadline on everything that comes
//! before a session.

mod acceptor;
mod admitted;
mod api;
mod app_state;
mod board_picture;
mod byte_range;
mod caching;
mod connection;
mod connection_limits;
mod descriptions;
mod download_places;
mod downloads;
mod errors;
mod event_stream;
mod feed;
mod handshakes;
mod markup;
mod page;
mod painter;
mod pictures;
mod port;
mod proxies;
mod request_limits;
mod routes;
mod security_headers;
mod server;
mod static_content;
mod status;
mod tls;
mod websocket;

pub(crate) use admitted::Admitted;
pub(crate) use port::{BindError, KeptPort, TakenPort};
pub(crate) use server::Server;
pub(crate) use tls::Certificate;
