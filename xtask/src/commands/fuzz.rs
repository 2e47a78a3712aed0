//! The fuzzers.

use std::fs;

use anyhow::{Result, bail};

use crate::{
    progress::step,
    run::{cargo, run},
    tools,
};

const DIRECTORY: &str = "fuzz/cargo-fuzz";

/// Runs one fuzzer, or each of them, for so long.
pub(crate) fn fuzz(target: Option<&str>, seconds: u32) -> Result<()> {
    if !tools::on_path("cargo-fuzz") {
        bail!("cargo-fuzz is missing; please install it: cargo install cargo-fuzz --locked");
    }
    let targets = targets()?;
    if let Some(target) = target
        && !targets.iter().any(|name| name == target)
    {
        bail!("there is no target {target}; there are {}", targets.join(", "));
    }
    for name in targets.iter().filter(|name| target.is_none_or(|target| target == *name)) {
        step(name, || {
            let fuzz = ["fuzz", "run", "--fuzz-dir", DIRECTORY, name, "--"];
            let time = format!("-max_total_time={seconds}");
            // Sanitizers are unstable; the stable compiler has them all the same.
            run(cargo(&fuzz).arg(time).env("RUSTC_BOOTSTRAP", "1"))
        })?;
    }
    Ok(())
}

fn targets() -> Result<Vec<String>> {
    let mut targets = Vec::new();
    for entry in fs::read_dir(crate::run::root().join(DIRECTORY).join("fuzz_targets"))? {
        let path = entry?.path();
        targets.extend(path.file_stem().map(|stem| stem.to_string_lossy().into_owned()));
    }
    targets.sort();
    Ok(targets)
}
