//! Starting other programs from the root of the repository.

use std::{
    env,
    ffi::OsStr,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Context as _, Result, bail};

use crate::progress::note;

/// The root of the repository.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the repository")
}

/// A program that starts in the root of the repository.
///
/// What `cargo run` has set for xtask itself is taken out of the environment: build scripts would
/// see it as a change and build again.
pub(crate) fn program(name: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(name);
    command.current_dir(root());
    for (variable, _) in env::vars_os() {
        let name = variable.to_string_lossy();
        let is_own = name.starts_with("CARGO_PKG_")
            || name.starts_with("CARGO_MANIFEST_")
            || name == "CARGO_BIN_NAME"
            || name == "CARGO_CRATE_NAME";
        if is_own {
            command.env_remove(&variable);
        }
    }
    command
}

/// `cargo` with these arguments.
pub(crate) fn cargo(args: &[&str]) -> Command {
    let mut command = program("cargo");
    command.args(args);
    command
}

/// Runs a program to its end and fails if it does.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    note(&format!("$ {}", shown(command)));
    let status =
        command.status().with_context(|| format!("{} could not be started", shown(command)))?;
    if !status.success() {
        bail!("{} failed: {status}", shown(command));
    }
    Ok(())
}

/// Runs a program and returns what it writes to standard output.
pub(crate) fn output(command: &mut Command) -> Result<Vec<u8>> {
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| format!("{} could not be started", shown(command)))?;
    if !output.status.success() {
        bail!("{} failed: {}", shown(command), output.status);
    }
    Ok(output.stdout)
}

/// Whether a program starts and ends well; its output is dropped.
pub(crate) fn succeeds(command: &mut Command) -> bool {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// Where cargo builds.
pub(crate) fn target() -> PathBuf {
    root().join(variable("CARGO_TARGET_DIR").unwrap_or_else(|| "target".to_owned()))
}

/// A variable of the environment, if it is set.
#[expect(clippy::disallowed_methods, reason = "a command-line tool, not the server")]
pub(crate) fn variable(name: &str) -> Option<String> {
    env::var(name).ok()
}

fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(OsStr::to_string_lossy).collect::<Vec<_>>().join(" ")
}
