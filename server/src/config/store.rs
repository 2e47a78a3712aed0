//! The section `[store]`: where games are stored.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::database_url::DatabaseUrl;

/// Largest useful WAL: after a crash the server reads all of it.
const WAL_MIB_MAX: u32 = 1024;

/// Where games are stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct StoreConfig {
    /// The data directory; created if it does not exist.
    pub data: PathBuf,
    /// The PostgreSQL database of several nodes. Without one the store is embedded: `SQLite` in
    /// the data directory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub database: Option<DatabaseUrl>,
    /// Whether a database without a synchronous standby is good enough. Its loss loses what was
    /// acknowledged, so it is a flag and not a key of the file.
    #[serde(skip)]
    pub unreplicated: bool,
    /// Size in MiB at which the WAL is copied into the database. A move that arrives during the
    /// copy waits for it.
    #[serde(alias = "log_mib")]
    pub wal_mib: u32,
    /// Whether to continue with the readable part of a damaged WAL. Applies to one start only, so
    /// it is a flag and not a key of the file.
    #[serde(skip)]
    pub accept_loss: bool,
}

impl Default for StoreConfig {
    fn default() -> Self {
        Self {
            data: "data".into(),
            database: None,
            unreplicated: false,
            wal_mib: 32,
            accept_loss: false,
        }
    }
}

impl StoreConfig {
    /// Returns the defaults with this data directory.
    pub fn at(data: impl Into<PathBuf>) -> Self {
        Self { data: data.into(), ..Self::default() }
    }

    pub(super) fn check(&self, mistakes: &mut Vec<String>) {
        if let Some(database) = &self.database {
            database.check(mistakes);
        }
        if self.wal_mib == 0 || self.wal_mib > WAL_MIB_MAX {
            mistakes.push(format!("store.wal_mib: must be from 1 to {WAL_MIB_MAX}"));
        }
    }
}
