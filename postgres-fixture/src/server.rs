//! One PostgreSQL server.

use std::{
    fs::{self, File},
    os::unix::{
        fs::{MetadataExt as _, PermissionsExt as _, chown},
        process::CommandExt as _,
    },
    path::{Path, PathBuf},
    process::Child,
    sync::{
        Mutex,
        atomic::{AtomicI64, Ordering},
    },
    thread,
    time::Duration,
};

use anyhow::{Context as _, Result, bail};
use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};

use crate::programs::{command, folder, output, wrong_clock};

/// Time between two looks at a state that PostgreSQL reports in a file or a view.
const LOOK_EVERY: Duration = Duration::from_millis(5);

/// Looks before a server counts as stuck: a minute.
const LOOKS_MAX: u32 = 12_000;

/// Whether a standby receives from no server and has replayed all that it has. A receiver that is
/// still connecting is only among the activities, and the startup process sleeps in this wait only
/// when nothing is left to replay.
const CUT: &str = "SELECT current_setting('primary_conninfo') = ''
    AND NOT EXISTS (SELECT FROM pg_stat_wal_receiver)
    AND NOT EXISTS (SELECT FROM pg_stat_activity WHERE backend_type = 'walreceiver')
    AND EXISTS (SELECT FROM pg_stat_activity
                WHERE backend_type = 'startup' AND wait_event = 'RecoveryRetrieveRetryInterval')";

/// A PostgreSQL server. Its methods panic if PostgreSQL does not do what they ask for.
#[derive(Debug)]
pub struct Server {
    name: String,
    data: PathBuf,
    sockets: PathBuf,
    port: u16,
    process: Mutex<Option<Child>>,
    /// By how many seconds the clock of the next start is ahead.
    clock_ahead: AtomicI64,
}

impl Server {
    /// Describes a server whose files exist. It does not run yet.
    pub(crate) fn new(name: String, data: PathBuf, sockets: PathBuf, port: u16) -> Self {
        let (process, clock_ahead) = (Mutex::default(), AtomicI64::new(0));
        Self { name, data, sockets, port, process, clock_ahead }
    }

    /// The name of the server in `synchronous_standby_names`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The port on the loopback address.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The folder of the server's data.
    pub fn data(&self) -> &Path {
        &self.data
    }

    /// The connection string by which a standby follows this server.
    pub(crate) fn as_upstream(&self, of: &str) -> String {
        format!(
            "host={} port={} user=postgres application_name={of}",
            self.sockets.display(),
            self.port
        )
    }

    /// Adds settings. They count from the next start, or after [`Server::reload`].
    pub fn configure(&self, settings: &[(&str, &str)]) {
        let path = self.data.join("postgresql.auto.conf");
        let mut text = fs::read_to_string(&path).unwrap_or_default();
        for (name, value) in settings {
            text.extend([name, " = '", &value.replace('\'', "''"), "'\n"]);
        }
        fs::write(path, text).expect("the settings of a server can be written");
    }

    /// Has the server use TLS with a certificate and its key, both as PEM. It counts after
    /// [`Server::reload`].
    pub fn use_tls(&self, certificate: &str, key: &str) {
        let owner = fs::metadata(&self.data).expect("the data is there");
        for (name, text) in [("server.crt", certificate), ("server.key", key)] {
            let path = self.data.join(name);
            fs::write(&path, text).expect("its files can be written");
            let permissions = fs::Permissions::from_mode(0o600);
            fs::set_permissions(&path, permissions).expect("the file is ours");
            chown(&path, Some(owner.uid()), Some(owner.gid())).expect("the file is ours");
        }
        self.configure(&[("ssl", "on")]);
    }

    /// Makes the server read its settings again.
    pub fn reload(&self) {
        self.sql("postgres", "SELECT pg_reload_conf()");
    }

    /// Starts the server and waits until it accepts connections.
    pub fn start(&self) {
        self.launch();
        self.wait_until_ready();
    }

    /// Ends the server and starts it again on a machine whose clock is so many seconds ahead, or
    /// behind if negative.
    pub fn restart_with_clock(&self, ahead_seconds: i64) {
        self.kill();
        self.clock_ahead.store(ahead_seconds, Ordering::Relaxed);
        self.start();
    }

