//! What an operator may watch: counters, gauges and histograms, in one struct that is handed down to
//! whoever counts. There is no global registry. What is kept elsewhere anyway is read when somebody
//! asks.

use crate::runtime::metrics::plain;
use std::{sync::LazyLock, time::Duration};

use adamant_protocol::{CloseCode, ErrorCode};
use procfs::{WithCurrentSystemInfo as _, process::Process};
use prometheus_client::{
    encoding::{EncodeLabelSet, text},
    metrics::{
        counter::{ConstCounter, Counter},
        family::Family,
        gauge::{ConstGauge, Gauge},
        histogram::Histogram,
        info::Info,
    },
    registry::{Registry, Unit},
};

/// Seconds: a sync takes tens of microseconds on the best disks, and may take seconds on others.
const SECONDS: [f64; 15] = [
    0.000_05, 0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5,
    1.0, 2.5,
];

/// Jobs that share a commit.
const JOBS: [f64; 11] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0, 1024.0];

/// Why a session ended, in the words of the log.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Cause {
    cause: &'static str,
}

/// Why a connection was not let in.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Why {
    why: &'static str,
}

/// What the operator should look at.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct What {
    what: &'static str,
}

/// What the operator should look at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Warning {
    /// The database is new, and the signing key is not.
    NewDatabase,
    /// The machine's clock is behind the newest record.
    ClockBehind,
    /// Others may read the signing key.
    KeyExposed,
}

impl Warning {
    const ALL: [Self; 3] = [Self::NewDatabase, Self::ClockBehind, Self::KeyExposed];

    const fn name(self) -> &'static str {
        match self {
            Self::NewDatabase => "new_database",
            Self::ClockBehind => "clock_behind",
            Self::KeyExposed => "key_exposed",
        }
    }
}

/// Why a connection was not let in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refused {
    /// There are as many as there may be.
    Full,
    /// There are as many from that address as there may be.
    AddressFull,
    /// So many are shaking hands as may.
    HandshakesFull,
    /// So many from that address are shaking hands as may.
    AddressHandshakesFull,
    /// That address has asked for too many upgrades lately.
    UpgradeRate,
    /// The operating system has no more descriptors or memory.
    Exhausted,
    /// A page of another origin.
    Origin,
    /// The server stops.
    Stopping,
}

impl Refused {
    const ALL: [Self; 8] = [
        Self::Full,
        Self::AddressFull,
        Self::HandshakesFull,
        Self::AddressHandshakesFull,
        Self::UpgradeRate,
        Self::Exhausted,
        Self::Origin,
        Self::Stopping,
    ];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::AddressFull => "address_full",
            Self::HandshakesFull => "handshakes_full",
            Self::AddressHandshakesFull => "address_handshakes_full",
            Self::UpgradeRate => "upgrade_rate",
            Self::Exhausted => "exhausted",
            Self::Origin => "origin",
            Self::Stopping => "stopping",
        }
    }
}

/// What clients were refused, by the error's code: of the whole process, because a refusal is put into
/// words where nothing else is at hand.
static REFUSALS: LazyLock<Family<Code, Counter>> = LazyLock::new(Family::default);

/// A client was refused something with this code.
pub(crate) fn refused_with(code: ErrorCode) {
    REFUSALS.get_or_create(&Code { code: code.to_string() }).inc();
}

/// An error's code.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Code {
    code: String,
}

/// How the page of metrics is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    /// As `OpenMetrics`.
    OpenMetrics,
    /// As text, version 0.0.4.
    Plain,
}

/// What the store takes and has, as far as it is known.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Stored {
    /// Bytes of the database.
    pub(crate) database: Option<u64>,
    /// Bytes of its log.
    pub(crate) log: Option<u64>,
    /// Bytes that are free on their disk.
    pub(crate) free: Option<u64>,
    /// Users, guests and bots included.
    pub(crate) users: Option<u64>,
}

/// What is kept elsewhere, as it is when somebody asks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Present {
    /// Whether players should be sent here.
    pub(crate) ready: bool,
    /// Connections that have a place.
    pub(crate) connections: usize,
    /// Places.
    pub(crate) connections_max: usize,
    /// Open rooms.
    pub(crate) rooms: usize,
    /// Those of them whose games are over.
    pub(crate) rooms_over: usize,
    /// Live games without a room.
    pub(crate) parked: usize,
    /// Games that cannot be opened.
    pub(crate) damaged: usize,
    /// What is stored.
    pub(crate) stored: Stored,
}

