//! A primary with its standbys, and `config/cluster/promote` against them.

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::Path,
    process::Command,
    sync::{
        OnceLock,
        atomic::{AtomicU32, Ordering},
    },
};

use anyhow::{Context as _, Result};
use tempfile::TempDir;

use crate::{
    programs::{SYSTEM_USER, Watchdog, command, folder, free_port, output},
    server::Server,
};

/// The role that owns the databases of tests. It is no superuser.
pub const USER: &str = "adamant";

/// The role's password, which has characters that a URL must escape.
pub const PASSWORD: &str = "p@ss/word";

/// Every server commits to one of the others, so that a promoted one does so, too.
const STANDBY_NAMES: &str = "ANY 1 (pg1, pg2, pg3)";

/// Settings of every server. `wal_retrieve_retry_interval` is how long a standby may be idle after
/// its primary has changed. A machine never fails in a test, so what a server that was killed has
/// written need not be flushed file by file when it starts.
const SETTINGS: [(&str, &str); 11] = [
    ("listen_addresses", "127.0.0.1"),
    ("max_connections", "300"),
    ("wal_level", "replica"),
    ("wal_log_hints", "on"),
    ("hot_standby", "on"),
    ("wal_keep_size", "128MB"),
    ("wal_retrieve_retry_interval", "100ms"),
    ("recovery_init_sync_method", "syncfs"),
    ("shared_buffers", "32MB"),
    ("timezone", "UTC"),
    ("logging_collector", "off"),
];

/// The settings for production.
const PRODUCTION: &str = include_str!("../../config/cluster/postgresql.conf");

/// Settings for production that three servers on one machine cannot share, or need not.
const LEFT_OUT: [&str; 4] = ["listen_addresses", "cluster_name", "shared_buffers", "wal_keep_size"];

/// Of production: enough for the rows that a test writes.
const SHARED_BUFFERS: &str = "512MB";

/// A primary with its standbys. Its methods panic if PostgreSQL does not do what they ask for.
#[derive(Debug)]
pub struct Cluster {
    servers: Vec<Server>,
    databases: AtomicU32,
    // Dropped after the servers.
    _watchdog: Watchdog,
    folder: TempDir,
}

impl Cluster {
    /// Returns the cluster that the tests of this process share: a primary with two standbys.
    pub fn shared() -> &'static Self {
        static SHARED: OnceLock<Cluster> = OnceLock::new();
        SHARED.get_or_init(|| Self::start(2))
    }

    /// Starts a primary with this many standbys. The first server is the primary.
    pub fn start(standbys: usize) -> Self {
        Self::try_start(standbys).unwrap_or_else(|error| panic!("{error:#}"))
    }

    /// Does the same, and returns an error if something is missing.
    ///
    /// # Errors
    ///
    /// If PostgreSQL is missing, or its files cannot be created.
    pub fn try_start(standbys: usize) -> Result<Self> {
        Self::try_start_with(standbys, &[])
    }

    /// Does the same with the settings for production, as far as one machine allows.
    ///
    /// # Errors
    ///
    /// As [`Cluster::try_start`].
    pub fn try_start_for_production(standbys: usize) -> Result<Self> {
        let mut settings = production_settings();
        settings.push(("shared_buffers", SHARED_BUFFERS));
        Self::try_start_with(standbys, &settings)
    }

    fn try_start_with(standbys: usize, settings: &[(&str, &str)]) -> Result<Self> {
        let folder = tempfile::Builder::new().prefix("adamant-pg-").tempdir()?;
        let watchdog = Watchdog::start(folder.path())?;
        let names = (1..=standbys + 1).map(|n| format!("pg{n}"));
        let servers = names
            .map(|name| create_server(folder.path(), name, standbys > 0))
            .collect::<Result<Vec<_>>>()?;
        for server in &servers {
            server.configure(settings);
        }
        for standby in &servers[1..] {
            fs::write(standby.data().join("standby.signal"), "")?;
            let upstream = servers[0].as_upstream(standby.name());
            standby.configure(&[("primary_conninfo", &upstream)]);
        }
        for server in &servers {
            server.launch();
        }
        for server in &servers {
            server.wait_until_ready();
        }
        let password = PASSWORD.replace('\'', "''");
        let role = format!("CREATE ROLE {USER} LOGIN CREATEDB PASSWORD '{password}'");
        servers[0].sql("postgres", &role);
        Ok(Self { servers, databases: AtomicU32::new(0), _watchdog: watchdog, folder })
    }

    /// The folder of all servers. What runs in a folder below it ends with this process, too.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The servers: first the one that was the primary at the start.
    pub fn servers(&self) -> &[Server] {
        &self.servers
    }

    /// The server that was the primary at the start.
    pub fn primary(&self) -> &Server {
        &self.servers[0]
    }

    /// Creates an empty database and returns its name.
    pub fn create_database(&self) -> String {
        let name = format!("test_{}", self.databases.fetch_add(1, Ordering::Relaxed));
        let create =
            format!("CREATE DATABASE {name} TEMPLATE template0 OWNER {USER} ENCODING 'UTF8'");
        self.primary().sql("postgres", &create);
        // A node that asks a standby first must not hear that there is no such database.
        let created = self.primary().sql("postgres", "SELECT pg_current_wal_flush_lsn()");
        let behind = format!(
            "SELECT count(*) FROM pg_stat_replication
             WHERE replay_lsn IS NULL OR replay_lsn < '{created}'"
        );
        self.primary().wait_for_sql("postgres", &behind, "0");
        name
    }

    /// Returns the URL of a database, with all servers as its hosts.
    pub fn url(&self, database: &str) -> String {
        let hosts: Vec<String> =
            self.servers.iter().map(|server| format!("127.0.0.1:{}", server.port())).collect();
        format!("postgres://{USER}:p%40ss%2Fword@{}/{database}", hosts.join(","))
    }

    /// Promotes the best standby after the loss of the server that was the primary at the start.
    /// Returns the index of the new primary.
    pub fn fail_over(&self) -> usize {
        self.fail_over_from(0)
    }

    /// Promotes the best standby after the loss of a primary, and makes the other one follow it.
    /// Returns the index of the new primary.
    ///
    /// Both standbys are cut off from the old primary first. One of them has every commit that it
    /// acknowledged, and it can acknowledge no more.
    pub fn fail_over_from(&self, lost: usize) -> usize {
        let standbys: Vec<usize> = (0..self.servers.len()).filter(|index| *index != lost).collect();
        for index in &standbys {
            self.servers[*index].follow(None);
        }
        let received = "SELECT greatest(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn()) \
                        - '0/0'::pg_lsn";
        let position =
            |index: &usize| self.servers[*index].sql("postgres", received).parse::<u64>().ok();
        let best = standbys.iter().copied().max_by_key(position).expect("there is a standby");
        self.servers[best].promote();
        for index in standbys.into_iter().filter(|index| *index != best) {
            self.servers[index].follow(Some(&self.servers[best]));
        }
        best
    }
}

