//! Many idle live games among few users.

use anyhow::Result;
use futures::future::try_join_all;
use memchr::memmem::Finder;
use serde_json::{Value, json};

use super::moves::SETUP_AT_ONCE;
use crate::load::{
    peer::Peer,
    script::{Script, scripts},
    setup::{begin_game, guest},
    target::Target,
};

/// Games that one user may have at once on the server, with room to spare.
pub(super) const GAMES_PER_PAIR: usize = 150;

/// Moves of each game.
const PLIES: usize = 8;

/// The number of the first user; each pair takes two.
const USERS_FROM: usize = 200_000;

/// Two users and the games between them.
#[derive(Debug)]
pub(super) struct HostedGames {
    peers: [Peer; 2],
    games: Vec<String>,
}

/// Starts live games of all kinds, with some moves each, among few users who stay connected.
/// `first` is the number of the first pair, so that later calls use other users.
pub(super) async fn live_rooms(
    target: &Target,
    rooms: usize,
    first: usize,
    clock: Option<&Value>,
) -> Result<Vec<HostedGames>> {
    let scripts = scripts(PLIES);
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
pub(super) async fn resign_all(tables: Vec<HostedGames>) -> Result<()> {
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
