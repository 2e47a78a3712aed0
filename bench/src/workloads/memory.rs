//! The memory of idle sockets and of parked games.

use std::{ops::Range, time::Duration};

use anyhow::{Result, ensure};
use futures::future::try_join_all;
use memchr::memmem::Finder;
use serde_json::{Value, json};
use tokio::time::sleep;

use super::{
    Bench, measured,
    moves::{PLIES, SETUP_AT_ONCE, Times, play, reseat},
};
use crate::{
    machine::open_files,
    peer::{Pair, Peer, Script, begin_game, guest, pair, scripts},
    report::Latency,
    target::{Conditions, Program, Target},
    workload_names,
};

/// How soon the games are parked.
const PARK_AFTER: Duration = Duration::from_secs(1);

/// How often to check whether all games are parked.
const LOOKS_MAX: u32 = 20;

/// Two sizes between which a slope is taken.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sizes {
    /// The smaller size.
    pub(crate) from: usize,
    /// The larger size.
    pub(crate) to: usize,
}

/// The memory of one more socket of a baseline that has joined a room.
pub(crate) async fn idle(bench: &mut Bench<'_>, program: Program, sockets: Sizes) -> Result<()> {
    let target = Target::start(program, bench.launch)?;
    sockets_of(bench, &target, 0, sockets, None).await.map(drop)
}

/// Connects sockets numbered from `first`, and adds the cost of one more between the two sizes.
pub(crate) async fn sockets_of(
    bench: &mut Bench<'_>,
    target: &Target,
    first: usize,
    sockets: Sizes,
    game: Option<&str>,
) -> Result<Vec<Peer>> {
    let mut peers = connect(target, first..first + sockets.from, game).await?;
    let before = target.memory_bytes()?;
    peers.extend(connect(target, first + sockets.from..first + sockets.to, game).await?);
    let after = target.memory_bytes()?;
    let slope = kib(after.saturating_sub(before)) / count(sockets.to - sockets.from);
    let name = format!("{}, {} to {}", workload_names::SOCKET, sockets.from, sockets.to);
    bench.add(&name, target.program, slope, "KiB/socket");
    Ok(peers)
}

/// Connects sockets, a few at a time: guests of the real server, who watch the game if there is
/// one, or sockets of a baseline that join one room.
pub(crate) async fn connect(
    target: &Target,
    numbers: Range<usize>,
    game: Option<&str>,
) -> Result<Vec<Peer>> {
    let mut peers = Vec::with_capacity(numbers.len());
    for chunk in numbers.collect::<Vec<_>>().chunks(SETUP_AT_ONCE) {
        let connecting = chunk.iter().map(|&number| async move {
            let mut peer = guest(target, number).await?;
            if let Some(game) = game {
                peer.ask(&json!({"type":"watch","id":"w","game":game})).await?;
            } else if target.program != Program::Adamant {
                peer.send("room").await?;
                peer.text().await?;
            }
            anyhow::Ok(peer)
        });
        peers.extend(try_join_all(connecting).await?);
    }
    Ok(peers)
}

/// The memory of one more parked game with a clock, on a restarted server. Without the restart, the
/// freed memory of rooms would hide it.
pub(crate) async fn parked(bench: &mut Bench<'_>, games: Sizes) -> Result<()> {
    let conditions = Conditions { park_after: Some(PARK_AFTER), ..Conditions::default() };
    let target = Target::start_under(conditions, Program::Adamant, bench.launch)?;
    let (target, before) = park(bench, target, 0, games.from).await?;
    let (_subject, after) = park(bench, target, games.from, games.to).await?;
    #[expect(clippy::cast_precision_loss, reason = "a slope needs no more than three digits")]
    let grown = after.saturating_sub(before) as f64;
    let name = format!("{}, {} to {}", workload_names::PARKED_GAME, games.from, games.to);
    bench.add(&name, Program::Adamant, grown / count(games.to - games.from), "bytes/game");
    Ok(())
}

/// Parks games until there are this many, and restarts the server. Returns the memory that it then
/// needs, in bytes.
async fn park(
    bench: &Bench<'_>,
    target: Target,
    there: usize,
    games: usize,
) -> Result<(Target, u64)> {
    let clock = json!({"mode":"days","per_move_days":30});
    let first = there.div_ceil(GAMES_PER_PAIR);
    drop(live_rooms(&target, games - there, first, Some(&clock)).await?);
    let mut target = target;
    for _ in 0..LOOKS_MAX {
        sleep(2 * PARK_AFTER).await;
        target.settle().await?;
        target = target.crash_and_restart(bench.launch)?.0;
        if target.recovered().live == 0 {
            break;
        }
    }
    let found = target.recovered();
    ensure!(found.live == 0 && found.parked == games, "{games} games were to be parked: {found:?}");
    target.settle().await?;
    let memory = target.memory_bytes()?;
    Ok((target, memory))
}

#[expect(clippy::cast_precision_loss, reason = "a slope needs no more than three digits")]
pub(crate) fn kib(bytes: u64) -> f64 {
    bytes as f64 / 1024.0
}

