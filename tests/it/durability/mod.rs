//! What survives crashes, power cuts and damaged files.

mod crash; // the server is killed while clients play
mod damaged_games; // games with damaged records
mod damaged_store; // a damaged WAL or database
mod data_directory; // data directories that cannot be used
mod postgres;
mod power_cut; // the power fails while clients play // the store in PostgreSQL
