//! W3: memory of sockets that only are there, and of rooms where nothing happens.

use anyhow::Result;
use futures::future::try_join_all;
use serde_json::json;

use super::{Bench, moves::SETUP_AT_ONCE};
use crate::load::{
    peer::Peer,
    script::scripts,
    seating::{begin_game, guest},
    subject::{Program, Subject},
};

/// Games that one user may have at once on the server, with room to spare.
const GAMES_PER_PAIR: usize = 150;

/// Sockets that have said hello and, on the real server, watch a game; what one more of them costs
/// between a first thousand or so and all. Then, on the real server, the same for live rooms.
pub async fn idle(
    bench: &mut Bench<'_>,
    program: Program,
    sockets: usize,
    rooms: usize,
) -> Result<()> {
    let subject = Subject::start(program, bench.launch)?;
    let mut players = [guest(&subject, 0).await?, guest(&subject, 1).await?];
    let game = match program {
        Program::Adamant => {
            let [one, other] = &mut players;
            Some(begin_game(one, other, "adamas").await?)
        }
        Program::Relay | Program::Raw => None,
    };
    let first = sockets / 9;
    let mut peers = connect(&subject, 10..10 + first, game.as_deref()).await?;
    let before = subject.memory_bytes()?;
    peers.extend(connect(&subject, 10 + first..10 + sockets, game.as_deref()).await?);
    let after = subject.memory_bytes()?;
    let slope = kib(after.saturating_sub(before)) / count(sockets - first);
    bench.enter(&format!("W3 idle, {sockets} sockets"), program, slope, "KiB/socket");
    drop(peers);
    if program == Program::Adamant && rooms > 0 {
        let before = subject.memory_bytes()?;
        live_rooms(&subject, rooms).await?;
        let grown = kib(subject.memory_bytes()?.saturating_sub(before)) / count(rooms);
        bench.enter(&format!("W3 idle, {rooms} live rooms"), program, grown, "KiB/room");
    }
    Ok(())
}

#[expect(clippy::cast_precision_loss, reason = "a slope needs no more than three digits")]
fn kib(bytes: u64) -> f64 {
    bytes as f64 / 1024.0
}

#[expect(clippy::cast_precision_loss, reason = "a slope needs no more than three digits")]
const fn count(count: usize) -> f64 {
    count as f64
}

/// Connects guests with these numbers; they watch the game, if there is one.
pub(super) async fn connect(
    subject: &Subject,
    numbers: std::ops::Range<usize>,
    game: Option<&str>,
) -> Result<Vec<Peer>> {
    let mut peers = Vec::with_capacity(numbers.len());
    for chunk in numbers.collect::<Vec<_>>().chunks(SETUP_AT_ONCE) {
        let connecting = chunk.iter().map(|&number| async move {
            let mut peer = guest(subject, number).await?;
            if let Some(game) = game {
                peer.ask(&json!({"type":"watch","id":"w","game":game})).await?;
            } else if subject.program != Program::Adamant {
                peer.send(&format!("room {number}")).await?;
                peer.text().await?;
            }
            anyhow::Ok(peer)
        });
        peers.extend(try_join_all(connecting).await?);
    }
    Ok(peers)
}

/// Begins so many games, of all kinds and some moves each, among few users who stay connected.
pub(super) async fn live_rooms(subject: &Subject, rooms: usize) -> Result<Vec<[Peer; 2]>> {
    let scripts = scripts(8);
    let mut users = Vec::new();
    for pair in 0..rooms.div_ceil(GAMES_PER_PAIR) {
        let number = 200_000 + 2 * pair;
        users.push([guest(subject, number).await?, guest(subject, number + 1).await?]);
    }
    let playing = users.into_iter().enumerate().map(|(pair, mut players)| {
        let scripts = &scripts;
        async move {
            let games = GAMES_PER_PAIR.min(rooms - pair * GAMES_PER_PAIR);
            for number in 0..games {
                let script = &scripts[number % scripts.len()];
                let [one, other] = &mut players;
                let game = begin_game(one, other, script.kind.name()).await?;
                for (turn, (mover, notation)) in script.moves.iter().enumerate() {
                    let id = format!("{game}:{turn}");
                    let request = json!(
                        {"type":"move","id":id,"game":game,"turn":turn,"move":notation}
                    );
                    players[*mover].ask(&request).await?;
                }
            }
            anyhow::Ok(players)
        }
    });
    let mut kept = Vec::new();
    let mut playing = playing.peekable();
    while playing.peek().is_some() {
        let some: Vec<_> = playing.by_ref().take(SETUP_AT_ONCE).collect();
        kept.extend(try_join_all(some).await?);
    }
    Ok(kept)
}
