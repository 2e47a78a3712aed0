//! Measurements.

use anyhow::Result;

use super::release::SHIPPED;
use crate::{
    progress::step,
    run::{cargo, program, run, target},
};

/// Measures the parts, then the server under load; or with arguments, what these ask for.
pub(crate) fn bench(quick: bool, args: &[String]) -> Result<()> {
    if args.is_empty() {
        step("micro benchmarks", || {
            let mut benchmarks = cargo(&["bench", "--locked", "-p", "adamant-bench"]);
            if quick {
                benchmarks.args(["--benches", "--", "--sample-count", "10"]);
            }
            run(&mut benchmarks)
        })?;
    }
    if quick {
        return Ok(());
    }
    step("build as it is shipped", || {
        let chosen = ["-p", "adamant-server", "-p", "adamant-bench"];
        run(cargo(&["build", "--profile", SHIPPED, "--locked"]).args(chosen))
    })?;
    step("load", || {
        let mut load = program(target().join(SHIPPED).join("adamant-bench"));
        if args.is_empty() {
            load.arg("all");
        }
        run(load.args(args))
    })
}
