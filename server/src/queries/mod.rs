//! Read-only queries of clients, by WebSocket or HTTP.

pub(crate) mod analysis;
pub(crate) mod boards;
pub(crate) mod counting;
mod directory;
mod game_search;
pub(crate) mod people;
pub(crate) mod positions;
pub(crate) mod stats;
