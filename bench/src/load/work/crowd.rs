//! W3: a full server. Idle sockets and live rooms at once, a game played among them, and what is
//! given back when everybody has left, three times over.

use std::time::Duration;

use anyhow::Result;
use tokio::time::sleep;

use super::{
    Bench,
    idle::{Sizes, connect, count, kib, sockets_of},
    measured,
    moves::{PLIES, Times, play, reseat},
    rooms::{Table, give_up, live_rooms},
};
use crate::load::{
    machine::open_files,
    report::Latency,
    script::{Script, scripts},
    seating::{Pair, begin_game, guest, pair},
    subject::{Conditions, Program, Subject},
    workload,
};

/// How often everybody comes and leaves.
const WAVES: usize = 3;

/// Games that are played one after the other to time moves: enough moves for a 99th percentile.
const GAMES: usize = 50;

/// Moves of each.
const MOVES: usize = GAMES * PLIES;

/// The numbers that sockets of one wave may have.
const NUMBERS_PER_WAVE: usize = 20_000;

/// How full the server is to be.
#[derive(Debug, Clone, Copy)]
pub struct Crowd {
    /// Idle sockets.
    pub sockets: Sizes,
    /// Live rooms.
    pub rooms: Sizes,
    /// How long an empty room stays. While there are many, each is looked at as often.
    pub park_after: Duration,
}

impl Crowd {
    /// What shows in a minute whether all is well.
    pub const SHORT: Self = Self {
        sockets: Sizes { from: 1_000, to: 5_000 },
        rooms: Sizes { from: 500, to: 2_000 },
        park_after: Duration::from_secs(4),
    };

    /// As many sockets as a process may open where it may open 20,000 files, and as many rooms.
    pub const FULL: Self = Self {
        sockets: Sizes { from: 2_000, to: 18_000 },
        rooms: Sizes { from: 5_000, to: 20_000 },
        park_after: Duration::from_secs(20),
    };
}

/// The pair that plays among the others, from the first wave to the last.
#[derive(Debug)]
struct Probe {
    pair: Option<Pair>,
    scripts: Vec<Script>,
    played: usize,
}

/// Fills the server and empties it again, three times.
pub async fn crowd(bench: &mut Bench<'_>, crowd: Crowd) -> Result<()> {
    let conditions = Conditions { park_after: Some(crowd.park_after), ..Conditions::default() };
    let subject = Subject::start_under(conditions, Program::Adamant, bench.launch)?;
    let scripts = scripts(PLIES);
    let pair = pair(&subject, 0, &scripts[0]).await?;
    let mut probe = Probe { pair: Some(pair), scripts, played: 0 };
    // Somebody is always at this game, which the idle sockets watch.
    let mut hosts = [guest(&subject, 2).await?, guest(&subject, 3).await?];
    let [one, other] = &mut hosts;
    let watched = begin_game(one, other, "adamas", None).await?;
    probe.play(bench, &subject, None).await?;
    probe.play(bench, &subject, Some([workload::ACK_ALONE, workload::EVENT_ALONE])).await?;
    let mut files = Vec::with_capacity(WAVES);
    for wave in 0..WAVES {
        let first = 10 + wave * NUMBERS_PER_WAVE;
        let sockets = match wave {
            0 => sockets_of(bench, &subject, first, crowd.sockets, Some(&watched)).await?,
            _ => connect(&subject, first..first + crowd.sockets.to, Some(&watched)).await?,
        };
        let tables = fill(bench, &subject, crowd, wave).await?;
        if wave == 0 {
            probe.play(bench, &subject, Some(CROWDED)).await?;
        }
        bench.report.note(format!(
            "W3: {} sockets were open at once, {} of them at {} live rooms.",
            open_files(std::process::id().try_into()?)?,
            2 * tables.len(),
            crowd.rooms.to
        ));
        give_up(tables).await?;
        drop(sockets);
        // A room that was looked at just before stays for as long once more.
        sleep(2 * crowd.park_after).await;
        subject.settle().await?;
        files.push(subject.open_files()?);
        let memory = kib(subject.memory_bytes()?) / 1024.0;
        bench.enter(&workload::memory_after(wave + 1), Program::Adamant, memory, "MiB");
    }
    // The first wave opens what the server keeps open for whoever comes next: its readers.
    let kept = count(files[WAVES - 1].saturating_sub(files[0]));
    bench.enter(workload::DESCRIPTORS_KEPT, Program::Adamant, kept, "files");
    Ok(())
}

const CROWDED: [&str; 2] = [workload::ACK_CROWDED, workload::EVENT_CROWDED];

/// Begins the live rooms of a wave. In the first one, enters what one more of them costs.
async fn fill(
    bench: &mut Bench<'_>,
    subject: &Subject,
    crowd: Crowd,
    wave: usize,
) -> Result<Vec<Table>> {
    let Sizes { from, to } = crowd.rooms;
    let first = wave * to;
    let mut tables = live_rooms(subject, from, first, None).await?;
    let before = subject.memory_bytes()?;
    tables.extend(live_rooms(subject, to - from, first + from, None).await?);
    if wave == 0 {
        let grown = kib(subject.memory_bytes()?.saturating_sub(before)) / count(to - from);
        let name = format!("{}, {from} to {to}", workload::LIVE_ROOM);
        bench.enter(&name, Program::Adamant, grown, "KiB/room");
    }
    Ok(tables)
}

impl Probe {
    /// Plays games one after the other, and enters how long moves took.
    async fn play(
        &mut self,
        bench: &mut Bench<'_>,
        subject: &Subject,
        names: Option<[&str; 2]>,
    ) -> Result<()> {
        let times = Times::new();
        let (phase, ()) = measured(subject, async {
            for _ in 0..GAMES {
                let script = &self.scripts[self.played % self.scripts.len()];
                let pair = self.pair.take().expect("it is put back after each game");
                let pair = reseat(subject, pair, 0, script).await?;
                self.pair = Some(play(pair, PLIES, None, &times).await?);
                self.played += 1;
            }
            Ok(())
        })
        .await?;
        let times = times.into_inner();
        let latencies = [&times.ack, &times.event].map(Latency::from);
        for (name, latency) in names.into_iter().flatten().zip(latencies) {
            bench.enter_cpu(name, Program::Adamant, &phase, MOVES as u64, Some(latency));
        }
        Ok(())
    }
}
