//! W5: from kill -9 to listening again, with so many live games.

use anyhow::{Result, ensure};

use super::{Bench, rooms::live_rooms};
use crate::load::{
    subject::{Program, Subject},
    workload,
};

/// Crashes the real server with so many live games in its journal.
pub async fn recovery(bench: &mut Bench<'_>, games: usize) -> Result<()> {
    let subject = Subject::start(Program::Adamant, bench.launch)?;
    let players = live_rooms(&subject, games, 0, None).await?;
    let (again, took) = subject.crash_and_restart(bench.launch)?;
    let found = again.recovered();
    ensure!(found.live == games, "{games} games were live before the crash, then {found:?}");
    drop((players, again));
    let name = workload::recovery(games);
    bench.enter(&name, Program::Adamant, took.as_secs_f64(), "s");
    Ok(())
}
