//! Where the games are kept.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// The largest log that makes sense: it is read once at the start after a crash.
const LOG_MIB_MAX: u32 = 1024;

/// Where the games are kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Store {
    /// The directory of the database; made if it does not exist.
    pub data: PathBuf,
    /// How large the log of what was committed may grow until it is copied into the database, in
    /// MiB. Whoever moves at that moment waits for it.
    pub log_mib: u32,
    /// Whether to go on with what a damaged log still gives. Only for one start, so there is a flag
    /// for it and no line in the file.
    #[serde(skip)]
    pub accept_loss: bool,
}

impl Default for Store {
    fn default() -> Self {
        Self { data: "data".into(), log_mib: 32, accept_loss: false }
    }
}

impl Store {
    /// In a directory, and for the rest as usual.
    pub fn at(data: impl Into<PathBuf>) -> Self {
        Self { data: data.into(), ..Self::default() }
    }

    pub(super) fn check(&self, mistakes: &mut Vec<String>) {
        if self.log_mib == 0 || self.log_mib > LOG_MIB_MAX {
            mistakes.push(format!("store.log_mib is from 1 to {LOG_MIB_MAX}"));
        }
    }
}
