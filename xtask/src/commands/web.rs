//! The web client: its types, its code without a browser, its use in one, and what it costs.

use std::{
    path::{self, Path},
    process::Command,
};

use anyhow::Result;

use super::{npm, schemas};
use crate::{
    progress::step,
    run::{run, target},
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
        run(npm::inside(DIRECTORY, "node_modules/.bin/tsc").args(["--project", "."]))
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

/// Installs what the tests of the web client need.
pub(super) fn tools_of_the_web_client() -> Result<()> {
    tools::require_browser()?;
    npm::install(DIRECTORY)
}

fn node(args: &[&str]) -> Command {
    let mut node = npm::inside(DIRECTORY, "node");
    node.args(args).env("ADAMANT_SERVER", target().join("debug/adamant-server"));
    node
}