/// Everything that is counted.
#[derive(Debug)]
pub(crate) struct Metrics {
    registry: Registry,
    sessions: Gauge,
    sessions_ended: Family<Cause, Counter>,
    refused: Family<Why, Counter>,
    /// Attempts to accept a connection that failed for want of descriptors or memory.
    pub(crate) accept_failures: Counter,
    /// Transactions that were committed.
    pub(crate) commits: Counter,
    /// Transactions that could not be.
    pub(crate) commit_failures: Counter,
    /// Records of games that were committed.
    pub(crate) records: Counter,
    /// Frames that rooms have sent to everybody at a game, each time to one session.
    pub(crate) deliveries: Counter,
    /// Times that a spectator has fallen behind.
    pub(crate) lags: Counter,
    /// Times that a client came back with records of a game that are not this server's.
    pub(crate) forks: Counter,
    /// Accounts that were made.
    pub(crate) sign_ups: Counter,
    /// Guests that were let in for the first time.
    pub(crate) guests: Counter,
    /// Log-ins with a wrong password or token.
    pub(crate) failed_log_ins: Counter,
    /// Why nothing is written, if that is so.
    reads_only: Family<Why, Gauge>,
    /// Frames of a damaged log that cannot be read.
    lost_frames: Gauge,
    /// The commits that they ended.
    lost_commits: Gauge,
    /// What the operator should look at.
    warnings: Family<What, Gauge>,
    commit_jobs: Histogram,
    commit_seconds: Histogram,
    act_seconds: Histogram,
}

impl Default for Metrics {
    fn default() -> Self {
        let mut registry = Registry::with_prefix("adamant");
        let build = Info::new([("version", env!("CARGO_PKG_VERSION"))]);
        registry.register("build", "Which server this is", build);
        let metrics = Self {
            sessions: Gauge::default(),
            sessions_ended: Family::default(),
            refused: Family::default(),
            accept_failures: Counter::default(),
            commits: Counter::default(),
            commit_failures: Counter::default(),
            records: Counter::default(),
            deliveries: Counter::default(),
            lags: Counter::default(),
            forks: Counter::default(),
            sign_ups: Counter::default(),
            guests: Counter::default(),
            failed_log_ins: Counter::default(),
            reads_only: Family::default(),
            lost_frames: Gauge::default(),
            lost_commits: Gauge::default(),
            warnings: Family::default(),
            commit_jobs: Histogram::new(JOBS),
            commit_seconds: Histogram::new(SECONDS),
            act_seconds: Histogram::new(SECONDS),
            registry,
        };
        metrics.registered()
    }
}

impl Metrics {
    fn registered(mut self) -> Self {
        let registry = &mut self.registry;
        let text = "Sessions that are open";
        registry.register("sessions", text, self.sessions.clone());
        let text = "Sessions that have ended, by cause";
        registry.register("sessions_ended", text, self.sessions_ended.clone());
        let text = "Connections that were not let in, by reason";
        registry.register("connections_refused", text, self.refused.clone());
        let text = "Connections that could not be accepted for want of descriptors or memory";
        registry.register("accept_failures", text, self.accept_failures.clone());
        let text = "Transactions that were committed, each with one sync";
        registry.register("commits", text, self.commits.clone());
        let text = "Transactions that could not be committed";
        registry.register("commit_failures", text, self.commit_failures.clone());
        let text = "Records of games that were committed";
        registry.register("records_committed", text, self.records.clone());
        let text = "Events and other news of games that were sent, counted once for each session";
        registry.register("deliveries", text, self.deliveries.clone());
        let text = "Times that a spectator fell behind and was sent a snapshot instead of events";
        registry.register("spectator_lags", text, self.lags.clone());
        let text =
            "Times that a client came back with other records of a game than this server has";
        registry.register("forks", text, self.forks.clone());
        let text = "Accounts that were made";
        registry.register("sign_ups", text, self.sign_ups.clone());
        let text = "Guests that were let in for the first time";
        registry.register("guests", text, self.guests.clone());
        let text = "Log-ins with a wrong password or token";
        registry.register("failed_log_ins", text, self.failed_log_ins.clone());
        let text = "Errors that clients were told, by code";
        registry.register("refusals", text, REFUSALS.clone());
        let text = "Whether the server serves reads only, by reason";
        registry.register("reads_only", text, self.reads_only.clone());
        let text = "Frames of a damaged log that could not be read at the start";
        registry.register("log_lost_frames", text, self.lost_frames.clone());
        let text = "Commits that these frames ended, at the least";
        registry.register("log_lost_commits", text, self.lost_commits.clone());
        let text = "What the log warned of at the start and should be looked at";
        registry.register("warnings", text, self.warnings.clone());
        let text = "Writes that shared a commit";
        registry.register("commit_jobs", text, self.commit_jobs.clone());
        let text = "Time from the beginning of a transaction to its being synced";
        registry.register_with_unit("commit", text, Unit::Seconds, self.commit_seconds.clone());
        let text = "Time from the arrival of what a player asks of a game to its acknowledgement";
        registry.register_with_unit("act", text, Unit::Seconds, self.act_seconds.clone());
        // What never happened is told as 0, so that the first time is seen as a change.
        for code in CloseCode::ALL {
            self.sessions_ended.get_or_create(&Cause { cause: code.reason() }).inc_by(0);
        }
        for what in Warning::ALL {
            self.warnings.get_or_create(&What { what: what.name() }).set(0);
        }
        for why in Refused::ALL {
            self.refused.get_or_create(&Why { why: why.name() }).inc_by(0);
        }
        self
    }

