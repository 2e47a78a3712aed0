//! Metrics for operators: counters, gauges and histograms in one struct that is passed to the code
//! that counts. There is no global registry. Values that other modules keep anyway, and those of the
//! process, are read at each request of `/metrics`.

use std::{
    collections::BTreeSet,
    fmt::Write as _,
    sync::{LazyLock, atomic::AtomicU64},
    time::Duration,
};

use adamant_protocol::{CloseCode, ErrorCode};
use nix::sys::resource::{Resource, getrlimit};
use parking_lot::Mutex;
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

/// Buckets in seconds: a sync takes tens of microseconds on the best disks and seconds on others.
const SECONDS: [f64; 15] = [
    0.000_05, 0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5,
    1.0, 2.5,
];

/// Buckets of waits for a search.
const WAITS: [f64; 9] = [0.001, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 5.0];

/// Buckets of writes per commit.
const JOBS: [f64; 11] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0, 1024.0];

/// Format of the page of metrics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MetricsFormat {
    /// `OpenMetrics`.
    OpenMetrics,
    /// The Prometheus text format, version 0.0.4.
    Prometheus,
}

/// All counters, gauges and histograms.
#[derive(Debug)]
pub(crate) struct Metrics {
    registry: Registry,
    /// With those of the server bots.
    sessions: Gauge,
    /// `cause` is `closed by the client`, `connection lost`, or the reason in the close frame, such
    /// as `slow consumer` (the client did not read), `heartbeat missed` or `restart`.
    sessions_ended: Family<CauseLabel, Counter>,
    /// `why` is `full`, `address_full` (the share of one address), `handshakes_full` (dropped, or
    /// displaced by a newer connection), `address_handshakes_full`, `handshake_rate` (too many new
    /// TLS connections from one address), `upgrade_rate` (too many new WebSockets from one
    /// address), `exhausted` (no descriptors or memory), `origin` or `stopping`.
    refused: Family<WhyLabel, Counter>,
    pub(crate) accept_failures: Counter,
    /// On PostgreSQL those of this node.
    pub(crate) commits: Counter,
    /// On PostgreSQL those that the node has given up, after 10 seconds at most.
    pub(crate) commit_failures: Counter,
    pub(crate) records: Counter,
    /// The room follows the other node's records and decides again. Always 0 on a node that is
    /// alone.
    pub(crate) conflicts: Counter,
    /// For requests, answers of the store, deadlines and passes over spectators. Divided by the
    /// number of moves it shows how much work shares a wake-up.
    pub(crate) room_wakeups: Counter,
    /// Valid or not. `loop` is its number, from 0. Loops with very different rates mean that one of
    /// them has the busy games.
    room_loop_moves: Family<LoopLabel, Counter>,
    pub(crate) deliveries: Counter,
    pub(crate) lags: Counter,
    /// Also rooms that had events which the database no longer has. After data loss or a restored
    /// backup.
    pub(crate) forks: Counter,
    pub(crate) sign_ups: Counter,
    pub(crate) reports: Counter,
    pub(crate) guests: Counter,
    pub(crate) failed_log_ins: Counter,
    analyses: Gauge,
    /// `outcome` is `delivered`, `failed` (after all attempts), `gone` (the push service no longer
    /// knows the subscription, which the server deletes), `rate_limited` (the user has received too
    /// many) or `dropped` (too many wait).
    notifications: Family<OutcomeLabel, Counter>,
    mails: Family<OutcomeLabel, Counter>,
    /// `why` is `damaged` (the WAL), `malformed` (the database, or the chain of a game) or `no_room`
    /// (the disk is full).
    reads_only: Family<WhyLabel, Gauge>,
    lost_frames: Gauge,
    lost_commits: Gauge,
    /// `what` is `new_database` (beside an older signing key), `clock_behind` (the newest record),
    /// `key_exposed` (the signing key or the push key, to other users), `plain_text` (connections
    /// from other machines are not encrypted), `moderator_unknown` (nobody has the name),
    /// `certificate_expires` (within 14 days), `not_shipped` (to the second place, for 10 seconds) or
    /// `house_full` (a server bot declines challenges).
    warnings: Family<WhatLabel, Gauge>,
    full_bots: Mutex<BTreeSet<Box<str>>>,
    commit_jobs: Histogram,
    /// On PostgreSQL until a standby has confirmed it.
    commit_seconds: Histogram,
    /// Acts are moves, resignations, offers and the like. In whole milliseconds.
    act_seconds: Histogram,
    /// `queue` is `store`, `lists`, `reads` (of games), `thoughts` (opinions), `analyses` (of games,
    /// from the request to the result), `passwords` or `pictures`.
    request_seconds: Family<QueueLabel, Histogram, fn() -> Histogram>,
    house_wait_seconds: Histogram,
    /// While a pass runs, the other games of the loop wait.
    pass_seconds: Histogram,
    pub(crate) events_heard: Counter,
    /// The node then reads from the database what they could have said.
    pub(crate) event_gaps: Counter,
    /// `announcement`: they came with the announcement. `journal`: the room read them, because it
    /// was behind, or because they were too long to be announced.
    followed_records: Family<FromLabel, Counter>,
    /// How late players and spectators here see the moves of players there.
    follow_seconds: Histogram,
    /// The node follows slowly. 0 with the embedded store.
    clock_ahead: Gauge<f64, AtomicU64>,
}

