//! The web client: its types, its code without a browser, its use in one, and what it costs.

use std::{
    fs,
    path::{self, Path},
    process::Command,
};

use anyhow::{Context as _, Result};

use super::{python, schemas};
use crate::{
    progress::step,
    run::{program, run, target},
    tools,
};

/// The web client and its tests.
const DIRECTORY: &str = "web";

/// Runs the tests of the web client, or measures what it costs.
pub(crate) fn web(measure: bool) -> Result<()> {
    step("tools for the web client's tests", tools_of_the_web_client)?;
    let schemas = schemas::build()?;
    if measure {
        return step("costs of the web client", || {
            run(node(&["tests/measure/main.js"]).env("ADAMANT_SCHEMA", &schemas.open))
        });
    }
    step("types of the web client", || {
        run(node(&["generated/generate.mjs"]).arg(&schemas.closed).arg("--check"))
            .context("to write them anew: cargo xtask types")?;
        run(in_tests("./node_modules/.bin/tsc").args(["--project", "."]))
    })?;
    step("tests of the web client", || {
        let tests = ["--test", "tests/unit/", "tests/browser/"];
        run(node(&tests).env("ADAMANT_SCHEMA", &schemas.open))
    })
}

/// The pictures of README.md.
const PICTURES: &str = "docs/pictures";

/// Takes the pictures of README.md, or those of every view into a folder.
pub(crate) fn pictures(all: Option<&Path>) -> Result<()> {
    step("tools for the web client's tests", tools_of_the_web_client)?;
    schemas::build()?;
    let mut pictures = node(&["tests/pictures/main.js"]);
    match all {
        Some(folder) => pictures.arg(path::absolute(folder)?),
        None => pictures.arg(crate::run::root().join(PICTURES)).arg("--readme"),
    };
    step("pictures", || run(&mut pictures))
}

/// Writes the types of the wire anew for both clients, or compares them.
pub(crate) fn types(check: bool) -> Result<()> {
    packages()?;
    let schemas = schemas::build()?;
    let mut types = node(&["generated/generate.mjs"]);
    types.arg(&schemas.closed);
    if check {
        types.arg("--check");
    }
    run(&mut types)?;
    tools::require_python_packages()?;
    python::types(&schemas.closed, check)
}

/// Installs what the tests of the web client need.
pub(super) fn tools_of_the_web_client() -> Result<()> {
    tools::require_browser()?;
    packages()
}

/// Installs the packages that `package-lock.json` names, if it is newer than they are.
fn packages() -> Result<()> {
    tools::require_node()?;
    tools::NPM.require()?;
    let directory = crate::run::root().join(DIRECTORY);
    let age = |name: &str| fs::metadata(directory.join(name)).and_then(|file| file.modified()).ok();
    let stamp = "node_modules/.package-lock.json";
    if age(stamp).is_some_and(|installed| Some(installed) >= age("package-lock.json")) {
        return Ok(());
    }
    run(in_tests("npm").args(["ci", "--no-audit", "--no-fund", "--loglevel=error"]))
}

fn node(args: &[&str]) -> Command {
    let mut node = in_tests("node");
    node.args(args).env("ADAMANT_SERVER", target().join("debug/adamant-server"));
    node
}

fn in_tests(name: &str) -> Command {
    let mut command = program(name);
    command.current_dir(crate::run::root().join(DIRECTORY));
    command
}
