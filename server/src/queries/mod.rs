//! Read-only queries of clients, by WebSocket or HTTP.

pub(crate) mod analysis;
pub(crate) mod boards;
mod directory;
mod game_search;
pub(crate) mod people;
pub(crate) mod positions;
