//! Home directories of the program `adamant`, and of bots.

use std::{ffi::OsStr, fs, net::SocketAddr, path::Path, process::Stdio};

use tempfile::TempDir;
use tokio::process::Command;

use super::{binaries::binary, server::Server};

/// A home directory for a program: its log-ins outlive a run.
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
        let mut command = self.program(&binary("adamant"), server.address());
        command.args(words);
        command
    }

    /// Returns a command of any program against the server at an address, with pipes, which ends
    /// with the test.
    pub(crate) fn program(&self, program: &Path, at: SocketAddr) -> Command {
        let mut command = Command::new(program);
        command
            .env("HOME", self.0.path())
            .env("XDG_CONFIG_HOME", self.0.path())
            .env("USER", "somebody")
            .env("NO_COLOR", "1")
            .env("ADAMANT_SERVER", at.to_string())
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

    /// The directory.
    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    /// Writes a file, and returns its path.
    pub(crate) fn write(&self, name: &str, text: &str) -> String {
        let path = self.0.path().join(name);
        fs::write(&path, text).expect("room for files");
        path.display().to_string()
    }
}
