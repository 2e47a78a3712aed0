//! The embedded store: `SQLite` on a local disk. No other module has SQL.
//!
//! One thread writes, and commits the waiting jobs of many rooms with one sync. A few connections
//! read. A lock file keeps the directory to one process.

mod backend;
mod backup;
mod challenges;
mod connection;
mod database;
mod downloads;
mod errors;
mod executed_job;
mod file_names;
mod game_lists;
mod games;
mod home;
mod integrity_check;
mod invites;
mod job;
mod journal_rows;
mod live;
mod lock;
mod malformed;
mod migrations;
mod notifications;
mod open;
mod open_error;
mod open_mode;
mod open_rows;
mod open_tables;
mod origins;
mod outages;
mod place;
mod ratings_check;
mod readers;
mod record_blocks;
mod recovered;
mod recovery;
mod relations;
mod results;
mod rows;
mod schema;
mod seeks;
mod session_seed;
mod simulated_worker;
mod standings;
mod statistics;
mod talk;
#[cfg(test)]
mod tests;
mod tokens;
mod transfer;
mod transfer_tables;
mod users;
mod wal;
mod wal_copy;
mod worker;
mod writer;

pub(crate) use backup::{BackupReport, copy};
pub(crate) use database::Sqlite;
pub(crate) use integrity_check::{check_integrity, database_of};
pub(crate) use open_error::OpenError;
pub(crate) use ratings_check::check_ratings;
pub(crate) use recovered::{RecoveredState, TimedGame};
pub(crate) use recovery::{RecoveredGame, Recovery};
pub(crate) use transfer::{EmbeddedSource, EmbeddedTarget};
pub(crate) use transfer_tables::{
    ColumnType, TRANSFER_TABLES, TransferGame, TransferRow, TransferTable, Value,
};
pub(crate) use wal::Loss;
