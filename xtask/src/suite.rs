//! Suites of tests: what runs, side by side where it can, and what a run tells while it runs and at
//! its end.
//!
//! The steps of a phase run side by side in a few lanes, and those that mostly wait in one more; a
//! phase begins when the one before has ended. While steps run, a terminal shows a bar, and other
//! output has a line at least every 30 s.

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    fmt,
    path::{Path, PathBuf},
    process::Command,
    sync::{
        Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, bail, ensure};
use indicatif::{ProgressBar, ProgressStyle};
use nix::sys::resource::{UsageWho, getrusage};
use serde_json::Value;

use crate::run::{
    cargo, clock, log_line, note, now, output, program, root, run_lines, shown, target, with_log,
};

/// The longest silence of a run without a terminal.
const SILENCE_MAX: Duration = Duration::from_secs(30);

/// How often the bar on a terminal is drawn again.
const REDRAW: Duration = Duration::from_secs(1);

type Work = Box<dyn FnOnce(&Live<'_>) -> Result<Tally> + Send>;

/// A part of a run with a name.
pub(crate) struct Step {
    name: String,
    work: Work,
    mostly_waits: bool,
}

impl Step {
    pub(crate) fn tests(
        name: &str,
        work: impl FnOnce(&Live<'_>) -> Result<Tally> + Send + 'static,
    ) -> Self {
        Self { name: name.to_owned(), work: Box::new(work), mostly_waits: false }
    }

    /// The same step, but it takes none of the lanes, since it hardly uses a core.
    pub(crate) fn that_mostly_waits(self) -> Self {
        Self { mostly_waits: true, ..self }
    }

    /// A step that holds or fails as a whole.
    pub(crate) fn check(
        name: &str,
        work: impl FnOnce(&Live<'_>) -> Result<()> + Send + 'static,
    ) -> Self {
        Self::tests(name, |live| work(live).map(|()| Tally::default()))
    }
}

/// Steps that may run side by side.
pub(crate) struct Phase {
    steps: Vec<Step>,
    lanes: usize,
    /// Whether later phases need what the steps do.
    is_needed: bool,
}

impl Phase {
    /// Steps, at most so many at a time and one that mostly waits, that begin in this order. If one
    /// fails, the others and later phases run nevertheless.
    pub(crate) fn side_by_side(lanes: usize, steps: Vec<Step>) -> Self {
        Self { steps, lanes, is_needed: false }
    }

    /// The same, but if one fails, nothing that comes later runs.
    pub(crate) fn needed(lanes: usize, steps: Vec<Step>) -> Self {
        Self { steps, lanes, is_needed: true }
    }
}

/// Phases, one after the other.
#[derive(Default)]
pub(crate) struct Suite {
    phases: Vec<Phase>,
}

impl Suite {
    /// Adds a phase, which runs after those before.
    pub(crate) fn then(mut self, phase: Phase) -> Self {
        self.phases.push(phase);
        self
    }

    /// Runs all phases, and prints a summary with `closing` at its end. Fails if anything has.
    pub(crate) fn run(self, closing: &[String]) -> Result<()> {
        let steps = self.phases.iter().map(|phase| phase.steps.len()).sum();
        let board = Board::new(steps);
        let mut summary = Summary::begin();
        thread::scope(|scope| {
            scope.spawn(|| board.report());
            for phase in self.phases {
                let is_needed = phase.is_needed;
                summary.add(run_phase(phase, &board));
                if is_needed && summary.has_failed() {
                    break;
                }
            }
            board.end();
        });
        summary.print(steps, closing)
    }
}

fn run_phase(phase: Phase, board: &Board) -> Vec<Ended> {
    let (waiting, working): (VecDeque<Step>, VecDeque<Step>) =
        phase.steps.into_iter().partition(|step| step.mostly_waits);
    let [waiting, working] = [waiting, working].map(Mutex::new);
    let ended = Mutex::new(Vec::new());
    let run_all = |steps: &Mutex<VecDeque<Step>>| {
        loop {
            let Some(step) = lock(steps).pop_front() else { return };
            let done = board.run(step);
            lock(&ended).push(done);
        }
    };
    thread::scope(|scope| {
        scope.spawn(|| run_all(&waiting));
        for _ in 0..phase.lanes {
            scope.spawn(|| run_all(&working));
        }
    });
    ended.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// What a run shows while it runs.
struct Board {
    steps: usize,
    begun: AtomicUsize,
    started: Instant,
    bar: ProgressBar,
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    running: BTreeMap<usize, Running>,
    /// When the last line was printed.
    said: Instant,
    has_ended: bool,
}

struct Running {
    name: String,
    since: Instant,
    status: String,
}

impl Board {
    fn new(steps: usize) -> Self {
        let bar = ProgressBar::new(steps as u64);
        let style = ProgressStyle::with_template("{elapsed_precise} [{bar:20}] {msg}");
        let bar = bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        let state = State { running: BTreeMap::new(), said: now(), has_ended: false };
        Self {
            steps,
            begun: AtomicUsize::new(0),
            started: now(),
            bar,
            state: Mutex::new(state),
            changed: Condvar::new(),
        }
    }

    fn run(&self, step: Step) -> Ended {
        let number = self.begun.fetch_add(1, Ordering::Relaxed) + 1;
        let Step { name, work, .. } = step;
        self.say(&format!("[{number}/{}] {name}", self.steps));
        let running = Running { name: name.clone(), since: now(), status: String::new() };
        lock(&self.state).running.insert(number, running);
        let started = now();
        let log = target().join("suite").join(format!("{}.log", name.replace(' ', "-")));
        let done = with_log(&log, || work(&Live { number, board: self }));
        let ended = Ended::new(name, started.elapsed(), done);
        lock(&self.state).running.remove(&number);
        self.bar.inc(1);
        self.say(&ended.line(number, self.steps));
        ended
    }

    /// Prints a line, above the bar if there is one.
    fn say(&self, line: &str) {
        let mut state = lock(&self.state);
        state.said = now();
        if self.bar.is_hidden() { note(line) } else { self.bar.println(line) }
    }

    /// Shows what runs until the run ends.
    fn report(&self) {
        let mut state = lock(&self.state);
        while !state.has_ended {
            let is_late = state.said.elapsed() >= SILENCE_MAX;
            if !self.bar.is_hidden() {
                self.bar.set_message(state.line());
            } else if is_late {
                state.said = now();
                note(&format!("   {}: {}", clock(self.started.elapsed()), state.line()));
            }
            state =
                self.changed.wait_timeout(state, REDRAW).unwrap_or_else(PoisonError::into_inner).0;
        }
        self.bar.finish_and_clear();
    }

    fn end(&self) {
        lock(&self.state).has_ended = true;
        self.changed.notify_all();
    }
}

impl State {
    /// What runs, and for how long.
    fn line(&self) -> String {
        let running = self.running.iter().map(|(number, Running { name, since, status })| {
            let status = if status.is_empty() { String::new() } else { format!(", {status}") };
            format!("{number} {name} ({}{status})", clock(since.elapsed()))
        });
        running.collect::<Vec<_>>().join("; ")
    }
}

/// A step that runs, whose progress is shown.
pub(crate) struct Live<'a> {
    number: usize,
    board: &'a Board,
}

impl Live<'_> {
    /// Shows how far the step is.
    pub(crate) fn status(&self, status: String) {
        if let Some(running) = lock(&self.board.state).running.get_mut(&self.number) {
            running.status = status;
        }
    }

    /// Runs a program that reports its tests, and adds what they came to.
    pub(crate) fn run_tests(&self, command: &mut Command, sum: &mut Tally) -> Result<()> {
        let mut tally = Tally::default();
        let ended_before = sum.ended();
        let failed = run_lines(command, |line| {
            // The log is for reading later: without it the tests still count.
            drop(tally.read(line).map(|ended| log_line(&ended)));
            let running = tally.running().next().unwrap_or_default();
            self.status(format!("{} tests ended, {running}", ended_before + tally.ended()));
        })
        .err();
        match failed {
            Some(error) if tally.failures.is_empty() => {
                let running = tally.running().collect::<Vec<_>>().join(", ");
                return Err(error.context(format!("tests that did not end: {running}")));
            }
            None if !tally.failures.is_empty() => {
                bail!("{} says that it passed, but a test failed", shown(command))
            }
            _ => sum.add(tally),
        }
        Ok(())
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How many of the slowest tests are named.
const SLOWEST: usize = 10;

/// A step that has ended.
pub(crate) struct Ended {
    name: String,
    took: Duration,
    tally: Tally,
    /// Why it failed, beside its tests that did.
    error: Option<String>,
}

impl Ended {
    pub(super) fn new(name: String, took: Duration, done: Result<Tally>) -> Self {
        let (tally, error) = match done {
            Ok(tally) => (tally, None),
            Err(error) => (Tally::default(), Some(format!("{error:#}"))),
        };
        Self { name, took, tally, error }
    }

    fn has_failed(&self) -> bool {
        self.error.is_some() || !self.tally.failures.is_empty()
    }

    fn counts(&self) -> String {
        let Tally { passed, skipped, failures, .. } = &self.tally;
        let mut counts = match (passed + failures.len(), self.has_failed()) {
            (0, false) => "passed".to_owned(),
            (0, true) => "FAILED".to_owned(),
            _ => format!("{passed} passed"),
        };
        for (count, word) in [(failures.len(), "FAILED"), (*skipped, "skipped")] {
            if count > 0 {
                counts = format!("{counts}, {count} {word}");
            }
        }
        counts
    }

    /// The line at the end of the step, and why it failed if it did.
    pub(super) fn line(&self, number: usize, steps: usize) -> String {
        let counts = self.counts();
        let mut line =
            format!("[{number}/{steps}] {}: {counts} in {}", self.name, clock(self.took));
        for failure in &self.tally.failures {
            line = format!("{line}\n\n--- {} ---\n{}\n", failure.test, failure.output);
        }
        if let Some(error) = &self.error {
            line = format!("{line}\n\n{error}\n");
        }
        line
    }
}

/// All steps that have ended.
pub(crate) struct Summary {
    started: Instant,
    ended: Vec<Ended>,
}

impl Summary {
    pub(super) fn begin() -> Self {
        Self { started: now(), ended: Vec::new() }
    }

    pub(super) fn add(&mut self, ended: Vec<Ended>) {
        self.ended.extend(ended);
    }

    pub(super) fn has_failed(&self) -> bool {
        self.ended.iter().any(Ended::has_failed)
    }

    /// Prints the end of a run of so many steps, and fails if a step has.
    pub(super) fn print(&self, steps: usize, closing: &[String]) -> Result<()> {
        note("\nsteps");
        for step in &self.ended {
            note(&format!("  {:>8}  {:<44} {}", clock(step.took), step.name, step.counts()));
        }
        let mut times: Vec<&(Duration, String)> =
            self.ended.iter().flat_map(|step| &step.tally.times).collect();
        times.sort_by(|a, b| b.cmp(a));
        if !times.is_empty() {
            note("\nslowest tests");
        }
        for (took, test) in times.into_iter().take(SLOWEST) {
            note(&format!("  {:>6.1} s  {test}", took.as_secs_f64()));
        }
        let failed: Vec<&Ended> = self.ended.iter().filter(|step| step.has_failed()).collect();
        if !failed.is_empty() {
            note("\nfailed");
        }
        for step in &failed {
            if step.error.is_some() {
                note(&format!("  {}", step.name));
            }
            for failure in &step.tally.failures {
                note(&format!("  {}: {}", step.name, failure.test));
            }
        }
        note("");
        for line in closing {
            note(line);
        }
        note(&format!("{} and {} s of CPU time", clock(self.started.elapsed()), cpu_seconds()));
        let sum = |count: fn(&Ended) -> usize| self.ended.iter().map(count).sum::<usize>();
        let failures = sum(|step| step.tally.failures.len().max(usize::from(step.has_failed())));
        note(&format!(
            "{} passed, {failures} failed, {} skipped",
            // A step without tests of its own, such as the lints, counts as one.
            sum(|step| if step.tally.ended() == 0 {
                usize::from(!step.has_failed())
            } else {
                step.tally.passed
            }),
            sum(|step| step.tally.skipped),
        ));
        match (failed.len(), steps - self.ended.len()) {
            (0, 0) => Ok(()),
            (failed, 0) => bail!("{failed} steps failed"),
            (failed, left) => bail!("{failed} steps failed, and {left} did not run"),
        }
    }
}

/// The CPU seconds of this process and of all programs that it has waited for, and they for theirs.
fn cpu_seconds() -> i64 {
    [UsageWho::RUSAGE_SELF, UsageWho::RUSAGE_CHILDREN]
        .into_iter()
        .filter_map(|who| getrusage(who).ok())
        .map(|usage| usage.user_time().tv_sec() + usage.system_time().tv_sec())
        .sum()
}

/// A test that failed, with what it printed.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) test: String,
    pub(crate) output: String,
}

/// What tests came to, as test programs report it: one JSON object a line, in the format of Rust's
/// test harness. The reporters for Node (`xtask/reporters/node.mjs`) and for Python
/// (`xtask/reporters/python.py`) write the same.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) passed: usize,
    pub(crate) skipped: usize,
    pub(crate) failures: Vec<Failure>,
    pub(crate) times: Vec<(Duration, String)>,
    running: BTreeSet<String>,
}

impl Tally {
    /// Takes in a line of a test program. Other lines than reports change nothing. Returns a line
    /// for people about a test that has ended.
    pub(crate) fn read(&mut self, line: &str) -> Option<String> {
        let report = serde_json::from_str::<Value>(line).ok()?;
        let (Some("test"), Some(test), Some(event)) =
            (report["type"].as_str(), report["name"].as_str(), report["event"].as_str())
        else {
            return None;
        };
        if event == "started" {
            self.running.insert(test.to_owned());
            return None;
        }
        if event == "timeout" {
            return None;
        }
        self.running.remove(test);
        let seconds = report["exec_time"].as_f64();
        if let Some(seconds) = seconds {
            self.times.push((Duration::from_secs_f64(seconds), test.to_owned()));
        }
        match event {
            "ok" => self.passed += 1,
            "ignored" => self.skipped += 1,
            _ => {
                let output = report["stdout"].as_str().or(report["message"].as_str());
                let output = output.unwrap_or_default().trim().to_owned();
                self.failures.push(Failure { test: test.to_owned(), output });
            }
        }
        Some(format!("{:8.2} s  {event:<8}  {test}", seconds.unwrap_or_default()))
    }

    /// Adds what other tests came to.
    pub(crate) fn add(&mut self, other: Self) {
        self.passed += other.passed;
        self.skipped += other.skipped;
        self.failures.extend(other.failures);
        self.times.extend(other.times);
    }

    /// How many tests have ended.
    pub(crate) fn ended(&self) -> usize {
        self.passed + self.skipped + self.failures.len()
    }

    /// The tests that have begun and not ended: if their program has ended, they ended it.
    pub(crate) fn running(&self) -> impl Iterator<Item = &str> {
        self.running.iter().map(String::as_str)
    }
}

pub(crate) fn reporter(name: &str) -> PathBuf {
    root().join("xtask/reporters").join(name)
}

/// How many commits in a row it takes until every part has run. A prime, so that landings of any
/// other number of commits each come round, too.
pub(crate) const SHARES: u32 = 7;

/// Which parts of the long form run.
///
/// They are dealt out over the commits: a part runs at the commits whose number, with an offset from
/// the hash of the part's name, is a multiple of the number of shares.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Share {
    /// All, and more of what is drawn by lot.
    All,
    /// Those of the commit with this number.
    Of(u32),
}

impl Share {
    /// The share of the commit that is checked out.
    pub(crate) fn of_head() -> Self {
        Self::Of(commits())
    }

    /// Whether the part of this name is in the share.
    pub(crate) fn has(self, part: &str) -> bool {
        match self {
            Self::All => true,
            Self::Of(commit) => fnv1a(part).wrapping_add(commit % SHARES).is_multiple_of(SHARES),
        }
    }

    /// The number of its commit.
    pub(crate) fn number(self) -> u32 {
        match self {
            Self::All => 0,
            Self::Of(commit) => commit,
        }
    }

    /// The value of the variable `ADAMANT_LONG`, by which tests that list their parts themselves
    /// choose them.
    pub(crate) fn variable(self) -> String {
        match self {
            Self::All => "all".to_owned(),
            Self::Of(commit) => format!("{}/{SHARES}", commit % SHARES),
        }
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => f.write_str("the long form"),
            Self::Of(commit) => write!(f, "share {} of {SHARES}", commit % SHARES + 1),
        }
    }
}

