//! The embedded store: `SQLite` on a local disk.
//!
//! One thread writes, and commits the waiting jobs of many rooms with one sync. A few connections
//! read. A lock file keeps the directory to one process.

mod arrivals;
mod check;
mod connection;
mod copy;
mod damage;
mod database;
mod errors;
mod live;
mod migration;
mod open;
mod place;
mod readable;
mod readers;
mod recovery;
mod salvage;
mod shipping;
#[cfg(test)]
mod tests;
mod wal;
mod writer;

pub(crate) use check::{
    BackupReport, check_integrity, check_ratings, copy, database_of, last_record_at, look_at,
};
pub(crate) use copy::{
    EmbeddedSource, EmbeddedTarget, GameSource, GameTarget, WholeGame, unpublish,
};
pub(crate) use database::Sqlite;
pub(crate) use database::since_backup;
pub(crate) use errors::OpenError;
pub(crate) use live::TimedGame;
pub(crate) use place::LAST_BACKUP_FILE;
pub(crate) use readable::Gap;
pub(crate) use recovery::Recovery;
pub(crate) use salvage::{FoundGame, FoundRecords, SalvageSource};
pub(crate) use shipping::{RebuildError, Rebuilt, rebuild};
pub(crate) use wal::Loss;
