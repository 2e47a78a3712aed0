//! Steps in phases. The steps of a phase run side by side in a few lanes; a phase begins when the
//! one before has ended. While steps run, a terminal shows a bar, and other output has a line at
//! least every 30 s.

use std::{
    collections::{BTreeMap, VecDeque},
    process::Command,
    sync::{
        Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use anyhow::{Result, bail};
use indicatif::{ProgressBar, ProgressStyle};

use super::{
    events::Tally,
    summary::{Ended, Summary},
};
use crate::{
    progress::{clock, note, now},
    run::{log_line, run_lines, shown, target, with_log},
};

/// The longest silence of a run without a terminal.
const SILENCE_MAX: Duration = Duration::from_secs(30);

/// How often the bar on a terminal is drawn anew.
const REDRAW: Duration = Duration::from_secs(1);

type Work = Box<dyn FnOnce(&Live<'_>) -> Result<Tally> + Send>;

/// A part of a run with a name.
pub(crate) struct Step {
    name: String,
    work: Work,
}

impl Step {
    /// A step that runs tests.
    pub(crate) fn tests(
        name: &str,
        work: impl FnOnce(&Live<'_>) -> Result<Tally> + Send + 'static,
    ) -> Self {
        Self { name: name.to_owned(), work: Box::new(work) }
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
    /// Steps, at most so many at a time, that begin in this order. If one fails, the others and
    /// later phases run nevertheless.
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
    let lanes = phase.lanes.min(phase.steps.len());
    let waiting = Mutex::new(VecDeque::from(phase.steps));
    let ended = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..lanes {
            scope.spawn(|| {
                loop {
                    let Some(step) = lock(&waiting).pop_front() else { return };
                    let done = board.run(step);
                    lock(&ended).push(done);
                }
            });
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
        let Step { name, work } = step;
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
