//! Moves in many rooms of two players. The real server validates, records and syncs each move
//! before its reply.

use std::{cell::RefCell, time::Duration};

use anyhow::Result;
use futures::future::try_join_all;
use hdrhistogram::Histogram;
use memchr::memmem::Finder;
use serde_json::json;
use tokio::time::{Instant, sleep_until};

use super::{Bench, Phase, measured};
use crate::{
    machine::{self, Cores},
    peer::{Pair, Script, pair, scripts, seat},
    report::{Latency, histogram},
    target::{self, Conditions, Host, Launch, Program, Target, can_slow_disk},
    workload_names,
};

/// Moves of one game: enough for a middle, and few enough that any random game will do.
pub(crate) const PLIES: usize = 40;

/// Moves of each game that warm both sides up.
pub(crate) const WARM_UP_PLIES: usize = 5;

/// The fewest moves of one measurement: the system counts CPU time in hundredths of a second.
pub(crate) const MOVES_MIN: usize = 60_000;

/// Sockets that connect at the same time.
pub(crate) const SETUP_AT_ONCE: usize = 64;

/// Rooms on a slow disk: each move waits for some flushes.
const SLOW_ROOMS: usize = 1_000;

/// Moves a second on a slow disk.
const SLOW_PER_S: u32 = 10_000;

/// The share of a rate that must be reached for it to count as kept.
const KEPT_MIN: f64 = 0.95;

/// The share of the highest rate that can be kept steadily.
const STEADY_SHARE: f64 = 0.8;

/// The latencies of moves.
#[derive(Debug)]
pub(crate) struct Times {
    /// From a move to its reply.
    pub(crate) ack: Histogram<u64>,
    /// From a move to its event at the other player.
    pub(crate) event: Histogram<u64>,
}

impl Times {
    pub(crate) fn new() -> RefCell<Self> {
        RefCell::new(Self { ack: histogram(), event: histogram() })
    }
}

pub(crate) fn micros_since(then: Instant) -> u64 {
    u64::try_from(then.elapsed().as_micros()).unwrap_or(u64::MAX)
}

/// Rooms in a closed loop: each moves again as soon as both players have received the move before.
pub(crate) async fn moves(bench: &mut Bench<'_>, program: Program, rooms: usize) -> Result<()> {
    let target = Target::start(program, bench.launch)?;
    let scripts = scripts(PLIES);
    let pairs = seat_all(&target, rooms, &scripts).await?;
    let (phase, count, times) = closed_loop(&target, pairs, &scripts, MOVES_MIN).await?;
    let latency = Latency::from(&times.ack);
    bench.add_cpu(&workload_names::moves(rooms), program, &phase, count, Some(latency));
    Ok(())
}

/// Plays in a closed loop until at least this many moves are measured. Returns their number, too.
pub(crate) async fn closed_loop(
    host: &impl Host,
    mut pairs: Vec<Pair>,
    scripts: &[Script],
    moves: usize,
) -> Result<(Phase, u64, Times)> {
    let (rooms, times) = (pairs.len(), Times::new());
    let (mut phase, mut count) = (Phase::nothing(), 0);
    loop {
        pairs = play_all(pairs, WARM_UP_PLIES, &Times::new()).await?;
        let plies = (moves - count).div_ceil(rooms).min(PLIES - WARM_UP_PLIES);
        let (played, back) = measured(host, play_all(pairs, plies, &times)).await?;
        phase = phase.and(&played);
        count += rooms * plies;
        if count >= moves {
            return Ok((phase, count as u64, times.into_inner()));
        }
        pairs = reseat_all(host, back, scripts).await?;
    }
}

pub(crate) async fn play_all(
    pairs: Vec<Pair>,
    plies: usize,
    times: &RefCell<Times>,
) -> Result<Vec<Pair>> {
    try_join_all(pairs.into_iter().map(|pair| play(pair, plies, None, times))).await
}

