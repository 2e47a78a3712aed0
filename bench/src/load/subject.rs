//! What is measured: the real server or one of its baselines, each in a process of its own.

use std::{
    fs,
    io::{BufRead as _, BufReader},
    net::SocketAddr,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::Duration,
};

use anyhow::{Context as _, Result, bail};
use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};
use serde::Serialize;
use tempfile::TempDir;
use tokio::time::{Instant, sleep};

use super::machine::{Cores, CpuTime, memory_bytes, open_files, pin, pin_to, tracer_of};

/// Which program it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum Program {
    /// The real server: rules, journal, every commit synced.
    Adamant,
    /// A bare tokio-tungstenite relay of rooms, with small buffers, a task and a channel a socket.
    Relay,
    /// Frames made beforehand, over tokio's TCP, written straight to each socket.
    Raw,
}

impl Program {
    /// Its name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Adamant => "adamant",
            Self::Relay => "relay",
            Self::Raw => "raw",
        }
    }
}

/// Microseconds that are added to every flush of a slow disk.
pub const FLUSH_ADDED_US: u32 = 5_000;

/// How long a server may take until it has no more to do.
const SETTLE_MAX: Duration = Duration::from_mins(2);

/// How long a server must have had next to nothing to do to count as settled.
const SETTLE_STEP: Duration = Duration::from_millis(500);

/// CPU time in which a settled server does what it always does.
const SETTLED_US: u64 = 20_000;

/// How the real server is started.
#[derive(Debug, Clone)]
pub struct Launch {
    /// Its binary.
    pub server: PathBuf,
    /// Where its files go: a real disk.
    pub directory: PathBuf,
    /// Which core it runs on, if it is pinned.
    pub cores: Option<Cores>,
}

/// What is special about a server.
#[derive(Debug, Clone, Copy, Default)]
pub struct Conditions {
    /// How long a game that nobody is at stays in memory, if not as long as usual.
    pub park_after: Option<Duration>,
    /// Whether every flush takes longer.
    pub slow_disk: bool,
    /// Whether it is set up as for strangers: every limit at its default, and its own players there.
    pub public: bool,
}

/// Games that a server has found in its files.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Recovered {
    /// Those with rooms.
    pub live: usize,
    /// Those without.
    pub parked: usize,
}

/// A running process.
#[derive(Debug)]
pub struct Subject {
    /// Which program.
    pub program: Program,
    child: Child,
    address: SocketAddr,
    conditions: Conditions,
    recovered: Recovered,
    /// The server's files, removed in the end.
    files: Option<TempDir>,
}

impl Subject {
    /// Starts it and waits until it listens.
    pub fn start(program: Program, launch: &Launch) -> Result<Self> {
        Self::start_under(Conditions::default(), program, launch)
    }

