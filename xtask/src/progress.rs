//! What a command shows of its progress: a heading per step, and how long the step took.

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};

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

/// Prints a line of a result.
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
