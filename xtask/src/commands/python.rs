//! The Python client: its types, its tests and its wheel.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context as _, Result};

use super::schemas;
use crate::{
    run::{program, root, run, target},
    suite::{Live, Tally, reporter},
    tools,
};

/// The Python client and its tests.
const DIRECTORY: &str = "clients/python";

/// The tests of the Python client, with its types and its style. In full it plays for longer.
pub(super) fn tests(live: &Live<'_>, in_full: bool) -> Result<Tally> {
    types(true)?;
    run(&mut in_client(&["-m", "mypy"]))?;
    run(&mut in_client(&["-m", "ruff", "check", "--quiet"]))?;
    run(&mut in_client(&["-m", "ruff", "format", "--quiet", "--check"]))?;
    let mut tests = in_client(&[]);
    tests.arg(reporter("python.py")).args(["tests", "."]);
    tests.env("ADAMANT_SERVER", target().join("debug/adamant-server"));
    if in_full {
        tests.env("ADAMANT_LONG", "all");
    }
    let mut tally = Tally::default();
    live.run_tests(&mut tests, &mut tally)?;
    Ok(tally)
}

/// Writes the types of the Python client anew, or compares them.
pub(super) fn types(check: bool) -> Result<()> {
    let mut types = in_client(&["generate.py"]);
    types.arg(schemas::closed());
    if check {
        types.arg("--check");
    }
    run(&mut types).context("to write them anew: cargo xtask types")
}

/// Builds the wheel of a version into a folder.
pub(super) fn wheel(version: &str, folder: &Path) -> Result<PathBuf> {
    tools::require_python_packages()?;
    let build =
        ["-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir"];
    run(in_client(&build).arg(folder).arg("."))?;
    Ok(folder.join(format!("adamant_client-{version}-py3-none-any.whl")))
}

/// The Python of the tests, in the folder of the client. What it caches goes to the target folder.
fn in_client(args: &[&str]) -> Command {
    let cache = |name: &str| target().join("python").join(name);
    let mut python = program(tools::python());
    python.current_dir(root().join(DIRECTORY)).args(args).env("PYTHONPATH", "src");
    python.env("MYPY_CACHE_DIR", cache("mypy")).env("RUFF_CACHE_DIR", cache("ruff"));
    python.env("PYTHONPYCACHEPREFIX", cache("bytecode")).env("PIP_DISABLE_PIP_VERSION_CHECK", "1");
    python
}
