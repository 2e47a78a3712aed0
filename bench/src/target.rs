//! The measured program: the real server, one of its baselines, or several nodes with PostgreSQL and
//! HAProxy, each in its own process.

use std::{
    fmt,
    fs::{self, OpenOptions},
    io::{BufRead as _, BufReader, Write as _},
    net::{Ipv4Addr, SocketAddr},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::Duration,
};

use anyhow::{Context as _, Result, bail, ensure};
use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};
use postgres_fixture::{Balancer, Cluster, free_port};
use serde::Serialize;
use tempfile::TempDir;
use tokio::time::{Instant, sleep};

use crate::{
    callgrind::{Counting, under_callgrind},
    machine::{
        self, Cores, CpuTime, begin_peak, memory_bytes, open_files, peak_bytes, pin, pin_to,
        tracer_of,
    },
};

/// A measured program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Program {
    /// The real server: rules, journal, every commit synced.
    Adamant,
    /// A bare tokio-tungstenite relay of rooms, with small buffers, and a task and a channel for
    /// each socket.
    Relay,
    /// Prepared frames, written straight to each socket of tokio's TCP.
    Raw,
}

impl Program {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Adamant => "adamant",
            Self::Relay => "relay",
            Self::Raw => "raw",
        }
    }
}

/// Microseconds added to every flush of a slow disk.
pub(crate) const FLUSH_ADDED_US: u32 = 5_000;

/// How long a server may take until it is idle.
const SETTLE_MAX: Duration = Duration::from_mins(2);

/// How long a server must be nearly idle to count as settled.
const SETTLE_STEP: Duration = Duration::from_millis(500);

/// CPU time that an idle server uses in that time, in microseconds.
const SETTLED_US: u64 = 20_000;

/// How to start the real server.
#[derive(Debug, Clone)]
pub(crate) struct Launch {
    pub(crate) server: PathBuf,
    /// The directory for its files, on a real disk.
    pub(crate) directory: PathBuf,
    /// The cores, if the sides are pinned.
    pub(crate) cores: Option<Cores>,
    /// What makes it one of several nodes; without it the server has an embedded store.
    pub(crate) node: Option<Node>,
}

#[derive(Debug, Clone)]
pub(crate) struct Node {
    /// The URL of the database that the nodes share.
    pub(crate) database: String,
    pub(crate) name: String,
}

/// What differs from the usual configuration of the benchmarks.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Conditions {
    /// How long a game without clients stays in memory, if not the default.
    pub(crate) park_after: Option<Duration>,
    /// How often finished games are published, if not the default.
    pub(crate) publish_every: Option<Duration>,
    /// The number of loops that drive the games, if not the default.
    pub(crate) loops: Option<u16>,
    /// Whether every flush takes longer.
    pub(crate) slow_disk: bool,
    /// What callgrind counts, if it runs the server.
    pub(crate) callgrind: Option<Counting>,
    /// What the server offers to whom.
    pub(crate) service: Service,
}

/// What a server offers to whom.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Service {
    /// Games without limits, for the load client alone.
    #[default]
    Load,
    /// The same with server bots.
    LoadAndHouse,
    /// That of a server for the public: server bots, and every limit at its default.
    Public,
}

/// The games that a server has recovered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Recovered {
    /// Games with rooms.
    pub(crate) live: usize,
    pub(crate) parked: usize,
}

/// A running process.
#[derive(Debug)]
pub(crate) struct Target {
    pub(crate) program: Program,
    child: Child,
    address: SocketAddr,
    conditions: Conditions,
    recovered: Recovered,
    /// The server's files, removed at the end.
    files: Option<TempDir>,
}

impl Target {
    /// Starts the program and waits until it listens.
    pub(crate) fn start(program: Program, launch: &Launch) -> Result<Self> {
        Self::start_under(Conditions::default(), program, launch)
    }

    /// Starts the program under special conditions.
    pub(crate) fn start_under(
        conditions: Conditions,
        program: Program,
        launch: &Launch,
    ) -> Result<Self> {
        let files =
            tempfile::Builder::new().prefix("adamant-bench").tempdir_in(&launch.directory)?;
        Self::start_on(files, conditions, program, launch)
    }

