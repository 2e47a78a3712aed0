//! How the load client's sockets come to sit in rooms and to watch them.

use anyhow::{Context as _, Result};
use memchr::memmem::Finder;
use serde_json::{Value, json};

use super::{
    baseline,
    peer::{Peer, frame},
    script::Script,
    subject::{Program, Subject},
};

/// Two sockets with a game between them.
#[derive(Debug)]
pub struct Pair {
    /// By seat.
    pub peers: [Peer; 2],
    /// The game's id, on the real server.
    pub game: String,
    /// The moves, each with its mover, as frames made beforehand: making them is not measured.
    pub frames: Vec<(usize, Vec<u8>)>,
    /// How many of them have been sent.
    pub sent: usize,
}

/// A socket that has said who it is; on a baseline there is nothing to say.
pub async fn guest(subject: &Subject, number: usize) -> Result<Peer> {
    greeted(subject, Peer::connect(subject.address(), number).await?, number).await
}

/// The same over a connection that there is already.
pub async fn greeted(subject: &Subject, mut peer: Peer, number: usize) -> Result<Peer> {
    if subject.program == Program::Adamant {
        hello(&mut peer, &json!({"guest": format!("g{number}")})).await?;
    }
    Ok(peer)
}

/// Says hello and gives back the welcome.
pub async fn hello(peer: &mut Peer, auth: &Value) -> Result<Value> {
    peer.ask(&json!({"type":"hello","id":"h","proto":[1],"auth":auth})).await
}

/// Seats two new guests at a new game. Their numbers are twice the pair's, and the next.
pub async fn pair(subject: &Subject, number: usize, script: &Script) -> Result<Pair> {
    let one = guest(subject, 2 * number).await?;
    let other = guest(subject, 2 * number + 1).await?;
    seat(subject, [one, other], number, script).await
}

/// Seats two sockets at a new game.
pub async fn seat(
    subject: &Subject,
    mut peers: [Peer; 2],
    number: usize,
    script: &Script,
) -> Result<Pair> {
    if subject.program != Program::Adamant {
        for peer in &mut peers {
            peer.send(&format!("room {number}")).await?;
            peer.text().await?;
        }
        let text = frame(&baseline::message());
        let frames = script.moves.iter().map(|&(mover, _)| (mover, text.clone())).collect();
        return Ok(Pair { peers, game: String::new(), frames, sent: 0 });
    }
    let [one, other] = &mut peers;
    let game = begin_game(one, other, script.kind.name(), None).await?;
    let frames = (0..).zip(&script.moves).map(|(turn, (mover, notation))| {
        let text = format!(
            r#"{{"type":"move","id":"{game}:{turn}","game":"{game}","turn":{turn},"move":"{notation}"}}"#
        );
        (*mover, frame(&text))
    });
    Ok(Pair { frames: frames.collect(), peers, game, sent: 0 })
}

/// Begins a game between two who have said hello; the first one opens. Gives back its id.
pub async fn begin_game(
    one: &mut Peer,
    other: &mut Peer,
    rules: &str,
    clock: Option<&Value>,
) -> Result<String> {
    let mut seek = json!({"type":"seek","id":"s","rules":rules,"seat":0});
    if let Some(clock) = clock {
        seek["clock"] = clock.clone();
    }
    let sought = one.ask(&seek).await?;
    let begun = match sought.get("game") {
        Some(_) => sought,
        None => other.ask(&json!({"type":"accept","id":"a","seek":sought["seek"]})).await?,
    };
    let game = begun["game"].as_str().context("the game begins")?.to_owned();
    // Both have heard of it before anything is measured.
    one.text_with(&Finder::new(r#""kind":"started""#)).await?;
    other.text_with(&Finder::new(r#""kind":"started""#)).await?;
    Ok(game)
}
