//! W3: memory of sockets that only are there, and of games that nobody is at.

use std::{ops::Range, time::Duration};

use anyhow::{Result, ensure};
use futures::future::try_join_all;
use serde_json::json;
use tokio::time::sleep;

use super::{Bench, moves::SETUP_AT_ONCE, rooms::GAMES_PER_PAIR, rooms::live_rooms};
use crate::load::{
    peer::Peer,
    seating::guest,
    subject::{Conditions, Program, Subject},
    workload,
};

/// How soon games are parked that are to be parked.
const PARK_AFTER: Duration = Duration::from_secs(1);

/// How often it is looked whether all games are parked.
const LOOKS_MAX: u32 = 20;

/// Two sizes between which a slope is taken.
#[derive(Debug, Clone, Copy)]
pub struct Sizes {
    /// From so many.
    pub from: usize,
    /// To so many.
    pub to: usize,
}

/// Sockets of a baseline that have joined a room: what one more of them costs.
pub async fn idle(bench: &mut Bench<'_>, program: Program, sockets: Sizes) -> Result<()> {
    let subject = Subject::start(program, bench.launch)?;
    sockets_of(bench, &subject, 0, sockets, None).await.map(drop)
}

/// Connects sockets numbered from `first`, and enters what one more of them costs between the
/// two sizes.
pub(super) async fn sockets_of(
    bench: &mut Bench<'_>,
    subject: &Subject,
    first: usize,
    sockets: Sizes,
    game: Option<&str>,
) -> Result<Vec<Peer>> {
    let mut peers = connect(subject, first..first + sockets.from, game).await?;
    let before = subject.memory_bytes()?;
    peers.extend(connect(subject, first + sockets.from..first + sockets.to, game).await?);
    let after = subject.memory_bytes()?;
    let slope = kib(after.saturating_sub(before)) / count(sockets.to - sockets.from);
    let name = format!("{}, {} to {}", workload::SOCKET, sockets.from, sockets.to);
    bench.enter(&name, subject.program, slope, "KiB/socket");
    Ok(peers)
}

/// Connects so many, a few at a time: guests on the real server, who watch the game if there is
/// one, and on a baseline sockets that join one room.
pub(super) async fn connect(
    subject: &Subject,
    numbers: Range<usize>,
    game: Option<&str>,
) -> Result<Vec<Peer>> {
    let mut peers = Vec::with_capacity(numbers.len());
    for chunk in numbers.collect::<Vec<_>>().chunks(SETUP_AT_ONCE) {
        let connecting = chunk.iter().map(|&number| async move {
            let mut peer = guest(subject, number).await?;
            if let Some(game) = game {
                peer.ask(&json!({"type":"watch","id":"w","game":game})).await?;
            } else if subject.program != Program::Adamant {
                peer.send("room").await?;
                peer.text().await?;
            }
            anyhow::Ok(peer)
        });
        peers.extend(try_join_all(connecting).await?);
    }
    Ok(peers)
}

/// Games with a clock that everybody has left: what a server that has just been started needs for
/// one more of them. (In one that has not, the memory that their rooms had would hide it.)
pub async fn parked(bench: &mut Bench<'_>, games: Sizes) -> Result<()> {
    let conditions = Conditions { park_after: Some(PARK_AFTER), ..Conditions::default() };
    let subject = Subject::start_under(conditions, Program::Adamant, bench.launch)?;
    let (subject, before) = park(bench, subject, 0, games.from).await?;
    let (_subject, after) = park(bench, subject, games.from, games.to).await?;
    #[expect(clippy::cast_precision_loss, reason = "a slope needs no more than three digits")]
    let grown = after.saturating_sub(before) as f64;
    let name = format!("{}, {} to {}", workload::PARKED_GAME, games.from, games.to);
    bench.enter(&name, Program::Adamant, grown / count(games.to - games.from), "bytes/game");
    Ok(())
}

/// Parks more games until there are so many, and starts the server again. Says how many bytes of
/// memory it then needs.
async fn park(
    bench: &Bench<'_>,
    subject: Subject,
    there: usize,
    games: usize,
) -> Result<(Subject, u64)> {
    let clock = json!({"mode":"days","per_move_days":30});
    let first = there.div_ceil(GAMES_PER_PAIR);
    drop(live_rooms(&subject, games - there, first, Some(&clock)).await?);
    let mut subject = subject;
    for _ in 0..LOOKS_MAX {
        sleep(2 * PARK_AFTER).await;
        subject.settle().await?;
        subject = subject.crash_and_restart(bench.launch)?.0;
        if subject.recovered().live == 0 {
            break;
        }
    }
    let found = subject.recovered();
    ensure!(found.live == 0 && found.parked == games, "{games} games were to be parked: {found:?}");
    subject.settle().await?;
    let memory = subject.memory_bytes()?;
    Ok((subject, memory))
}

#[expect(clippy::cast_precision_loss, reason = "a slope needs no more than three digits")]
pub(super) fn kib(bytes: u64) -> f64 {
    bytes as f64 / 1024.0
}

#[expect(clippy::cast_precision_loss, reason = "a slope needs no more than three digits")]
pub(super) const fn count(count: usize) -> f64 {
    count as f64
}