    fn start_on(
        files: TempDir,
        conditions: Conditions,
        program: Program,
        launch: &Launch,
    ) -> Result<Self> {
        let mut command = match program {
            Program::Adamant => server_command(launch, conditions, files.path())?,
            Program::Relay | Program::Raw => {
                let mut command = Command::new(std::env::current_exe()?);
                command.arg("serve").arg(program.name());
                command
            }
        };
        if conditions.slow_disk {
            command = under_slow_disk(&command);
        }
        if let Some(counting) = conditions.callgrind {
            command = under_callgrind(&command, files.path(), counting);
        }
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // A child starts on the cores of the thread that starts it.
        if let Some(cores) = launch.cores {
            pin_to(&cores.server)?;
        }
        let child = command.spawn().with_context(|| format!("{command:?} does not start"));
        if let Some(cores) = launch.cores {
            pin_to(&cores.client)?;
        }
        let mut child = child?;
        let listens = match program {
            Program::Adamant => address_in(child.stderr.take()),
            Program::Relay | Program::Raw => address_in(child.stdout.take()),
        };
        let (address, recovered) = match listens {
            Ok(listens) => listens,
            Err(error) => {
                child.kill()?;
                child.wait()?;
                return Err(error).with_context(|| format!("{command:?} does not listen"));
            }
        };
        let target = Self { program, child, address, conditions, recovered, files: Some(files) };
        // The tracer that slows the disk down is no part of the server and must not use its core.
        if let (Some(cores), Some(tracer)) = (launch.cores, tracer_of(target.pid())?) {
            pin(tracer, &cores.client)?;
        }
        Ok(target)
    }

    /// The games recovered at the start.
    pub(crate) const fn recovered(&self) -> Recovered {
        self.recovered
    }

    pub(crate) const fn address(&self) -> SocketAddr {
        self.address
    }

    /// The process id.
    pub(crate) fn pid(&self) -> i32 {
        i32::try_from(self.child.id()).expect("the system numbers its processes so")
    }

    /// The CPU time used so far.
    pub(crate) fn cpu(&self) -> Result<CpuTime> {
        CpuTime::of(self.pid())
    }

    /// The memory used for data, in bytes.
    pub(crate) fn memory_bytes(&self) -> Result<u64> {
        memory_bytes(self.pid())
    }

    /// The memory in bytes, with code and caches. Its peak is counted from now on.
    pub(crate) fn begin_peak(&self) -> Result<u64> {
        begin_peak(self.pid())
    }

    /// The most memory in bytes since `begin_peak`.
    pub(crate) fn peak_bytes(&self) -> Result<u64> {
        peak_bytes(self.pid())
    }

    /// The size of the data directory, in bytes.
    pub(crate) fn disk_bytes(&self) -> Result<u64> {
        let mut bytes = 0;
        for file in fs::read_dir(self.directory()?.join("data"))? {
            // A WAL that is removed at this moment takes no space.
            bytes += file?.metadata().map_or(0, |metadata| metadata.len());
        }
        Ok(bytes)
    }

    pub(crate) fn directory(&self) -> Result<&Path> {
        Ok(self.files.as_ref().context("it has files until it is dropped")?.path())
    }

    pub(crate) fn open_files(&self) -> Result<usize> {
        open_files(self.pid())
    }

    /// Kills the process and starts it again on the same files. Returns how long it took from the
    /// start of the process until it listened.
    pub(crate) fn crash_and_restart(self, launch: &Launch) -> Result<(Self, Duration)> {
        let conditions = self.conditions;
        self.crash_and_restart_under(conditions, launch)
    }

    /// The same under other conditions.
    pub(crate) fn crash_and_restart_under(
        mut self,
        conditions: Conditions,
        launch: &Launch,
    ) -> Result<(Self, Duration)> {
        self.child.kill()?;
        self.child.wait()?;
        let files = self.files.take().context("it has files until it is dropped")?;
        let begun = Instant::now();
        let again = Self::start_on(files, conditions, self.program, launch)?;
        Ok((again, begun.elapsed()))
    }

    /// Waits until the process is nearly idle and closes no more files.
    pub(crate) async fn settle(&self) -> Result<()> {
        let begun = Instant::now();
        let mut before = (self.cpu()?, self.open_files()?);
        while begun.elapsed() < SETTLE_MAX {
            sleep(SETTLE_STEP).await;
            let now = (self.cpu()?, self.open_files()?);
            if now.0.since(before.0).total_us() <= SETTLED_US && now.1 == before.1 {
                break;
            }
            before = now;
        }
        Ok(())
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        // The process may have exited already.
        kill(Pid::from_raw(self.pid()), Signal::SIGKILL).ok();
        drop(self.child.wait());
    }
}

