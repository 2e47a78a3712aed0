//! The end of a run: what passed and what failed, how long each step took, and the slowest tests.

use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use nix::sys::resource::{UsageWho, getrusage};

use super::events::Tally;
use crate::progress::{clock, note, now};

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
