//! Programs that tests start: where PostgreSQL's are and as whom they run, free ports, a clock that is
//! wrong, and the end of all with this process.

use std::{
    fs,
    hash::{BuildHasher as _, Hasher as _, RandomState},
    io,
    net::{Ipv4Addr, TcpListener},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use anyhow::{Context as _, Result, bail};

/// The versions that the tests can use, the preferred one first.
const VERSIONS: [u32; 4] = [15, 16, 17, 18];

/// The user as whom root starts the servers. PostgreSQL refuses to run as root.
pub(crate) const SYSTEM_USER: &str = "postgres";

/// Returns the folder with PostgreSQL's programs.
pub(crate) fn folder() -> Result<PathBuf> {
    let debian =
        VERSIONS.map(|version| PathBuf::from(format!("/usr/lib/postgresql/{version}/bin")));
    let others = ["/usr/local/bin", "/usr/bin", "/opt/homebrew/bin"].map(PathBuf::from);
    let found = debian.into_iter().chain(others).find(|folder| folder.join("initdb").is_file());
    found.context(
        "PostgreSQL 15 or newer is missing; please install it (Debian: apt install postgresql, \
         or `cargo xtask setup`)",
    )
}

/// Returns a command that runs a program as a user that PostgreSQL accepts.
pub(crate) fn command(program: impl AsRef<Path>) -> Command {
    let program = program.as_ref();
    let mut command = if nix::unistd::geteuid().is_root() {
        let mut command = Command::new("setpriv");
        let user = [format!("--reuid={SYSTEM_USER}"), format!("--regid={SYSTEM_USER}")];
        command.args(user).arg("--clear-groups").arg(program);
        command
    } else {
        Command::new(program)
    };
    command.stdin(Stdio::null()).env("LC_ALL", "C").env("PGCONNECT_TIMEOUT", "5");
    command
}

/// Runs a command and returns what it prints.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let output = command.output().with_context(|| format!("{command:?}"))?;
    if !output.status.success() {
        bail!("{command:?} failed: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The lowest port. All lie below those that Linux gives to outgoing connections, 32768 and above:
/// of these any program could get one between this choice and the start, or restart, of a server.
const FIRST: u16 = 20_000;

/// How many ports there are.
const COUNT: u16 = 12_000;

/// How many ports are tried.
const TRIES: u32 = 100;

/// Returns a random port of the loopback on which no program listens.
///
/// # Errors
///
/// If all ports that were tried are taken.
pub fn free_port() -> io::Result<u16> {
    let mut failed = None;
    for _ in 0..TRIES {
        let drawn = RandomState::new().build_hasher().finish() % u64::from(COUNT);
        let port = FIRST + u16::try_from(drawn).unwrap_or_default();
        match TcpListener::bind((Ipv4Addr::LOCALHOST, port)) {
            Ok(_) => return Ok(port),
            Err(error) => failed = Some(error),
        }
    }
    Err(failed.unwrap_or_else(|| io::ErrorKind::AddrNotAvailable.into()))
}

/// Waits for the end of its input, kills all processes below the folder, and removes it. A server
/// that is killed may leave a child for a moment, hence the second look.
const SCRIPT: &str = r#"
trap '' HUP INT TERM
read -r _
for round in 1 2; do
    for process in /proc/[0-9]*; do
        case "$(readlink "$process/cwd" 2>/dev/null)" in
            "$1"/*) kill -9 "${process#/proc/}" 2>/dev/null ;;
        esac
    done
done
cd / && rm -rf "$1"
"#;

/// A child process whose input ends when this process does.
#[derive(Debug)]
pub(crate) struct Watchdog {
    child: Child,
}

impl Watchdog {
    /// Watches over the servers below a folder.
    pub(crate) fn start(folder: &Path) -> Result<Self> {
        let child = Command::new("sh")
            .args(["-c", SCRIPT, "watchdog"])
            .arg(folder)
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .context("the watchdog of the PostgreSQL servers")?;
        Ok(Self { child })
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        self.child.wait().ok();
    }
}

/// What shifts the clock of a process, in C because the process need not be written in Rust.
const SOURCE: &str = include_str!("wrong_clock.c");

/// Returns the environment of a process whose machine's clock is so many seconds ahead, or behind
/// if negative. Its monotonic clock is right. The folder, which must be the caller's own and
/// readable for the process, gets the library that does it.
///
/// # Panics
///
/// If there is no C compiler.
pub fn wrong_clock(folder: &Path, ahead_seconds: i64) -> [(&'static str, String); 2] {
    let library = folder.join("wrong_clock.so");
    if !library.exists() {
        build_library(&library).expect("a C compiler builds the library");
    }
    [
        ("LD_PRELOAD", library.display().to_string()),
        ("ADAMANT_TEST_CLOCK_AHEAD", ahead_seconds.to_string()),
    ]
}

fn build_library(library: &Path) -> Result<()> {
    let source = library.with_extension("c");
    fs::write(&source, SOURCE)?;
    let mut compiler = Command::new("cc");
    compiler.args(["-shared", "-fPIC", "-O1", "-o"]).arg(library).arg(&source);
    output(compiler.stdin(Stdio::null())).context("a C compiler is missing")?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_is_free_and_no_connection_gets_it() {
        let port = free_port().unwrap();
        assert!((FIRST..FIRST + COUNT).contains(&port), "{port}");
        TcpListener::bind((Ipv4Addr::LOCALHOST, port)).unwrap();
    }
}