fn server_command(launch: &Launch, conditions: Conditions, files: &Path) -> Result<Command> {
    let mut file = toml::Table::new();
    let section = |pairs: Vec<(&str, toml::Value)>| -> toml::Value {
        pairs
            .into_iter()
            .map(|(key, value)| (key.to_owned(), value))
            .collect::<toml::Table>()
            .into()
    };
    let mut network = vec![("listen", "127.0.0.1:0".into())];
    let mut store = vec![("data", files.join("data").display().to_string().into())];
    if let Some(Node { database, name }) = &launch.node {
        network.push(("trusted_proxies", vec!["127.0.0.1"].into()));
        store.push(("database", database.as_str().into()));
        file.insert("cluster".to_owned(), section(vec![("node", name.as_str().into())]));
    }
    file.insert("network".to_owned(), section(network));
    file.insert("store".to_owned(), section(store));
    let is_public = conditions.service == Service::Public;
    if is_public {
        // Whom the server notifies is on this machine.
        file.insert("notifications".to_owned(), section(vec![("allow_private", true.into())]));
    } else {
        file.insert(
            "limits".to_owned(),
            section(vec![
                ("connections", 1_000_000.into()),
                // Sockets that wait for their turn are not read in the meantime.
                ("ping_every", "10m".into()),
                ("idle_close", "30m".into()),
            ]),
        );
    }
    if let Some(every) = conditions.publish_every {
        let every = format!("{}ms", every.as_millis());
        file.insert("downloads".to_owned(), section(vec![("every", every.into())]));
    }
    let mut games: Vec<(&str, toml::Value)> = Vec::new();
    if let Some(wait) = conditions.park_after {
        games.push(("park_after", format!("{}ms", wait.as_millis()).into()));
    }
    if let Some(loops) = conditions.loops {
        games.push(("loops", i64::from(loops).into()));
    }
    file.insert("games".to_owned(), section(games));
    let config = files.join("bench.toml");
    fs::write(&config, toml::to_string(&file)?)?;
    let mut command = Command::new(&launch.server);
    command.arg("--config").arg(config).args(["--log", "info"]);
    if !is_public {
        command.arg("--no-limits");
    }
    if conditions.service == Service::Load {
        command.arg("--no-house");
    }
    Ok(command)
}

/// Whether this machine has strace, which slows a disk down.
pub(crate) fn can_slow_disk() -> bool {
    let found =
        Command::new("strace").arg("-V").stdout(Stdio::null()).stderr(Stdio::null()).status();
    found.is_ok_and(|status| status.success())
}

/// Returns the same command on a disk with slow flushes. The process id stays the same.
pub(crate) fn under_slow_disk(command: &Command) -> Command {
    let mut slow = Command::new("strace");
    let delay = format!("inject=fdatasync,fsync:delay_exit={FLUSH_ADDED_US}");
    // strace stops a thread at every call, not only at flushes, until the thread has made its first
    // traced call. Every thread begins with `prctl`, which sets its name.
    slow.args(["-D", "--seccomp-bpf", "-f", "-qq", "-e", "trace=fdatasync,fsync,prctl"])
        .args(["-e", &delay, "-o", "/dev/null"])
        .arg(command.get_program())
        .args(command.get_args());
    slow
}

/// Reads lines up to the one with the address. Later lines are read and discarded, so that the
/// process never blocks.
fn address_in(
    output: Option<impl std::io::Read + Send + 'static>,
) -> Result<(SocketAddr, Recovered)> {
    let mut lines = BufReader::new(output.context("its output is piped")?).lines();
    let mut seen = Vec::new();
    let mut recovered = Recovered::default();
    while let Some(line) = lines.next().transpose()? {
        if line.contains("games recovered") {
            recovered = recovered_in(&line).unwrap_or_default();
        }
        let found = line.split_once("listening url=").map(|(_, rest)| {
            let place = rest.rsplit("://").next().unwrap_or(rest);
            place.split(['/', ' ', '"']).next().unwrap_or(place).to_owned()
        });
        if let Some(address) = found.and_then(|text| text.parse().ok()) {
            thread::spawn(move || lines.for_each(drop));
            return Ok((address, recovered));
        }
        seen.push(line);
    }
    bail!("it ended without listening; it said: {}", seen.join("\n"))
}

fn recovered_in(line: &str) -> Option<Recovered> {
    let number = |key: &str| {
        line.split_whitespace().find_map(|word| word.strip_prefix(key)?.parse::<usize>().ok())
    };
    Some(Recovered { live: number("live=")?, parked: number("parked=")? })
}

