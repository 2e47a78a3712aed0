//! Runs the server under callgrind, a tool of valgrind that counts instructions.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Context as _, Result, ensure};

use super::profile::{self, Profile};

/// The name of the profile's file, before the number that callgrind appends.
const FILE: &str = "callgrind.out";

/// Checks that this machine has valgrind.
pub(super) fn check_installed() -> Result<()> {
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
pub fn under_callgrind(command: &Command, files: &Path) -> Command {
    let mut counted = Command::new("valgrind");
    // The threads take turns in order; otherwise one thread may keep the others waiting.
    counted
        .args(["--tool=callgrind", "--instr-atstart=no", "--fair-sched=yes"])
        .arg(format!("--callgrind-out-file={}", files.join(FILE).display()))
        .arg(pipes_in(files))
        .arg(command.get_program())
        .args(command.get_args());
    counted
}

/// Counts the instructions of a process while `work` runs.
pub async fn count<T>(
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
    Ok((profile::parse(&String::from_utf8_lossy(&text))?, result))
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