impl Default for Metrics {
    fn default() -> Self {
        let mut registry = Registry::with_prefix("adamant");
        let build = Info::new([("version", env!("CARGO_PKG_VERSION"))]);
        registry.register("build", "Version of the server", build);
        let metrics = Self {
            sessions: Gauge::default(),
            sessions_ended: Family::default(),
            refused: Family::default(),
            accept_failures: Counter::default(),
            commits: Counter::default(),
            commit_failures: Counter::default(),
            records: Counter::default(),
            conflicts: Counter::default(),
            room_wakeups: Counter::default(),
            room_loop_moves: Family::default(),
            deliveries: Counter::default(),
            lags: Counter::default(),
            forks: Counter::default(),
            sign_ups: Counter::default(),
            reports: Counter::default(),
            guests: Counter::default(),
            failed_log_ins: Counter::default(),
            analyses: Gauge::default(),
            notifications: Family::default(),
            mails: Family::default(),
            reads_only: Family::default(),
            lost_frames: Gauge::default(),
            lost_commits: Gauge::default(),
            warnings: Family::default(),
            full_bots: Mutex::default(),
            commit_jobs: Histogram::new(JOBS),
            commit_seconds: Histogram::new(SECONDS),
            act_seconds: Histogram::new(SECONDS),
            request_seconds: Family::new_with_constructor(|| Histogram::new(SECONDS)),
            house_wait_seconds: Histogram::new(WAITS),
            pass_seconds: Histogram::new(SECONDS),
            events_heard: Counter::default(),
            event_gaps: Counter::default(),
            followed_records: Family::default(),
            follow_seconds: Histogram::new(SECONDS),
            clock_ahead: Gauge::default(),
            registry,
        };
        metrics.register()
    }
}

