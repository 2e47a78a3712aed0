//! Finds PostgreSQL's programs, and runs them as a user that PostgreSQL accepts.

use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Context as _, Result, bail};

/// The versions that the tests can use, the preferred one first.
const VERSIONS: [u32; 4] = [15, 16, 17, 18];

/// The user as whom root starts the servers. PostgreSQL refuses to run as root.
pub(crate) const SYSTEM_USER: &str = "postgres";

/// Returns the folder with PostgreSQL's programs.
pub(crate) fn folder() -> Result<PathBuf> {
    let debian =
        VERSIONS.map(|version| PathBuf::from(format!("/usr/lib/postgresql/{version}/bin")));
    let others = ["/usr/local/bin", "/usr/bin", "/opt/homebrew/bin"].map(PathBuf::from);
    let found = debian.into_iter().chain(others).find(|folder| folder.join("initdb").is_file());
    found.context(
        "PostgreSQL 15 or newer is missing; please install it (Debian: apt install postgresql, \
         or `cargo xtask setup`)",
    )
}

/// Returns a command that runs a program as a user that PostgreSQL accepts.
pub(crate) fn command(program: impl AsRef<Path>) -> Command {
    let program = program.as_ref();
    let mut command = if nix::unistd::geteuid().is_root() {
        let mut command = Command::new("setpriv");
        let user = [format!("--reuid={SYSTEM_USER}"), format!("--regid={SYSTEM_USER}")];
        command.args(user).arg("--clear-groups").arg(program);
        command
    } else {
        Command::new(program)
    };
    command.stdin(Stdio::null()).env("LC_ALL", "C").env("PGCONNECT_TIMEOUT", "5");
    command
}

/// Runs a command and returns what it prints.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let output = command.output().with_context(|| format!("{command:?}"))?;
    if !output.status.success() {
        bail!("{command:?} failed: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
