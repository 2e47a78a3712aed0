//! The test binaries of the workspace, built at once: cargo joins the features of crates over the
//! packages that a command names, so one that names fewer would build everything anew.

use std::{
    path::{Path, PathBuf},
    process::Command,
    sync::{Arc, OnceLock},
};

use anyhow::{Context as _, Result};
use serde_json::Value;

use super::{events::Tally, steps::Live};
use crate::run::{cargo, output, program, root, run_lines};

/// What builds every library, program and test of the workspace.
const BUILD: [&str; 5] =
    ["test", "--workspace", "--locked", "--no-run", "--message-format=json-render-diagnostics"];

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
}

impl Binaries {
    /// Builds them, and the workspace's programs with them.
    pub(crate) fn build(&self, live: &Live<'_>) -> Result<()> {
        let (mut built, mut found) = (0, Vec::new());
        let mut command = cargo(&BUILD);
        run_lines(&mut command, |line| {
            let Ok(message) = serde_json::from_str::<Value>(line) else { return };
            if message["reason"] != "compiler-artifact" {
                return;
            }
            built += 1;
            live.status(format!("{built} units, {}", message["target"]["name"]).replace('"', ""));
            found.extend(test_binary(&message));
        })?;
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
    if message["profile"]["test"] != true {
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