impl Metrics {
    fn register(mut self) -> Self {
        let registry = &mut self.registry;
        let help = "Open sessions";
        registry.register("sessions", help, self.sessions.clone());
        let help = "Ended sessions, by cause";
        registry.register("sessions_ended", help, self.sessions_ended.clone());
        let help = "Refused connections, by reason";
        registry.register("connections_refused", help, self.refused.clone());
        let help = "Accepts that failed because the system was out of descriptors or memory";
        registry.register("accept_failures", help, self.accept_failures.clone());
        let help = "Committed transactions, each with one sync";
        registry.register("commits", help, self.commits.clone());
        let help = "Failed transactions";
        registry.register("commit_failures", help, self.commit_failures.clone());
        let help = "Committed game records";
        registry.register("records_committed", help, self.records.clone());
        let help = "Appends to a game that came after another node's";
        registry.register("conflicts", help, self.conflicts.clone());
        let help = "Times that the runtime has woken a task that drives rooms";
        registry.register("room_wakeups", help, self.room_wakeups.clone());
        let help = "Moves that a loop of rooms has received for its games";
        registry.register("room_loop_moves", help, self.room_loop_moves.clone());
        let help = "Events and other game frames sent, counted once per session";
        registry.register("deliveries", help, self.deliveries.clone());
        let help = "Times that a spectator fell behind and received a snapshot instead of events";
        registry.register("spectator_lags", help, self.lags.clone());
        let help = "Clients that reconnected with records that this server does not have";
        registry.register("forks", help, self.forks.clone());
        let help = "New accounts";
        registry.register("sign_ups", help, self.sign_ups.clone());
        let help = "Reports of users or games by users";
        registry.register("reports", help, self.reports.clone());
        let help = "New guests";
        registry.register("guests", help, self.guests.clone());
        let help = "Log-ins with a wrong password or token";
        registry.register("failed_log_ins", help, self.failed_log_ins.clone());
        let help = "Analyses of finished games that wait or run";
        registry.register("analyses", help, self.analyses.clone());
        let help = "Errors sent to clients, by code";
        registry.register("refusals", help, REFUSALS.clone());
        let help = "Notifications of users who are away, by outcome";
        registry.register("notifications", help, self.notifications.clone());
        let help = "Mails to accounts, by outcome";
        registry.register("mails", help, self.mails.clone());
        let help = "Whether the server is read-only, by reason";
        registry.register("reads_only", help, self.reads_only.clone());
        let help = "Frames that a damaged WAL lost at the start";
        registry.register("log_lost_frames", help, self.lost_frames.clone());
        let help = "Commits that a damaged WAL lost at the start, at least";
        registry.register("log_lost_commits", help, self.lost_commits.clone());
        let help = "Warnings, by subject";
        registry.register("warnings", help, self.warnings.clone());
        let help = "Writes per commit";
        registry.register("commit_jobs", help, self.commit_jobs.clone());
        let help = "Time from the begin of a transaction to its sync";
        registry.register_with_unit("commit", help, Unit::Seconds, self.commit_seconds.clone());
        let help = "Time from the arrival of an act at a game to its acknowledgement";
        registry.register_with_unit("act", help, Unit::Seconds, self.act_seconds.clone());
        let help = "Time that a request waits and is worked on, by the queue of its long work";
        registry.register_with_unit("request", help, Unit::Seconds, self.request_seconds.clone());
        let help = "Time from a server bot's turn in a game with a clock to its search";
        registry.register_with_unit(
            "house_wait",
            help,
            Unit::Seconds,
            self.house_wait_seconds.clone(),
        );
        let help = "Time that a loop of rooms takes for one pass over all that waits";
        registry.register_with_unit("room_pass", help, Unit::Seconds, self.pass_seconds.clone());
        let help = "Events that other nodes have announced to this one";
        registry.register("events_heard", help, self.events_heard.clone());
        let help = "Times that announcements of other nodes may have been lost";
        registry.register("event_gaps", help, self.event_gaps.clone());
        let help = "Records of other nodes that rooms here have applied, by where they came from";
        registry.register("followed_records", help, self.followed_records.clone());
        let help = "Age of the last record of another node when its room here applies it";
        registry.register_with_unit("follow", help, Unit::Seconds, self.follow_seconds.clone());
        let help = "Time by which the database's clock is ahead of this node's";
        registry.register_with_unit("clock_ahead", help, Unit::Seconds, self.clock_ahead.clone());
        // Labels start at 0, so that monitors see their first increment.
        for code in CloseCode::ALL {
            self.sessions_ended.get_or_create(&CauseLabel { cause: code.reason() }).inc_by(0);
        }
        for what in Warning::ALL {
            self.warnings.get_or_create(&WhatLabel { what: what.name() }).set(0);
        }
        for outcome in NotificationOutcome::ALL {
            let label = OutcomeLabel { outcome: outcome.name() };
            self.notifications.get_or_create(&label).inc_by(0);
        }
        for outcome in MailOutcome::ALL {
            self.mails.get_or_create(&OutcomeLabel { outcome: outcome.name() }).inc_by(0);
        }
        for from in FollowedFrom::ALL {
            self.followed_records(*from).inc_by(0);
        }
        for why in ConnectionRefusal::ALL {
            self.refused.get_or_create(&WhyLabel { why: why.name() }).inc_by(0);
        }
        self
    }

