//! The memory of idle sockets and of parked games.

use std::{ops::Range, time::Duration};

use anyhow::{Result, ensure};
use futures::future::try_join_all;
use serde_json::json;
use tokio::time::sleep;

use super::{measurement::Bench, moves::SETUP_AT_ONCE, rooms::GAMES_PER_PAIR, rooms::live_rooms};
use crate::load::{
    peer::Peer,
    setup::guest,
    target::{Conditions, Program, Target},
    workload_names,
};

/// How soon the games are parked.
const PARK_AFTER: Duration = Duration::from_secs(1);

/// How often to check whether all games are parked.
const LOOKS_MAX: u32 = 20;

/// Two sizes between which a slope is taken.
#[derive(Debug, Clone, Copy)]
pub struct Sizes {
    /// The smaller size.
    pub from: usize,
    /// The larger size.
    pub to: usize,
}

/// The memory of one more socket of a baseline that has joined a room.
pub async fn idle(bench: &mut Bench<'_>, program: Program, sockets: Sizes) -> Result<()> {
    let target = Target::start(program, bench.launch)?;
    sockets_of(bench, &target, 0, sockets, None).await.map(drop)
}

/// Connects sockets numbered from `first`, and adds the cost of one more between the two sizes.
pub(super) async fn sockets_of(
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
pub(super) async fn connect(
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
pub async fn parked(bench: &mut Bench<'_>, games: Sizes) -> Result<()> {
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
pub(super) fn kib(bytes: u64) -> f64 {
    bytes as f64 / 1024.0
}

#[expect(clippy::cast_precision_loss, reason = "a slope needs no more than three digits")]
pub(super) const fn count(count: usize) -> f64 {
    count as f64
}
