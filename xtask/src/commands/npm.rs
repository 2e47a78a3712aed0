//! Packages from npm, for the tests of the page and of the TypeScript client.

use std::{fs, path::PathBuf, process::Command};

use anyhow::Result;

use crate::{
    run::{program, root, run},
    suite, tools,
};

/// Installs the packages that a folder's `package-lock.json` names, if it is newer than they are.
pub(super) fn install(directory: &str) -> Result<()> {
    tools::require_node()?;
    tools::NPM.require()?;
    let folder: PathBuf = root().join(directory);
    let age = |name: &str| fs::metadata(folder.join(name)).and_then(|file| file.modified()).ok();
    let stamp = "node_modules/.package-lock.json";
    if age(stamp).is_some_and(|installed| Some(installed) >= age("package-lock.json")) {
        return Ok(());
    }
    run(inside(directory, "npm").args(["ci", "--no-audit", "--no-fund", "--loglevel=error"]))
}

/// A program that starts in a folder of the repository.
pub(super) fn inside(directory: &str, name: &str) -> Command {
    let mut command = program(name);
    command.current_dir(root().join(directory));
    command
}

/// Arguments of Node's test runner, by which it reports to this program.
pub(super) fn reporter() -> [String; 2] {
    let reporter = suite::reporter("node.mjs");
    [format!("--test-reporter={}", reporter.display()), "--test-reporter-destination=stdout".into()]
}
