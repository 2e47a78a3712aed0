//! What survives crashes, power cuts and damaged files.

mod bot_kills; // bots, engines and the server are killed while bots play
pub(crate) mod crash; // the server is killed while clients play
mod damaged_games; // games with damaged records
mod damaged_store; // a damaged WAL or database
mod data_directory; // data directories that cannot be used
mod outages; // the server stands still or is away while clients play
mod postgres; // the store in PostgreSQL
mod postgres_tls; // connections to PostgreSQL with TLS
mod power_cut; // the power fails while clients play
mod second_server; // a second server on the data of one that runs
