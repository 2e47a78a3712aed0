//! Read-only queries of clients, by WebSocket or HTTP.

pub(crate) mod analysis;
pub(crate) mod game_analysis;
pub(crate) mod people;
pub(crate) mod positions;
pub(crate) mod rerating;
pub(crate) mod stats;
