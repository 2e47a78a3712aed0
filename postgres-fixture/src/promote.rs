//! Runs `config/cluster/promote` against the servers of a test.

use std::{path::Path, process::Command};

use crate::Cluster;

/// How a run of `promote --once` ended.
#[derive(Debug)]
pub struct Promotion {
    /// The exit status; none if a signal ended it.
    pub status: Option<i32>,
    /// All that it said.
    pub said: String,
}

impl Promotion {
    /// The exit status if a primary answers, or one was promoted.
    pub const DONE: Option<i32> = Some(0);

    /// The exit status if a promotion would not be safe.
    pub const REFUSED: Option<i32> = Some(3);

    /// The exit status if something needs a person.
    pub const INCOMPLETE: Option<i32> = Some(4);
}

impl Cluster {
    /// Runs `promote --once`, which promotes a standby if no primary answers.
    pub fn promote(&self) -> Promotion {
        let output = self
            .promoter()
            .arg("--once")
            .output()
            .expect("python3 is missing: cargo xtask setup installs it");
        let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        Promotion { status: output.status.code(), said }
    }

    /// Returns `promote` with the arguments that name the servers, and without its mode.
    pub fn promoter(&self) -> Command {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../config/cluster/promote");
        let sockets = self.folder().display();
        let servers = self
            .servers()
            .iter()
            .map(|server| format!("{}={sockets}:{}", server.name(), server.port()));
        let mut promoter = Command::new("python3");
        promoter
            .arg(script)
            .args(["--connect", "user=postgres dbname=postgres"])
            .args(["--replication", "user=postgres"])
            .args(servers);
        promoter
    }

    /// Returns the server that is the primary, among those that were not replaced: the one whose
    /// timeline is the latest.
    pub fn current_primary(&self) -> Option<usize> {
        let timeline = "SELECT left(pg_walfile_name(pg_current_wal_lsn()), 8)";
        let of = |index: usize| self.servers()[index].try_sql("postgres", timeline).ok();
        (0..self.servers().len())
            .filter_map(|index| Some((of(index)?, index)))
            .max()
            .map(|(_, at)| at)
    }
}