    /// Counts an open session until the result is dropped.
    pub(crate) fn open_session(&self) -> OpenSession {
        self.sessions.inc();
        OpenSession(self.sessions.clone())
    }

    pub(crate) fn count_ended_session(&self, cause: &'static str) {
        self.sessions_ended.get_or_create(&CauseLabel { cause }).inc();
    }

    /// Returns the counter of the moves of one loop of rooms.
    pub(crate) fn moves_of_loop(&self, number: usize) -> Counter {
        self.room_loop_moves.get_or_create_owned(&LoopLabel { r#loop: number })
    }

    pub(crate) fn refuse_connection(&self, why: ConnectionRefusal) {
        self.refused.get_or_create(&WhyLabel { why: why.name() }).inc();
    }

    /// Counts what has become of a notification.
    pub(crate) fn count_notification(&self, outcome: NotificationOutcome) {
        self.notifications.get_or_create(&OutcomeLabel { outcome: outcome.name() }).inc();
    }

    /// Counts what has become of a mail.
    pub(crate) fn count_mail(&self, outcome: MailOutcome) {
        self.mails.get_or_create(&OutcomeLabel { outcome: outcome.name() }).inc();
    }

    /// Sets how many analyses of games wait or run.
    pub(crate) fn set_analyses(&self, count: usize) {
        self.analyses.set(i64::try_from(count).unwrap_or(i64::MAX));
    }

    /// Sets whether the server is read-only for this reason.
    pub(crate) fn set_read_only(&self, why: &'static str, is_read_only: bool) {
        self.reads_only.get_or_create(&WhyLabel { why }).set(is_read_only.into());
    }

    /// Sets the loss of a damaged WAL.
    pub(crate) fn set_wal_loss(&self, frames: u64, commits: u64) {
        self.lost_frames.set(i64::try_from(frames).unwrap_or(i64::MAX));
        self.lost_commits.set(i64::try_from(commits).unwrap_or(i64::MAX));
    }

    pub(crate) fn warn(&self, what: Warning) {
        self.set_warning(what, true);
    }

    pub(crate) fn set_warning(&self, what: Warning, stands: bool) {
        self.warnings.get_or_create(&WhatLabel { what: what.name() }).set(stands.into());
    }

    /// Says whether a server bot plays as many games as it can. Returns whether that is new.
    pub(crate) fn set_full(&self, bot: &str, is_full: bool) -> bool {
        let mut full = self.full_bots.lock();
        let is_new = if is_full { full.insert(bot.into()) } else { full.remove(bot) };
        self.set_warning(Warning::HouseFull, !full.is_empty());
        is_new
    }

    /// Counts a commit with this number of writes, and its duration.
    pub(crate) fn observe_commit(&self, jobs: usize, took: Duration) {
        self.commits.inc();
        self.commit_jobs.observe(f64::from(u32::try_from(jobs).unwrap_or(u32::MAX)));
        self.commit_seconds.observe(took.as_secs_f64());
    }

    /// Counts records of another node that a room applies, the last of which has this age.
    pub(crate) fn observe_follow(&self, from: FollowedFrom, records: usize, age: Duration) {
        self.followed_records(from).inc_by(records as u64);
        self.follow_seconds.observe(age.as_secs_f64());
    }

    /// Returns the counter of the records of other nodes that rooms have from there.
    pub(crate) fn followed_records(&self, from: FollowedFrom) -> Counter {
        self.followed_records.get_or_create_owned(&FromLabel { from: from.name() })
    }

    /// Sets by how many milliseconds the database's clock is ahead of this node's.
    pub(crate) fn set_clock_ahead(&self, ahead_ms: i64) {
        self.clock_ahead.set(
            Duration::from_millis(ahead_ms.unsigned_abs())
                .as_secs_f64()
                .copysign(if ahead_ms < 0 { -1.0 } else { 1.0 }),
        );
    }

    /// Counts an act, and the time until its acknowledgement.
    pub(crate) fn observe_act(&self, took: Duration) {
        self.act_seconds.observe(took.as_secs_f64());
    }

    /// Counts a request with long work, and the time that it took with its wait.
    pub(crate) fn observe_request(&self, queue: &'static str, took: Duration) {
        self.request_seconds.get_or_create(&QueueLabel { queue }).observe(took.as_secs_f64());
    }

    /// Counts a search in a game with a clock, and how long the turn had waited for it.
    pub(crate) fn observe_house_wait(&self, waited: Duration) {
        self.house_wait_seconds.observe(waited.as_secs_f64());
    }

    /// Counts a pass of a loop of rooms, and its duration.
    pub(crate) fn observe_pass(&self, took: Duration) {
        self.pass_seconds.observe(took.as_secs_f64());
    }

    /// Writes the page of all metrics.
    pub(crate) fn render(
        &self,
        current: CurrentValues,
        format: MetricsFormat,
    ) -> Result<String, std::fmt::Error> {
        let mut page = String::new();
        text::encode_registry(&mut page, &current.registry())?;
        text::encode_registry(&mut page, &process_registry())?;
        text::encode(&mut page, &self.registry)?;
        Ok(match format {
            MetricsFormat::OpenMetrics => page,
            MetricsFormat::Prometheus => from_openmetrics(&page),
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

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct CauseLabel {
    cause: &'static str,
}

/// Why a connection was refused, or why the server is read-only.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct WhyLabel {
    why: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct QueueLabel {
    queue: &'static str,
}

/// The subject of a warning.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct WhatLabel {
    what: &'static str,
}

/// Where the records of another node came from.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct FromLabel {
    from: &'static str,
}

/// Labels with a value from a list.
macro_rules! label_words {
    ($($(#[$about:meta])* $name:ident { $($(#[$meaning:meta])* $variant:ident = $word:literal,)* })*) => {$(
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum $name {
            $($(#[$meaning])* $variant,)*
        }

        impl $name {
            const ALL: &[Self] = &[$(Self::$variant),*];

            pub(crate) const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)*
                }
            }
        }
    )*};
}

label_words! {
    /// Where a room has the records of another node from.
    FollowedFrom {
        Announcement = "announcement",
        /// The journal, because the announcement did not have them.
        Journal = "journal",
    }

    /// What an operator should look at.
    Warning {
        /// The database is new, and the signing key is not.
        NewDatabase = "new_database",
        /// The machine's clock is behind the newest record.
        ClockBehind = "clock_behind",
        /// Other users may read the signing key or the push key.
        KeyExposed = "key_exposed",
        /// The server takes connections from other machines and does not encrypt them.
        PlainText = "plain_text",
        /// A configured moderator has no account.
        ModeratorUnknown = "moderator_unknown",
        /// The certificate expires within 14 days, or has expired.
        CertificateExpires = "certificate_expires",
        /// The second place of `store.shipping` is more than 10 seconds behind.
        NotShipped = "not_shipped",
        /// A server bot plays as many games as it can, and declines challenges.
        HouseFull = "house_full",
    }

    /// Why the server refused a connection.
    ConnectionRefusal {
        /// The server is at its connection limit.
        Full = "full",
        /// The address is at its connection limit.
        AddressFull = "address_full",
        /// The server is at its handshake limit.
        HandshakesFull = "handshakes_full",
        /// The address is at its handshake limit.
        AddressHandshakesFull = "address_handshakes_full",
        /// The address has begun too many encrypted connections.
        HandshakeRate = "handshake_rate",
        /// The address has opened too many WebSockets.
        UpgradeRate = "upgrade_rate",
        /// The operating system is out of descriptors or memory.
        Exhausted = "exhausted",
        Origin = "origin",
        Stopping = "stopping",
    }

    NotificationOutcome {
        /// The push service or the webhook has accepted it.
        Delivered = "delivered",
        /// It has not, after all attempts.
        Failed = "failed",
        /// The push service no longer knows the subscription.
        Gone = "gone",
        /// The user has received too many.
        RateLimited = "rate_limited",
        Dropped = "dropped",
    }

    MailOutcome {
        /// The operator's command has accepted it.
        Accepted = "accepted",
        /// It has not.
        Failed = "failed",
        /// The address has received too many, or the server has sent too many.
        RateLimited = "rate_limited",
    }
}

/// The number of a loop of rooms.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct LoopLabel {
    r#loop: usize,
}

/// The code of an error.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct CodeLabel {
    code: String,
}

/// The outcome of a notification.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OutcomeLabel {
    outcome: &'static str,
}

/// Errors sent to clients, by code. They belong to the whole process, because the code that writes
/// an error has no other state.
static REFUSALS: LazyLock<Family<CodeLabel, Counter>> = LazyLock::new(Family::default);

/// Counts an error that is sent to a client.
pub(crate) fn count_refusal(code: ErrorCode) {
    REFUSALS.get_or_create(&CodeLabel { code: code.to_string() }).inc();
}

/// Sizes of the store, as far as they are known.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct StoreSize {
    /// Bytes of the database.
    pub(crate) database: Option<u64>,
    /// Bytes of the WAL.
    pub(crate) wal: Option<u64>,
    /// Free bytes on the disk of the data directory.
    pub(crate) free: Option<u64>,
    /// Seconds since the last good `backup` of this directory. Absent before the first.
    pub(crate) since_backup: Option<u64>,
    /// Age of what the second place lacks, in seconds; counts from the start until the first copy of
    /// the database is there. Absent without `store.shipping`.
    pub(crate) since_shipped: Option<u64>,
    /// Users, including guests and bots.
    pub(crate) users: Option<u64>,
    /// Live games, with or without a room.
    pub(crate) live_games: Option<u64>,
}

