//! What a second loop of games costs: moves in a closed loop on one loop and core, and on two.

use anyhow::Result;

use super::{
    measurement::Bench,
    moves::{MOVES_MIN, PLIES, closed_loop, seat_all},
};
use crate::load::{
    machine::Cores,
    metrics,
    report::Latency,
    script::scripts,
    target::{Conditions, Launch, Program, Target},
    workload_names,
};

/// Measures a closed loop on a server with one loop on one core, and on one with two loops on two
/// cores. The load client shares the cores of both.
pub async fn loops(bench: &mut Bench<'_>, rooms: usize) -> Result<()> {
    let found = bench.launch.cores.map_or_else(Cores::find, |cores| Ok(Some(cores)))?;
    let Some(cores) = found else {
        bench.report.note("There is one core here: two loops were not measured.");
        return Ok(());
    };
    for loops in [1, 2] {
        let cores = Some(cores.shared(loops == 2)?);
        let launch = Launch { cores, ..bench.launch.clone() };
        let conditions = Conditions { loops: Some(loops), ..Conditions::default() };
        let target = Target::start_under(conditions, Program::Adamant, &launch)?;
        let scripts = scripts(PLIES);
        let pairs = seat_all(&target, rooms, &scripts).await?;
        let (phase, count, times) = closed_loop(&target, pairs, &scripts, MOVES_MIN).await?;
        let (name, latency) = (workload_names::loops(loops), Latency::from(&times.ack));
        bench.add_cpu(&name, Program::Adamant, &phase, count, Some(latency));
        if loops == 2
            && let Some(share) = largest_share(&target, loops).await?
        {
            bench.add(workload_names::LARGEST_SHARE, Program::Adamant, 100.0 * share, "%");
        }
    }
    Ok(())
}

/// Returns the share of moves of the loop that has most of them; `None` if the server does not
/// count them.
async fn largest_share(target: &Target, loops: u16) -> Result<Option<f64>> {
    let (mut largest, mut all) = (0.0_f64, 0.0);
    for number in 0..loops {
        let label = format!("loop=\"{number}\"");
        let moves = metrics::counter(target.address(), "adamant_room_loop_moves_total", &label);
        let Some(moves) = moves.await? else { return Ok(None) };
        (largest, all) = (largest.max(moves), all + moves);
    }
    Ok((all > 0.0).then(|| largest / all))
}
