//! Runs the server under callgrind, a tool of valgrind that counts instructions.

use std::{
    collections::{BTreeMap, HashMap},
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Context as _, Result, ensure};
use serde::Serialize;

/// The name of the profile's file, before the number that callgrind appends.
const FILE: &str = "callgrind.out";

/// What callgrind counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Counting {
    Instructions,
    /// Also what misses the caches, and mispredicted branches.
    Misses,
}

/// Has callgrind simulate the second-level cache of a core as its last: 2 MiB, 16 ways, lines of 64
/// bytes.
const SIMULATED: [&str; 3] = ["--cache-sim=yes", "--LL=2097152,16,64", "--branch-sim=yes"];

/// Checks that this machine has valgrind.
pub(crate) fn check_installed() -> Result<()> {
    let found = Command::new("valgrind")
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    ensure!(
        found.is_ok_and(|status| status.success()),
        "counting instructions needs valgrind: on Debian, `apt-get install valgrind`"
    );
    Ok(())
}

/// Returns the same command under callgrind, which counts only while [`count`] runs. The process id
/// stays the same.
pub(crate) fn under_callgrind(command: &Command, files: &Path, counting: Counting) -> Command {
    let mut counted = Command::new("valgrind");
    // The threads take turns in order; otherwise one thread may keep the others waiting.
    counted
        .args(["--tool=callgrind", "--instr-atstart=no", "--fair-sched=yes"])
        .args(SIMULATED.iter().filter(|_| counting == Counting::Misses))
        .arg(format!("--callgrind-out-file={}", files.join(FILE).display()))
        .arg(pipes_in(files))
        .arg(command.get_program())
        .args(command.get_args());
    counted
}

/// Counts the instructions of a process while `work` runs.
pub(crate) async fn count<T>(
    pid: i32,
    files: &Path,
    work: impl Future<Output = Result<T>>,
) -> Result<(Profile, T)> {
    tell(pid, files, &["instrumentation", "on"])?;
    let result = work.await?;
    tell(pid, files, &["instrumentation", "off"])?;
    tell(pid, files, &["dump"])?;
    let file: PathBuf = files.join(format!("{FILE}.1"));
    let text =
        fs::read(&file).with_context(|| format!("callgrind has not written {}", file.display()))?;
    Ok((parse(&String::from_utf8_lossy(&text))?, result))
}

/// Returns the option with the place of the pipes to callgrind. A killed server leaves them there.
fn pipes_in(files: &Path) -> String {
    format!("--vgdb-prefix={}", files.join("vgdb").display())
}

/// Sends a command to the callgrind that runs a process.
fn tell(pid: i32, files: &Path, command: &[&str]) -> Result<()> {
    let told = Command::new("vgdb")
        .arg(pipes_in(files))
        .arg(format!("--pid={pid}"))
        .args(command)
        .stdin(Stdio::null())
        .output()
        .context("vgdb, a part of valgrind, does not start")?;
    let said = String::from_utf8_lossy(&told.stderr).into_owned();
    ensure!(told.status.success(), "callgrind did not take {command:?}: {said}");
    Ok(())
}

/// Where instructions come from.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(crate) struct Origin {
    /// The program or library.
    pub(crate) object: String,
    /// The function. Functions that the compiler has inlined belong to it.
    pub(crate) function: String,
    /// The file of the source: that of the inlined function, where there is one.
    pub(crate) file: String,
}

/// What callgrind has counted.
#[derive(Debug, Default)]
pub(crate) struct Profile {
    pub(crate) instructions: BTreeMap<Origin, u64>,
    /// The sum of each event that was counted, by callgrind's name for it.
    pub(crate) totals: BTreeMap<String, u64>,
    /// How often each function was called.
    pub(crate) calls: BTreeMap<String, u64>,
}

/// Names by the numbers that stand for them after their first use.
#[derive(Debug, Default)]
struct Names(HashMap<String, String>);

impl Names {
    /// Resolves `(4) name` and remembers it, or resolves `(4)`.
    fn resolve(&mut self, written: &str) -> Result<String> {
        let Some((number, name)) = written.strip_prefix('(').and_then(|rest| rest.split_once(')'))
        else {
            return Ok(written.to_owned());
        };
        if let Some(name) = name.strip_prefix(' ') {
            self.0.insert(number.to_owned(), name.to_owned());
            return Ok(name.to_owned());
        }
        self.0.get(number).cloned().with_context(|| format!("the name {written} is used undefined"))
    }
}

/// Reads a profile with one position (the line) a row, whose first cost is the instructions.
pub(crate) fn parse(text: &str) -> Result<Profile> {
    ensure!(text.contains("\npositions: line\n"), "the profile has other positions than lines");
    let row = |name| text.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
    let events = row("events: ").split(' ');
    ensure!(events.clone().next() == Some("Ir"), "the profile has other events than instructions");
    let totals = row("totals: ").split(' ').map(|total| total.parse().context("a total"));
    let totals = events.zip(totals).map(|(event, total)| Ok((event.to_owned(), total?)));
    let (mut objects, mut files, mut functions) =
        (Names::default(), Names::default(), Names::default());
    let mut origin = Origin { object: String::new(), function: String::new(), file: String::new() };
    let mut profile = Profile { totals: totals.collect::<Result<_>>()?, ..Profile::default() };
    let (mut callee, mut is_call) = (String::new(), false);
    for line in text.lines() {
        if line.starts_with(['+', '-', '*']) || line.starts_with(|first: char| first.is_numeric()) {
            // The row after `calls=` has the cost of the called functions, which have rows, too.
            if !std::mem::take(&mut is_call) {
                let cost = line.split(' ').nth(1).context("a row has a cost")?.parse::<u64>()?;
                *profile.instructions.entry(origin.clone()).or_default() += cost;
            }
            continue;
        }
        let Some((key, value)) = line.split_once('=') else { continue };
        match key {
            "ob" => origin.object = objects.resolve(value)?,
            "fl" | "fi" | "fe" => origin.file = files.resolve(value)?,
            "fn" => origin.function = functions.resolve(value)?,
            "cob" => drop(objects.resolve(value)?),
            "cfi" | "cfl" => drop(files.resolve(value)?),
            "cfn" => callee = functions.resolve(value)?,
            "calls" => {
                let calls = value.split(' ').next().unwrap_or(value).parse::<u64>()?;
                *profile.calls.entry(callee.clone()).or_default() += calls;
                is_call = true;
            }
            _ => {}
        }
    }
    Ok(profile)
}
