//! What survives crashes, power cuts and damaged files.

mod bot_kills; // bots, engines and the server are killed while bots play
pub(crate) mod crash; // the server is killed while clients play
mod damaged; // damaged records, and a damaged WAL
mod outages; // the server stands still or is away while clients play
mod postgres; // the store in PostgreSQL
mod power_cut; // the power fails while clients play
mod second_server; // a second server on the data of one that runs
