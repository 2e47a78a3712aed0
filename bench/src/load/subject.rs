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
use tokio::time::Instant;

use super::machine::{Cores, CpuTime, memory_bytes, open_files, pin_to};

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

/// A running process.
#[derive(Debug)]
pub struct Subject {
    /// Which program.
    pub program: Program,
    child: Child,
    address: SocketAddr,
    /// The server's files, removed in the end.
    files: Option<TempDir>,
}

impl Subject {
    /// Starts it and waits until it listens.
    pub fn start(program: Program, launch: &Launch) -> Result<Self> {
        let files =
            tempfile::Builder::new().prefix("adamant-bench").tempdir_in(&launch.directory)?;
        Self::start_on(program, launch, files)
    }

    fn start_on(program: Program, launch: &Launch, files: TempDir) -> Result<Self> {
        let mut command = match program {
            Program::Adamant => server_command(launch, files.path())?,
            Program::Relay | Program::Raw => {
                let mut command = Command::new(std::env::current_exe()?);
                command.arg("serve").arg(program.name());
                command
            }
        };
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
        let address = match program {
            Program::Adamant => address_in(child.stderr.take()),
            Program::Relay | Program::Raw => address_in(child.stdout.take()),
        };
        let address = match address {
            Ok(address) => address,
            Err(error) => {
                child.kill()?;
                child.wait()?;
                return Err(error).with_context(|| format!("{command:?} does not listen"));
            }
        };
        Ok(Self { program, child, address, files: Some(files) })
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

    /// How many files it has open.
    pub fn open_files(&self) -> Result<usize> {
        open_files(self.pid())
    }

    /// Kills it as a power cut would, and starts it again on the same files. Says how long it took
    /// from the start of the process until it listened.
    pub fn crash_and_restart(mut self, launch: &Launch) -> Result<(Self, Duration)> {
        self.child.kill()?;
        self.child.wait()?;
        let files = self.files.take().context("it has files until it is dropped")?;
        let begun = Instant::now();
        let again = Self::start_on(self.program, launch, files)?;
        Ok((again, begun.elapsed()))
    }
}

impl Drop for Subject {
    fn drop(&mut self) {
        // It may have ended by itself; then there is nothing to stop.
        let _stopped = kill(Pid::from_raw(self.pid()), Signal::SIGKILL);
        let _reaped = self.child.wait();
    }
}

fn server_command(launch: &Launch, files: &Path) -> Result<Command> {
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
    file.insert(
        "limits".to_owned(),
        section(vec![
            ("connections", 1_000_000.into()),
            // Sockets that wait for their turn are not read meanwhile.
            ("ping_every", "10m".into()),
            ("idle_close", "30m".into()),
        ]),
    );
    let config = files.join("bench.toml");
    fs::write(&config, toml::to_string(&file)?)?;
    let mut command = Command::new(&launch.server);
    command.arg("--config").arg(config).args(["--no-limits", "--no-house", "--log", "info"]);
    Ok(command)
}

/// Reads lines until one tells an address. What comes after is read and thrown away, so that the
/// process never waits for us.
fn address_in(output: Option<impl std::io::Read + Send + 'static>) -> Result<SocketAddr> {
    let mut lines = BufReader::new(output.context("its output is piped")?).lines();
    let mut seen = Vec::new();
    while let Some(line) = lines.next().transpose()? {
        let found = line.split_once("listening on ").map(|(_, rest)| {
            let place = rest.rsplit("://").next().unwrap_or(rest);
            place.split(['/', ' ', '"']).next().unwrap_or(place).to_owned()
        });
        if let Some(address) = found.and_then(|text| text.parse().ok()) {
            std::thread::spawn(move || lines.for_each(drop));
            return Ok(address);
        }
        seen.push(line);
    }
    bail!("it ended without listening; it said: {}", seen.join("\n"))
}