    /// Starts the server without waiting.
    pub(crate) fn launch(&self) {
        let start = || -> Result<Child> {
            let log = File::options().create(true).append(true).open(self.log())?;
            let mut postgres = command(folder()?.join("postgres"));
            postgres.arg("-D").arg(&self.data).current_dir(&self.data);
            postgres.stdout(log.try_clone()?).stderr(log);
            let ahead = self.clock_ahead.load(Ordering::Relaxed);
            if ahead != 0 {
                postgres.envs(wrong_clock(&self.sockets, ahead));
            }
            // Keys of the terminal reach the tests and not the server.
            postgres.process_group(0);
            Ok(postgres.spawn()?)
        };
        let child = start().expect("PostgreSQL starts");
        *self.process.lock().expect("no test panics here") = Some(child);
    }

    /// Waits until the server accepts connections.
    pub(crate) fn wait_until_ready(&self) {
        let status = self.data.join("postmaster.pid");
        self.wait_for("a start", || {
            let text = fs::read_to_string(&status).unwrap_or_default();
            text.lines().nth(7).is_some_and(|line| line.trim() == "ready")
        });
    }

    /// The id of the server's first process, if the server was started.
    pub fn process_id(&self) -> Option<u32> {
        self.process.lock().expect("no test panics here").as_ref().map(Child::id)
    }

    /// Returns whether the server runs, or is paused.
    pub fn is_running(&self) -> bool {
        let mut process = self.process.lock().expect("no test panics here");
        process.as_mut().is_some_and(|process| matches!(process.try_wait(), Ok(None)))
    }

    /// Kills the server and all its processes, as the loss of its machine would.
    pub fn kill(&self) {
        self.signal(Signal::SIGKILL);
        if let Some(mut child) = self.process.lock().expect("no test panics here").take() {
            child.wait().ok();
        }
        self.wait_for("the end of its processes", || {
            self.signal(Signal::SIGKILL);
            self.processes().is_empty()
        });
        fs::remove_file(self.data.join("postmaster.pid")).ok();
    }

    /// Stops all its processes without ending them.
    pub fn pause(&self) {
        self.signal(Signal::SIGSTOP);
    }

    /// Lets stopped processes go on.
    pub fn resume(&self) {
        self.signal(Signal::SIGCONT);
    }

    /// Starts an old primary as a standby of another server, without the WAL that only it has. It
    /// follows no server yet. The other server must be idle: what it writes meanwhile is needed
    /// for a consistent state.
    pub fn rewind_to(&self, primary: &Self) {
        self.rewind(primary, "");
    }

    /// Does the same, and lets it follow the other server, which may be busy.
    pub fn rejoin(&self, primary: &Self) {
        self.rewind(primary, &primary.as_upstream(&self.name));
    }

    fn rewind(&self, primary: &Self, upstream: &str) {
        self.kill();
        // pg_rewind recovers the server first, which a standby does not permit.
        fs::remove_file(self.data.join("standby.signal")).ok();
        // Before its first checkpoint, pg_rewind takes the new primary for one of the old timeline.
        primary.sql("postgres", "CHECKPOINT");
        let settings = self.data.join("postgresql.auto.conf");
        let own = fs::read_to_string(&settings).expect("the settings of a server can be read");
        let rewind = || -> Result<String> {
            let source = format!("{} dbname=postgres", primary.as_upstream(&self.name));
            let mut rewind = command(folder()?.join("pg_rewind"));
            rewind.arg("-D").arg(&self.data).args(["--source-server", &source, "--no-sync"]);
            output(rewind.current_dir("/"))
        };
        rewind().expect("pg_rewind succeeds");
        // It has brought the other server's settings.
        fs::write(settings, own).expect("the settings of a server can be written");
        fs::write(self.data.join("standby.signal"), "").expect("its files can be written");
        self.configure(&[("primary_conninfo", upstream)]);
        self.start();
    }

    /// Makes a standby a primary.
    pub fn promote(&self) {
        self.sql("postgres", "SELECT pg_promote()");
        self.wait_for("its promotion", || !self.is_standby());
    }