/// Values at the time of the request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CurrentValues {
    /// 1 if `/readyz` answers 200.
    pub(crate) ready: bool,
    /// Open WebSockets and event streams.
    pub(crate) connections: usize,
    /// `limits.connections`, or fewer if descriptors are scarce.
    pub(crate) connections_max: usize,
    /// Open rooms.
    pub(crate) rooms: usize,
    /// Each closes within a minute of the last request.
    pub(crate) rooms_over: usize,
    /// The log names each game and its first wrong record. The game stays closed, its players
    /// receive an error, and all other games continue. Restore the game from a backup.
    pub(crate) damaged: usize,
    /// 1 with the embedded store.
    pub(crate) nodes: usize,
    /// Heartbeats commit every half second; from 3 seconds on the node is not ready. 0 with the
    /// embedded store, which has no standbys.
    pub(crate) commit_age: Duration,
    /// Negative once it has expired. Absent without `network.tls`.
    pub(crate) certificate_left: Option<i64>,
    /// Sizes of the store.
    pub(crate) store: StoreSize,
}

impl CurrentValues {
    /// Number of open rooms of live games.
    fn rooms_live(&self) -> usize {
        self.rooms.saturating_sub(self.rooms_over)
    }

    /// Returns a registry of these values.
    fn registry(self) -> Registry {
        let mut registry = Registry::with_prefix("adamant");
        let mut gauge = |name, help, value: usize| {
            registry.register(
                name,
                help,
                ConstGauge::new(i64::try_from(value).unwrap_or(i64::MAX)),
            );
        };
        gauge("ready", "Whether the server is ready for players, as in /readyz", self.ready.into());
        gauge("connections", "Open WebSockets and event streams", self.connections);
        gauge("connections_max", "Limit of open connections", self.connections_max);
        gauge("rooms", "Open rooms", self.rooms);
        gauge("rooms_over", "Open rooms of finished games", self.rooms_over);
        gauge("games_damaged", "Games with damaged records found since the start", self.damaged);
        gauge("nodes", "Living nodes on the same store, with this one", self.nodes);
        let (help, age) = ("Time since the last confirmed commit", self.commit_age.as_secs_f64());
        registry.register_with_unit("commit_age", help, Unit::Seconds, ConstGauge::new(age));
        if let Some(left_s) = self.certificate_left {
            let help = "Time until the TLS certificate expires";
            let left = ConstGauge::new(left_s);
            registry.register_with_unit("certificate_expires", help, Unit::Seconds, left);
        }
        let StoreSize { database, wal, free, .. } = self.store;
        let StoreSize { since_backup, since_shipped, users, live_games, .. } = self.store;
        let parked = live_games.map(|live| live.saturating_sub(self.rooms_live() as u64));
        let mut optional = |name, help, unit: Option<Unit>, value: Option<u64>| {
            let Some(value) = value else { return };
            let value = ConstGauge::new(i64::try_from(value).unwrap_or(i64::MAX));
            match unit {
                Some(unit) => registry.register_with_unit(name, help, unit, value),
                None => registry.register(name, help, value),
            }
        };
        optional("games_parked", "Live games without an open room", None, parked);
        optional("users", "Stored users, including guests and bots", None, users);
        let bytes = || Some(Unit::Bytes);
        optional("database", "Size of the database", bytes(), database);
        optional("log", "Size of the WAL", bytes(), wal);
        optional("disk_free", "Free space on the disk of the data directory", bytes(), free);
        let help = "Time since the last good backup";
        optional("last_backup", help, Some(Unit::Seconds), since_backup);
        let help = "Time since all that was stored was shipped";
        optional("last_shipped", help, Some(Unit::Seconds), since_shipped);
        registry
    }
}

