//! Everything that must hold before a change lands.

use anyhow::Result;

use super::test;
use crate::{
    progress::{note, step},
    run::{cargo, program, run},
    tidy, tools,
};

/// Runs all checks, the quick ones first.
pub(crate) fn ci() -> Result<()> {
    tools::CC.require()?;
    step("formatting", || run(&mut cargo(&["fmt", "--all", "--check"])))?;
    step("source tree", || tidy::tidy(false))?;
    step("spelling", spelling)?;
    step("lints", || {
        let lints = ["clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"];
        run(&mut cargo(&lints))
    })?;
    test(&[])?;
    step("documentation", || {
        let document = ["doc", "--workspace", "--no-deps", "--locked", "--document-private-items"];
        run(cargo(&document).env("RUSTDOCFLAGS", "-D warnings"))
    })?;
    step("licences, bans and sources of dependencies", dependencies)
}

fn spelling() -> Result<()> {
    let Some(typos) = tools::typos() else {
        note("SKIPPED: typos is not here and cannot be installed quickly");
        return Ok(());
    };
    run(&mut program(typos))
}

fn dependencies() -> Result<()> {
    if !tools::has_cargo_deny() {
        note("SKIPPED: cargo-deny is not here and cannot be installed");
        return Ok(());
    }
    run(&mut cargo(&["fetch", "--locked"]))?;
    run(&mut cargo(&["deny", "--offline", "check", "licenses", "bans", "sources"]))?;
    note("Advisories need the network and are not checked here: cargo deny check advisories");
    Ok(())
}
