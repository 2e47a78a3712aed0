//! The TypeScript client: its types, its tests and its tarball.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result};

use super::{npm, schemas};
use crate::{
    run::{root, run, target},
    suite::{Live, Tally},
    tools,
};

/// The TypeScript client and its tests.
const DIRECTORY: &str = "clients/typescript";

/// The Node.js of the tests, which the package `node` brings.
const NODE: &str = "node_modules/.bin/node";

const TSC: &str = "node_modules/.bin/tsc";

/// The tests of the TypeScript client, with its types. In full it plays for longer.
pub(super) fn tests(live: &Live<'_>, in_full: bool) -> Result<Tally> {
    types(true)?;
    build()?;
    run(npm::inside(DIRECTORY, TSC).args(["--project", "."]))?;
    let mut tests = npm::inside(DIRECTORY, NODE);
    tests.args(["--test", "--test-timeout=600000"]).args(npm::reporter()).arg("tests/*.test.ts");
    tests.env("ADAMANT_SERVER", target().join("debug/adamant-server"));
    tests.env("ADAMANT_SCHEMA", schemas::open());
    if in_full {
        tests.env("ADAMANT_LONG", "all");
    }
    let mut tally = Tally::default();
    live.run_tests(&mut tests, &mut tally)?;
    Ok(tally)
}

/// Installs what the tests of the TypeScript client need.
pub(super) fn tools_of_the_typescript_client() -> Result<()> {
    tools::require_browser()?;
    npm::install(DIRECTORY)
}

/// Writes the types of the TypeScript client and of the page anew, or compares them.
pub(super) fn types(check: bool) -> Result<()> {
    npm::install(DIRECTORY)?;
    let mut types = npm::inside(DIRECTORY, NODE);
    types.arg("generate.mjs").arg(schemas::closed());
    if check {
        types.arg("--check");
    }
    run(&mut types).context("to write them anew: cargo xtask types")
}

/// Builds the tarball of a version into a folder.
pub(super) fn tarball(version: &str, folder: &Path) -> Result<PathBuf> {
    built()?;
    run(npm::inside(DIRECTORY, "npm")
        .args(["pack", "--silent", "--pack-destination"])
        .arg(folder))?;
    Ok(folder.join(format!("adamant-client-{version}.tgz")))
}

/// Builds the package and returns its folder, with Node.js among its packages.
pub(super) fn built() -> Result<PathBuf> {
    npm::install(DIRECTORY)?;
    build()?;
    Ok(root().join(DIRECTORY))
}

/// Compiles the package, without what an earlier build has left.
fn build() -> Result<()> {
    let built = root().join(DIRECTORY).join("dist");
    if built.exists() {
        fs::remove_dir_all(&built)?;
    }
    run(npm::inside(DIRECTORY, TSC).args(["--project", "tsconfig.build.json"]))
}