#[expect(clippy::cast_precision_loss, reason = "a slope needs no more than three digits")]
pub(crate) const fn count(count: usize) -> f64 {
    count as f64
}

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
pub(crate) struct FullServer {
    pub(crate) sockets: Sizes,
    /// Live rooms.
    pub(crate) rooms: Sizes,
    /// How long an empty room stays open, and how often each room is checked.
    pub(crate) park_after: Duration,
}

impl FullServer {
    /// Shows within a minute whether all is well. The records of the smaller number of rooms fill the
    /// store's cache, or it would count as memory of the rooms.
    pub(crate) const SHORT: Self = Self {
        sockets: Sizes { from: 1_000, to: 5_000 },
        rooms: Sizes { from: 2_000, to: 4_000 },
        park_after: Duration::from_secs(4),
    };

    /// As many sockets as a process with 20,000 files can open, and as many rooms.
    pub(crate) const FULL: Self = Self {
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
pub(crate) async fn full_server(bench: &mut Bench<'_>, sizes: FullServer) -> Result<()> {
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

/// The memory of one more live room in the middle of a game. On a server of its own, since freed
/// memory would hide it.
pub(crate) async fn long_rooms(bench: &mut Bench<'_>, rooms: Sizes) -> Result<()> {
    let Sizes { from, to } = rooms;
    let target = Target::start(Program::Adamant, bench.launch)?;
    let mut tables = rooms_at(LONG_ROOM_PLIES, &target, from, 0, None).await?;
    let before = target.memory_bytes()?;
    tables.extend(rooms_at(LONG_ROOM_PLIES, &target, to - from, from, None).await?);
    let grown = kib(target.memory_bytes()?.saturating_sub(before)) / count(to - from);
    let name = format!("{}, {from} to {to}", workload_names::LONG_ROOM);
    bench.add(&name, Program::Adamant, grown, "KiB/room");
    Ok(())
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

/// Games that one user may have at once on the server, with room to spare.
pub(crate) const GAMES_PER_PAIR: usize = 150;

/// Moves of each game.
const ROOM_PLIES: usize = 8;

/// Moves of each longer game.
const LONG_ROOM_PLIES: usize = 40;

/// The number of the first user; each pair takes two.
const USERS_FROM: usize = 200_000;

/// Two users and the games between them.
#[derive(Debug)]
pub(crate) struct HostedGames {
    peers: [Peer; 2],
    games: Vec<String>,
}

/// Starts live games of all kinds, with some moves each, among few users who stay connected.
/// `first` is the number of the first pair, so that later calls use other users.
pub(crate) async fn live_rooms(
    target: &Target,
    rooms: usize,
    first: usize,
    clock: Option<&Value>,
) -> Result<Vec<HostedGames>> {
    rooms_at(ROOM_PLIES, target, rooms, first, clock).await
}

async fn rooms_at(
    plies: usize,
    target: &Target,
    rooms: usize,
    first: usize,
    clock: Option<&Value>,
) -> Result<Vec<HostedGames>> {
    let scripts = scripts(plies);
    let mut tables = Vec::new();
    for pair in 0..rooms.div_ceil(GAMES_PER_PAIR) {
        let number = USERS_FROM + 2 * (first + pair);
        let peers = [guest(target, number).await?, guest(target, number + 1).await?];
        let games = GAMES_PER_PAIR.min(rooms - pair * GAMES_PER_PAIR);
        tables.push((HostedGames { peers, games: Vec::with_capacity(games) }, games));
    }
    let beginning = tables.into_iter().map(|(mut table, games)| {
        let scripts = &scripts;
        async move {
            for number in 0..games {
                table.begin(&scripts[number % scripts.len()], clock).await?;
            }
            anyhow::Ok(table)
        }
    });
    some_at_once(beginning).await
}

/// Resigns all games and disconnects.
pub(crate) async fn resign_all(tables: Vec<HostedGames>) -> Result<()> {
    some_at_once(tables.into_iter().map(HostedGames::resign_all)).await.map(drop)
}

async fn some_at_once<T>(
    all: impl IntoIterator<Item = impl Future<Output = Result<T>>>,
) -> Result<Vec<T>> {
    let mut done = Vec::new();
    let mut all = all.into_iter().peekable();
    while all.peek().is_some() {
        let some: Vec<_> = all.by_ref().take(SETUP_AT_ONCE).collect();
        done.extend(try_join_all(some).await?);
    }
    Ok(done)
}

impl HostedGames {
    async fn begin(&mut self, script: &Script, clock: Option<&Value>) -> Result<()> {
        let [one, other] = &mut self.peers;
        let game = begin_game(one, other, (script.kind.name(), script.options), clock).await?;
        for (turn, (mover, notation)) in script.moves.iter().enumerate() {
            let id = format!("{game}:{turn}");
            let request = json!({"type":"move","id":id,"game":game,"turn":turn,"move":notation});
            self.peers[*mover].ask(&request).await?;
        }
        self.games.push(game);
        Ok(())
    }

    async fn resign_all(mut self) -> Result<()> {
        let ended = Finder::new(r#""kind":"ended""#);
        for game in &self.games {
            self.peers[0].ask(&json!({"type":"resign","id":"r","game":game})).await?;
            self.peers[1].text_with(&ended).await?;
        }
        Ok(())
    }
}
