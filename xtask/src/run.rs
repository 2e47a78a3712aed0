//! Starting other programs from the root of the repository, and what a command shows of its
//! progress.

use std::{
    cell::RefCell,
    env,
    ffi::OsStr,
    fs::{self, File, OpenOptions},
    io::{self, BufRead as _, BufReader, Read as _, Seek as _, SeekFrom, Write as _},
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    sync::mpsc::{self, RecvTimeoutError},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, bail};
use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};

/// The root of the repository.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the repository")
}

/// A program that starts in the root of the repository.
///
/// What `cargo run` has set for xtask itself is taken out of the environment: build scripts would
/// see it as a change and build again.
pub(crate) fn program(name: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(name);
    command.current_dir(root());
    for (variable, _) in env::vars_os() {
        let name = variable.to_string_lossy();
        let is_own = name.starts_with("CARGO_PKG_")
            || name.starts_with("CARGO_MANIFEST_")
            || name == "CARGO_BIN_NAME"
            || name == "CARGO_CRATE_NAME";
        if is_own {
            command.env_remove(&variable);
        }
    }
    command
}

/// `cargo` with these arguments.
pub(crate) fn cargo(args: &[&str]) -> Command {
    let mut command = program("cargo");
    command.args(args);
    command
}

/// The longest time that programs with reports may take: the longest one with tests takes a third
/// of it. One that hangs must not hide what else was found.
const RUN_MAX: Duration = Duration::from_mins(40);

/// The lines of a failed program's output that the error has.
const TAIL_LINES: usize = 80;

thread_local! {
    /// Where programs that this thread runs write; the terminal if nowhere.
    static LOG: RefCell<Option<File>> = const { RefCell::new(None) };
}

/// Does work whose programs write to a file, so that others can run beside them.
pub(crate) fn with_log<T>(path: &Path, work: impl FnOnce() -> Result<T>) -> Result<T> {
    let folder = path.parent().unwrap_or(path);
    let log = fs::create_dir_all(folder).and_then(|()| {
        File::create(path)?;
        OpenOptions::new().append(true).read(true).open(path)
    });
    LOG.set(Some(log.with_context(|| format!("{} cannot be written", path.display()))?));
    let done = work();
    LOG.set(None);
    done
}

/// Runs a program to its end and fails if it does.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let log = begin(command)?;
    if let Some(log) = &log {
        command.stdout(log.try_clone()?);
    }
    end(command, log, Command::status)
}

/// Runs a program to its end, passes each line of its standard output on, and fails if it does.
pub(crate) fn run_lines(command: &mut Command, mut read: impl FnMut(&str)) -> Result<()> {
    let mut log = begin(command)?;
    command.stdout(Stdio::piped());
    end(command, log.take(), |command| {
        let mut child = command.spawn()?;
        let _watch = Watch::over(&child);
        for line in child.stdout.take().into_iter().flat_map(|out| BufReader::new(out).split(b'\n'))
        {
            let line = line?;
            let line = String::from_utf8_lossy(&line);
            // Reports are many and long; what stands between them is not.
            if !line.starts_with('{') {
                log_line(&line)?;
            }
            read(&line);
        }
        child.wait()
    })
}

/// Writes a line where programs that this thread runs write, if not to the terminal.
pub(crate) fn log_line(line: &str) -> io::Result<()> {
    LOG.with_borrow_mut(|log| log.as_mut().map_or(Ok(()), |log| writeln!(log, "{line}")))
}

/// Kills a program that takes too long, unless dropped before.
struct Watch {
    // Dropping it wakes the thread.
    _ended: mpsc::Sender<()>,
}

impl Watch {
    fn over(child: &Child) -> Self {
        let (ended, waiting) = mpsc::channel();
        let pid = i32::try_from(child.id()).map(Pid::from_raw);
        thread::spawn(move || {
            if waiting.recv_timeout(RUN_MAX) == Err(RecvTimeoutError::Timeout)
                && let Ok(pid) = pid
                && kill(pid, Signal::SIGKILL).is_ok()
            {
                note("a program took too long and was killed");
            }
        });
        Self { _ended: ended }
    }
}

