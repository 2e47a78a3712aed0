//! Moves whose cost is counted instead of timed: the same scripts in every run, in a closed loop.

use std::time::Duration;

use anyhow::{Context as _, Result};
use futures::future::try_join_all;
use serde::Serialize;
use serde_json::json;

use super::{
    measurement::{Phase, measured},
    moves::{PLIES, Times, WARM_UP_PLIES, play_all, reseat_all, seat_all},
};
use crate::load::{
    count::{self, Profile},
    machine, metrics,
    peer::Peer,
    script::{Script, script, scripts},
    setup::{Pair, seat},
    target::{Conditions, Launch, Program, Target},
};

/// Moves of each game that callgrind counts.
const COUNTED_PLIES: usize = 20;

/// Games whose instructions are counted.
#[derive(Debug, Clone, Copy)]
pub struct CountedGames {
    /// The rules.
    pub kind: adamant_rules::Kind,
    /// Their options.
    pub options: &'static str,
    /// The number of games at once.
    pub games: usize,
    /// What the players ask for in `hello`.
    pub caps: &'static [&'static str],
}

/// Counts the server's instructions while these games are played. Returns the number of moves, too.
/// The server's metrics cannot be read: under valgrind the library that reads the limit of open
/// files for them fails.
pub async fn counted_instructions(launch: &Launch, of: CountedGames) -> Result<(Profile, u64)> {
    let conditions = Conditions { under_callgrind: true, ..Conditions::default() };
    let target = Target::start_under(conditions, Program::Adamant, launch)?;
    let scripts: Vec<_> = (0..)
        .take(of.games)
        .map(|number| script(of.kind, of.options, WARM_UP_PLIES + COUNTED_PLIES, number))
        .collect();
    let mut pairs = Vec::with_capacity(of.games);
    for (number, script) in scripts.iter().enumerate() {
        pairs.push(seat_with_caps(&target, number, script, of.caps).await?);
    }
    let pairs = play_all(pairs, WARM_UP_PLIES, &Times::new()).await?;
    target.settle().await?;
    let playing = async {
        let pairs = play_all(pairs, COUNTED_PLIES, &Times::new()).await?;
        // The last moves cost something after their events, too.
        target.settle().await?;
        Ok(pairs)
    };
    let (profile, _pairs) = count::count(target.pid(), target.directory()?, playing).await?;
    Ok((profile, (of.games * COUNTED_PLIES) as u64))
}

async fn seat_with_caps(
    target: &Target,
    number: usize,
    script: &Script,
    caps: &[&str],
) -> Result<Pair> {
    let greeted = [2 * number, 2 * number + 1].map(|number| async move {
        let mut peer = Peer::connect(target.address(), number).await?;
        let auth = json!({"guest": format!("g{number}")});
        peer.ask(&json!({"type":"hello","id":"h","proto":[1],"auth":auth,"caps":caps})).await?;
        anyhow::Ok(peer)
    });
    let peers = try_join_all(greeted).await?.try_into().ok().context("two players were seated")?;
    seat(target, peers, number, script).await
}

/// A closed loop whose wake-ups and commits are counted.
#[derive(Debug, Clone, Copy)]
pub struct ClosedLoop {
    /// The number of rooms.
    pub rooms: usize,
    /// How long it plays at least.
    pub lasts: Duration,
}

/// What the server counted in a closed loop, and its CPU time.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct LoopCounts {
    /// Acknowledged moves.
    pub moves: f64,
    /// Their duration in seconds.
    pub seconds: f64,
    /// The CPU time in user space, in microseconds.
    pub user_us: f64,
    /// The CPU time in the kernel, in microseconds.
    pub system_us: f64,
    /// How often the server's threads slept.
    pub sleeps: f64,
    /// How often the tasks that drive rooms were woken, if the server counts that.
    pub room_wakeups: Option<f64>,
    /// Committed transactions.
    pub commits: Option<f64>,
    /// Records in them.
    pub records: Option<f64>,
    /// The largest share of the machine that other processes used.
    pub background_load: f64,
}

/// The server's counters at one time.
#[derive(Debug)]
struct Counters {
    sleeps: u64,
    counted: [Option<f64>; 3],
}

impl Counters {
    async fn read(target: &Target) -> Result<Self> {
        let names = [
            "adamant_room_wakeups_total",
            "adamant_commits_total",
            "adamant_records_committed_total",
        ];
        let counted = metrics::values(target.address(), names).await?;
        Ok(Self { sleeps: machine::sleeps(target.pid())?, counted })
    }
}

/// Plays in a closed loop and counts.
pub async fn counted_loop(launch: &Launch, of: ClosedLoop) -> Result<LoopCounts> {
    let target = Target::start(Program::Adamant, launch)?;
    let scripts = scripts(PLIES);
    let mut pairs = seat_all(&target, of.rooms, &scripts).await?;
    let (mut phase, mut moves) = (Phase::nothing(), 0);
    let (mut sleeps, mut counted) = (0, [Some(0.0); 3]);
    while phase.took < of.lasts {
        pairs = play_all(pairs, WARM_UP_PLIES, &Times::new()).await?;
        let before = Counters::read(&target).await?;
        let plies = PLIES - WARM_UP_PLIES;
        let (played, back) = measured(&target, play_all(pairs, plies, &Times::new())).await?;
        let after = Counters::read(&target).await?;
        phase = phase.and(&played);
        moves += of.rooms * plies;
        sleeps += after.sleeps - before.sleeps;
        for ((sum, after), before) in counted.iter_mut().zip(after.counted).zip(before.counted) {
            *sum = sum.zip(after).zip(before).map(|((sum, after), before)| sum + after - before);
        }
        pairs = reseat_all(&target, back, &scripts).await?;
    }
    let [room_wakeups, commits, records] = counted;
    #[expect(clippy::cast_precision_loss, reason = "counts of work are far below 2^52")]
    Ok(LoopCounts {
        moves: moves as f64,
        seconds: phase.took.as_secs_f64(),
        user_us: phase.cpu.user_us as f64,
        system_us: phase.cpu.system_us as f64,
        sleeps: sleeps as f64,
        room_wakeups,
        commits,
        records,
        background_load: phase.background_load,
    })
}
