//! The embedded store: `SQLite` on a local disk.
//!
//! One thread writes, and commits the waiting jobs of many rooms with one sync. A few connections
//! read. A lock file keeps the directory to one process.

mod archive;
mod arrivals;
mod backend;
mod backup;
mod check;
mod connection;
mod copy;
mod database;
mod errors;
mod executed_job;
mod file_names;
mod home;
mod job;
mod live;
mod lock;
mod malformed;
mod open;
mod open_error;
mod open_mode;
mod outages;
mod place;
mod readers;
mod recovered;
mod recovery;
mod simulated_worker;
mod tables;
#[cfg(test)]
mod tests;
mod wal;
mod wal_copy;
mod worker;
mod writer;

pub(crate) use backup::{BackupReport, copy};
pub(crate) use check::{check_integrity, check_ratings, database_of};
pub(crate) use copy::{EmbeddedSource, EmbeddedTarget};
pub(crate) use database::Sqlite;
pub(crate) use open_error::OpenError;
pub(crate) use recovered::{RecoveredState, TimedGame};
pub(crate) use recovery::{RecoveredGame, Recovery};
pub(crate) use wal::Loss;