/// Rooms that together make this many moves a second, however fast the replies come; also measures
/// a flush on the same disk.
pub(crate) async fn paced_moves(bench: &mut Bench<'_>, rooms: usize, per_s: u32) -> Result<()> {
    let flush = target::flush_times(bench.launch, false)?;
    bench.add_disk(workload_names::FLUSH, flush.median_us);
    bench.add_disk(workload_names::FLUSH_P99, flush.p99_us);
    let target = Target::start(Program::Adamant, bench.launch)?;
    let pairs = seat_all(&target, rooms, &scripts(PLIES)).await?;
    pace(bench, &target, &workload_names::paced(per_s), pairs, per_s).await.map(drop)
}

/// The same on a slow disk, at a high rate and in a closed loop. If this machine cannot keep the
/// rate, also at a rate that it can keep.
pub(crate) async fn slow_disk(bench: &mut Bench<'_>) -> Result<()> {
    if !can_slow_disk() {
        bench.report.note("There is no strace here: the slow disk was not measured.");
        return Ok(());
    }
    let flush = target::flush_times(bench.launch, true)?;
    bench.add_disk(workload_names::SLOW_FLUSH, flush.median_us);
    let conditions = Conditions { slow_disk: true, ..Conditions::default() };
    let target = Target::start_under(conditions, Program::Adamant, bench.launch)?;
    let scripts = scripts(PLIES);
    let pairs = seat_all(&target, SLOW_ROOMS, &scripts).await?;
    let name = workload_names::slow_paced(SLOW_PER_S);
    let (reached, back) = pace(bench, &target, &name, pairs, SLOW_PER_S).await?;
    let mut pairs = reseat_all(&target, back, &scripts).await?;
    if reached < KEPT_MIN * f64::from(SLOW_PER_S) {
        bench.report.note(format!("{name}: this machine did not keep the pace."));
        let per_s = steady(reached);
        let name = workload_names::slow_paced(per_s);
        let (_, back) = pace(bench, &target, &name, pairs, per_s).await?;
        pairs = reseat_all(&target, back, &scripts).await?;
    }
    let (phase, count, times) = closed_loop(&target, pairs, &scripts, MOVES_MIN).await?;
    let latency = Latency::from(&times.ack);
    let name = workload_names::slow_moves(SLOW_ROOMS);
    bench.add_cpu(&name, Program::Adamant, &phase, count, Some(latency));
    Ok(())
}

/// Returns a rate that can be kept if `reached` is the highest: in whole thousands, so that rounds
/// can be compared.
fn steady(reached: f64) -> u32 {
    let paces = (1..SLOW_PER_S / 1_000).rev().map(|thousands| thousands * 1_000);
    paces.into_iter().find(|&pace| f64::from(pace) <= STEADY_SHARE * reached).unwrap_or(500)
}

/// Plays whole games at a rate and adds their cost. Returns the moves a second reached.
async fn pace(
    bench: &mut Bench<'_>,
    target: &Target,
    name: &str,
    pairs: Vec<Pair>,
    per_s: u32,
) -> Result<(f64, Vec<Pair>)> {
    let times = Times::new();
    let (phase, pairs) = measured(target, play_paced(pairs, PLIES, per_s, &times)).await?;
    let count = pairs.len() as u64 * PLIES as u64;
    let latency = Latency::from(&times.borrow().ack);
    bench.add_cpu(name, Program::Adamant, &phase, count, Some(latency));
    Ok((f64::from(u32::try_from(count)?) / phase.took.as_secs_f64(), pairs))
}

/// Plays in all rooms, which together make this many moves a second, however fast the replies come.
pub(crate) async fn play_paced(
    pairs: Vec<Pair>,
    plies: usize,
    per_s: u32,
    times: &RefCell<Times>,
) -> Result<Vec<Pair>> {
    let rooms = u32::try_from(pairs.len())?;
    let every = Duration::from_secs(1) * rooms / per_s;
    let begin = Instant::now() + Duration::from_millis(50);
    let playing = pairs.into_iter().zip(0..).map(|(pair, number)| {
        let pace = Pace { due: begin + every * number / rooms, every };
        play(pair, plies, Some(pace), times)
    });
    try_join_all(playing).await
}