/// Returns a registry of the process's present values.
fn process_registry() -> Registry {
    let mut registry = Registry::with_prefix("process");
    let Ok(process) = Process::myself() else { return registry };
    if let Ok(open) = process.fd_count() {
        let open = ConstGauge::new(i64::try_from(open).unwrap_or(i64::MAX));
        registry.register("open_fds", "Open file descriptors", open);
    }
    if let Ok((soft, _)) = getrlimit(Resource::RLIMIT_NOFILE) {
        let max = ConstGauge::new(i64::try_from(soft).unwrap_or(i64::MAX));
        registry.register("max_fds", "Limit of open file descriptors", max);
    }
    if let Ok(stat) = process.stat() {
        let bytes = i64::try_from(stat.rss_bytes().get()).unwrap_or(i64::MAX);
        let help = "Resident memory";
        registry.register_with_unit("resident_memory", help, Unit::Bytes, ConstGauge::new(bytes));
        #[expect(clippy::cast_precision_loss, reason = "a count of ticks is far below 2^52")]
        let cpu = (stat.utime + stat.stime) as f64 / procfs::ticks_per_second() as f64;
        if let Ok(booted) = procfs::boot_time_secs() {
            #[expect(clippy::cast_precision_loss, reason = "both are far below 2^52")]
            let since = booted as f64 + stat.starttime as f64 / procfs::ticks_per_second() as f64;
            let help = "Start of the process since the Unix epoch";
            let started = ConstGauge::new(since);
            registry.register_with_unit("start_time", help, Unit::Seconds, started);
        }
        let help = "User and system CPU time";
        registry.register_with_unit("cpu", help, Unit::Seconds, ConstCounter::new(cpu));
    }
    registry
}