    /// Starts it under special conditions.
    pub fn start_under(conditions: Conditions, program: Program, launch: &Launch) -> Result<Self> {
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
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // A child begins on the cores of the thread that starts it.
        if let Some(cores) = launch.cores {
            pin_to(cores.server)?;
        }
        let child = command.spawn().with_context(|| format!("{command:?} does not start"));
        if let Some(cores) = launch.cores {
            pin_to(cores.client)?;
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
        let subject = Self { program, child, address, conditions, recovered, files: Some(files) };
        // What slows the disk down is no part of the server and leaves it its core.
        if let (Some(cores), Some(tracer)) = (launch.cores, tracer_of(subject.pid())?) {
            pin(tracer, cores.client)?;
        }
        Ok(subject)
    }

    /// The games that it found when it started.
    pub const fn recovered(&self) -> Recovered {
        self.recovered
    }

    /// Where it listens.
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// The number of its process.
    pub fn pid(&self) -> i32 {
        i32::try_from(self.child.id()).expect("the system numbers its processes so")
    }

    /// CPU time that it has used so far.
    pub fn cpu(&self) -> Result<CpuTime> {
        CpuTime::of(self.pid())
    }

    /// Bytes of memory that it uses for data.
    pub fn memory_bytes(&self) -> Result<u64> {
        memory_bytes(self.pid())
    }

    /// Bytes that its data directory takes on the disk.
    pub fn disk_bytes(&self) -> Result<u64> {
        let files = self.files.as_ref().context("it has files until it is dropped")?;
        let mut bytes = 0;
        for file in fs::read_dir(files.path().join("data"))? {
            // A log that is copied and removed just now takes no room.
            bytes += file?.metadata().map_or(0, |metadata| metadata.len());
        }
        Ok(bytes)
    }

    /// How many files it has open.
    pub fn open_files(&self) -> Result<usize> {
        open_files(self.pid())
    }

    /// Kills it as a power cut would, and starts it again on the same files. Says how long it took
    /// from the start of the process until it listened.
    pub fn crash_and_restart(self, launch: &Launch) -> Result<(Self, Duration)> {
        let conditions = self.conditions;
        self.crash_and_restart_under(conditions, launch)
    }

    /// The same under other conditions.
    pub fn crash_and_restart_under(
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

    /// Waits until it has next to nothing to do and closes no more files.
    pub async fn settle(&self) -> Result<()> {
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

impl Drop for Subject {
    fn drop(&mut self) {
        // It may have ended by itself; then there is nothing to stop.
        let _stopped = kill(Pid::from_raw(self.pid()), Signal::SIGKILL);
        let _reaped = self.child.wait();
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
    file.insert("network".to_owned(), section(vec![("listen", "127.0.0.1:0".into())]));
    let store = vec![("data", files.join("data").display().to_string().into())];
    file.insert("store".to_owned(), section(store));
    if !conditions.public {
        file.insert(
            "limits".to_owned(),
            section(vec![
                ("connections", 1_000_000.into()),
                // Sockets that wait for their turn are not read meanwhile.
                ("ping_every", "10m".into()),
                ("idle_close", "30m".into()),
            ]),
        );
    }
    if let Some(wait) = conditions.park_after {
        let park_after = format!("{}ms", wait.as_millis()).into();
        file.insert("games".to_owned(), section(vec![("park_after", park_after)]));
    }
    let config = files.join("bench.toml");
    fs::write(&config, toml::to_string(&file)?)?;
    let mut command = Command::new(&launch.server);
    command.arg("--config").arg(config).args(["--log", "info"]);
    if !conditions.public {
        command.args(["--no-limits", "--no-house"]);
    }
    Ok(command)
}

/// Whether this machine has what slows a disk down.
pub fn can_slow_disk() -> bool {
    let found =
        Command::new("strace").arg("-V").stdout(Stdio::null()).stderr(Stdio::null()).status();
    found.is_ok_and(|status| status.success())
}

/// The same command on a disk whose flushes take longer. Its process keeps the number that it would
/// have had.
pub fn under_slow_disk(command: &Command) -> Command {
    let mut slow = Command::new("strace");
    let delay = format!("inject=fdatasync,fsync:delay_exit={FLUSH_ADDED_US}");
    // strace stops a thread at everything that it does, not only at flushes, until it has stopped it
    // for the first time at something that it was told of. Every thread begins with setting its name.
    slow.args(["-D", "--seccomp-bpf", "-f", "-qq", "-e", "trace=fdatasync,fsync,prctl"])
        .args(["-e", &delay, "-o", "/dev/null"])
        .arg(command.get_program())
        .args(command.get_args());
    slow
}

/// Reads lines until one tells an address, and what was found before. What comes after is read and
/// thrown away, so that the process never waits for us.
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
        let found = line.split_once("listening on ").map(|(_, rest)| {
            let place = rest.rsplit("://").next().unwrap_or(rest);
            place.split(['/', ' ', '"']).next().unwrap_or(place).to_owned()
        });
        if let Some(address) = found.and_then(|text| text.parse().ok()) {
            std::thread::spawn(move || lines.for_each(drop));
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