/// Seats pairs, a few at a time.
pub(crate) async fn seat_all(
    host: &impl Host,
    rooms: usize,
    scripts: &[Script],
) -> Result<Vec<Pair>> {
    let mut pairs = Vec::with_capacity(rooms);
    for chunk in (0..rooms).collect::<Vec<_>>().chunks(SETUP_AT_ONCE) {
        let seated =
            chunk.iter().map(|&number| pair(host, number, &scripts[number % scripts.len()]));
        pairs.extend(try_join_all(seated).await?);
    }
    Ok(pairs)
}

/// Resigns all games and starts new ones between the same sockets.
pub(crate) async fn reseat_all(
    host: &impl Host,
    pairs: Vec<Pair>,
    scripts: &[Script],
) -> Result<Vec<Pair>> {
    let mut again = Vec::with_capacity(pairs.len());
    let mut pairs = pairs.into_iter().enumerate().peekable();
    while pairs.peek().is_some() {
        let chunk = pairs
            .by_ref()
            .take(SETUP_AT_ONCE)
            .map(|(number, pair)| reseat(host, pair, number, &scripts[number % scripts.len()]));
        again.extend(try_join_all(chunk.collect::<Vec<_>>()).await?);
    }
    Ok(again)
}

/// Resigns a pair's game and starts a new one. On a baseline the pair stays in its room.
pub(crate) async fn reseat(
    host: &impl Host,
    mut pair: Pair,
    number: usize,
    script: &Script,
) -> Result<Pair> {
    if host.program() != Program::Adamant {
        return Ok(Pair { sent: 0, ..pair });
    }
    pair.peers[0].ask(&json!({"type":"resign","id":"r","game":pair.game})).await?;
    for peer in &mut pair.peers {
        peer.text_with(&Finder::new(r#""kind":"ended""#)).await?;
    }
    seat(host, pair.peers, number, script).await
}

/// When a pair moves.
pub(crate) struct Pace {
    due: Instant,
    every: Duration,
}

/// Plays the next moves of a pair's game: a move, its reply, and its event at the other player.
pub(crate) async fn play(
    mut pair: Pair,
    plies: usize,
    mut pace: Option<Pace>,
    times: &RefCell<Times>,
) -> Result<Pair> {
    let is_real = !pair.game.is_empty();
    let (ok, moved) = (Finder::new(r#""type":"ok""#), Finder::new(r#""kind":"moved""#));
    let anything = Finder::new("");
    let (answer, arrival) = if is_real { (&ok, &moved) } else { (&anything, &anything) };
    for (mover, frame) in pair.frames.iter().skip(pair.sent).take(plies) {
        let mut begun = Instant::now();
        if let Some(Pace { due, every }) = &mut pace {
            // A late move counts as waiting from the time it was due. The timer is exact to a
            // millisecond, and its delay is not the server's.
            if *due > begun {
                sleep_until(*due).await;
                begun = Instant::now();
            } else {
                begun = *due;
            }
            *due += *every;
        }
        pair.peers[*mover].send_frame(frame).await?;
        pair.peers[*mover].text_with(answer).await?;
        times.borrow_mut().ack.saturating_record(micros_since(begun));
        // The mover receives the event, too, and skips it at its next read.
        pair.peers[1 - *mover].text_with(arrival).await?;
        times.borrow_mut().event.saturating_record(micros_since(begun));
    }
    pair.sent += plies;
    Ok(pair)
}

/// Measures a closed loop on a server with one loop on one core, and on one with two loops on two
/// cores. The load client shares the cores of both.
pub(crate) async fn loops(bench: &mut Bench<'_>, rooms: usize) -> Result<()> {
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
        let moves = machine::counter(target.address(), "adamant_room_loop_moves_total", &label);
        let Some(moves) = moves.await? else { return Ok(None) };
        (largest, all) = (largest.max(moves), all + moves);
    }
    Ok((all > 0.0).then(|| largest / all))
}
