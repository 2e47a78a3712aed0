//! What the players of a loop's games notice while other clients ask much of the same loop.

use std::time::Duration;

use anyhow::Result;
use futures::future::try_join_all;

use super::{
    super::{
        measurement::{Bench, measured},
        moves::{Times, WARM_UP_PLIES, play, play_paced, seat_all},
    },
    heard::NoisyGames,
    noise::Noise,
    running::RunningNoise,
};
use crate::load::{
    metrics::{self, Buckets},
    report::Latency,
    script::{endless, scripts},
    setup::{Pair, pair},
    target::{Conditions, Program, Target},
    workload_names,
};

/// The games whose moves are measured: as many as one live list has.
const GAMES: usize = 200;

/// Their moves a second.
const PER_S: u32 = 400;

/// Moves of each game while the server is otherwise idle, and again under noise.
const PLIES: usize = 20;

/// Plies of the long games.
const LONG_PLIES: usize = 10_000;

/// Long games that are opened by turns: enough that each is parked again before its next turn.
const LONG_GAMES: usize = 4;

/// The number of the first long game's players.
const LONG_FROM: usize = 300_000;

/// How long a game without clients stays open.
const PARK_AFTER: Duration = Duration::from_millis(200);

/// The histogram of the loop's passes.
const PASSES: &str = "adamant_room_pass_seconds";

/// Measures moves on a server with one loop, first without other clients and then with this noise.
pub async fn interference(bench: &mut Bench<'_>, noise: Noise) -> Result<()> {
    let conditions =
        Conditions { loops: Some(1), park_after: Some(PARK_AFTER), ..Conditions::default() };
    let target = Target::start_under(conditions, Program::Adamant, bench.launch)?;
    let mut long = long_games(&target).await?;
    let pairs = seat_all(&target, GAMES, &scripts(WARM_UP_PLIES + 2 * PLIES)).await?;
    target.settle().await?;
    let pairs = play_paced(pairs, WARM_UP_PLIES, PER_S, &Times::new()).await?;
    let pairs = measure(bench, &target, pairs, &workload_names::quiet(noise.name())).await?;
    let games = NoisyGames {
        watched: pairs[0].game.clone(),
        paged: long.swap_remove(0),
        opened: long,
        plies: LONG_PLIES,
    };
    let running = RunningNoise::start(target.address(), noise, games).await?;
    measure(bench, &target, pairs, noise.name()).await?;
    for (what, count, unit) in running.stop().await?.figures() {
        bench.add(&format!("{}: {what}", noise.name()), Program::Adamant, count, unit);
    }
    Ok(())
}

/// Plays in all games at their pace and adds the latency of moves, and what the loop's passes took.
async fn measure(
    bench: &mut Bench<'_>,
    target: &Target,
    pairs: Vec<Pair>,
    name: &str,
) -> Result<Vec<Pair>> {
    let times = Times::new();
    let before = passes(target).await?;
    let (phase, pairs) = measured(target, play_paced(pairs, PLIES, PER_S, &times)).await?;
    let passes = passes(target).await?.since(&before);
    let latency = Latency::from(&times.borrow().ack);
    let moves = (pairs.len() * PLIES) as u64;
    bench.add_cpu(&workload_names::to_ack(name), Program::Adamant, &phase, moves, Some(latency));
    for (what, seconds) in [
        (workload_names::MEAN_PASS, passes.mean()),
        (workload_names::P99_PASS, passes.quantile(0.99)),
        (workload_names::LONGEST_PASS, passes.quantile(1.0)),
    ] {
        if let Some(seconds) = seconds {
            bench.add(&format!("{name}: {what}"), Program::Adamant, 1e6 * seconds, "us");
        }
    }
    Ok(pairs)
}

async fn passes(target: &Target) -> Result<Buckets> {
    metrics::buckets(target.address(), PASSES).await
}

/// Plays the long games, whose players then leave. Returns their ids.
async fn long_games(target: &Target) -> Result<Vec<String>> {
    let script = endless(LONG_PLIES);
    let times = Times::new();
    let playing = (0..=LONG_GAMES).map(|number| {
        let (script, times) = (&script, &times);
        async move {
            let pair = pair(target, LONG_FROM + number, script).await?;
            Ok(play(pair, LONG_PLIES, None, times).await?.game)
        }
    });
    try_join_all(playing).await
}
