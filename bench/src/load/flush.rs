//! What a flush costs here: one append of a page and its `fdatasync`, timed in a process of its own
//! on the server's core, so that it meets what the server meets.

use std::{
    fs::OpenOptions,
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Context as _, Result, ensure};
use tokio::time::Instant;

use super::{
    machine::pin_to,
    subject::{Launch, under_slow_disk},
};

/// Flushes that are timed.
const FLUSHES: usize = 200;

/// Bytes of each append: a page of the database.
const PAGE_BYTES: usize = 4 * 1024;

/// The median time of a flush on the disk of the server's files, in microseconds.
pub fn measure(launch: &Launch, is_slow: bool) -> Result<f64> {
    let files = tempfile::Builder::new().prefix("adamant-bench").tempdir_in(&launch.directory)?;
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("flush").arg(files.path());
    if is_slow {
        command = under_slow_disk(&command);
    }
    command.stdin(Stdio::null()).stderr(Stdio::inherit());
    if let Some(cores) = launch.cores {
        pin_to(cores.server)?;
    }
    let output = command.output();
    if let Some(cores) = launch.cores {
        pin_to(cores.client)?;
    }
    let output = output.with_context(|| format!("{command:?} does not start"))?;
    ensure!(output.status.success(), "{command:?} ended with {}", output.status);
    Ok(String::from_utf8(output.stdout)?.trim().parse()?)
}

/// Times flushes in a directory, and gives back the median in microseconds: what the process does
/// that [`measure`] starts.
pub fn time(directory: &Path) -> Result<f64> {
    let path: PathBuf = directory.join("flush");
    let mut file = OpenOptions::new().create(true).append(true).open(path)?;
    let page = [0x41; PAGE_BYTES];
    let mut times = Vec::with_capacity(FLUSHES);
    for _ in 0..FLUSHES {
        file.write_all(&page)?;
        let begun = Instant::now();
        file.sync_data()?;
        times.push(begun.elapsed());
    }
    times.sort_unstable();
    Ok(times[FLUSHES / 2].as_secs_f64() * 1e6)
}
