//! W5: from kill -9 to listening again, with so many live games.

use anyhow::Result;

use super::{Bench, idle::live_rooms};
use crate::load::subject::{Program, Subject};

/// Crashes the real server with so many live games in its journal.
pub async fn recovery(bench: &mut Bench<'_>, games: usize) -> Result<()> {
    let subject = Subject::start(Program::Adamant, bench.launch)?;
    let players = live_rooms(&subject, games).await?;
    let (again, took) = subject.crash_and_restart(bench.launch)?;
    drop((players, again));
    let workload = format!("W5 recovery, {games} live games");
    bench.enter(&workload, Program::Adamant, took.as_secs_f64(), "s");
    Ok(())
}
