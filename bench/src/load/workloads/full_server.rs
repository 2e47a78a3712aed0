//! A full server: idle sockets and live rooms at once, a game played among them, and what the
//! server keeps when all clients have left, three times over.

use std::time::Duration;

use anyhow::Result;
use tokio::time::sleep;

use super::{
    idle::{Sizes, connect, count, kib, sockets_of},
    measurement::{Bench, measured},
    moves::{PLIES, Times, play, reseat},
    rooms::{HostedGames, live_rooms, resign_all},
};
use crate::load::{
    machine::open_files,
    report::Latency,
    script::{Script, scripts},
    setup::{Pair, begin_game, guest, pair},
    target::{Conditions, Program, Target},
    workload_names,
};

/// How often all clients connect and leave.
const WAVES: usize = 3;

/// Games played one after the other to time moves: enough moves for a 99th percentile.
const GAMES: usize = 50;

/// All moves of these games.
const MOVES: usize = GAMES * PLIES;

/// The numbers reserved for the sockets of one wave.
const NUMBERS_PER_WAVE: usize = 20_000;

/// The size of the load.
#[derive(Debug, Clone, Copy)]
pub struct FullServer {
    /// Idle sockets.
    pub sockets: Sizes,
    /// Live rooms.
    pub rooms: Sizes,
    /// How long an empty room stays open, and how often each room is checked.
    pub park_after: Duration,
}

impl FullServer {
    /// Shows within a minute whether all is well.
    pub const SHORT: Self = Self {
        sockets: Sizes { from: 1_000, to: 5_000 },
        rooms: Sizes { from: 500, to: 2_000 },
        park_after: Duration::from_secs(4),
    };

    /// As many sockets as a process with 20,000 files can open, and as many rooms.
    pub const FULL: Self = Self {
        sockets: Sizes { from: 2_000, to: 18_000 },
        rooms: Sizes { from: 5_000, to: 20_000 },
        park_after: Duration::from_secs(20),
    };
}

/// The pair that plays among the others in all waves.
#[derive(Debug)]
struct Probe {
    pair: Option<Pair>,
    scripts: Vec<Script>,
    played: usize,
}

/// Fills the server and empties it again, three times.
pub async fn full_server(bench: &mut Bench<'_>, sizes: FullServer) -> Result<()> {
    let conditions = Conditions { park_after: Some(sizes.park_after), ..Conditions::default() };
    let target = Target::start_under(conditions, Program::Adamant, bench.launch)?;
    let scripts = scripts(PLIES);
    let pair = pair(&target, 0, &scripts[0]).await?;
    let mut probe = Probe { pair: Some(pair), scripts, played: 0 };
    // This game always has its players; the idle sockets watch it.
    let mut hosts = [guest(&target, 2).await?, guest(&target, 3).await?];
    let [one, other] = &mut hosts;
    let watched = begin_game(one, other, ("adamas", ""), None).await?;
    probe.play(bench, &target, None).await?;
    probe
        .play(bench, &target, Some([workload_names::ACK_ALONE, workload_names::EVENT_ALONE]))
        .await?;
    let mut files = Vec::with_capacity(WAVES);
    for wave in 0..WAVES {
        let first = 10 + wave * NUMBERS_PER_WAVE;
        let sockets = match wave {
            0 => sockets_of(bench, &target, first, sizes.sockets, Some(&watched)).await?,
            _ => connect(&target, first..first + sizes.sockets.to, Some(&watched)).await?,
        };
        let tables = fill(bench, &target, sizes, wave).await?;
        if wave == 0 {
            probe.play(bench, &target, Some(FULL)).await?;
        }
        bench.report.note(format!(
            "full server: {} sockets were open at once, {} of them at {} live rooms.",
            open_files(std::process::id().try_into()?)?,
            2 * tables.len(),
            sizes.rooms.to
        ));
        resign_all(tables).await?;
        drop(sockets);
        // A room that was checked just before stays open for another period.
        sleep(2 * sizes.park_after).await;
        target.settle().await?;
        files.push(target.open_files()?);
        let memory = kib(target.memory_bytes()?) / 1024.0;
        bench.add(&workload_names::memory_after(wave + 1), Program::Adamant, memory, "MiB");
    }
    // The first wave opens descriptors that the server keeps for later clients: its database
    // readers.
    let kept = count(files[WAVES - 1].saturating_sub(files[0]));
    bench.add(workload_names::DESCRIPTORS_KEPT, Program::Adamant, kept, "files");
    Ok(())
}

const FULL: [&str; 2] = [workload_names::ACK_FULL, workload_names::EVENT_FULL];

/// Starts the live rooms of a wave. In the first wave, adds the cost of one more room.
async fn fill(
    bench: &mut Bench<'_>,
    target: &Target,
    sizes: FullServer,
    wave: usize,
) -> Result<Vec<HostedGames>> {
    let Sizes { from, to } = sizes.rooms;
    let first = wave * to;
    let mut tables = live_rooms(target, from, first, None).await?;
    let before = target.memory_bytes()?;
    tables.extend(live_rooms(target, to - from, first + from, None).await?);
    if wave == 0 {
        let grown = kib(target.memory_bytes()?.saturating_sub(before)) / count(to - from);
        let name = format!("{}, {from} to {to}", workload_names::LIVE_ROOM);
        bench.add(&name, Program::Adamant, grown, "KiB/room");
    }
    Ok(tables)
}

impl Probe {
    /// Plays games one after the other, and adds the latency of their moves.
    async fn play(
        &mut self,
        bench: &mut Bench<'_>,
        target: &Target,
        names: Option<[&str; 2]>,
    ) -> Result<()> {
        let times = Times::new();
        let (phase, ()) = measured(target, async {
            for _ in 0..GAMES {
                let script = &self.scripts[self.played % self.scripts.len()];
                let pair = self.pair.take().expect("it is put back after each game");
                let pair = reseat(target, pair, 0, script).await?;
                self.pair = Some(play(pair, PLIES, None, &times).await?);
                self.played += 1;
            }
            Ok(())
        })
        .await?;
        let times = times.into_inner();
        let latencies = [&times.ack, &times.event].map(Latency::from);
        for (name, latency) in names.into_iter().flatten().zip(latencies) {
            bench.add_cpu(name, Program::Adamant, &phase, MOVES as u64, Some(latency));
        }
        Ok(())
    }
}