/// Converts a page from `OpenMetrics`. The older format describes metrics by the names of their
/// samples, and has no units and no infos.
fn from_openmetrics(openmetrics: &str) -> String {
    let mut page = String::with_capacity(openmetrics.len());
    let mut help = "";
    for line in openmetrics.lines() {
        if let Some(described) = line.strip_prefix("# HELP ") {
            help = described.split_once(' ').map_or("", |(_, text)| text);
        } else if let Some((name, kind)) =
            line.strip_prefix("# TYPE ").and_then(|typed| typed.split_once(' '))
        {
            let (suffix, kind) = match kind {
                "counter" => ("_total", "counter"),
                "info" => ("_info", "gauge"),
                "unknown" => ("", "untyped"),
                other => ("", other),
            };
            writeln!(page, "# HELP {name}{suffix} {help}\n# TYPE {name}{suffix} {kind}")
                .expect("writing to a string cannot fail");
        } else if !line.starts_with('#') {
            page.push_str(line);
            page.push('\n');
        }
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_house_is_full_while_one_of_its_bots_is() {
        let metrics = Metrics::default();
        let warns = || {
            let what = WhatLabel { what: Warning::HouseFull.name() };
            metrics.warnings.get_or_create(&what).get() == 1
        };
        assert!(metrics.set_full("house", true) && metrics.set_full("house-6", true));
        assert!(!metrics.set_full("house", true), "it is known");
        metrics.set_full("house", false);
        assert!(warns());
        metrics.set_full("house-6", false);
        assert!(!warns());
    }

    #[test]
    fn the_page_has_all_counted_values() {
        let metrics = Metrics::default();
        let session = metrics.open_session();
        let _open = metrics.open_session();
        drop(session);
        metrics.count_ended_session("slow consumer");
        metrics.refuse_connection(ConnectionRefusal::Full);
        metrics.observe_commit(3, Duration::from_micros(700));
        let current = CurrentValues {
            ready: true,
            connections: 7,
            connections_max: 9,
            rooms: 2,
            rooms_over: 1,
            damaged: 0,
            nodes: 3,
            commit_age: Duration::from_millis(250),
            certificate_left: Some(-3),
            store: StoreSize { free: Some(77), live_games: Some(4), ..StoreSize::default() },
        };
        let page = metrics.render(current, MetricsFormat::OpenMetrics).unwrap();
        for line in [
            "adamant_ready 1",
            "adamant_connections_max 9",
            "adamant_sessions 1",
            "adamant_nodes 3",
            "adamant_commit_age_seconds 0.25",
            "adamant_certificate_expires_seconds -3",
            "adamant_disk_free_bytes 77",
            "adamant_games_parked 3",
            "adamant_sessions_ended_total{cause=\"slow consumer\"} 1",
            "adamant_sessions_ended_total{cause=\"heartbeat missed\"} 0",
            "adamant_connections_refused_total{why=\"full\"} 1",
            "adamant_commits_total 1",
            "adamant_commit_seconds_bucket{le=\"0.0005\"} 0",
            "adamant_commit_seconds_bucket{le=\"0.001\"} 1",
            "adamant_commit_jobs_sum 3.0",
        ] {
            assert!(page.lines().any(|found| found == line), "{line} is missing:\n{page}");
        }
        assert!(page.contains("\nprocess_open_fds "), "{page}");
        assert!(page.ends_with("# EOF\n"), "{page}");
        assert_eq!(page.matches("# EOF").count(), 1);
    }

    #[test]
    fn counters_and_infos_are_described_by_the_names_of_their_samples() {
        let page = "# HELP a_commits Made.\n# TYPE a_commits counter\na_commits_total 3\n# HELP a_build Which.\n# TYPE a_build info\na_build_info{version=\"1\"} 1\n# HELP a_seconds Time.\n# TYPE a_seconds histogram\n# UNIT a_seconds seconds\na_seconds_sum 0.5\n# EOF\n";
        let expected = "# HELP a_commits_total Made.\n# TYPE a_commits_total counter\na_commits_total 3\n# HELP a_build_info Which.\n# TYPE a_build_info gauge\na_build_info{version=\"1\"} 1\n# HELP a_seconds Time.\n# TYPE a_seconds histogram\na_seconds_sum 0.5\n";
        assert_eq!(from_openmetrics(page), expected);
    }
}