/// What serves the load.
pub(crate) trait Host {
    /// The program that the clients connect to.
    fn program(&self) -> Program;

    /// The address that the client of this number connects to.
    fn address_of(&self, client: usize) -> SocketAddr;

    /// The CPU time that each part has used so far.
    fn cpu_by_part(&self) -> Result<Vec<(HostPart, CpuTime)>>;

    /// The CPU time so far of what traces it, which is no part of it.
    fn tracer_cpu(&self) -> Result<CpuTime>;
}

impl Host for Target {
    fn program(&self) -> Program {
        self.program
    }

    fn address_of(&self, _client: usize) -> SocketAddr {
        self.address()
    }

    fn cpu_by_part(&self) -> Result<Vec<(HostPart, CpuTime)>> {
        Ok(vec![(HostPart::Server, self.cpu()?)])
    }

    fn tracer_cpu(&self) -> Result<CpuTime> {
        tracer_of(self.pid())?.map_or(Ok(CpuTime::default()), CpuTime::of)
    }
}

pub(crate) fn sum_of(parts: &[(HostPart, CpuTime)]) -> CpuTime {
    parts.iter().fold(CpuTime::default(), |sum, (_, part)| sum.and(*part))
}

/// A kind of process that serves the load.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HostPart {
    Server,
    Primary,
    Standbys,
    Balancer,
}

impl HostPart {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Server => "nodes",
            Self::Primary => "primary",
            Self::Standbys => "standbys",
            Self::Balancer => "HAProxy",
        }
    }
}

/// The most flushes to time, and the fewest on a slow disk.
const FLUSHES: usize = 2_000;
const FLUSHES_MIN: usize = 200;

/// How long to time flushes once the fewest are done.
const TIMED_FOR: Duration = Duration::from_secs(2);

/// The pause between flushes, as between paced moves. Consecutive flushes can be quicker and
/// steadier than occasional ones.
const PACE: Duration = Duration::from_millis(1);

/// Bytes of each append: a page of the database.
const PAGE_BYTES: usize = 4 * 1024;

/// The duration of flushes, in microseconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct FlushTimes {
    pub(crate) median_us: f64,
    /// The 99th percentile: the disk's own part of a move's 99th percentile.
    pub(crate) p99_us: f64,
}

impl fmt::Display for FlushTimes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.median_us, self.p99_us)
    }
}

/// Measures flushes on the disk of the server's files.
pub(crate) fn flush_times(launch: &Launch, is_slow: bool) -> Result<FlushTimes> {
    let files = tempfile::Builder::new().prefix("adamant-bench").tempdir_in(&launch.directory)?;
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("flush").arg(files.path());
    if is_slow {
        command = under_slow_disk(&command);
    }
    command.stdin(Stdio::null()).stderr(Stdio::inherit());
    if let Some(cores) = launch.cores {
        pin_to(&cores.server)?;
    }
    let output = command.output();
    if let Some(cores) = launch.cores {
        pin_to(&cores.client)?;
    }
    let output = output.with_context(|| format!("{command:?} does not start"))?;
    ensure!(output.status.success(), "{command:?} ended with {}", output.status);
    let output_text = String::from_utf8(output.stdout)?;
    let (median, p99) = output_text.trim().split_once(' ').context("the output has two times")?;
    Ok(FlushTimes { median_us: median.parse()?, p99_us: p99.parse()? })
}

/// Times flushes in a directory, in the process that [`flush_times`] starts.
pub(crate) fn time_flushes(directory: &Path) -> Result<FlushTimes> {
    let path: PathBuf = directory.join("flush");
    let mut file = OpenOptions::new().create(true).append(true).open(path)?;
    let page = [0x41; PAGE_BYTES];
    let mut times = Vec::with_capacity(FLUSHES);
    let started = Instant::now();
    while times.len() < FLUSHES_MIN || (times.len() < FLUSHES && started.elapsed() < TIMED_FOR) {
        file.write_all(&page)?;
        let begun = Instant::now();
        file.sync_data()?;
        times.push(begun.elapsed());
        thread::sleep(PACE.saturating_sub(begun.elapsed()));
    }
    times.sort_unstable();
    let us = |hundredths: usize| times[times.len() * hundredths / 100].as_secs_f64() * 1e6;
    Ok(FlushTimes { median_us: us(50), p99_us: us(99) })
}

