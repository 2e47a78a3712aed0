//! When the long form of the tests last passed, as a file of the tree says.

use std::fs;

use anyhow::{Context as _, Result};

use crate::{
    progress::note,
    run::{output, program, root},
};

/// The file: the commit, and the day.
const FILE: &str = "tests/last_full_run";

/// The commits after which the long form should run again.
const COMMITS_MAX: u32 = 30;

/// Writes that it passed at the commit that is checked out.
pub(super) fn record() -> Result<()> {
    let line = format!("{} {}\n", said("git", &["rev-parse", "HEAD"])?, said("date", &["+%F"])?);
    fs::write(root().join(FILE), &line).with_context(|| format!("{FILE} cannot be written"))?;
    note(&format!("{FILE} says so now: please commit it"));
    Ok(())
}

/// Returns a line about it: a warning if it is long ago.
pub(super) fn line() -> String {
    let Ok(file) = fs::read_to_string(root().join(FILE)) else {
        return format!("WARNING: {FILE} is missing: run `cargo xtask test --all`");
    };
    let (commit, day) = file.trim().split_once(' ').unwrap_or((file.trim(), "an unknown day"));
    let since = said("git", &["rev-list", "--count", &format!("{commit}..HEAD")]);
    match since.ok().and_then(|since| since.parse::<u32>().ok()) {
        None => format!("WARNING: {FILE} names a commit that is not here, of {day}"),
        Some(since) if since > COMMITS_MAX => {
            format!(
                "WARNING: the last full run was {since} commits ago, on {day}: run `cargo xtask test --all`"
            )
        }
        Some(since) => format!("the last full run was {since} commits ago, on {day}"),
    }
}

fn said(name: &str, args: &[&str]) -> Result<String> {
    Ok(String::from_utf8(output(program(name).args(args))?)?.trim().to_owned())
}