    /// A session begins; it lasts as long as what is given back.
    pub(crate) fn session(&self) -> OpenSession {
        self.sessions.inc();
        OpenSession(self.sessions.clone())
    }

    /// A session has ended for this reason.
    pub(crate) fn session_ended(&self, cause: &'static str) {
        self.sessions_ended.get_or_create(&Cause { cause }).inc();
    }

    /// A connection was not let in.
    pub(crate) fn refused(&self, why: Refused) {
        self.refused.get_or_create(&Why { why: why.name() }).inc();
    }

    /// Whether reads only are served, for each reason that there may be.
    pub(crate) fn reads_only(&self, why: &'static str, is_so: bool) {
        self.reads_only.get_or_create(&Why { why }).set(is_so.into());
    }

    /// A log was damaged.
    pub(crate) fn lost(&self, frames: u64, commits: u64) {
        self.lost_frames.set(i64::try_from(frames).unwrap_or(i64::MAX));
        self.lost_commits.set(i64::try_from(commits).unwrap_or(i64::MAX));
    }

    /// The operator should look at something.
    pub(crate) fn warned(&self, what: Warning) {
        self.warnings.get_or_create(&What { what: what.name() }).set(1);
    }

    /// So many jobs were committed, in that time.
    pub(crate) fn committed(&self, jobs: usize, took: Duration) {
        self.commits.inc();
        self.commit_jobs.observe(f64::from(u32::try_from(jobs).unwrap_or(u32::MAX)));
        self.commit_seconds.observe(took.as_secs_f64());
    }

    /// An act was acknowledged so long after it had arrived.
    pub(crate) fn acted(&self, took: Duration) {
        self.act_seconds.observe(took.as_secs_f64());
    }

    /// All of it.
    pub(crate) fn render(
        &self,
        present: Present,
        format: Format,
    ) -> Result<String, std::fmt::Error> {
        let mut page = String::new();
        text::encode_registry(&mut page, &present.registry())?;
        text::encode_registry(&mut page, &process())?;
        text::encode(&mut page, &self.registry)?;
        Ok(match format {
            Format::OpenMetrics => page,
            Format::Plain => plain::plain(&page),
        })
    }
}

/// Counts a session as open until dropped.
#[derive(Debug)]
pub(crate) struct OpenSession(Gauge);

impl Drop for OpenSession {
    fn drop(&mut self) {
        self.0.dec();
    }
}