    /// Returns whether the server is a standby.
    pub fn is_standby(&self) -> bool {
        self.sql("postgres", "SELECT pg_is_in_recovery()") == "t"
    }

    /// Makes a standby receive from another server, or from none.
    pub fn follow(&self, upstream: Option<&Self>) {
        let upstream = upstream.map(|server| server.as_upstream(&self.name));
        self.configure(&[("primary_conninfo", upstream.as_deref().unwrap_or_default())]);
        self.reload();
        if upstream.is_none() {
            self.wait_for("the cut", || self.sql("postgres", CUT) == "t");
        }
    }

    /// Waits until a standby receives from a primary.
    pub fn wait_until_streaming(&self) {
        let streaming = "SELECT count(*) FROM pg_stat_wal_receiver WHERE status = 'streaming'";
        self.wait_for_sql("postgres", streaming, "1");
    }

    /// Runs statements as the superuser and returns the rows, with `|` between columns.
    pub fn sql(&self, database: &str, statements: &str) -> String {
        self.try_sql(database, statements)
            .unwrap_or_else(|error| panic!("{}: {error:#}", self.name))
    }

    /// Does the same, and returns an error if PostgreSQL does not accept it.
    pub fn try_sql(&self, database: &str, statements: &str) -> Result<String> {
        let port = self.port.to_string();
        let mut psql = command(folder()?.join("psql"));
        psql.args(["-XAtq", "-v", "ON_ERROR_STOP=1", "-U", "postgres", "-p", &port, "-h"]);
        psql.arg(&self.sockets).args(["-d", database, "-c", statements]).current_dir("/");
        Ok(output(&mut psql)?.trim_end().to_owned())
    }

    /// Waits until a query returns this text. A standby may not have its tables yet.
    pub fn wait_for_sql(&self, database: &str, query: &str, expected: &str) {
        self.wait_for(query, || self.try_sql(database, query).is_ok_and(|found| found == expected));
    }

    fn wait_for(&self, what: &str, mut is_done: impl FnMut() -> bool) {
        for _ in 0..LOOKS_MAX {
            if is_done() {
                return;
            }
            if let Err(error) = self.check_process() {
                panic!("{}: {what}: {error:#}", self.name);
            }
            thread::sleep(LOOK_EVERY);
        }
        panic!("{}: {what} takes too long: {}", self.name, self.last_words());
    }

    fn check_process(&self) -> Result<()> {
        let mut process = self.process.lock().expect("no test panics here");
        match process.as_mut().map(Child::try_wait) {
            Some(Ok(Some(status))) => bail!("it ended with {status}: {}", self.last_words()),
            Some(Err(error)) => Err(error).context("its process"),
            Some(Ok(None)) | None => Ok(()),
        }
    }

    /// The file with the messages of the server.
    pub fn log(&self) -> PathBuf {
        self.data.with_extension("log")
    }

    fn last_words(&self) -> String {
        let log = fs::read_to_string(self.log()).unwrap_or_default();
        let lines: Vec<&str> = log.lines().collect();
        lines[lines.len().saturating_sub(8)..].join("\n")
    }

    /// Sends a signal to the server and then to its children. A child may have a process group of
    /// its own, so the working directory tells whose it is.
    fn signal(&self, signal: Signal) {
        for process in self.processes() {
            kill(process, signal).ok();
        }
    }

    /// All processes of the server that have not ended, the first of them first.
    fn processes(&self) -> Vec<Pid> {
        let first = self.process.lock().expect("no test panics here").as_ref().map(Child::id);
        let mut found = processes_in(&self.data);
        found.sort_by_key(|process| (Some(process.as_raw().cast_unsigned()) != first, *process));
        found
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}

/// The processes whose working directory is this one.
fn processes_in(folder: &Path) -> Vec<Pid> {
    let Ok(all) = fs::read_dir("/proc") else { return Vec::new() };
    all.flatten()
        .filter(|entry| fs::read_link(entry.path().join("cwd")).is_ok_and(|cwd| cwd == folder))
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .map(Pid::from_raw)
        .collect()
}
