//! Ends the servers when the process that started them has ended.

use std::{
    path::Path,
    process::{Child, Command, Stdio},
};

use anyhow::{Context as _, Result};

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