impl Present {
    fn registry(self) -> Registry {
        let mut registry = Registry::with_prefix("adamant");
        let mut gauge = |name, text, value: usize| {
            registry.register(
                name,
                text,
                ConstGauge::new(i64::try_from(value).unwrap_or(i64::MAX)),
            );
        };
        gauge("ready", "Whether players should be sent here, as /readyz says", self.ready.into());
        gauge("connections", "Connections that have a place", self.connections);
        gauge("connections_max", "Places for connections", self.connections_max);
        gauge(
            "rooms",
            "RoomRegistry that are open, one for each game that somebody is at",
            self.rooms,
        );
        gauge(
            "rooms_over",
            "RoomRegistry of games that are over; each is closed soon",
            self.rooms_over,
        );
        gauge("games_parked", "Live games without a room", self.parked);
        let text = "Games found since the start whose records are damaged";
        gauge("games_damaged", text, self.damaged);
        let Stored { database, log, free, users } = self.stored;
        let mut known = |name, text, unit: Option<Unit>, value: Option<u64>| {
            let Some(value) = value else { return };
            let value = ConstGauge::new(i64::try_from(value).unwrap_or(i64::MAX));
            match unit {
                Some(unit) => registry.register_with_unit(name, text, unit, value),
                None => registry.register(name, text, value),
            }
        };
        known("users", "Users, guests and bots included", None, users);
        let bytes = || Some(Unit::Bytes);
        known("database", "Size of the database", bytes(), database);
        known("log", "Size of the log of what was committed", bytes(), log);
        known("disk_free", "Room that is left on the disk of the data directory", bytes(), free);
        registry
    }
}

/// What the operating system says of the process, under the names that monitors expect. What it does
/// not say is left out.
fn process() -> Registry {
    let mut registry = Registry::with_prefix("process");
    let Ok(process) = Process::myself() else { return registry };
    if let Ok(open) = process.fd_count() {
        let open = ConstGauge::new(i64::try_from(open).unwrap_or(i64::MAX));
        registry.register("open_fds", "File descriptors that are open", open);
    }
    if let Ok((soft, _)) =
        nix::sys::resource::getrlimit(nix::sys::resource::Resource::RLIMIT_NOFILE)
    {
        let max = ConstGauge::new(i64::try_from(soft).unwrap_or(i64::MAX));
        registry.register("max_fds", "File descriptors that may be open", max);
    }
    if let Ok(stat) = process.stat() {
        let bytes = i64::try_from(stat.rss_bytes().get()).unwrap_or(i64::MAX);
        let text = "Memory in use";
        registry.register_with_unit("resident_memory", text, Unit::Bytes, ConstGauge::new(bytes));
        #[expect(clippy::cast_precision_loss, reason = "a count of ticks is far below 2^52")]
        let cpu = (stat.utime + stat.stime) as f64 / procfs::ticks_per_second() as f64;
        if let Ok(booted) = procfs::boot_time_secs() {
            #[expect(clippy::cast_precision_loss, reason = "both are far below 2^52")]
            let since = booted as f64 + stat.starttime as f64 / procfs::ticks_per_second() as f64;
            let text = "When the process was started, since the epoch";
            let started = ConstGauge::new(since);
            registry.register_with_unit("start_time", text, Unit::Seconds, started);
        }
        let text = "Processor time that was used";
        registry.register_with_unit("cpu", text, Unit::Seconds, ConstCounter::new(cpu));
    }
    registry
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_counted_is_told() {
        let metrics = Metrics::default();
        let session = metrics.session();
        let _other = metrics.session();
        drop(session);
        metrics.session_ended("slow consumer");
        metrics.refused(Refused::Full);
        metrics.committed(3, Duration::from_micros(700));
        let present = Present {
            ready: true,
            connections: 7,
            connections_max: 9,
            rooms: 2,
            rooms_over: 1,
            damaged: 0,
            parked: 1,
            stored: Stored { free: Some(77), ..Stored::default() },
        };
        let page = metrics.render(present, Format::OpenMetrics).unwrap();
        for line in [
            "adamant_ready 1",
            "adamant_connections_max 9",
            "adamant_sessions 1",
            "adamant_disk_free_bytes 77",
            "adamant_sessions_ended_total{cause=\"slow consumer\"} 1",
            "adamant_sessions_ended_total{cause=\"heartbeat missed\"} 0",
            "adamant_connections_refused_total{why=\"full\"} 1",
            "adamant_commits_total 1",
            "adamant_commit_seconds_bucket{le=\"0.0005\"} 0",
            "adamant_commit_seconds_bucket{le=\"0.001\"} 1",
            "adamant_commit_jobs_sum 3.0",
        ] {
            assert!(page.lines().any(|other| other == line), "{line} is missing:\n{page}");
        }
        assert!(page.contains("\nprocess_open_fds "), "{page}");
        assert!(page.ends_with("# EOF\n"), "{page}");
        assert_eq!(page.matches("# EOF").count(), 1);
    }
}
