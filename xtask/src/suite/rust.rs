//! The test binaries of the workspace, built at once: cargo joins the features of crates over the
//! packages that a command names, so one that names fewer would build everything anew.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    process::Command,
    sync::{Arc, OnceLock},
};

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use super::{events::Tally, steps::Live};
use crate::run::{cargo, output, program, root, run_lines};

/// What builds every library, program and test of the workspace.
const BUILD: [&str; 5] = ["test", "--workspace", "--locked", "--no-run", "--message-format=json"];

/// What Rust's test harness is told, so that it reports as JSON and with times. Both are unstable
/// options, which `RUSTC_BOOTSTRAP` allows.
const REPORT: [&str; 5] = ["-Z", "unstable-options", "--format", "json", "--report-time"];

/// A program with tests.
#[derive(Clone, Debug)]
pub(crate) struct Binary {
    /// The package's folder from the root, and the target: `server/adamant_server`.
    pub(crate) name: String,
    path: PathBuf,
    folder: PathBuf,
}

/// The test binaries, once they are built.
#[derive(Clone, Debug, Default)]
pub(crate) struct Binaries {
    built: Arc<OnceLock<Vec<Binary>>>,
    /// Whether the build is linted.
    is_linted: bool,
}

impl Binaries {
    /// Binaries whose build fails at any warning of the compiler or of Clippy. Clippy's compiler
    /// builds the workspace, because with `cargo clippy` everything would be compiled once more.
    pub(crate) fn linted() -> Self {
        Self { built: Arc::default(), is_linted: true }
    }

    /// `cargo` with these arguments, as it must run so that it builds nothing else anew.
    pub(crate) fn cargo(&self, args: &[&str]) -> Result<Command> {
        let mut command = cargo(args);
        if self.is_linted {
            let sysroot = output(program("rustc").args(["--print", "sysroot"]))?;
            let driver = Path::new(str::from_utf8(&sysroot)?.trim()).join("bin/clippy-driver");
            ensure!(driver.exists(), "Clippy is missing: rustup component add clippy");
            command.env("RUSTC_WORKSPACE_WRAPPER", driver);
        }
        Ok(command)
    }

    /// Builds them, and the workspace's programs with them.
    pub(crate) fn build(&self, live: &Live<'_>) -> Result<()> {
        let mut command = self.cargo(&BUILD)?;
        if self.is_linted {
            // The benchmarks and examples, too.
            command.arg("--all-targets");
        }
        let (mut built, mut found, mut said) = (0, Vec::new(), BTreeSet::new());
        let done = run_lines(&mut command, |line| {
            let Ok(message) = serde_json::from_str::<Value>(line) else { return };
            match message["reason"].as_str() {
                Some("compiler-artifact") => {
                    built += 1;
                    let name = message["target"]["name"].as_str().unwrap_or_default();
                    live.status(format!("{built} units, {name}"));
                    found.extend(test_binary(&message));
                }
                // A library and its tests say the same.
                Some("compiler-message") => {
                    said.extend(message["message"]["rendered"].as_str().map(str::to_owned));
                }
                _ => {}
            }
        });
        let said = said.into_iter().collect::<Vec<_>>().join("\n");
        done.with_context(|| said.clone())?;
        ensure!(said.is_empty() || !self.is_linted, "{said}");
        self.built.set(found).ok().context("the workspace is built once")
    }

    /// Those whose name `chosen` accepts.
    pub(crate) fn all(&self, chosen: impl Fn(&str) -> bool) -> Result<Vec<Binary>> {
        let built = self.built.get().context("the workspace is not built")?;
        Ok(built.iter().filter(|binary| chosen(&binary.name)).cloned().collect())
    }

    /// The one of this name.
    pub(crate) fn named(&self, name: &str) -> Result<Binary> {
        let found = self.all(|other| other == name)?;
        found.into_iter().next().with_context(|| format!("no test binary is {name}"))
    }
}

fn test_binary(message: &Value) -> Option<Binary> {
    let path = PathBuf::from(message["executable"].as_str()?);
    if message["profile"]["test"] != true || message["target"]["kind"][0] == "bench" {
        return None;
    }
    let folder = Path::new(message["manifest_path"].as_str()?).parent()?.to_owned();
    let package = folder.strip_prefix(root()).ok()?.display().to_string();
    let name = format!("{package}/{}", message["target"]["name"].as_str()?);
    Some(Binary { name, path, folder })
}

impl Binary {
    /// The program, started where cargo would start it.
    fn program(&self) -> Command {
        let mut command = program(&self.path);
        command.current_dir(&self.folder).env("CARGO_MANIFEST_DIR", &self.folder);
        command.env("INSTA_WORKSPACE_ROOT", root());
        command
    }

    /// Runs tests that the harness's arguments choose, this many at a time.
    pub(crate) fn run(
        &self,
        live: &Live<'_>,
        threads: usize,
        change: impl FnOnce(&mut Command),
        sum: &mut Tally,
    ) -> Result<()> {
        let mut command = self.program();
        command.env("RUSTC_BOOTSTRAP", "1").args(REPORT);
        command.arg("--test-threads").arg(threads.to_string());
        change(&mut command);
        live.run_tests(&mut command, sum)
    }

    /// The names of its tests, or of those that are ignored.
    pub(crate) fn list(&self, ignored: bool) -> Result<Vec<String>> {
        let mut command = self.program();
        command.args(["--list", "--format", "terse"]);
        if ignored {
            command.arg("--ignored");
        }
        let listed = String::from_utf8(output(&mut command)?)?;
        Ok(listed
            .lines()
            .filter_map(|line| line.strip_suffix(": test"))
            .map(str::to_owned)
            .collect())
    }
}
