//! Seats the load client's sockets in rooms.

use anyhow::{Context as _, Result};
use memchr::memmem::Finder;
use serde_json::{Value, json};

use super::{
    baseline,
    host::Host,
    peer::{Peer, frame},
    script::Script,
    target::Program,
};

/// Two sockets with a game between them.
#[derive(Debug)]
pub struct Pair {
    /// By seat.
    pub peers: [Peer; 2],
    /// The game's id on the real server.
    pub game: String,
    /// The moves with their movers, as prepared frames: building them is not measured.
    pub frames: Vec<(usize, Vec<u8>)>,
    /// How many of them have been sent.
    pub sent: usize,
}

/// Connects a guest; on a baseline a socket without a name.
pub async fn guest(host: &impl Host, number: usize) -> Result<Peer> {
    greeted(host, Peer::connect(host.address_of(number), number).await?, number).await
}

/// The same over an open connection.
pub async fn greeted(host: &impl Host, mut peer: Peer, number: usize) -> Result<Peer> {
    if host.program() == Program::Adamant {
        hello(&mut peer, &json!({"guest": format!("g{number}")})).await?;
    }
    Ok(peer)
}

/// Sends `hello` and returns the welcome.
pub async fn hello(peer: &mut Peer, auth: &Value) -> Result<Value> {
    peer.ask(&json!({"type":"hello","id":"h","proto":[1],"auth":auth})).await
}

/// Connects two new guests and starts a game between them. Their numbers are `2 * number` and the
/// next.
pub async fn pair(host: &impl Host, number: usize, script: &Script) -> Result<Pair> {
    let one = guest(host, 2 * number).await?;
    let other = guest(host, 2 * number + 1).await?;
    seat(host, [one, other], number, script).await
}

/// Starts a game between two sockets.
pub async fn seat(
    host: &impl Host,
    mut peers: [Peer; 2],
    number: usize,
    script: &Script,
) -> Result<Pair> {
    if host.program() != Program::Adamant {
        for peer in &mut peers {
            peer.send(&format!("room {number}")).await?;
            peer.text().await?;
        }
        let text = frame(&baseline::message());
        let frames = script.moves.iter().map(|&(mover, _)| (mover, text.clone())).collect();
        return Ok(Pair { peers, game: String::new(), frames, sent: 0 });
    }
    let [one, other] = &mut peers;
    let game = begin_game(one, other, (script.kind.name(), script.options), None).await?;
    let frames = (0..).zip(&script.moves).map(|(turn, (mover, notation))| {
        let text = format!(
            r#"{{"type":"move","id":"{game}:{turn}","game":"{game}","turn":{turn},"move":"{notation}"}}"#
        );
        (*mover, frame(&text))
    });
    Ok(Pair { frames: frames.collect(), peers, game, sent: 0 })
}

/// Starts a game with options between two guests, of whom the first moves first. Returns its id.
pub async fn begin_game(
    one: &mut Peer,
    other: &mut Peer,
    (rules, options): (&str, &str),
    clock: Option<&Value>,
) -> Result<String> {
    let mut seek = json!({"type":"seek","id":"s","rules":rules,"options":options,"seat":0});
    if let Some(clock) = clock {
        seek["clock"] = clock.clone();
    }
    let sought = one.ask(&seek).await?;
    let begun = match sought.get("game") {
        Some(_) => sought,
        None => other.ask(&json!({"type":"accept","id":"a","seek":sought["seek"]})).await?,
    };
    let game = begun["game"].as_str().context("the game begins")?.to_owned();
    // Both have received the start before anything is measured.
    one.text_with(&Finder::new(r#""kind":"started""#)).await?;
    other.text_with(&Finder::new(r#""kind":"started""#)).await?;
    Ok(game)
}