/// The number of commits up to the one that is checked out: what is drawn by lot begins there. 0
/// outside a repository.
pub(crate) fn commits() -> u32 {
    let count = || -> Result<u32> {
        let said = output(program("git").args(["rev-list", "--count", "HEAD"]))?;
        Ok(String::from_utf8(said)?.trim().parse()?)
    };
    count().unwrap_or(0)
}

/// FNV-1a of 32 bits: a hash that is a few lines in any language.
fn fnv1a(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

/// What builds every library, program and test of the workspace.
const BUILD: [&str; 5] = ["test", "--workspace", "--locked", "--no-run", "--message-format=json"];

/// What Rust's test harness is told, so that it reports as JSON and with times. Both are unstable
/// options, which `RUSTC_BOOTSTRAP` allows.
const REPORT: [&str; 5] = ["-Z", "unstable-options", "--format", "json", "--report-time"];

/// A program with tests.
#[derive(Clone, Debug)]
pub(crate) struct Binary {
    /// The package's folder from the root, and the target: `server/adamant_server`.
    pub(crate) name: String,
    path: PathBuf,
    folder: PathBuf,
}

/// The test binaries of the workspace, built at once: cargo joins the features of crates over the
/// packages that a command names, so one that names fewer would build everything again.
#[derive(Clone, Debug, Default)]
pub(crate) struct Binaries {
    built: Arc<OnceLock<Vec<Binary>>>,
    /// Whether the build is linted.
    is_linted: bool,
}

impl Binaries {
    /// Binaries whose build fails at any warning of the compiler or of Clippy. Clippy's compiler
    /// builds the workspace, because with `cargo clippy` everything would be compiled once more.
    pub(crate) fn linted() -> Self {
        Self { built: Arc::default(), is_linted: true }
    }

    /// `cargo` with these arguments, as it must run so that it builds nothing else again.
    pub(crate) fn cargo(&self, args: &[&str]) -> Result<Command> {
        let mut command = cargo(args);
        if self.is_linted {
            let sysroot = output(program("rustc").args(["--print", "sysroot"]))?;
            let driver = Path::new(str::from_utf8(&sysroot)?.trim()).join("bin/clippy-driver");
            ensure!(driver.exists(), "Clippy is missing: rustup component add clippy");
            command.env("RUSTC_WORKSPACE_WRAPPER", driver);
        }
        Ok(command)
    }

    /// Builds them, and the workspace's programs with them.
    pub(crate) fn build(&self, live: &Live<'_>) -> Result<()> {
        let mut command = self.cargo(&BUILD)?;
        if self.is_linted {
            // The benchmarks and examples, too.
            command.arg("--all-targets");
        }
        let (mut built, mut found, mut said) = (0, Vec::new(), BTreeSet::new());
        let done = run_lines(&mut command, |line| {
            let Ok(message) = serde_json::from_str::<Value>(line) else { return };
            match message["reason"].as_str() {
                Some("compiler-artifact") => {
                    built += 1;
                    let name = message["target"]["name"].as_str().unwrap_or_default();
                    live.status(format!("{built} units, {name}"));
                    found.extend(test_binary(&message));
                }
                // A library and its tests say the same.
                Some("compiler-message") => {
                    said.extend(message["message"]["rendered"].as_str().map(str::to_owned));
                }
                _ => {}
            }
        });
        let said = said.into_iter().collect::<Vec<_>>().join("\n");
        done.with_context(|| said.clone())?;
        ensure!(said.is_empty() || !self.is_linted, "{said}");
        self.built.set(found).ok().context("the workspace is built once")
    }

    /// Those whose name `chosen` accepts.
    pub(crate) fn all(&self, chosen: impl Fn(&str) -> bool) -> Result<Vec<Binary>> {
        let built = self.built.get().context("the workspace is not built")?;
        Ok(built.iter().filter(|binary| chosen(&binary.name)).cloned().collect())
    }

    pub(crate) fn named(&self, name: &str) -> Result<Binary> {
        let found = self.all(|other| other == name)?;
        found.into_iter().next().with_context(|| format!("no test binary is {name}"))
    }
}

fn test_binary(message: &Value) -> Option<Binary> {
    let path = PathBuf::from(message["executable"].as_str()?);
    if message["profile"]["test"] != true || message["target"]["kind"][0] == "bench" {
        return None;
    }
    let folder = Path::new(message["manifest_path"].as_str()?).parent()?.to_owned();
    let package = folder.strip_prefix(root()).ok()?.display().to_string();
    let name = format!("{package}/{}", message["target"]["name"].as_str()?);
    Some(Binary { name, path, folder })
}

impl Binary {
    /// The program, started where cargo would start it.
    fn program(&self) -> Command {
        let mut command = program(&self.path);
        command.current_dir(&self.folder).env("CARGO_MANIFEST_DIR", &self.folder);
        command.env("INSTA_WORKSPACE_ROOT", root());
        command
    }

    /// Runs tests that the harness's arguments choose, this many at a time.
    pub(crate) fn run(
        &self,
        live: &Live<'_>,
        threads: usize,
        change: impl FnOnce(&mut Command),
        sum: &mut Tally,
    ) -> Result<()> {
        let mut command = self.program();
        command.env("RUSTC_BOOTSTRAP", "1").args(REPORT);
        command.arg("--test-threads").arg(threads.to_string());
        change(&mut command);
        live.run_tests(&mut command, sum)
    }

    /// The names of its tests, or of those that are ignored.
    pub(crate) fn list(&self, ignored: bool) -> Result<Vec<String>> {
        let mut command = self.program();
        command.args(["--list", "--format", "terse"]);
        if ignored {
            command.arg("--ignored");
        }
        let listed = String::from_utf8(output(&mut command)?)?;
        Ok(listed
            .lines()
            .filter_map(|line| line.strip_suffix(": test"))
            .map(str::to_owned)
            .collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_are_counted_and_other_lines_are_not() {
        let mut tally = Tally::default();
        for line in [
            r#"{ "type": "suite", "event": "started", "test_count": 4 }"#,
            r#"{ "type": "test", "event": "started", "name": "a" }"#,
            r#"{ "type": "test", "event": "started", "name": "b" }"#,
            "a line of a program that the test starts",
            r#"{ "type": "test", "name": "a", "event": "ok", "exec_time": 1.5 }"#,
            r#"{ "type": "test", "name": "c", "event": "ignored" }"#,
            r#"{ "type": "test", "name": "d", "event": "failed", "stdout": "why\n" }"#,
            r#"{ "type": "suite", "event": "failed", "passed": 1, "failed": 1 }"#,
        ] {
            tally.read(line);
        }
        assert_eq!((tally.passed, tally.skipped, tally.ended()), (1, 1, 3));
        assert_eq!((&*tally.failures[0].test, &*tally.failures[0].output), ("d", "why"));
        assert_eq!(tally.times[0].0.as_millis(), 1_500);
        assert_eq!(tally.running().collect::<Vec<_>>(), ["b"]);
        let ended =
            tally.read(r#"{ "type": "test", "name": "b", "event": "ok", "exec_time": 0.25 }"#);
        assert_eq!(ended.as_deref(), Some("    0.25 s  ok        b"));
    }

    #[test]
    fn every_part_is_in_one_of_so_many_shares_in_a_row() {
        assert_eq!(fnv1a("a"), 0xe40c_292c);
        for part in ["contest", "packages", "talk::messages::a_line_reaches_the_room"] {
            let shares = (400..400 + SHARES).filter(|commit| Share::Of(*commit).has(part));
            assert_eq!(shares.count(), 1, "{part}");
            assert!(Share::All.has(part));
        }
    }
}
