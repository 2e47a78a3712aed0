//! Everything that must hold before a change lands.

use anyhow::Result;

use super::{last_full_run, test};
use crate::{
    progress::note,
    run::{cargo, program, run},
    suite::{Binaries, Phase, Share, Step, Suite},
    tidy, tools,
};

/// Runs all checks, the quick ones first.
pub(crate) fn ci() -> Result<()> {
    let share = Share::of_head();
    note(&format!("{share}; to repeat it: cargo xtask test --share {}", share.number()));
    let binaries = Binaries::linted();
    let mut steps = test::short(&binaries, false);
    steps.extend(test::long(&binaries, share));
    Suite::default()
        .then(Phase::needed(
            2,
            vec![
                Step::check("formatting", |_| run(&mut cargo(&["fmt", "--all", "--check"]))),
                Step::check("source tree", |_| tidy::tidy(false)),
                Step::check("spelling", |_| spelling()),
                Step::check("licences, bans and sources of dependencies", |_| dependencies()),
            ],
        ))
        .then(test::preparation(&binaries))
        .then(Phase::side_by_side(test::LANES, steps))
        .run(&[
            last_full_run::line(),
            format!("to repeat {share}: cargo xtask test --share {}", share.number()),
        ])
}

fn spelling() -> Result<()> {
    let Some(typos) = tools::typos() else {
        skipped("typos");
        return Ok(());
    };
    run(&mut program(typos))
}

fn dependencies() -> Result<()> {
    let Some(deny) = tools::cargo_deny() else {
        skipped("cargo-deny");
        return Ok(());
    };
    run(&mut cargo(&["fetch", "--locked"]))?;
    // Advisories need the network: cargo deny check advisories.
    run(program(deny).args(["--offline", "check", "licenses", "bans", "sources"]))
}

fn skipped(tool: &str) {
    note(&format!("SKIPPED: {tool} is not here and cannot be installed quickly"));
}