/// Names a command where its output goes, and returns the log if that is one.
fn begin(command: &mut Command) -> Result<Option<File>> {
    let log = LOG.with_borrow(|log| log.as_ref().map(File::try_clone).transpose())?;
    let line = format!("$ {}", shown(command));
    let Some(mut log) = log else {
        note(&line);
        return Ok(None);
    };
    writeln!(log, "{line}")?;
    command.stdin(Stdio::null()).stderr(log.try_clone()?);
    Ok(Some(log))
}

/// Waits for a command. If it fails, the error has the last lines that it wrote to its log.
fn end(
    command: &mut Command,
    log: Option<File>,
    run: impl FnOnce(&mut Command) -> io::Result<ExitStatus>,
) -> Result<()> {
    let begun = log.as_ref().map_or(Ok(0), |log| log.metadata().map(|log| log.len()))?;
    let status =
        run(command).with_context(|| format!("{} could not be started", shown(command)))?;
    if status.success() {
        return Ok(());
    }
    let mut said = Vec::new();
    if let Some(mut log) = log {
        log.seek(SeekFrom::Start(begun))?;
        log.read_to_end(&mut said)?;
    }
    let said = String::from_utf8_lossy(&said);
    let lines: Vec<&str> = said.lines().collect();
    let tail = lines[lines.len().saturating_sub(TAIL_LINES)..].join("\n");
    bail!("{tail}\n{} failed: {status}", shown(command));
}

/// Runs a program and returns what it writes to standard output.
pub(crate) fn output(command: &mut Command) -> Result<Vec<u8>> {
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| format!("{} could not be started", shown(command)))?;
    if !output.status.success() {
        bail!("{} failed: {}", shown(command), output.status);
    }
    Ok(output.stdout)
}

/// Runs a program and returns the line that it prints.
pub(crate) fn said(name: &str, args: &[&str]) -> Result<String> {
    Ok(String::from_utf8(output(program(name).args(args))?)?.trim().to_owned())
}

/// Whether a program starts and ends well; its output is dropped.
pub(crate) fn succeeds(command: &mut Command) -> bool {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// Where cargo builds.
pub(crate) fn target() -> PathBuf {
    root().join(variable("CARGO_TARGET_DIR").unwrap_or_else(|| "target".to_owned()))
}

/// A variable of the environment, if it is set.
#[expect(clippy::disallowed_methods, reason = "a command-line tool, not the server")]
pub(crate) fn variable(name: &str) -> Option<String> {
    env::var(name).ok()
}

/// A command as one would type it.
pub(crate) fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(OsStr::to_string_lossy).collect::<Vec<_>>().join(" ")
}

/// Runs a step under its heading.
pub(crate) fn step<T>(name: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    note(&format!("\n== {name}"));
    let started = now();
    let done = work().with_context(|| format!("{name} failed"))?;
    note(&format!("-- {name}: {:.1} s", started.elapsed().as_secs_f64()));
    Ok(done)
}

/// Runs a part of a longer step, and says how long it took.
pub(crate) fn part<T>(name: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    let started = now();
    let done = work().with_context(|| format!("{name} failed"))?;
    note(&format!("   {name}: {:.1} s", started.elapsed().as_secs_f64()));
    Ok(done)
}

/// Prints a line about progress.
#[expect(clippy::print_stderr, reason = "a command-line tool reports progress there")]
pub(crate) fn note(line: &str) {
    eprintln!("{line}");
}

#[expect(clippy::print_stdout, reason = "a command-line tool prints results there")]
pub(crate) fn print(line: &str) {
    println!("{line}");
}

/// A duration in minutes and seconds.
pub(crate) fn clock(duration: Duration) -> String {
    let seconds = duration.as_secs();
    match seconds / 60 {
        0 => format!("{}.{} s", seconds, duration.subsec_millis() / 100),
        minutes => format!("{minutes} min {:02} s", seconds % 60),
    }
}

/// The time now, from which durations are measured.
#[expect(clippy::disallowed_methods, reason = "xtask measures its own steps")]
pub(crate) fn now() -> Instant {
    Instant::now()
}
