//! The crash test with other numbers of kills.

use anyhow::Result;

use crate::run::{cargo, run};

/// Kills the server this many times under load, and checks that nothing is lost or doubled.
pub(crate) fn kills(kills: usize) -> Result<()> {
    run(&mut cargo(&["build", "--locked", "-p", "adamant-server"]))?;
    let crash = [
        "test",
        "--locked",
        "-p",
        "adamant-tests",
        "--test",
        "it",
        "random_kills::kills_lose",
        "--",
        "--nocapture",
    ];
    run(cargo(&crash).env("ADAMANT_KILLS", kills.to_string()))
}
