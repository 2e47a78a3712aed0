//! The embedded store: `SQLite` on a local disk. The only module that knows SQL.
//!
//! One thread writes, and commits what many rooms wait for with one sync. A few connections read.
//! One process holds the store; a lock file says so.

mod backup;
mod database;
mod games;
mod integrity_check;
mod lock;
mod migrations;
mod open_mode;
mod outages;
mod ratings_check;
mod readers;
mod record_blocks;
mod results;
mod standings;
mod talk;
#[cfg(test)]
mod tests;
mod tokens;
mod users;
mod wal;
mod wal_copy;
mod writer;

pub(crate) use backup::{Backup, copy};
pub(crate) use database::{Found, HotGame, Sqlite, TimedGame};
pub(crate) use integrity_check::{Inspection, Step, database_of, inspect};
pub(crate) use migrations::OpenError;
pub(crate) use ratings_check::{Mode, audit};
pub(crate) use wal::Loss;
