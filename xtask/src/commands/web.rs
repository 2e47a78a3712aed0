//! The web client: its types, its code without a browser, its use in one, and what it costs.

use std::{
    path::{self, Path},
    process::Command,
};

use anyhow::Result;

use super::{npm, schemas};
use crate::{
    run::{run, step, target},
    suite::{Live, Share, Tally, commits},
    tools,
};

/// The web client and its tests.
const DIRECTORY: &str = "web";

/// Measures what the web client costs.
pub(crate) fn measure() -> Result<()> {
    step("tools for the web client's tests", tools_of_the_web_client)?;
    schemas::build()?;
    step("costs of the web client", || run(&mut node(&["tests/measure/main.js"])))
}

/// The tests of the web client with its types: in the short form, or those that a share of the long
/// form adds.
pub(super) fn tests(live: &Live<'_>, share: Option<Share>) -> Result<Tally> {
    let mut tests = node(&["--test", "--test-concurrency=1", "--test-timeout=600000"]);
    tests.args(npm::reporter()).arg("tests/browser/");
    tests.env("ADAMANT_COMMIT", commits().to_string());
    if let Some(share) = share {
        tests.env("ADAMANT_LONG", share.variable());
    }
    // A share is what the short form leaves out.
    if !matches!(share, Some(Share::Of(_))) {
        run(npm::inside(DIRECTORY, "node_modules/.bin/tsc").args(["--project", "."]))?;
        tests.arg("tests/unit/");
    }
    let mut tally = Tally::default();
    live.run_tests(&mut tests, &mut tally)?;
    Ok(tally)
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
    node.env("ADAMANT_SCHEMA", schemas::open());
    node
}