const STANDBYS: usize = 2;

/// Time between two looks whether a node takes clients.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// Looks before a node counts as stuck: half a minute.
const LOOKS_MAX: u32 = 300;

/// How many nodes there are, and to which of them the two players of a game connect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Placement {
    pub(crate) nodes: usize,
    pub(crate) together: bool,
}

impl Placement {
    /// Players of a game on different nodes, as chance would mostly have it.
    pub(crate) const APART: Self = Self { nodes: 3, together: false };
}

/// Several nodes of the real server. A client connects to the node of its number, or to HAProxy.
#[derive(Debug)]
pub(crate) struct NodeCluster {
    together: bool,
    balancer: Option<Balancer>,
    nodes: Vec<Target>,
    // Last, because everything else needs it.
    postgres: Cluster,
}

impl NodeCluster {
    /// Starts PostgreSQL and the nodes, and waits until the nodes take clients.
    pub(crate) async fn start(launch: &Launch, placement: Placement) -> Result<Self> {
        let Placement { nodes, together } = placement;
        let postgres = on_server_cores(launch, || Cluster::try_start_for_production(STANDBYS))?;
        let database = postgres.url(&postgres.create_database());
        let mut started = Vec::with_capacity(nodes);
        for number in 1..=nodes {
            let node = Node { database: database.clone(), name: format!("n{number}") };
            let launch = Launch { node: Some(node), ..launch.clone() };
            let node = Target::start(Program::Adamant, &launch)?;
            wait_until_ready(node.address()).await?;
            started.push(node);
        }
        Ok(Self { together, balancer: None, nodes: started, postgres })
    }

    /// Starts HAProxy. From now on clients connect to it.
    pub(crate) fn balance(&mut self, launch: &Launch) -> Result<()> {
        let port = free_port()?;
        let nodes: Vec<_> = (1..)
            .zip(&self.nodes)
            .map(|(number, node)| (format!("n{number}"), node.address().port()))
            .collect();
        let folder = self.postgres.folder();
        let balancer = on_server_cores(launch, || Balancer::start(folder, port, &nodes))?;
        self.balancer = Some(balancer);
        Ok(())
    }

    pub(crate) fn folder(&self) -> &Path {
        self.postgres.folder()
    }
}

impl Host for NodeCluster {
    fn program(&self) -> Program {
        Program::Adamant
    }

    fn address_of(&self, client: usize) -> SocketAddr {
        if let Some(balancer) = &self.balancer {
            return SocketAddr::from((Ipv4Addr::LOCALHOST, balancer.port()));
        }
        // The players of a game have consecutive numbers, the first of them an even one.
        let place = if self.together { client / 2 } else { client };
        self.nodes[place % self.nodes.len()].address()
    }

    fn cpu_by_part(&self) -> Result<Vec<(HostPart, CpuTime)>> {
        let mut nodes = CpuTime::default();
        for node in &self.nodes {
            nodes = nodes.and(node.cpu()?);
        }
        let mut parts = vec![(HostPart::Server, nodes)];
        for (number, server) in self.postgres.servers().iter().enumerate() {
            let id = server.process_id().context("the server runs")?;
            let cpu = CpuTime::with_children(id.try_into()?)?;
            match parts.last_mut() {
                Some((HostPart::Standbys, sum)) => *sum = sum.and(cpu),
                _ if number == 0 => parts.push((HostPart::Primary, cpu)),
                _ => parts.push((HostPart::Standbys, cpu)),
            }
        }
        if let Some(balancer) = &self.balancer {
            parts.push((HostPart::Balancer, CpuTime::of(balancer.process_id().try_into()?)?));
        }
        Ok(parts)
    }

    fn tracer_cpu(&self) -> Result<CpuTime> {
        Ok(CpuTime::default())
    }
}

/// Starts processes on the server's cores. A process starts on those of the thread that starts it.
fn on_server_cores<T>(launch: &Launch, start: impl FnOnce() -> Result<T>) -> Result<T> {
    let Some(cores) = launch.cores else { return start() };
    pin_to(&cores.server)?;
    let started = start();
    pin_to(&cores.client)?;
    started
}

async fn wait_until_ready(node: SocketAddr) -> Result<()> {
    for _ in 0..LOOKS_MAX {
        if machine::get(node, "/lb").await?.contains(" 200 ") {
            return Ok(());
        }
        sleep(LOOK_EVERY).await;
    }
    bail!("the node at {node} takes no clients")
}
