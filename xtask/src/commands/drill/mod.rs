//! The operator's drill: a fresh Debian with the package, and all that an operator does with a
//! server, from the installation over damage to the upgrade, by the commands of the documents.

mod documents;
mod machine;
mod steps;

use std::path::PathBuf;

use anyhow::{Context as _, Result, ensure};
use nix::unistd::geteuid;

use super::release;
use crate::{
    run::{note, now},
    tools,
};
use documents::Documents;
use machine::Machine;
use steps::{Drill, STEPS};

/// Which package the drill installs, and what it leaves.
#[derive(Debug, clap::Args)]
pub(crate) struct DrillArgs {
    /// The package; without it, one of the profile `shipped` is built.
    #[arg(long, value_name = "FILE")]
    deb: Option<PathBuf>,
    /// Packs the debug build instead, which is made sooner.
    #[arg(long, conflicts_with = "deb")]
    debug: bool,
    /// Leaves the root with all files for a look.
    #[arg(long)]
    keep: bool,
}

/// Goes through the drill, and fails at the first step whose output is not as the documents say.
pub(crate) fn drill(args: &DrillArgs) -> Result<()> {
    ensure!(geteuid().is_root(), "only root can install the package in a fresh Debian");
    let documents = Documents::read()?;
    tools::require_websockets()?;
    let package = match &args.deb {
        Some(package) => package.canonicalize().with_context(|| package.display().to_string())?,
        None if args.debug => release::build_debug_package()?,
        None => release::build_package()?,
    };
    let mut drill = Drill::new(Machine::fresh(args.keep)?, documents, package);
    for (number, (name, step)) in (1..).zip(STEPS) {
        let begun = now();
        step(&mut drill).with_context(|| format!("FAILED {number:>2} {name}"))?;
        note(&format!("ok  {number:>2} {name:<44}{:>6.1} s", begun.elapsed().as_secs_f64()));
    }
    drill.report()
}
