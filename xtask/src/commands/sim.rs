//! The simulation with seeds of one's choice.

use anyhow::Result;

use crate::run::{cargo, run};

/// Runs the simulation with these seeds: how many, or from which to before which.
pub(crate) fn sim(seeds: &str) -> Result<()> {
    let simulation =
        ["test", "--workspace", "--locked", "--test", "it", "sim::", "--", "--nocapture"];
    run(cargo(&simulation).env("ADAMANT_SIM_SEEDS", seeds))
}
