//! All tests, and what they need.

use anyhow::Result;

use super::web::{self, web};
use crate::{
    progress::step,
    run::{cargo, run},
    tools,
};

/// Runs all tests; with arguments, those tests of the workspace that these choose.
pub(crate) fn test(args: &[String]) -> Result<()> {
    step("tools for the tests", tools_of_the_workspace)?;
    step("tests", || run(cargo(&["test", "--workspace", "--locked"]).args(args)))?;
    if args.is_empty() { web(false) } else { Ok(()) }
}

/// Installs what all tests need.
pub(crate) fn setup() -> Result<()> {
    step("tools for the tests", tools_of_the_workspace)?;
    step("tools for the web client's tests", web::tools_of_the_web_client)
}

fn tools_of_the_workspace() -> Result<()> {
    tools::CC.require()?;
    tools::require_websockets()?;
    tools::STRACE.require()?;
    tools::require_postgres()?;
    tools::require_haproxy()?;
    tools::PROMTOOL.require()
}