/// The settings for production, as names and values.
fn production_settings() -> Vec<(&'static str, &'static str)> {
    let lines = PRODUCTION.lines().map(|line| line.split('#').next().unwrap_or_default());
    let settings = lines.filter_map(|line| line.split_once('='));
    settings
        .map(|(name, value)| (name.trim(), value.trim().trim_matches('\'')))
        .filter(|(name, _)| !LEFT_OUT.contains(name))
        .collect()
}

/// Creates the files of a server. All servers are copies of one, which makes them one cluster.
fn create_server(root: &Path, name: String, is_replicated: bool) -> Result<Server> {
    let template = root.join("template");
    if !template.exists() {
        open_to_server(root)?;
        output(
            command(folder()?.join("initdb"))
                .arg("-D")
                .arg(&template)
                .args(["-U", "postgres", "-E", "UTF8", "--locale=C", "--no-sync"])
                .args(["--wal-segsize=4", "--auth-local=trust", "--auth-host=scram-sha-256"])
                .current_dir("/"),
        )?;
    }
    let data = root.join(&name);
    output(command("cp").arg("-a").arg(&template).arg(&data).current_dir("/"))?;
    let port = free_port()?;
    let server = Server::new(name, data, root.to_owned(), port);
    server.configure(&SETTINGS);
    let (port, names) = (port.to_string(), if is_replicated { STANDBY_NAMES } else { "" });
    let sockets = root.to_str().context("the temporary directory has a strange name")?;
    server.configure(&[
        ("port", &port),
        ("unix_socket_directories", sockets),
        ("synchronous_standby_names", names),
    ]);
    Ok(server)
}

/// Lets the servers' user write below the folder.
fn open_to_server(folder: &Path) -> Result<()> {
    if nix::unistd::geteuid().is_root() {
        let user = nix::unistd::User::from_name(SYSTEM_USER)?.context(
            "PostgreSQL is missing: there is no user postgres (Debian: apt install postgresql)",
        )?;
        nix::unistd::chown(folder, Some(user.uid), Some(user.gid))?;
    }
    Ok(fs::set_permissions(folder, fs::Permissions::from_mode(0o755))?)
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_settings_for_production_are_read_without_comments_and_quotes() {
        let settings = production_settings();
        for setting in [
            ("synchronous_standby_names", STANDBY_NAMES),
            ("synchronous_commit", "on"),
            ("wal_compression", "lz4"),
            ("checkpoint_completion_target", "0.9"),
        ] {
            assert!(settings.contains(&setting), "{setting:?} is missing: {settings:?}");
        }
        for left_out in LEFT_OUT {
            assert!(PRODUCTION.contains(left_out), "{left_out} is not in the configuration");
            assert!(!settings.iter().any(|(name, _)| *name == left_out), "{left_out}");
        }
    }
}
