//! Measurements.

use anyhow::Result;

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
    step("release build", || {
        let build =
            ["build", "--release", "--locked", "-p", "adamant-server", "-p", "adamant-bench"];
        run(&mut cargo(&build))
    })?;
    step("load", || {
        let mut load = program(target().join("release/adamant-bench"));
        if args.is_empty() {
            load.arg("all");
        }
        run(load.args(args))
    })
}
