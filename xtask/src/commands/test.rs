//! All tests, and what they need.

use anyhow::Result;

use super::{
    crates::crates,
    python::python,
    typescript::{self, typescript},
    web::{self, web},
};
use crate::{
    progress::step,
    run::{cargo, run},
    tools,
};

/// Nodes on PostgreSQL that the tests of the whole server run on, beside the embedded store.
const NODES: &str = "2";

/// The tests of the whole server that run on PostgreSQL: what a player can notice.
const AREAS_ON_POSTGRES: [&str; 7] =
    ["accounts::", "game::", "lobby::", "notifications::", "records::", "spectating::", "talk::"];

/// The short contest. It slows other tests down, and they slow it down, so it runs alone.
const CONTEST: &str = "cluster::faults::faults_lose_double_and_show_nothing_in_vain";

/// Runs all tests; with arguments, those tests of the workspace that these choose.
pub(crate) fn test(args: &[String]) -> Result<()> {
    step("tools for the tests", tools_of_the_workspace)?;
    if !args.is_empty() {
        return step("tests", || run(cargo(&["test", "--workspace", "--locked"]).args(args)));
    }
    // A failure does not hide those of other crates, and is not lost among thousands of lines.
    let all = ["test", "--workspace", "--locked", "--no-fail-fast", "--", "--quiet"];
    step("tests", || run(&mut cargo(&all)))?;
    step("tests on PostgreSQL", || {
        // The whole workspace, so that nothing is built anew.
        let mut tests = cargo(&["test", "--workspace", "--locked", "--test", "it", "--"]);
        tests.arg("--quiet").args(AREAS_ON_POSTGRES).env("ADAMANT_TEST_NODES", NODES);
        run(&mut tests)
    })?;
    step("contest", || {
        let contest = ["test", "--workspace", "--locked", "--test", "it", "--", "--exact"];
        run(cargo(&contest).args(["--ignored", CONTEST]))
    })?;
    web(false)?;
    python()?;
    typescript()?;
    crates()
}

/// Installs what all tests need.
pub(crate) fn setup() -> Result<()> {
    step("tools for the tests", tools_of_the_workspace)?;
    step("tools for the web client's tests", web::tools_of_the_web_client)?;
    step("tools for the Python client's tests", tools::require_python_packages)?;
    step("tools for the TypeScript client's tests", typescript::tools_of_the_typescript_client)
}

fn tools_of_the_workspace() -> Result<()> {
    tools::CC.require()?;
    tools::require_websockets()?;
    tools::STRACE.require()?;
    tools::require_postgres()?;
    tools::require_haproxy()?;
    tools::PROMTOOL.require()
}
