//! The cost of a flush on this disk: one append of a page and its `fdatasync`, timed in a separate
//! process on the server's core.

use std::{
    fmt,
    fs::OpenOptions,
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
    time::Duration,
};

use anyhow::{Context as _, Result, ensure};
use tokio::time::Instant;

use super::{
    machine::pin_to,
    target::{Launch, under_slow_disk},
};

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
pub struct FlushTimes {
    /// The median.
    pub median_us: f64,
    /// The 99th percentile: the disk's own part of a move's 99th percentile.
    pub p99_us: f64,
}

impl fmt::Display for FlushTimes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.median_us, self.p99_us)
    }
}

/// Measures flushes on the disk of the server's files.
pub fn measure(launch: &Launch, is_slow: bool) -> Result<FlushTimes> {
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

/// Times flushes in a directory, in the process that [`measure`] starts.
pub fn time(directory: &Path) -> Result<FlushTimes> {
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
