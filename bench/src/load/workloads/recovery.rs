//! From `kill -9` to listening again, with many live games.

use anyhow::{Result, ensure};

use super::{measurement::Bench, rooms::live_rooms};
use crate::load::{
    target::{Program, Target},
    workload_names,
};

/// Kills and restarts the real server with this many live games in its journal.
pub async fn recovery(bench: &mut Bench<'_>, games: usize) -> Result<()> {
    let target = Target::start(Program::Adamant, bench.launch)?;
    let players = live_rooms(&target, games, 0, None).await?;
    let (again, took) = target.crash_and_restart(bench.launch)?;
    let found = again.recovered();
    ensure!(found.live == games, "{games} games were live before the crash, then {found:?}");
    drop((players, again));
    let name = workload_names::recovery(games);
    bench.add(&name, Program::Adamant, took.as_secs_f64(), "s");
    Ok(())
}
