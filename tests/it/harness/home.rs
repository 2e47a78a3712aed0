//! Home directories of the program `adamant`.

use std::{ffi::OsStr, fs, process::Stdio};

use tempfile::TempDir;
use tokio::process::Command;

use super::{binaries::binary, server::Server};

/// A home directory for the program: its log-ins outlive a run.
pub(crate) struct Home(TempDir);

impl Home {
    /// Makes an empty one.
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().expect("room for files"))
    }

    /// Returns a command of the program against a server, with pipes, which ends with the test.
    pub(crate) fn command(
        &self,
        server: &Server,
        words: impl IntoIterator<Item = impl AsRef<OsStr>>,
    ) -> Command {
        let mut command = Command::new(binary("adamant"));
        command
            .args(words)
            .env("HOME", self.0.path())
            .env("XDG_CONFIG_HOME", self.0.path())
            .env("USER", "somebody")
            .env("NO_COLOR", "1")
            .env("ADAMANT_SERVER", server.address().to_string())
            .env_remove("ADAMANT_TOKEN")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        command
    }

    /// Renames the server in the log-ins: a server that is restarted has another port.
    pub(crate) fn follow(&self, old: &str, new: &str) {
        let path = self.0.path().join("adamant/credentials.toml");
        let log_ins = fs::read_to_string(&path).expect("the program has logged in");
        fs::write(path, log_ins.replace(old, new)).expect("room for files");
    }

    /// Writes a file, and returns its path.
    pub(crate) fn write(&self, name: &str, text: &str) -> String {
        let path = self.0.path().join(name);
        fs::write(&path, text).expect("room for files");
        path.display().to_string()
    }
}
